"""The jobs that come first in their lanes, and which of them comes first of all. It knows no machine."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from schedplan.engines.part import PASSED_OVER
from schedplan.simulate.lane import Lane

Entry = tuple[tuple[int, ...], int, int]
Key = Callable[[Lane, int], tuple[int, ...]]


class Ready:
    """Front jobs by key. share_key: of a tenant (index), whose least comes before all keys; None: tenants make no difference.

    A tenant whose key is PASSED_OVER has no first job. An entry is stale once its job is not the front of its lane, or the lane
    is blocked: it is dropped when it is met.
    """

    def __init__(self, lanes: list[Lane], key: Key, share_key: Callable[[int], int] | None) -> None:
        self._lanes = lanes
        self._key = key
        self._share_key = share_key
        self._heaps: dict[int, list[Entry]] = {} if share_key is not None else {0: []}
        self._heap: list[Entry] = [] if share_key is not None else self._heaps[0]

    def show(self, lane_idx: int) -> None:
        """Let the front job of a lane take part."""
        lane = self._lanes[lane_idx]
        if lane.waiting and lane.head < lane.admitted:
            job = lane.jobs[lane.head]
            heap = self._heap if self._share_key is None else self._heaps.setdefault(lane.tenant, [])
            heappush(heap, (self._key(lane, job), job, lane_idx))

    def first(self) -> tuple[int, int] | None:
        """Return (lane, job) of what comes first; None where nothing waits."""
        if self._share_key is None:
            return self._top(self._heap)
        least: tuple[int, tuple[int, ...]] | None = None
        found = None
        for tenant, heap in self._heaps.items():
            top = self._top(heap)
            if top is not None:
                key = (self._share_key(tenant), heap[0][0])
                if key[0] < PASSED_OVER and (least is None or key < least):
                    least, found, self._heap = key, top, heap
        return found

    def pop(self) -> None:
        """Drop what `first` has returned."""
        heappop(self._heap)

    def renew(self) -> None:
        """Make all keys anew: they depend on the time."""
        for heap in self._heaps.values():
            lanes = dict.fromkeys(lane_idx for _, _, lane_idx in heap)
            heap[:] = [
                (self._key(lane, lane.jobs[lane.head]), lane.jobs[lane.head], lane_idx)
                for lane_idx in lanes
                if (lane := self._lanes[lane_idx]).waiting
            ]
            heapify(heap)

    def _top(self, heap: list[Entry]) -> tuple[int, int] | None:
        lanes = self._lanes
        while heap:
            _, job, lane_idx = heap[0]
            lane = lanes[lane_idx]
            if lane.waiting and not lane.blocked and lane.jobs[lane.head] == job:
                return lane_idx, job
            heappop(heap)
        return None
