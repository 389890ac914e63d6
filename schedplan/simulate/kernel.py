"""The event kernel: submissions, ends and wake-ups in the order of time, then a decision. It follows a policy and has none.

Submissions stay in their sorted lists; only ends are in the heap, as one number each (time x jobs + job). No object is made per
event but what a job holds.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Protocol

from schedplan.engines.policy import Cycle, CycleKind, Policy
from schedplan.model.timeline import REASONS, StartReason
from schedplan.model.view import LaneView
from schedplan.simulate.capacity import Capacity, Held
from schedplan.simulate.lane import NEVER, EstimatedLane, Lane
from schedplan.simulate.options import EventOrder
from schedplan.simulate.quota import QuotaGate
from schedplan.simulate.work import Work

Slowness = Callable[[int, tuple[Held, ...]], float]
_REASON = {reason: idx for idx, reason in enumerate(REASONS)}


class Decider(Protocol):
    """What decides who starts: one per kind of blocking."""

    def arrived(self, job: int) -> None: ...

    def ended(self, job: int, early: bool) -> None: ...

    def decide(self) -> None: ...


class Kernel:
    """The state of one replay. Jobs are meant by their index in the work; -1 in start_s and end_s: not yet."""

    def __init__(
        self,
        work: Work,
        capacity: Capacity,
        policy: Policy,
        *,
        keeps_releases: bool,
        slowness: Slowness | None,
        quota: QuotaGate | None,
    ) -> None:
        self.work = work
        self.capacity = capacity
        self.policy = policy
        self.now_s = 0
        self.latest = -1
        self.lanes: list[Lane] = []
        self.start_s: list[int] = [-1] * len(work)
        self.end_s: list[int] = [-1] * len(work)
        self.reason: list[int] = [0] * len(work)
        self.held: dict[int, tuple[Held, ...]] = {}
        self.running = 0
        self.freed = False
        self.counts: Counter[str] = Counter()
        self.part_job: list[int] = []
        self.part: list[Held] = []
        self.part_taken_s: list[int] = []
        self._ends: list[int] = []
        self._wakes: list[int] = []
        self._lane_of: dict[tuple[int, int, int], int] = {}
        self._releases: list[tuple[int, int]] | None = [] if keeps_releases else None
        self._slowness = slowness
        self._quota = quota
        self._view = LaneView()

    def run(self, decider: Decider, order: EventOrder, cycle: Cycle) -> None:
        """Replay all of the work."""
        turns = (self._submit_all, self._end_all)
        first, second = turns if order is EventOrder.SUBMISSIONS_FIRST else turns[::-1]
        per_event = cycle.kind is CycleKind.EVENT
        period_s = cycle.period_s if cycle.kind is CycleKind.PERIOD else 1
        wakes = self._wakes
        while (now_s := self._next_s()) < NEVER:
            self.now_s = now_s
            first(decider, per_event)
            second(decider, per_event)
            while wakes and wakes[0] == now_s:
                heappop(wakes)
            if now_s % period_s:
                self.wake(now_s + period_s - now_s % period_s)
            else:
                self._decide(decider)

    def _next_s(self) -> int:
        """Return the instant of the next event, NEVER after the last."""
        submit_s, following = self.work.submit_s, self.latest + 1
        now_s = submit_s[following] if following < len(submit_s) else NEVER
        if self._ends:
            now_s = min(now_s, self._ends[0] // len(submit_s))
        return min(now_s, self._wakes[0]) if self._wakes else now_s

    def _submit_all(self, decider: Decider, per_event: bool) -> None:
        """Let all jobs of this instant arrive."""
        submit_s, now_s, jobs = self.work.submit_s, self.now_s, len(self.work)
        following = self.latest + 1
        while following < jobs and submit_s[following] == now_s:
            self.latest = following
            decider.arrived(following)
            following += 1
            if per_event:
                self._decide(decider)

    def _end_all(self, decider: Decider, per_event: bool) -> None:
        """Let all jobs end that end at this instant."""
        ends, jobs = self._ends, len(self.work)
        limit = (self.now_s + 1) * jobs
        while ends and ends[0] < limit:
            self._end(heappop(ends) % jobs, decider)
            if per_event:
                self._decide(decider)

    def wake(self, at_s: int) -> None:
        """Have a decision made at a later instant even if nothing happens in it."""
        if at_s not in self._wakes:
            heappush(self._wakes, at_s)

    def lane_of(self, job: int) -> int:
        """Return the lane of a job, made where there is none yet."""
        work, order = self.work, self.policy.order
        has_tenants = order.by_tenant or self._quota is not None
        key = (work.ask[job], work.priority[job] if order.by_priority else 0, work.tenant[job] if has_tenants else 0)
        found = self._lane_of.get(key)
        if found is None:
            found = self._lane_of[key] = len(self.lanes)
            self.lanes.append(Lane(key[0], key[2]) if self._releases is None else EstimatedLane(key[0], key[2]))
        return found

    def key(self, lane: Lane, job: int) -> tuple[int, ...]:
        """Return the policy's key of a job at the front of its lane."""
        view, work = self._view, self.work
        ask = work.asks[lane.ask]
        view.now_s, view.rank, view.submit_s, view.estimate_s = self.now_s, job, work.submit_s[job], work.estimate_s[job]
        view.workers, view.devices = ask.workers, ask.workers * ask.shape.gpus
        view.priority, view.tenant, view.waiting = work.priority[job], work.tenants[work.tenant[job]], lane.waiting
        return self.policy.order.key(view)

    def is_within_quota(self, lane: Lane, bound: int = 0) -> bool:
        """Whether the tenant of a lane may hold one more of its jobs, of which so many workers have their place already."""
        return self._quota is None or self._quota.allows(lane.tenant, lane.ask, self.work.asks[lane.ask].workers - bound)

    def fits(self, lane: Lane) -> bool:
        """Whether a job of a lane may start now: within its tenant's quota, on nodes that hold it."""
        return self.capacity.fits(lane.ask) and self.is_within_quota(lane)

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
        before = self.held.get(job)
        self.held[job] = parts if before is None else before + parts
        self._count(job, parts, 1)
        for part in parts:
            self.part_job.append(job)
            self.part.append(part)
            self.part_taken_s.append(self.now_s)

    def begin(self, job: int, reason: StartReason) -> None:
        """Let a job run on all that it holds."""
        run_s = self.work.run_s[job]
        if self._slowness is not None:
            run_s = max(round(run_s * self._slowness(job, self.held[job]) + 0.499999), 1)
        assert self.start_s[job] < 0, "a job starts twice"
        assert self.now_s >= self.work.submit_s[job], "a job starts before it is submitted"
        self.start_s[job] = self.now_s
        self.end_s[job] = self.now_s + run_s
        self.reason[job] = _REASON[reason]
        self.running += 1
        heappush(self._ends, (self.now_s + run_s) * len(self.work) + job)
        if self._releases is not None:
            insort(self._releases, (self.now_s + self.work.estimate_s[job], job))

    def releases(self) -> Iterator[tuple[int, int, tuple[Held, ...]]]:
        """Yield (estimated end, ask, parts) of what runs, earliest first; what should have ended is counted as overrun."""
        for at_s, job in self._releases or ():
            if at_s < self.now_s:
                self.counts["overrun estimates met"] += 1
            yield at_s, self.work.ask[job], self.held[job]

    def _end(self, job: int, decider: Decider) -> None:
        estimated_s = self.start_s[job] + self.work.estimate_s[job]
        if self._releases is not None:
            del self._releases[bisect_left(self._releases, (estimated_s, job))]
        parts = self.held.pop(job)
        self.capacity.release(self.work.ask[job], parts)
        self._count(job, parts, -1)
        self.running -= 1
        self.freed = True
        decider.ended(job, self.now_s != estimated_s)

    def _count(self, job: int, parts: tuple[Held, ...], sign: int) -> None:
        if self._quota is not None:
            self._quota.change(self.work.tenant[job], self.work.ask[job], sign * sum(part.workers for part in parts))

    def _decide(self, decider: Decider) -> None:
        self.counts["decisions"] += 1
        decider.decide()
        self.freed = False
