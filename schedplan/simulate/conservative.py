"""Conservative backfilling: waiting jobs hold reservations, in the order of the queue, and start when theirs have come.

Where nothing but what was estimated happens, a reservation made anew would begin at the same instant, if not on the same nodes: so
they are kept until something ends early, is stopped or overruns its estimate, or a job comes that the order puts before others.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from schedplan.engines.part import Compression
from schedplan.model.timeline import StartReason
from schedplan.simulate.capacity import Spots
from schedplan.simulate.kernel import Kernel

Turn = tuple[tuple[int, ...], int]


class ConservativeDecider:
    """line: waiting jobs by the policy's key. reserved: (start, spots) of those that hold a reservation."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        backfill = kernel.policy.backfill
        self._depth, self._compression = backfill.depth, backfill.compression
        self._line: list[Turn] = []
        self._reserved: dict[int, tuple[int, Spots]] = {}
        self._profile = kernel.capacity.profile(0)
        self._is_stale = True

    def arrived(self, job: int) -> None:
        turn = self._turn(job)
        insort(self._line, turn)
        if self._compression is Compression.REBUILD and self._line[-1] != turn:
            self._is_stale = True

    def released(self, job: int) -> None:
        self.arrived(job)

    def stopped(self, job: int) -> None:
        insort(self._line, self._turn(job))
        self._is_stale = True

    def supplied(self) -> None:
        self._is_stale = True

    def ended(self, job: int, early: bool) -> None:
        if early:
            self._is_stale = True

    def decide(self) -> None:
        kernel = self._kernel
        if not self._line:
            return
        if self._is_stale or self._overruns():
            self._renew()
        self._profile.forget_before(kernel.now_s)
        self._is_stale = False
        while True:
            first = self._line[: self._depth]
            for _, job in first:
                if job not in self._reserved:
                    self._reserve(job)
            if not self._start_due(first):
                return

    def _turn(self, job: int) -> Turn:
        kernel = self._kernel
        return kernel.key(kernel.lanes[kernel.lane_of(job)], job), job

    def _overruns(self) -> bool:
        """Whether something runs that should have ended by its estimate."""
        return any(at_s <= self._kernel.now_s for at_s, _, _ in self._kernel.first_release())

    def _renew(self) -> None:
        """Make the profile anew of what runs, and reservations by the rule of compression."""
        kernel, now_s = self._kernel, self._kernel.now_s
        self._profile = kernel.capacity.profile(now_s)
        self._profile.hold(kernel.releases(), now_s)
        for ask, parts in kernel.standing.values():
            self._profile.occupy(ask, parts)
        kept = self._reserved
        self._reserved = {}
        if self._compression is Compression.REBUILD:
            return
        for job, (start_s, spots) in kept.items():
            self._take(job, max(start_s, now_s), spots)
        if self._compression is not Compression.NONE:
            for _, job in self._line[: self._depth]:
                if job in self._reserved:
                    self._move(job)

    def _move(self, job: int) -> None:
        """Let a job give its reservation up for an earlier one: the earliest, or none but now."""
        kernel, now_s = self._kernel, self._kernel.now_s
        start_s, spots = self._reserved.pop(job)
        ask, lasts_s = kernel.work.ask[job], kernel.estimated_s(job)
        self._profile.change(ask, spots, start_s, start_s + lasts_s, -1)
        found_s = self._profile.earliest(ask, lasts_s, now_s)
        may_move = self._compression is Compression.ARRIVAL or found_s == now_s
        if found_s is not None and found_s < start_s and may_move:
            self._take(job, found_s, self._spots(job, found_s))
        else:
            self._take(job, start_s, spots)

    def _reserve(self, job: int) -> None:
        """Reserve the earliest place of a job that holds none; one that is over its quota, or fits never, goes without."""
        kernel = self._kernel
        if kernel.quota is not None and not kernel.is_within_quota(kernel.lanes[kernel.lane_of(job)]):
            return
        kernel.counts["reservations"] += 1
        start_s = self._profile.earliest(kernel.work.ask[job], kernel.estimated_s(job), kernel.now_s)
        if start_s is not None:
            self._take(job, start_s, self._spots(job, start_s))

    def _spots(self, job: int, start_s: int) -> Spots:
        kernel = self._kernel
        ask = kernel.work.ask[job]
        preferred = kernel.capacity.nodes_by_score(ask) if start_s == kernel.now_s else None
        return self._profile.spots(ask, start_s, kernel.estimated_s(job), preferred)

    def _take(self, job: int, start_s: int, spots: Spots) -> None:
        kernel = self._kernel
        self._reserved[job] = (start_s, spots)
        self._profile.change(kernel.work.ask[job], spots, start_s, start_s + kernel.estimated_s(job), 1)
        if start_s > kernel.now_s and self._compression is not Compression.REBUILD:
            kernel.wake(start_s)

    def _start_due(self, first: list[Turn]) -> bool:
        """Start the jobs whose reservation has come; whether others come into reach by that."""
        kernel, now_s = self._kernel, self._kernel.now_s
        due = [(turn, job) for turn, job in first if job in self._reserved and self._reserved[job][0] <= now_s]
        for turn, job in due:
            start_s, spots = self._reserved.pop(job)
            ask = kernel.work.ask[job]
            is_within = kernel.quota is None or kernel.is_within_quota(kernel.lanes[kernel.lane_of(job)])
            if not is_within or not kernel.capacity.holds_on(ask, spots):
                self._profile.change(ask, spots, start_s, start_s + kernel.estimated_s(job), -1)
                self._is_stale = True
                continue
            self._is_stale = self._is_stale or start_s < now_s
            idx = bisect_left(self._line, (turn, job))
            del self._line[idx]
            kernel.start(job, kernel.capacity.place_on(ask, spots), StartReason.RESERVED if idx else StartReason.IN_ORDER)
        return bool(due) and self._depth is not None and not self._is_stale
