"""The event kernel: submissions, ends, supply and wake-ups in the order of time, then a decision. It follows a policy and has
none.

Submissions stay in their sorted lists; only ends are in the heap, as one number each (time x jobs + job). No object is made per
event but what a job holds. An end counts only if its job still runs and is to end then: a stop never searches the heap.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Protocol

from schedplan.engines.part import BackfillKind, Cycle, CycleKind, PreemptionKind
from schedplan.engines.policy import Policy
from schedplan.model.timeline import REASONS, StartReason, StopCause
from schedplan.model.view import LaneView
from schedplan.simulate.capacity import Capacity, Held
from schedplan.simulate.decider import Decider
from schedplan.simulate.dependent import Dependent
from schedplan.simulate.lane import NEVER, Lane
from schedplan.simulate.lane_table import LaneTable
from schedplan.simulate.node_starts import NodeStarts
from schedplan.simulate.options import EventOrder
from schedplan.simulate.progress import Progress
from schedplan.simulate.quota import QuotaGate
from schedplan.simulate.ready import Ready
from schedplan.simulate.usage import TenantUsage
from schedplan.simulate.work import Ask, Work

Slowness = Callable[[int, tuple[Held, ...]], float]
_REASON = {reason: idx for idx, reason in enumerate(REASONS)}


class Supply(Protocol):
    """What happens beside jobs: nodes that go and come back, services that take and leave room. can_stop: it may stop jobs."""

    @property
    def can_stop(self) -> bool: ...

    def next_s(self) -> int:
        """Return the next instant at which anything happens, NEVER where nothing will."""

    def is_due(self, now_s: int) -> bool:
        """Whether it is to happen at an instant at which other things happen."""

    def until_s(self) -> int:
        """Return until when it goes on where no work is left."""

    def last_return_s(self) -> int:
        """Return when the last node that is absent now will be back; an instant of the past where none is absent."""

    def happen(self, kernel: Kernel, decider: Decider) -> None:
        """Let happen what happens at the kernel's instant."""


class Kernel:
    """The state of one replay. Jobs are meant by their index in the work; -1 in start_s, begun_s and end_s: not yet.

    start_s: of the first run; begun_s: of the present one. changes: counts what took or gave back room. lane_of: the lane of a job;
    lane_asks: the ask of each. part_gone_s: of parts that were given back before an end. in_parts: jobs of which workers were bound
    before the last could be. admitted_s: when quota was last given to a job, where that is done before it has nodes. stops: (job,
    instant, cause, seconds lost). standing: (ask, parts) of what no job holds and nobody knows the end of, by a number of its own.
    dependent: jobs that start after others.
    """

    def __init__(
        self,
        work: Work,
        capacity: Capacity,
        policy: Policy,
        *,
        slowness: Slowness | None = None,
        quota: QuotaGate | None = None,
        usage: TenantUsage | None = None,
        supply: Supply | None = None,
        offered: float = 1.0,
        node_starts: NodeStarts | None = None,
    ) -> None:
        """offered: devices of the machine, cores where it has none."""
        self.work = work
        self.capacity = capacity
        self.policy = policy
        self._jobs = len(work)
        self.quota = quota
        self.can_stop = (supply is not None and supply.can_stop) or policy.preemption.kind is not PreemptionKind.NONE
        self.now_s = 0
        self.latest = -1
        self.start_s = array("q", [-1]) * len(work)
        self.begun_s = array("q", [-1]) * len(work) if self.can_stop else self.start_s
        self.end_s = array("q", [-1]) * len(work)
        self.reason = array("b", [0]) * len(work)
        self.held: dict[int, tuple[Held, ...]] = {}
        self.freed = False
        self.changes = 0
        self.counts: Counter[str] = Counter()
        self.part_job = array("q")
        self.part: list[Held] = []
        self.part_taken_s = array("q")
        self.part_gone_s: dict[int, int] = {}
        self.stops: list[tuple[int, int, StopCause, int]] = []
        self.ran_before_s: Counter[int] = Counter()
        self.in_parts: set[int] = set()
        self.admitted_s: dict[int, int] = {}
        self._tracks_parts = self.can_stop or policy.gang.hold is not None
        by_tenant = policy.admission.by_quota or quota is not None or usage is not None
        table = LaneTable(work, policy, by_tenant=by_tenant, can_stop=self.can_stop)
        self.lanes, self.lane_asks, self.lane_of = table.lanes, table.asks, table.of
        self.progress = Progress(work, writes=self.can_stop)
        self.estimate_s = self.progress.estimate_s
        self.estimated_s: Callable[[int], int] = self.progress.estimated_s if self.can_stop else work.estimate_s.__getitem__
        self.standing: dict[int, tuple[int, tuple[Held, ...]]] = {}
        self.usage = usage
        self._supply = supply
        self._last_hope_s: int | None = None
        self._unended = len(work)
        self._ends: list[int] = []
        self._wakes: list[int] = []
        self._woken: set[int] = set()
        self._releases: list[tuple[int, int]] | None = None if policy.backfill.kind is BackfillKind.NONE else []
        self._slowness = slowness
        self._view = LaneView()
        self.dependent = Dependent({} if policy.admission.overcommit is not None else work.after)
        self._sizes = tuple(_size(ask, offered) for ask in work.asks)
        self._node_starts = node_starts
        self.starting: dict[int, StartReason] = {}
        self._ready: list[tuple[int, int]] = []
        self._parts_of: dict[int, list[int]] = {}

    def ready(self) -> Ready:
        """Return an empty line of front jobs under the policy's share and order."""
        return Ready(self.lanes, self.key, None if self.usage is None else self.usage.key)

    def run(self, decider: Decider, order: EventOrder, cycle: Cycle) -> None:
        """Replay all of the work."""
        turns = (self._submit_all, self._end_all)
        first, second = turns if order is EventOrder.SUBMISSIONS_FIRST else turns[::-1]
        per_event = cycle.kind is CycleKind.EVENT
        period_s = cycle.period_s if cycle.kind is CycleKind.PERIOD else 1
        wakes, supply = self._wakes, self._supply
        while (now_s := self._next_s()) < NEVER:
            self.now_s = now_s
            if self.usage is not None:
                self.usage.at(now_s)
            first(decider, per_event)
            second(decider, per_event)
            if supply is not None and supply.is_due(now_s):
                supply.happen(self, decider)
            if self._ready:
                self._begin_ready()
            while wakes and wakes[0] == now_s:
                self._woken.discard(heappop(wakes))
            if now_s % period_s:
                self.wake(now_s + period_s - now_s % period_s)
            else:
                self._decide(decider)

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs or begins, and nothing is submitted any more."""
        return not (self._ends or self._ready) and self.latest + 1 >= self._jobs

    def _next_s(self) -> int:
        """Return the instant of the next event, NEVER after the last; supply without work left is no event."""
        submit_s, following = self.work.submit_s, self.latest + 1
        now_s = submit_s[following] if following < len(submit_s) else NEVER
        if self.can_stop:
            self._drop_void_ends()
        if self._ends:
            ends_s = self._ends[0] // len(submit_s)
            now_s = min(now_s, ends_s)
        if self._wakes and self._wakes[0] < now_s:
            now_s = self._wakes[0]
        if self._supply is not None:
            now_s = self._with_supply(now_s, self._supply)
        return now_s

    def _with_supply(self, now_s: int, supply: Supply) -> int:
        """Return the instant of the next event, supply among them; where only supply is left, until every absent node was
        back.
        """
        supply_s = supply.next_s()
        if now_s < NEVER:
            self._last_hope_s = None
            return min(now_s, supply_s)
        if self._unended == 0:
            return supply_s if supply_s <= supply.until_s() else NEVER
        if self._last_hope_s is None:
            self._last_hope_s = max(supply.last_return_s(), supply.until_s())
        return supply_s if supply_s <= self._last_hope_s else NEVER

    def _submit_all(self, decider: Decider, per_event: bool) -> None:
        """Let all jobs of this instant arrive."""
        submit_s, now_s, jobs = self.work.submit_s, self.now_s, self._jobs
        following = self.latest + 1
        comes_early = self.dependent.comes_too_early if self.work.after else None
        while following < jobs and submit_s[following] == now_s:
            self.latest = following
            if comes_early is not None and comes_early(following):
                self.lanes[self.lane_of(following)].reserve(following)
            else:
                if self.usage is not None:
                    self._want(following, 1)
                decider.arrived(following)
            following += 1
            if per_event:
                self._decide(decider)

    def _end_all(self, decider: Decider, per_event: bool) -> None:
        """Let all jobs end that end at this instant."""
        ends, jobs = self._ends, self._jobs
        limit = (self.now_s + 1) * jobs
        while ends and ends[0] < limit:
            at_s, job = divmod(heappop(ends), jobs)
            if self.can_stop and self._is_void(at_s, job):
                continue
            self._end(job, decider)
            if per_event:
                self._decide(decider)

    def _want(self, job: int, sign: int) -> None:
        if self.usage is not None:
            ask = self.work.ask[job]
            self.usage.want(self.work.tenant[job], ask, sign * self.work.asks[ask].workers)

    def _drop_void_ends(self) -> None:
        """Drop the ends of runs that were stopped before, down to the next that is one."""
        ends, jobs = self._ends, self._jobs
        while ends and self._is_void(*divmod(ends[0], jobs)):
            heappop(ends)

    def _is_void(self, at_s: int, job: int) -> bool:
        return self.end_s[job] != at_s or job not in self.held

    def wake(self, at_s: int) -> None:
        """Have a decision made at a later instant even if nothing happens in it."""
        if at_s not in self._woken:
            self._woken.add(at_s)
            heappush(self._wakes, at_s)

    def key(self, lane: Lane, job: int) -> tuple[int, ...]:
        """Return the policy's key of a job at the front of its lane."""
        view, work = self._view, self.work
        view.now_s, view.rank, view.submit_s, view.estimate_s = self.now_s, job, work.submit_s[job], self.estimate_s[job]
        view.workers, view.devices, view.cores, view.of_machine = self._sizes[lane.ask]
        view.priority, view.tenant, view.waiting = work.priority[job], work.tenants[work.tenant[job]], lane.waiting
        return self.policy.order.key(view)

    def is_within_quota(self, lane: Lane, bound: int = 0) -> bool:
        """Whether the tenant of a lane may hold one more of its jobs, of which so many workers have their place already."""
        return self.quota is None or self.quota.allows(lane.tenant, lane.ask, self.work.asks[lane.ask].workers - bound)

    def fits(self, lane: Lane) -> bool:
        """Whether a job of a lane may start now: within its tenant's quota, on nodes that hold it."""
        return self.capacity.fits(lane.ask) and (self.quota is None or self.is_within_quota(lane))

    def start_whole(self, job: int, reason: StartReason) -> None:
        """Start a job that fits, wherever the node choice puts it."""
        ask = self.work.ask[job]
        self.start(job, self.capacity.place(ask, job, self.work.asks[ask].workers, 0), reason)

    def start(self, job: int, parts: tuple[Held, ...], reason: StartReason) -> None:
        """Start a job on parts already taken."""
        self.hold(job, parts)
        self.begin(job, reason)

    def hold(self, job: int, parts: tuple[Held, ...]) -> None:
        """Let a job keep parts already taken, without running yet."""
        self.changes += 1
        if self._node_starts is not None:
            self._node_starts.take(parts, self.now_s)
        before = self.held.get(job)
        self.held[job] = parts if before is None else before + parts
        if self.quota is not None or self.usage is not None:
            self._count(job, parts, 1)
        if self._tracks_parts:
            self._parts_of.setdefault(job, []).extend(range(len(self.part), len(self.part) + len(parts)))
        for part in parts:
            self.part_job.append(job)
            self.part.append(part)
            self.part_taken_s.append(self.now_s)

    def begin(self, job: int, reason: StartReason) -> None:
        """Let a job run on all that it holds, once the last of its nodes is ready."""
        now_s = self.now_s
        if self._node_starts is not None and (ready_s := self._node_starts.ready_s(self.held[job])) > now_s:
            self.starting[job] = reason
            heappush(self._ready, (ready_s, job))
            self.wake(ready_s)
            return
        lasts_s = self.progress.lasts_s(job) if self.can_stop else self.work.run_s[job]
        if self._slowness is not None:
            lasts_s = max(round(lasts_s * self._slowness(job, self.held[job]) + 0.499999), 1)
        if self.start_s[job] < 0:
            assert now_s >= self.work.submit_s[job], "a job starts before it is submitted"
            self.start_s[job] = now_s
            self.reason[job] = _REASON[reason]
        else:
            assert self.can_stop, "a job starts twice"
            assert self.end_s[job] < 0, "a job starts while it runs"
        if self.can_stop:
            self.begun_s[job] = now_s
        self.end_s[job] = now_s + lasts_s
        heappush(self._ends, (now_s + lasts_s) * self._jobs + job)
        if self._releases is not None:
            insort(self._releases, (self.due_s(job), job))

    def _begin_ready(self) -> None:
        """Let jobs run whose nodes are ready now; one that lost its place meanwhile waits again."""
        while self._ready and self._ready[0][0] <= self.now_s:
            _, job = heappop(self._ready)
            reason = self.starting.get(job)
            if reason is not None and self._node_starts is not None and self._node_starts.ready_s(self.held[job]) <= self.now_s:
                del self.starting[job]
                self.begin(job, reason)

    def due_s(self, job: int) -> int:
        """Return when a job that runs is estimated to end."""
        return self.begun_s[job] + self.estimated_s(job)

    def releases(self) -> Iterator[tuple[int, int, tuple[Held, ...]]]:
        """Yield (estimated end, ask, parts) of what runs, earliest first; what should have ended is counted as overrun."""
        ask, held, now_s = self.work.ask, self.held, self.now_s
        for at_s, job in self._releases or ():
            if at_s < now_s:
                self.counts["overrun estimates met"] += 1
            yield at_s, ask[job], held[job]

    def first_release(self) -> Iterator[tuple[int, int, tuple[Held, ...]]]:
        """Yield the first of `releases` alone."""
        for at_s, job in (self._releases or ())[:1]:
            yield at_s, self.work.ask[job], self.held[job]

    def stop(self, job: int, cause: StopCause, decider: Decider) -> None:
        """Stop a job that runs: what it holds is free, what it has saved is kept, and it waits again."""
        ran_s, lasts_s = self.now_s - self.begun_s[job], self.end_s[job] - self.begun_s[job]
        self._give_back(job, self.due_s(job))
        for idx in self._parts_of.pop(job):
            self.part_gone_s[idx] = self.now_s
        lost_s = self.progress.stop(job, ran_s, lasts_s)
        self.ran_before_s[job] += ran_s
        self.stops.append((job, self.now_s, cause, lost_s))
        self.end_s[job] = self.begun_s[job] = -1
        decider.stopped(job)

    def let_go(self, job: int) -> None:
        """Give back what a job holds that does not run yet."""
        self._give_back_parts(job)
        for idx in self._parts_of.pop(job):
            self.part_gone_s[idx] = self.now_s

    def _end(self, job: int, decider: Decider) -> None:
        due_s = self.begun_s[job] + self.estimated_s(job)
        self._unended -= 1
        self._give_back(job, due_s)
        if self.usage is not None:
            self._want(job, -1)
        if self._tracks_parts:
            del self._parts_of[job]
        decider.ended(job, self.now_s != due_s)
        for one in self.dependent.freed_by(job, self.now_s):
            self._want(one, 1)
            decider.released(one)

    def _give_back(self, job: int, due_s: int) -> None:
        if self._releases is not None:
            del self._releases[bisect_left(self._releases, (due_s, job))]
        self._give_back_parts(job)

    def _give_back_parts(self, job: int) -> None:
        parts = self.held.pop(job)
        if self._node_starts is not None:
            self._node_starts.give_back(parts, self.now_s)
        self.capacity.release(self.work.ask[job], parts)
        if self.quota is not None or self.usage is not None:
            self._count(job, parts, -1)
        self.freed = True
        self.changes += 1

    def stand(self, number: int, tenant: int, ask: int, parts: tuple[Held, ...]) -> None:
        """Let something that is no job keep parts already taken until it leaves."""
        self.changes += 1
        self.standing[number] = (ask, parts)
        self._charge(tenant, ask, sum(part.workers for part in parts))

    def leave(self, number: int, tenant: int) -> None:
        """Let something that is no job give back what it holds."""
        ask, parts = self.standing.pop(number)
        self.capacity.release(ask, parts)
        self._charge(tenant, ask, -sum(part.workers for part in parts))
        self.freed = True
        self.changes += 1

    def _count(self, job: int, parts: tuple[Held, ...], sign: int) -> None:
        self._charge(self.work.tenant[job], self.work.ask[job], sign * sum(part.workers for part in parts))

    def _charge(self, tenant: int, ask: int, workers: int) -> None:
        for counted in (self.quota, self.usage):
            if counted is not None:
                counted.change(tenant, ask, workers)

    def _decide(self, decider: Decider) -> None:
        self.counts["decisions"] += 1
        decider.decide()
        self.freed = False


def _size(ask: Ask, offered: float) -> tuple[int, float, float, float]:
    """Return workers, devices and cores of a whole job, and its share of the machine."""
    devices, cores = ask.workers * ask.shape.gpus, ask.workers * ask.shape.cpus
    return ask.workers, devices, cores, (devices or cores) / offered
