"""Workers of a gang that take their places one by one, and what becomes of them while the rest waits. It orders no job."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush

from schedplan.engines.part import Hold
from schedplan.model.timeline import StartReason
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import Lane
from schedplan.simulate.rate import Rate
from schedplan.units import MICRO

MOST_IN_VAIN = 100
"""How often a job lets go while nothing runs and nothing comes, before it is given up: our choice, or gangs went on for ever."""


class Binder:
    """Jobs that hold places without running, with the instant at which they let go of them.

    has_let_go: whether places were given back since this was last set to False.
    """

    def __init__(self, kernel: Kernel) -> None:
        cycle = kernel.policy.cycle
        self._kernel = kernel
        self._hold = kernel.policy.gang.hold
        self._rate = None if cycle.binds_per_s is None else Rate(cycle.binds_per_s, cycle.burst)
        self._bound: dict[int, int] = {}
        self._partly: Counter[int] = Counter()
        self._apart: set[int] = set()
        self._rounds: Counter[int] = Counter()
        self._in_vain: Counter[int] = Counter()
        self._due: list[tuple[int, int, int]] = []
        self.has_let_go = False

    def may_bind(self) -> bool:
        """Whether this second has a bind left; if not, the next is asked for."""
        if self._rate is None or self._rate.left(self._kernel.now_s) > 0:
            return True
        self._kernel.wake(self._kernel.now_s + 1)
        return False

    def could_bind(self, ask: int) -> bool:
        """Whether a try may come to something: what the front jobs of an ask need of free places is there."""
        fitting = self._kernel.capacity.workers_fit(ask)
        hold = self._hold
        if hold is None or hold.reject_above is None or self._partly[ask] or self._apart:
            return fitting > 0
        wanted = self._kernel.work.asks[ask].workers
        return fitting > 0 and not _is_rejected(wanted - fitting, wanted, hold)

    def binds_all(self, job: int, lane: Lane, reason: StartReason) -> bool:
        """Place as many workers as fit; start the job once the last has its place."""
        kernel = self._kernel
        bound, wanted = self._still_bound(job, lane), kernel.work.asks[lane.ask].workers
        if not kernel.is_within_quota(lane, bound):
            return False
        missing = wanted - bound
        fitting = min(kernel.capacity.workers_fit(lane.ask), missing)
        hold = None if job in self._apart else self._hold
        if hold is not None and _is_rejected(missing - fitting, wanted, hold):
            if bound:
                self._let_go(job, lane)
            return False
        count = fitting if self._rate is None else min(fitting, self._rate.left(kernel.now_s))
        if count > 0:
            kernel.hold(job, kernel.capacity.place(lane.ask, job, count, bound))
            if self._rate is not None:
                self._rate.take(count)
        if count < missing:
            if count > 0:
                self._wait(job, lane, bound, count, hold)
            return False
        if bound:
            del self._bound[job]
            self._partly[lane.ask] -= 1
        lane.take_head()
        kernel.begin(job, reason)
        return True

    def _still_bound(self, job: int, lane: Lane) -> int:
        """Return how many workers of a job have their place; none of one that lost a node."""
        if job in self._bound and job not in self._kernel.held:
            del self._bound[job]
            self._partly[lane.ask] -= 1
            self._rounds[job] += 1
        return self._bound.get(job, 0)

    def let_go_overdue(self) -> list[int]:
        """Let jobs go of places that they have held for too long; return those jobs."""
        found = []
        while self._due and self._due[0][0] <= self._kernel.now_s:
            _, job, round_ = heappop(self._due)
            lane = self._kernel.lanes[self._kernel.lane_of(job)]
            if self._still_bound(job, lane) and self._rounds[job] == round_:
                self._let_go(job, lane)
                found.append(job)
        return found

    def pause_s(self, job: int) -> int:
        """Return how long a job that has let go is not tried again."""
        assert self._hold is not None
        first_s, longest_s = self._hold.pause_s
        return min(first_s << min(self._rounds[job] - 1, 30), longest_s)

    def gives_up(self, job: int) -> bool:
        """Whether a job that has let go is not tried again: it fails, or gangs take places from one another and nothing else
        comes.
        """
        assert self._hold is not None
        if self._kernel.is_idle:
            self._in_vain[job] += 1
        return self._hold.fails or self._in_vain[job] > MOST_IN_VAIN

    def _wait(self, job: int, lane: Lane, bound: int, count: int, hold: Hold | None) -> None:
        """Take note of places that wait for the rest."""
        kernel = self._kernel
        self._bound[job] = bound + count
        self._partly[lane.ask] += not bound
        if hold is None or hold.is_bound:
            kernel.in_parts.add(job)
        if hold is not None and not bound:
            heappush(self._due, (kernel.now_s + hold.longest_s, job, self._rounds[job]))
            kernel.wake(kernel.now_s + hold.longest_s)

    def _let_go(self, job: int, lane: Lane) -> None:
        self._kernel.let_go(job)
        del self._bound[job]
        self._partly[lane.ask] -= 1
        self._rounds[job] += 1
        self.has_let_go = True
        if self._hold is not None and self._hold.then_apart:
            self._apart.add(job)


def _is_rejected(missing: int, wanted: int, hold: Hold) -> bool:
    """Whether so many workers without a place are too many for the others to wait."""
    return hold.reject_above is not None and missing * MICRO > round(hold.reject_above * MICRO) * wanted
