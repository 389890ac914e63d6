"""Admission by overcommit: jobs are looked at once the sum of what is admitted and waits stays within a multiple of the machine."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import isnan

from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import Lane
from schedplan.simulate.machine import Machine
from schedplan.simulate.work import Ask
from schedplan.units import MICRO, micro


class Admitter:
    """Sums of used and admitted amounts in millionths, devices first; None = not stated by every node, never binding."""

    def __init__(self, machine: Machine, asks: tuple[Ask, ...], overcommit: float) -> None:
        totals = machine.total.sum(axis=0)
        self._limits = [None if isnan(total) else int(total * MICRO * overcommit + 1e-6) for total in totals]
        self._needs = [_need(ask, machine) for ask in asks]
        self._taken = [0] * len(self._limits)
        self._pending: dict[int, None] = {}

    def arrived(self, lane_idx: int, lane: Lane) -> None:
        """Let the newest job of a lane wait for admission."""
        if len(lane.jobs) == 1:
            lane.admitted = 0
        self._pending[lane_idx] = None

    def started(self, ask: int) -> None:
        """What was admitted is now used: the sum of both stays."""

    def came_back(self, ask: int) -> None:
        """What was used is admitted and waits again: the sum of both stays."""

    def ended(self, ask: int) -> None:
        self._taken = [taken - need for taken, need in zip(self._taken, self._needs[ask], strict=True)]

    def admit(self, kernel: Kernel) -> list[int]:
        """Admit what may be, in the policy's order; return the lanes whose front job is newly among it."""
        queue = [self._entry(kernel, idx) for idx in self._pending]
        heapify(queue)
        shown: list[int] = []
        while queue:
            _, lane_idx = heappop(queue)
            lane = kernel.lanes[lane_idx]
            if not self._has_room(lane.ask):
                continue
            self._taken = [taken + need for taken, need in zip(self._taken, self._needs[lane.ask], strict=True)]
            if lane.admitted == lane.head:
                shown.append(lane_idx)
            lane.admitted += 1
            if lane.admitted < len(lane.jobs):
                heappush(queue, self._entry(kernel, lane_idx))
            else:
                del self._pending[lane_idx]
        return shown

    def _entry(self, kernel: Kernel, lane_idx: int) -> tuple[tuple[int, ...], int]:
        lane = kernel.lanes[lane_idx]
        return kernel.key(lane, lane.jobs[lane.admitted]), lane_idx

    def _has_room(self, ask: int) -> bool:
        return all(
            limit is None or not need or taken + need <= limit
            for limit, taken, need in zip(self._limits, self._taken, self._needs[ask], strict=True)
        )


def _need(ask: Ask, machine: Machine) -> list[int]:
    shape, offered = ask.shape, dict(ask.shape.resources)
    wanted = [shape.gpus, shape.cpus, shape.memory_gib, *(offered.get(name, 0.0) for name in machine.resources[2:])]
    return [ask.workers * micro(amount) for amount in wanted]
