"""Admission: jobs are looked at once what is admitted stays within a multiple of the machine, and within quotas where it says so.

Each round looks at one job per tenant where quotas are what is held, else at one after another in the policy's order; what has no
room is passed over until the next decision.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import isnan

from schedplan.engines.part import Admission
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import Lane
from schedplan.simulate.machine import Machine
from schedplan.simulate.quota import QuotaGate
from schedplan.simulate.rate import Rate
from schedplan.simulate.work import Ask, Work
from schedplan.units import MICRO, micro

Turn = tuple[bool, tuple[int, ...], int]
Line = list[tuple[tuple[int, ...], int]]


class Admitter:
    """Sums of used and admitted amounts in millionths, devices first; None = not stated by every node, never binding."""

    def __init__(
        self, machine: Machine, work: Work, rule: Admission, quota: QuotaGate | None, promised: tuple[float | None, ...]
    ) -> None:
        """quota: of the replay, held here where the rule says so; promised: counted resource per tenant, None without a promise."""
        assert rule.overcommit is not None
        totals = machine.total.sum(axis=0)
        self._limits = [None if isnan(total) else int(total * MICRO * rule.overcommit + 1e-6) for total in totals]
        self._needs = [_need(ask, machine) for ask in work.asks]
        self._taken = [0] * len(self._limits)
        self._pending: dict[int, None] = {}
        self._rule = rule
        self._quota = quota if rule.by_quota else None
        self._rate = None if rule.per_s is None else Rate(rule.per_s)
        self._promised = promised
        self._counted = 0 if machine.has_devices else 1
        self._admitted = [0] * len(promised)
        self._rests_s: dict[int, int] = {}
        self._unserved: set[int] = set()
        self._workers = [ask.workers for ask in work.asks]

    def arrived(self, lane_idx: int, lane: Lane) -> None:
        """Let the newest job of a lane wait for admission."""
        if len(lane.jobs) == 1:
            lane.admitted = 0
        self._pending[lane_idx] = None

    def started(self, ask: int) -> None:
        """What was admitted is now used: the sum of both stays."""

    def came_back(self, ask: int) -> None:
        """What was used is admitted and waits again: the sum of both stays."""

    def ended(self, kernel: Kernel, job: int) -> None:
        """Give back what a job that ends was admitted with."""
        self._count(kernel.work.ask[job], kernel.work.tenant[job], -1)

    def withdraw(self, kernel: Kernel, lane_idx: int, until_s: int) -> None:
        """Take admission back from one job of a lane, which is not admitted again before an instant."""
        lane = kernel.lanes[lane_idx]
        self._count(lane.ask, kernel.work.tenant[lane.jobs[lane.head]], -1)
        lane.admitted -= 1
        self._pending[lane_idx] = None
        self._rests_s[lane_idx] = until_s
        kernel.wake(until_s)

    def admit(self, kernel: Kernel) -> list[int]:
        """Admit what may be, in the policy's order; return the lanes whose front job is newly among it."""
        lines = self._lines(kernel)
        shown: list[int] = []
        while lines:
            turns = sorted(self._turn(kernel, tenant, line) for tenant, line in lines.items() if self._is_served(tenant))
            if not turns:
                self._unserved.clear()
                continue
            if not self._serves(kernel, turns, lines, shown):
                break
        return shown

    def _serves(self, kernel: Kernel, turns: list[Turn], lines: dict[int, Line], shown: list[int]) -> bool:
        """Look at the first job of each line once; whether there are admissions left."""
        self._unserved = {tenant for _, _, tenant in turns}
        for _, _, tenant in turns:
            if self._rate is not None and not self._rate.left(kernel.now_s):
                kernel.wake(kernel.now_s + 1)
                return False
            self._unserved.discard(tenant)
            line = lines[tenant]
            _, lane_idx = heappop(line)
            lane = kernel.lanes[lane_idx]
            if self._has_room(kernel, lane):
                self._admits(kernel, lane_idx, shown)
                if lane_idx in self._pending:
                    heappush(line, self._entry(kernel, lane_idx))
            if not line:
                del lines[tenant]
        return True

    def _admits(self, kernel: Kernel, lane_idx: int, shown: list[int]) -> None:
        lane = kernel.lanes[lane_idx]
        job = lane.jobs[lane.admitted]
        self._count(lane.ask, kernel.work.tenant[job], 1)
        if self._rate is not None:
            self._rate.take(1)
        if self._rule.by_quota:
            kernel.admitted_s[job] = kernel.now_s
        if lane.admitted == lane.head:
            shown.append(lane_idx)
        lane.admitted += 1
        if lane.admitted == len(lane.jobs):
            del self._pending[lane_idx]

    def _lines(self, kernel: Kernel) -> dict[int, Line]:
        """Return the lanes that wait for admission by key, per tenant where one head of each is looked at in a round."""
        lines: dict[int, Line] = {}
        for lane_idx in self._pending:
            if self._rests_s.get(lane_idx, 0) <= kernel.now_s:
                tenant = kernel.lanes[lane_idx].tenant if self._rule.by_quota else 0
                lines.setdefault(tenant, []).append(self._entry(kernel, lane_idx))
        for line in lines.values():
            heapify(line)
        return lines

    def _is_served(self, tenant: int) -> bool:
        """Whether a tenant takes part in the round that goes on; all do in a new one."""
        return not self._unserved or tenant in self._unserved

    def _turn(self, kernel: Kernel, tenant: int, line: Line) -> Turn:
        key, lane_idx = line[0]
        return self._rule.least_borrowed_first and self._borrows(tenant, kernel.lanes[lane_idx].ask), key, tenant

    def _borrows(self, tenant: int, ask: int) -> bool:
        promised = self._promised[tenant]
        return promised is not None and self._admitted[tenant] + self._needs[ask][self._counted] > promised * MICRO + 1

    def _entry(self, kernel: Kernel, lane_idx: int) -> tuple[tuple[int, ...], int]:
        lane = kernel.lanes[lane_idx]
        return kernel.key(lane, lane.jobs[lane.admitted]), lane_idx

    def _has_room(self, kernel: Kernel, lane: Lane) -> bool:
        if self._quota is not None and not self._quota.allows(lane.tenant, lane.ask, kernel.work.asks[lane.ask].workers):
            return False
        return all(
            limit is None or not need or taken + need <= limit
            for limit, taken, need in zip(self._limits, self._taken, self._needs[lane.ask], strict=True)
        )

    def _count(self, ask: int, tenant: int, sign: int) -> None:
        needs = self._needs[ask]
        self._taken = [taken + sign * need for taken, need in zip(self._taken, needs, strict=True)]
        self._admitted[tenant] += sign * needs[self._counted]
        if self._quota is not None:
            self._quota.change(tenant, ask, sign * self._workers[ask])


def _need(ask: Ask, machine: Machine) -> list[int]:
    shape, offered = ask.shape, dict(ask.shape.resources)
    wanted = [shape.gpus, shape.cpus, shape.memory_gib, *(offered.get(name, 0.0) for name in machine.resources[2:])]
    return [ask.workers * micro(amount) for amount in wanted]
