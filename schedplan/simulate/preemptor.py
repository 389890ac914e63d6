"""Who is stopped for whom: victims of a job that does not fit. It starts nothing.

Victims go by lowest priority, then latest start, then name; of that order as few as make room, each of which would be missed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from schedplan.engines.part import Preemption, PreemptionKind
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.timeline import StopCause
from schedplan.simulate.decider import Decider
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import Lane

NEARLY = 1e-9


class Preemptor:
    """The victims that were told to go, with the instant at which they do, and the jobs that wait for it."""

    def __init__(
        self, kernel: Kernel, rule: Preemption, promised: tuple[float | None, ...], counted: tuple[float, ...], total: float
    ) -> None:
        """promised: counted resource per tenant, None without a promise; counted: of one job, per ask; total: of the machine."""
        self._total = total
        self._kernel = kernel
        self._rule = rule
        self._promised = promised
        self._counted = counted
        self._cause = StopCause.PREEMPTED if rule.kind is PreemptionKind.PRIORITY else StopCause.RECLAIMED
        self._told: dict[int, tuple[int, int]] = {}
        self._awaiting: dict[int, int] = {}
        self._running: list[int] = []
        self._priorities: list[int] = []
        self._reach: list[float] = []
        self._held = 0.0
        self._known_at = -1

    def carry_out(self, decider: Decider) -> None:
        """Stop the victims whose grace is over."""
        kernel = self._kernel
        for job, (begun_s, until_s) in tuple(self._told.items()):
            if job not in kernel.held or kernel.begun_s[job] != begun_s:
                del self._told[job]
            elif until_s <= kernel.now_s:
                del self._told[job]
                kernel.stop(job, self._cause, decider)

    def may_start(self, job: int) -> bool:
        """Whether a job leaves alone what is about to be vacated for another: it would be stopped for that one itself."""
        now_s, work = self._kernel.now_s, self._kernel.work
        if not self._awaiting:
            return True
        waits_for = [one for one, until_s in self._awaiting.items() if until_s >= now_s and self._kernel.end_s[one] < 0]
        self._awaiting = {one: self._awaiting[one] for one in waits_for}
        if self._rule.kind is PreemptionKind.PRIORITY:
            return all(work.priority[job] >= work.priority[one] for one in waits_for)
        return not waits_for or self._is_within_promise(job, self._held_by_tenant())

    def makes_room(self, job: int, lane: Lane, decider: Decider) -> bool:
        """Whether a job that does not fit does after stopping others, which are stopped; with grace they are told, and it waits."""
        found = self._victims(job, lane)
        if found is None:
            return False
        kernel = self._kernel
        if not found:  # those told to go make room once they have gone
            return False
        kernel.counts["rooms made"] += 1
        if not self._rule.grace_s:
            for victim in found:
                kernel.stop(victim, self._cause, decider)
            return True
        until_s = self._awaiting[job] = kernel.now_s + self._rule.grace_s
        for victim in found:
            self._told[victim] = (kernel.begun_s[victim], until_s)
        kernel.wake(until_s)
        return False

    def _victims(self, job: int, lane: Lane) -> list[int] | None:
        """Return whom to stop for a job, none where those told to go suffice; None where stopping is no help."""
        going = [victim for victim in self._told if victim in self._kernel.held]
        eligible = self._eligible(job)
        if not eligible and not going:
            return None
        if self._makes_room(job, lane, going):
            return []
        if not eligible or not self._makes_room(job, lane, [*going, *eligible]):
            return None
        if self._rule.kind is PreemptionKind.PRIORITY and self._kernel.work.asks[lane.ask].workers == 1:
            return self._spared(job, lane, going, self._on_one_node(job, lane, going, eligible))
        fewest = self._fewest(job, lane, going, eligible)
        return self._spared(job, lane, going, eligible[:fewest])

    def _eligible(self, job: int) -> list[int]:
        """Return the jobs that may be stopped for one, in the order in which they are."""
        work, running = self._kernel.work, self._in_order()
        if not running:
            return []
        if self._rule.kind is PreemptionKind.PRIORITY:
            below = bisect_left(self._priorities, work.priority[job])
            going = sum(self._counted[work.ask[one]] for one in self._told)
            most = self._total - self._held + going + (self._reach[below - 1] if below else 0.0)
            if not below or most < self._counted[work.ask[job]] - NEARLY:
                return []  # all of them together would not make room
            return [one for one in self._running[:below] if one not in self._told]
        return self._borrowed(job, running)

    def _in_order(self) -> list[int]:
        """Return all that runs and may be stopped, in the order in which it is."""
        kernel, work = self._kernel, self._kernel.work
        if self._known_at != kernel.changes:
            self._running = [one for one in kernel.held if kernel.end_s[one] >= 0 and work.preemptible[one]]
            self._running.sort(key=lambda one: (work.priority[one], -kernel.begun_s[one], one))
            self._priorities = [work.priority[one] for one in self._running]
            self._reach = list(accumulate(self._counted[work.ask[one]] for one in self._running))
            self._held = sum(self._counted[work.ask[one]] for one in kernel.held)
            self._known_at = kernel.changes
        return [one for one in self._running if one not in self._told] if self._told else self._running

    def _borrowed(self, job: int, running: list[int]) -> list[int]:
        """Return what tenants run above their promise, where the job's own stays within its own."""
        work, held = self._kernel.work, self._held_by_tenant()
        own = work.tenant[job]
        if not self._is_within_promise(job, held):
            return []
        found = []
        for one in running:
            tenant, amount = work.tenant[one], self._counted[work.ask[one]]
            limit = self._promised[tenant] or 0.0
            if tenant != own and held[tenant] - amount >= limit - NEARLY and amount > 0:
                held[tenant] -= amount
                found.append(one)
        return found

    def _is_within_promise(self, job: int, held: list[float]) -> bool:
        tenant = self._kernel.work.tenant[job]
        promised = self._promised[tenant]
        return promised is not None and held[tenant] + self._counted[self._kernel.work.ask[job]] <= promised + NEARLY

    def _held_by_tenant(self) -> list[float]:
        work = self._kernel.work
        held = [0.0] * len(work.tenants)
        for one in self._kernel.held:
            held[work.tenant[one]] += self._counted[work.ask[one]]
        for one in self._told:
            if one in self._kernel.held:
                held[work.tenant[one]] -= self._counted[work.ask[one]]
        return held

    def _makes_room(self, job: int, lane: Lane, victims: Iterable[int]) -> bool:
        """Whether a job may start once some jobs are gone: within its quota, on nodes that hold it."""
        kernel, gone = self._kernel, tuple(victims)
        if kernel.quota is not None:
            for one in gone:
                self._count(one, -1)
            is_within = kernel.is_within_quota(lane)
            for one in gone:
                self._count(one, 1)
            if not is_within:
                return False
        releases = [(1, kernel.work.ask[one], kernel.held[one]) for one in gone]
        return kernel.capacity.fits(lane.ask) or kernel.capacity.reserve(lane.ask, 0, releases) is not None

    def _count(self, job: int, sign: int) -> None:
        kernel = self._kernel
        assert kernel.quota is not None
        workers = sum(part.workers for part in kernel.held[job])
        kernel.quota.change(kernel.work.tenant[job], kernel.work.ask[job], sign * workers)

    def _fewest(self, job: int, lane: Lane, going: list[int], eligible: list[int]) -> int:
        """Return how many of the first victims make room: more never make less."""
        low, high = 1, len(eligible)
        while low < high:
            middle = (low + high) // 2
            if self._makes_room(job, lane, [*going, *eligible[:middle]]):
                high = middle
            else:
                low = middle + 1
        return low

    def _on_one_node(self, job: int, lane: Lane, going: list[int], eligible: list[int]) -> list[int]:
        """Return the first victims of the node that needs the fewest of them, the first by name of those."""
        kernel = self._kernel
        by_node: dict[int, list[int]] = {}
        for one in eligible:
            for part in kernel.held[one]:
                by_node.setdefault(part.node, []).append(one)
        best: list[int] | None = None
        for node in sorted(by_node):
            there = by_node[node]
            most = len(there) if best is None else len(best) - 1
            for count in range(1, min(len(there), most) + 1):
                if self._makes_room(job, lane, [*going, *there[:count]]):
                    best = there[:count]
                    break
        return eligible if best is None else best

    def _spared(self, job: int, lane: Lane, going: list[int], victims: list[int]) -> list[int]:
        """Return victims without those that need not go: the last of the order are spared first."""
        kept = list(victims)
        for one in reversed(victims):
            without = [other for other in kept if other != one]
            if self._makes_room(job, lane, [*going, *without]):
                kept = without
        return kept


def promises(quotas: tuple[Quota, ...], tenants: tuple[str, ...], *, has_devices: bool) -> tuple[float | None, ...]:
    """Return what each tenant is promised of the counted resource on all nodes, None where nothing is said."""
    resource = QuotaResource.GPUS if has_devices else QuotaResource.CPUS
    own = {quota.tenant: quota.nominal for quota in quotas if quota.resource is resource and quota.accelerator is None}
    return tuple(own.get(tenant) for tenant in tenants)
