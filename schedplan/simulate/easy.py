"""EASY backfilling: jobs that go by the blocked head without delaying it. It chooses no node."""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heapify, heappop, heappush

from schedplan.engines.part import Within
from schedplan.model.timeline import StartReason
from schedplan.simulate.capacity import Reservation
from schedplan.simulate.head import HeadDecider
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import NEVER, EstimatedLane
from schedplan.simulate.preemptor import Preemptor


class EasyDecider(HeadDecider):
    """The reservation of the head is kept until a job starts in its turn, one ends at another instant than estimated, something is
    stopped, or its own instant comes: what else happens meanwhile (ends on time, starts that respect it) leaves it the same.
    """

    def __init__(self, kernel: Kernel, preemptor: Preemptor | None = None) -> None:
        super().__init__(kernel, preemptor)
        self._backfill = kernel.policy.backfill
        self._looks_anew = self._backfill.scan is not Within.ARRIVAL or self._backfill.depth is not None or kernel.can_stop
        self._reservation: Reservation | None = None
        self._head: int | None = None
        self._is_all_open = True
        self._looked_at = -1
        self._new_lanes: dict[int, None] = {}
        self._promised_s: dict[int, int] = {}
        self._line: list[int] = []

    def arrived(self, job: int) -> None:
        super().arrived(job)
        self._new_lanes[self._kernel.lane_of(job)] = None
        if self._backfill.depth is not None:
            insort(self._line, job)

    def stopped(self, job: int) -> None:
        super().stopped(job)
        self.has_stopped()
        if self._backfill.depth is not None:
            insort(self._line, job)

    def ended(self, job: int, early: bool) -> None:
        self._is_all_open = True
        if early:
            self._reservation = None

    def supplied(self) -> None:
        self.has_stopped()

    def has_stopped(self) -> None:
        self._reservation, self._is_all_open = None, True
        self._promised_s.clear()

    def started_in_order(self, job: int) -> None:
        self._reservation = None
        self.leaves_line(job)
        if self._kernel.now_s > self._promised_s.pop(job, NEVER):
            self._kernel.counts["heads later than first reserved"] += 1

    def leaves_line(self, job: int) -> None:
        """Take note that a job waits no more."""
        if self._backfill.depth is not None:
            del self._line[bisect_left(self._line, job)]

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
        is_open = self._is_all_open or self._looks_anew
        lanes = self._lanes_that_fit(is_open)
        if not lanes:
            self._is_all_open = False
            self._looked_at = kernel.latest
            self._new_lanes.clear()
            return
        last = NEVER if self._backfill.depth is None else self._line[min(self._backfill.depth, len(self._line) - 1)]
        scan = _Scan(kernel, head, kept, lanes, last)
        # What was started may have moved the node choice of what was refused before: then all are looked at once more.
        self._is_all_open = scan.run(-1 if is_open else self._looked_at, self)
        self._looked_at = kernel.latest
        self._new_lanes.clear()

    def _lanes_that_fit(self, is_open: bool) -> list[int]:
        """Return the lanes to look at whose jobs fit now: all that have any, or those where one is new."""
        kernel = self._kernel
        lanes, capacity = kernel.lanes, kernel.capacity
        if is_open:
            return [idx for idx in capacity.fitting(kernel.lane_asks) if lanes[idx].waiting]
        new = [idx for idx in self._new_lanes if lanes[idx].waiting]
        return [new[idx] for idx in capacity.fitting([kernel.lane_asks[idx] for idx in new])]


class _Scan:
    """One look through the queue behind the head, by arrival or by estimate, up to the job `last`.

    Where the head fits at no known instant, nothing is kept for it and all may go by.
    """

    def __init__(self, kernel: Kernel, head: int, reservation: Reservation | None, lanes: list[int], last: int) -> None:
        self._kernel = kernel
        self._head = head
        self._reservation = reservation
        self._by_estimate = kernel.policy.backfill.scan is Within.SHORTEST
        self._is_shortest = kernel.policy.order.within is Within.SHORTEST
        self._lanes = lanes
        self._last = last
        self._longest_s = NEVER - 1 if reservation is None else reservation.time_s - kernel.now_s
        self._refused: dict[int, None] = {}
        self._queue: list[tuple[int, int, int, int]] = []

    def run(self, after: int, decider: EasyDecider) -> bool:
        """Start what may go by; return whether anything did. after: jobs up to this one have been looked at."""
        started = False
        self._line_up(-1, after)
        while self._queue:
            estimate_s, job, lane_idx, slot = self._queue[0]
            if job == self._head or not self._starts(job, lane_idx):
                self._show_next(lane_idx, slot, estimate_s, job)
                continue
            started = True
            lane = self._lane(lane_idx)
            was_front = slot == lane.head
            lane.take(slot)
            decider.leaves_line(job)
            if was_front:
                decider.show_front(lane_idx)
            self._refused.clear()
            self._line_up(estimate_s, job)
        return started

    def _starts(self, job: int, lane_idx: int) -> bool:
        kernel, reservation = self._kernel, self._reservation
        ask = kernel.work.ask[job]
        kernel.counts["backfill tries"] += 1
        parts = kernel.capacity.place(ask, job, kernel.work.asks[ask].workers, 0)
        if reservation is None or kernel.estimated_s(job) <= self._longest_s:
            if reservation is not None:
                reservation.passes_by(ask, parts)
            kernel.start(job, parts, StartReason.BEFORE_RESERVATION)
            return True
        if reservation.spares(ask, parts):
            kernel.start(job, parts, StartReason.BESIDE_RESERVATION)
            return True
        kernel.capacity.release(ask, parts)
        self._refused[lane_idx] = None
        return False

    def _line_up(self, estimate_s: int, after: int) -> None:
        """Line up the first job after one of every lane that fits; one that does not will not in this look."""
        kernel = self._kernel
        lanes = self._lanes
        self._lanes = [lanes[idx] for idx in kernel.capacity.fitting([kernel.lane_asks[idx] for idx in lanes])]
        if kernel.quota is not None:
            self._lanes = [idx for idx in self._lanes if kernel.is_within_quota(kernel.lanes[idx])]
        queue = []
        for lane_idx in self._lanes:
            entry = self._next(lane_idx, estimate_s, after)
            if entry is not None:
                queue.append(entry)
        heapify(queue)
        self._queue = queue

    def _show_next(self, lane_idx: int, slot: int, estimate_s: int, job: int) -> None:
        heappop(self._queue)
        entry = self._next(lane_idx, estimate_s, job)
        if entry is not None:
            heappush(self._queue, entry)

    def _next(self, lane_idx: int, estimate_s: int, after: int) -> tuple[int, int, int, int] | None:
        """Return the next job of a lane after one: where a long one was refused, the next that is short enough."""
        lane = self._lane(lane_idx)
        if self._by_estimate:
            slot = lane.next_by_estimate(estimate_s, after)
            while slot < len(lane.jobs) and lane.jobs[slot] > self._last:
                slot = lane.next_by_estimate(lane.estimate_of(slot), lane.jobs[slot])
            if slot == len(lane.jobs) or (lane_idx in self._refused and lane.estimate_of(slot) > self._longest_s):
                return None
            return lane.estimate_of(slot), lane.jobs[slot], lane_idx, slot
        at_most_s = self._longest_s if lane_idx in self._refused else NEVER - 1
        slot = 0 if after < 0 else lane.slot_after(after)
        is_front = slot <= lane.head and at_most_s == NEVER - 1 and not self._is_shortest
        slot = lane.head if is_front else lane.first(slot, at_most_s)
        if slot == len(lane.jobs) or lane.jobs[slot] > self._last:
            return None
        return 0, lane.jobs[slot], lane_idx, slot

    def _lane(self, lane_idx: int) -> EstimatedLane:
        lane = self._kernel.lanes[lane_idx]
        assert isinstance(lane, EstimatedLane)
        return lane
