"""The head blocks: jobs start in the order of the policy until one does not fit; under EASY others then go by it.

A lane in which one job does not fit holds none that does, so only lanes are looked at, never all jobs.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from schedplan.engines.policy import DependsOn
from schedplan.model.timeline import StartReason
from schedplan.simulate.capacity import Reservation
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import NEVER, EstimatedLane

Ready = tuple[tuple[int, ...], int, int]


class HeadDecider:
    """The front job of every lane that has one, least key first."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._ready: list[Ready] = []
        self._over_quota: dict[int, None] = {}

    def arrived(self, job: int) -> None:
        kernel = self._kernel
        lane_idx = kernel.lane_of(job)
        lane = kernel.lanes[lane_idx]
        lane.append(job, kernel.work.estimate_s[job])
        if lane.waiting == 1:
            heappush(self._ready, (kernel.key(lane, job), lane_idx, job))

    def ended(self, job: int, early: bool) -> None:
        return None

    def decide(self) -> None:
        self.start_in_order()

    def start_in_order(self) -> int | None:
        """Start jobs until one does not fit; return it, None where all have started."""
        kernel, ready = self._kernel, self._ready
        if kernel.freed and self._over_quota:
            for lane_idx in self._over_quota:
                self.show_front(lane_idx)
            self._over_quota.clear()
        if kernel.policy.order.depends_on is not DependsOn.NOTHING:
            self._renew()
        while ready:
            _, lane_idx, job = ready[0]
            lane = kernel.lanes[lane_idx]
            if not lane.waiting or lane.jobs[lane.head] != job:  # it went by backfilling
                heappop(ready)
                continue
            if not kernel.is_within_quota(lane):
                heappop(ready)
                self._over_quota[lane_idx] = None
                continue
            if not kernel.capacity.fits(lane.ask):
                return job
            heappop(ready)
            lane.take_head()
            kernel.start_whole(job, StartReason.IN_ORDER)
            self.started_in_order(job)
            self.show_front(lane_idx)
        return None

    def started_in_order(self, job: int) -> None:
        """Take note of a start that no reservation knows of."""

    def show_front(self, lane_idx: int) -> None:
        """Let the front job of a lane take part."""
        lane = self._kernel.lanes[lane_idx]
        if lane.waiting:
            job = lane.jobs[lane.head]
            heappush(self._ready, (self._kernel.key(lane, job), lane_idx, job))

    def _renew(self) -> None:
        kernel = self._kernel
        self._ready[:] = [
            (kernel.key(lane, lane.jobs[lane.head]), idx, lane.jobs[lane.head])
            for idx, lane in enumerate(kernel.lanes)
            if lane.waiting
        ]
        heapify(self._ready)
        self._over_quota.clear()


class EasyDecider(HeadDecider):
    """EASY backfilling behind the blocked head.

    The reservation is kept until a job starts in its turn, one ends at another instant than estimated, or its own instant comes:
    what else happens meanwhile (ends on time, starts that respect it) leaves the recomputed one the same.
    """

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._reservation: Reservation | None = None
        self._head: int | None = None
        self._is_all_open = True
        self._looked_at = -1
        self._new_lanes: dict[int, None] = {}
        self._promised_s: dict[int, int] = {}

    def arrived(self, job: int) -> None:
        super().arrived(job)
        self._new_lanes[self._kernel.lane_of(job)] = None

    def ended(self, job: int, early: bool) -> None:
        self._is_all_open = True
        if early:
            self._reservation = None

    def started_in_order(self, job: int) -> None:
        self._reservation = None
        if self._kernel.now_s > self._promised_s.pop(job, NEVER):
            self._kernel.counts["heads later than first reserved"] += 1

    def decide(self) -> None:
        head = self.start_in_order()
        if head is None:
            return
        kernel = self._kernel
        kept = self._reservation
        if kept is None or self._head != head or kept.time_s <= kernel.now_s:
            kept = kernel.capacity.reserve(kernel.work.ask[head], kernel.now_s, kernel.releases())
            kernel.counts["reservations"] += 1
            self._reservation, self._head, self._is_all_open = kept, head, True
            if kept is not None:
                self._promised_s.setdefault(head, kept.time_s)
        if kept is None:
            return
        lanes = range(len(kernel.lanes)) if self._is_all_open else tuple(self._new_lanes)
        after = -1 if self._is_all_open else self._looked_at
        # What was started may have moved the node choice of what was refused before: then all are looked at once more.
        self._is_all_open = _Scan(kernel, head, kept, [idx for idx in lanes if kernel.lanes[idx].waiting]).run(after, self)
        self._looked_at = kernel.latest
        self._new_lanes.clear()


class _Scan:
    """One look through the queue behind the head, in the order of arrival."""

    def __init__(self, kernel: Kernel, head: int, reservation: Reservation, lanes: list[int]) -> None:
        self._kernel = kernel
        self._head = head
        self._reservation = reservation
        self._lanes = lanes
        self._refused: dict[int, None] = {}
        self._queue: list[tuple[int, int, int]] = []

    def run(self, after: int, decider: EasyDecider) -> bool:
        """Start what may go by; return whether anything did. after: jobs up to this one have been looked at."""
        started = False
        self._line_up(after)
        while self._queue:
            job, lane_idx, slot = heappop(self._queue)
            lane = self._lane(lane_idx)
            if job != self._head and not self._kernel.fits(lane):
                continue
            if job == self._head or not self._starts(job, lane_idx, lane):
                self._show(lane_idx, slot + 1)
                continue
            started = True
            was_front = slot == lane.head
            lane.take(slot)
            if was_front:
                decider.show_front(lane_idx)
            self._refused.clear()
            self._line_up(job)
        return started

    def _starts(self, job: int, lane_idx: int, lane: EstimatedLane) -> bool:
        kernel, reservation = self._kernel, self._reservation
        kernel.counts["backfill tries"] += 1
        is_short = kernel.now_s + kernel.work.estimate_s[job] <= reservation.time_s
        parts = kernel.capacity.place(lane.ask, job, kernel.work.asks[lane.ask].workers, 0)
        if is_short:
            reservation.passes_by(lane.ask, parts)
            kernel.start(job, parts, StartReason.BEFORE_RESERVATION)
            return True
        if reservation.spares(lane.ask, parts):
            kernel.start(job, parts, StartReason.BESIDE_RESERVATION)
            return True
        kernel.capacity.release(lane.ask, parts)
        self._refused[lane_idx] = None
        return False

    def _line_up(self, after: int) -> None:
        """Line up the first job later than `after` of every lane that fits; one that does not will not in this look."""
        self._queue.clear()
        self._lanes = [lane_idx for lane_idx in self._lanes if self._kernel.fits(self._lane(lane_idx))]
        for lane_idx in self._lanes:
            self._show(lane_idx, self._lane(lane_idx).slot_after(after))

    def _show(self, lane_idx: int, slot: int) -> None:
        """Line up the next job of a lane from a slot on: where a long one was refused, the next that is short enough."""
        lane = self._lane(lane_idx)
        at_most_s = self._reservation.time_s - self._kernel.now_s if lane_idx in self._refused else NEVER - 1
        found = lane.first(slot, at_most_s)
        if found < len(lane.jobs):
            heappush(self._queue, (lane.jobs[found], lane_idx, found))

    def _lane(self, lane_idx: int) -> EstimatedLane:
        lane = self._kernel.lanes[lane_idx]
        assert isinstance(lane, EstimatedLane)
        return lane
