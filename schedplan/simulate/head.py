"""The head blocks: jobs start in the order of the policy until one does not fit. It knows no machine and no reservation.

A lane in which one job does not fit holds none that does, so only lanes are looked at, never all jobs.
"""

from __future__ import annotations

from schedplan.engines.part import DependsOn
from schedplan.model.timeline import StartReason
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.preemptor import Preemptor


class HeadDecider:
    """The front job of every lane that has one, least key first; lanes over their quota stand aside until something is freed."""

    def __init__(self, kernel: Kernel, preemptor: Preemptor | None = None) -> None:
        self._kernel = kernel
        self._preemptor = preemptor
        self._ready = kernel.ready()
        self._over_quota: dict[int, None] = {}

    def arrived(self, job: int) -> None:
        kernel = self._kernel
        lane_idx = kernel.lane_of(job)
        if kernel.lanes[lane_idx].append(job, kernel.estimate_s[job]):
            self._ready.show(lane_idx)

    def released(self, job: int) -> None:
        self.stopped(job)

    def stopped(self, job: int) -> None:
        kernel = self._kernel
        lane_idx = kernel.lane_of(job)
        if kernel.lanes[lane_idx].put_back(job, kernel.estimate_s[job]):
            self._ready.show(lane_idx)

    def supplied(self) -> None:
        return None

    def ended(self, job: int, early: bool) -> None:
        return None

    def decide(self) -> None:
        self.start_in_order()

    def start_in_order(self) -> int | None:
        """Start jobs until one does not fit; return it, None where all have started."""
        kernel, ready, capacity = self._kernel, self._ready, self._kernel.capacity
        if self._preemptor is not None:
            self._preemptor.carry_out(self)
        if self._over_quota and (kernel.freed or self._preemptor is not None):
            self._let_in()
        if kernel.policy.order.depends_on is not DependsOn.NOTHING:
            ready.renew()
        while True:
            found = ready.first()
            if found is None:
                return None
            lane_idx, job = found
            lane = kernel.lanes[lane_idx]
            is_within = kernel.quota is None or kernel.is_within_quota(lane)
            if not (is_within and capacity.fits(lane.ask)):
                if self._preemptor is not None and self._preemptor.makes_room(job, lane, self):
                    self.has_stopped()
                    self._let_in()
                elif is_within:
                    return job
                else:
                    lane.blocked = True
                    self._over_quota[lane_idx] = None
                    continue
            lane.take_head()
            kernel.start_whole(job, StartReason.IN_ORDER)
            self.started_in_order(job)
            ready.show(lane_idx)

    def started_in_order(self, job: int) -> None:
        """Take note of a start that no reservation knows of."""

    def has_stopped(self) -> None:
        """Take note that something was stopped for the job that starts next."""

    def show_front(self, lane_idx: int) -> None:
        """Let the front job of a lane take part."""
        self._ready.show(lane_idx)

    def _let_in(self) -> None:
        for lane_idx in self._over_quota:
            self._kernel.lanes[lane_idx].blocked = False
            self._ready.show(lane_idx)
        self._over_quota.clear()
