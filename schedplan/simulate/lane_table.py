"""Which lane a job waits in, made where there is none yet. It knows no machine."""

from __future__ import annotations

from schedplan.engines.part import BackfillKind, PreemptionKind, Within
from schedplan.engines.policy import Policy
from schedplan.simulate.lane import EstimatedLane, Lane
from schedplan.simulate.work import Work


class LaneTable:
    """lanes, and the ask of each. Lanes are kept apart by what the policy, quotas or shares (by_tenant) look at."""

    def __init__(self, work: Work, policy: Policy, *, by_tenant: bool, can_stop: bool) -> None:
        self.lanes: list[Lane] = []
        self.asks: list[int] = []
        self._work = work
        self._policy = policy
        self._can_stop = can_stop
        self._known: dict[tuple[int, int, int, int], int] = {}
        self._by_priority = policy.order.by_priority or policy.preemption.kind is PreemptionKind.PRIORITY
        self._by_tenant = policy.order.by_tenant or by_tenant
        self._is_single = policy.admission.overcommit is not None and policy.order.within is Within.SHORTEST

    def of(self, job: int) -> int:
        """Return the lane of a job."""
        work = self._work
        key = (
            work.ask[job],
            work.priority[job] if self._by_priority else 0,
            work.tenant[job] if self._by_tenant else 0,
            work.estimate_s[job] if self._is_single else 0,
        )
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.lanes)
            self.lanes.append(self._lane(*key[:3]))
            self.asks.append(key[0])
        return found

    def _lane(self, ask: int, priority: int, tenant: int) -> Lane:
        backfill, is_shortest = self._policy.backfill, self._policy.order.within is Within.SHORTEST and not self._is_single
        if backfill.kind is BackfillKind.EASY or is_shortest or self._can_stop or self._work.after:
            is_sorted = backfill.kind is BackfillKind.EASY and backfill.scan is Within.SHORTEST
            return EstimatedLane(ask, tenant, priority, is_sorted=is_sorted, is_shortest=is_shortest)
        return Lane(ask, tenant, priority)
