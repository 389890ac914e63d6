"""Nothing blocks: a job that doesn't fit is passed over. With admission, pauses after failed tries, and workers placed one by one.

A lane whose front does not fit is closed until something is freed; then it is opened if its front fits.
"""

from __future__ import annotations

from heapq import heappop, heappush

from schedplan.engines.policy import GangKind
from schedplan.model.timeline import StartReason
from schedplan.simulate.admission import Admitter
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import Lane

Ready = tuple[tuple[int, ...], int, int]


class SkipDecider:
    """The front job of every open lane, least key first, and the closed lanes."""

    def __init__(self, kernel: Kernel, admitter: Admitter | None) -> None:
        self._kernel = kernel
        self._admitter = admitter
        self._ready: list[Ready] = []
        self._closed: dict[int, None] = {}
        self._is_whole = kernel.policy.gang.kind is GangKind.ATOMIC
        self._bound: dict[int, int] = {}
        self._second, self._binds = -1, 0

    def arrived(self, job: int) -> None:
        kernel = self._kernel
        lane_idx = kernel.lane_of(job)
        lane = kernel.lanes[lane_idx]
        lane.append(job, 0)
        if self._admitter is not None:
            self._admitter.arrived(lane_idx, lane)
        elif lane.waiting == 1 and not lane.blocked:
            self._show_front(lane_idx, lane)

    def ended(self, job: int, early: bool) -> None:
        if self._admitter is not None:
            self._admitter.ended(self._kernel.work.ask[job])

    def decide(self) -> None:
        kernel = self._kernel
        if self._admitter is not None:
            for lane_idx in self._admitter.admit(kernel):
                if not kernel.lanes[lane_idx].blocked:
                    self._show_front(lane_idx, kernel.lanes[lane_idx])
        if self._closed:
            self._open()
        while self._ready:
            _, lane_idx, job = self._ready[0]
            if not self._may_bind():
                return
            heappop(self._ready)
            lane = kernel.lanes[lane_idx]
            kernel.counts["tries"] += 1
            if self._starts(job, lane):
                self._show_front(lane_idx, lane)
            elif self._may_bind():
                self._close(lane_idx, lane)
            else:
                self._show_front(lane_idx, lane)

    def _starts(self, job: int, lane: Lane) -> bool:
        kernel = self._kernel
        if self._is_whole:
            if not kernel.fits(lane):
                return False
            lane.take_head()
            if self._admitter is not None:
                self._admitter.started(lane.ask)
            kernel.start_whole(job, self._reason(job))
            return True
        return self._binds_all(job, lane)

    def _binds_all(self, job: int, lane: Lane) -> bool:
        """Place as many workers as fit; start the job once the last has its place."""
        kernel = self._kernel
        bound, wanted = self._bound.get(job, 0), kernel.work.asks[lane.ask].workers
        if not kernel.is_within_quota(lane, bound):
            return False
        count = min(kernel.capacity.workers_fit(lane.ask), wanted - bound, self._binds_left())
        if count > 0:
            kernel.hold(job, kernel.capacity.place(lane.ask, job, count, bound))
            self._binds += count
        if bound + count < wanted:
            self._bound[job] = bound + count
            return False
        self._bound.pop(job, None)
        lane.take_head()
        kernel.begin(job, self._reason(job))
        return True

    def _reason(self, job: int) -> StartReason:
        lanes = self._kernel.lanes
        is_ahead = any(lanes[idx].jobs[lanes[idx].head] < job for idx in self._closed)
        return StartReason.SKIPPED_AHEAD if is_ahead else StartReason.IN_ORDER

    def _may_bind(self) -> bool:
        """Whether this second has a bind left; if not, the next is asked for."""
        if self._binds_left() > 0:
            return True
        self._kernel.wake(self._kernel.now_s + 1)
        return False

    def _binds_left(self) -> int:
        rate = self._kernel.policy.cycle.binds_per_s
        if rate is None:
            return 1 << 60
        if self._second != self._kernel.now_s:
            self._second, self._binds = self._kernel.now_s, 0
        return rate - self._binds

    def _close(self, lane_idx: int, lane: Lane) -> None:
        lane.blocked = True
        self._closed[lane_idx] = None
        pause = self._kernel.policy.cycle.backoff_s
        if pause is not None:
            first_s, longest_s = pause
            lane.retry_s = self._kernel.now_s + min(first_s << min(lane.tries, 30), longest_s)
            lane.tries += 1

    def _open(self) -> None:
        kernel = self._kernel
        for lane_idx in tuple(self._closed):
            lane = kernel.lanes[lane_idx]
            if not (kernel.fits(lane) if self._is_whole else kernel.capacity.workers_fit(lane.ask) > 0):
                continue
            if lane.retry_s > kernel.now_s:
                kernel.wake(lane.retry_s)
                continue
            lane.blocked = False
            del self._closed[lane_idx]
            self._show_front(lane_idx, lane)

    def _show_front(self, lane_idx: int, lane: Lane) -> None:
        if lane.waiting and lane.head < lane.admitted:
            job = lane.jobs[lane.head]
            heappush(self._ready, (self._kernel.key(lane, job), lane_idx, job))
        if not lane.waiting:
            lane.tries = 0
