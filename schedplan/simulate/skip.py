"""Nothing blocks: a job that doesn't fit is passed over. With admission, pauses after failed tries, and workers placed one by
one.

A lane whose front does not fit is closed until something is freed; then it is opened if its front fits. Closed lanes are kept by
what they ask: those of one ask fit at the same moments.
"""

from __future__ import annotations

from heapq import heappop, heappush

from schedplan.engines.part import GangKind
from schedplan.model.timeline import StartReason
from schedplan.simulate.admission import Admitter
from schedplan.simulate.binder import Binder
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import Lane
from schedplan.simulate.preemptor import Preemptor


class SkipDecider:
    """The front job of every open lane, least key first, and the closed lanes."""

    def __init__(self, kernel: Kernel, admitter: Admitter | None, preemptor: Preemptor | None = None) -> None:
        self._kernel = kernel
        self._admitter = admitter
        self._preemptor = preemptor
        self._ready = kernel.ready()
        self._closed: dict[int, dict[int, None]] = {}
        self._binder = None if kernel.policy.gang.kind is GangKind.ATOMIC else Binder(kernel)
        self._looked_at = -1
        self._has_stopped = False
        self._looks_anew = preemptor is not None or kernel.policy.cycle.backoff_s is not None
        self._fronts: list[tuple[int, int]] = []

    def arrived(self, job: int) -> None:
        kernel = self._kernel
        lane_idx = kernel.lane_of(job)
        lane = kernel.lanes[lane_idx]
        is_front = lane.append(job, kernel.estimate_s[job])
        if self._admitter is not None:
            self._admitter.arrived(lane_idx, lane)
        elif is_front and not lane.blocked:
            self._ready.show(lane_idx)

    def released(self, job: int) -> None:
        self.stopped(job)

    def stopped(self, job: int) -> None:
        kernel = self._kernel
        lane_idx = kernel.lane_of(job)
        lane = kernel.lanes[lane_idx]
        if self._admitter is not None:
            self._admitter.came_back(lane.ask)
        if lane.put_back(job, kernel.estimate_s[job]) and not lane.blocked:
            self._ready.show(lane_idx)

    def supplied(self) -> None:
        return None

    def ended(self, job: int, early: bool) -> None:
        if self._admitter is not None:
            self._admitter.ended(self._kernel, job)

    def decide(self) -> None:
        kernel, ready = self._kernel, self._ready
        if self._preemptor is not None:
            self._preemptor.carry_out(self)
        if self._binder is not None:
            self._let_go_overdue(self._binder)
        if self._admitter is not None:
            for lane_idx in self._admitter.admit(kernel):
                if not kernel.lanes[lane_idx].blocked:
                    ready.show(lane_idx)
        if self._closed and (kernel.freed or self._looks_anew):
            self._open()
        while (found := ready.first()) is not None:
            if self._binder is not None and not self._binder.may_bind():
                return
            lane_idx, job = found
            ready.pop()
            lane = kernel.lanes[lane_idx]
            kernel.counts["tries"] += 1
            if self._starts(job, lane) or (self._binder is not None and not self._binder.may_bind()):
                self._settle(lane_idx, lane)
            else:
                self._close(lane_idx, lane)
            if self._has_stopped or (self._binder is not None and self._binder.has_let_go):
                self._has_freed(self._binder)

    def _settle(self, lane_idx: int, lane: Lane) -> None:
        """Let the front of a lane that is not closed take part again."""
        self._ready.show(lane_idx)
        if not lane.waiting:
            lane.tries = 0

    def _has_freed(self, binder: Binder | None) -> None:
        """Open lanes after stops, or places that were let go of: more may have been freed than was taken."""
        self._has_stopped = False
        if binder is not None:
            binder.has_let_go = False
        self._open()

    def _let_go_overdue(self, binder: Binder) -> None:
        """Let gangs go of what they have held for too long, and rest."""
        kernel = self._kernel
        for job in binder.let_go_overdue():
            lane_idx, pause_s = kernel.lane_of(job), binder.pause_s(job)
            lane = kernel.lanes[lane_idx]
            if pause_s:
                if not lane.blocked:
                    self._close(lane_idx, lane)
                lane.retry_s = kernel.now_s + pause_s
            if self._admitter is not None:
                self._admitter.withdraw(kernel, lane_idx, lane.retry_s)
            if binder.gives_up(job):
                kernel.counts["gangs given up"] += 1
                lane.take_head()
        binder.has_let_go = False

    def _starts(self, job: int, lane: Lane) -> bool:
        kernel = self._kernel
        if self._binder is not None:
            if not self._binder.binds_all(job, lane, self._reason(job)):
                return False
            if self._admitter is not None:
                self._admitter.started(lane.ask)
            return True
        if self._preemptor is not None and not self._preemptor.may_start(job):
            return False
        if not kernel.fits(lane):
            if self._preemptor is None or not self._preemptor.makes_room(job, lane, self):
                return False
            self._has_stopped = True
        lane.take_head()
        if self._admitter is not None:
            self._admitter.started(lane.ask)
        kernel.start_whole(job, self._reason(job))
        return True

    def _reason(self, job: int) -> StartReason:
        """Return why a job starts now: in its turn, or while an earlier one is passed over."""
        fronts, lanes = self._fronts, self._kernel.lanes
        while fronts:
            earliest, lane_idx = fronts[0]
            lane = lanes[lane_idx]
            if lane.blocked and lane.waiting and lane.jobs[lane.head] == earliest:
                return StartReason.SKIPPED_AHEAD if earliest < job else StartReason.IN_ORDER
            heappop(fronts)
        return StartReason.IN_ORDER

    def _close(self, lane_idx: int, lane: Lane) -> None:
        lane.blocked = True
        self._closed.setdefault(lane.ask, {})[lane_idx] = None
        heappush(self._fronts, (lane.jobs[lane.head], lane_idx))
        pause = self._kernel.policy.cycle.backoff_s
        if pause is not None:
            first_s, longest_s = pause
            lane.retry_s = self._kernel.now_s + min(first_s << min(lane.tries, 30), longest_s)
            lane.tries += 1

    def _open(self) -> None:
        """Open closed lanes whose front may start now: where something was freed, or a job runs that may be stopped."""
        kernel, capacity, binder = self._kernel, self._kernel.capacity, self._binder
        is_worth_it = self._preemptor is not None and (self._looked_at != kernel.changes or self._ready.first() is not None)
        for ask in tuple(self._closed):
            if not is_worth_it and not (capacity.fits(ask) if binder is None else binder.could_bind(ask)):
                continue
            for lane_idx in tuple(self._closed[ask]):
                lane = kernel.lanes[lane_idx]
                if not is_worth_it and binder is None and not kernel.fits(lane):
                    continue
                if lane.retry_s > kernel.now_s:
                    kernel.wake(lane.retry_s)
                    continue
                lane.blocked = False
                del self._closed[ask][lane_idx]
                self._settle(lane_idx, lane)
            if not self._closed[ask]:
                del self._closed[ask]
        self._looked_at = kernel.changes
