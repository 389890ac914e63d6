"""How many replicas of one service a scaling rule asks for, from what could be seen. It places none."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from math import ceil

from schedplan.engines.part import Scaling, ScalingKind
from schedplan.measures.latency import least_replicas
from schedplan.model.breaker import Breaker, BreakerState
from schedplan.model.workload import Service
from schedplan.simulate.fluid import Fluid

NEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class Steps:
    """A rate over time, requests/s: rates[i] from at_s[i] on, the last for ever; 0 before the first."""

    at_s: tuple[int, ...]
    rates: tuple[float, ...]

    def at(self, now_s: int) -> float:
        """Return the rate at an instant."""
        idx = bisect_right(self.at_s, now_s) - 1
        return self.rates[idx] if idx >= 0 else 0.0

    def most(self, start_s: int, end_s: int) -> float:
        """Return the largest rate from one instant until another."""
        first, last = max(bisect_right(self.at_s, start_s) - 1, 0), max(bisect_right(self.at_s, end_s), 1)
        return max(self.rates[first:last], default=0.0)


class Autoscaler:
    """The rule for one service, and what it asked for lately. expected: what reaches the replicas by the forecast."""

    def __init__(self, rule: Scaling, service: Service, lag_s: int, expected: Steps | None) -> None:
        self._rule = rule
        self._service = service
        self._lag_s = lag_s
        self._expected = expected
        self._asked: deque[tuple[int, int]] = deque()
        self._seen_s: int | None = None
        self._changed_s: int | None = None
        self._breaker, self._trust = Breaker(), BreakerState()
        self._interval, self._arrived_before = 0, 0.0

    def measure(self, fluid: Fluid, now_s: int) -> None:
        """Hold what arrived against the forecast where an interval of it ends now."""
        edges_s = () if self._expected is None else self._expected.at_s
        following = self._interval + 1
        if following >= len(edges_s) or now_s < edges_s[following]:
            return
        begin_s = edges_s[self._interval]
        measured_rps = (fluid.arrived_in_all - self._arrived_before) / (now_s - begin_s)
        assert self._expected is not None
        self._trust = self._breaker.after(self._trust, measured_rps, self._expected.at(begin_s) * (1 + NEARLY))
        self._interval, self._arrived_before = following, fluid.arrived_in_all

    def first(self, rate_rps: float, now_s: int) -> int:
        """Return how many replicas a service begins with, that serve at once: those that keep busy as aimed at, at the first
        rate.
        """
        rule, service = self._rule, self._service
        load = rate_rps * service.service_ms / 1000.0 / service.concurrency
        is_fixed = rule.kind is ScalingKind.NONE
        asked = self._within(service.min_replicas if is_fixed else ceil(load / rule.target - NEARLY))
        self._asked.append((now_s, asked))
        self._seen_s = now_s
        return asked

    def wanted(self, fluid: Fluid, replicas: int, now_s: int) -> int:
        """Return how many replicas are asked for now, where there are so many, serving or starting."""
        rule = self._rule
        assert self._seen_s is not None, "a service is scaled before it begins"
        seen_rps = fluid.rate_rps if now_s <= self._seen_s else fluid.arrived / (now_s - self._seen_s)
        self._seen_s, fluid.arrived = now_s, 0.0
        before_s, before = self._asked[-1]
        if before_s < now_s - rule.period_s:  # it was settled, and would have asked for the same until the last look
            self._asked.append((now_s - rule.period_s, before))
        asked = self._within(self._asked_for(fluid, replicas, seen_rps, now_s))
        self._asked.append((now_s, asked))
        while self._asked[0][0] < now_s - rule.patience_s:
            self._asked.popleft()
        asked = max(asked, min(replicas, max(before for _, before in self._asked)))
        if asked != replicas and self._is_held(now_s):
            return replicas
        if asked != replicas:
            self._changed_s = now_s
        return asked

    def is_settled(self, replicas: int) -> bool:
        """Whether it would ask for the same again, were nothing to change."""
        return all(asked == replicas for _, asked in self._asked)

    def _is_held(self, now_s: int) -> bool:
        return self._changed_s is not None and now_s < self._changed_s + round(self._service.min_hold_minutes * 60)

    def _within(self, asked: int) -> int:
        most = self._service.max_replicas
        return max(asked if most is None else min(asked, most), self._service.min_replicas, 0)

    def _asked_for(self, fluid: Fluid, replicas: int, seen_rps: float, now_s: int) -> int:
        rule, service = self._rule, self._service
        if rule.kind is ScalingKind.NONE:
            return service.min_replicas
        if rule.kind is ScalingKind.UTILIZATION:
            return self._by_use(fluid, replicas)
        if rule.kind is ScalingKind.QUEUE:
            return ceil(fluid.in_system / (rule.target * service.concurrency) - NEARLY)
        one_ms = fluid.serving.service_ms or service.service_ms
        if not rule.kind.asks_for_a_forecast:
            return self._by_latency(fluid, one_ms, seen_rps)
        assert self._expected is not None, "scaling by forecast without one"
        rate = self._expected.most(now_s, now_s + self._lag_s + rule.period_s)
        ahead = ceil(rate * one_ms / 1000.0 / service.concurrency / rule.target - NEARLY)
        if rule.kind is ScalingKind.BREAKER and self._trust.is_open:
            return max(ahead, self._by_latency(fluid, one_ms, seen_rps))
        return ahead

    def _by_latency(self, fluid: Fluid, one_ms: float, seen_rps: float) -> int:
        """Return the least replicas that meet the SLO at the rate seen and work off what waits until the next look."""
        rule, service = self._rule, self._service
        reaching = seen_rps + fluid.backlog / rule.period_s
        before_cache = reaching / (1.0 - service.cache_hit_ratio)
        found = least_replicas(service, one_ms, before_cache, 1.0)
        return ceil(reaching * one_ms / 1000.0 / service.concurrency / rule.target) if found is None else found

    def _by_use(self, fluid: Fluid, replicas: int) -> int:
        """Replicas that do not serve yet count as idle where more are asked for, as in the source."""
        busy = fluid.serving.replicas * fluid.busy
        ratio = busy / (max(replicas, 1) * self._rule.target)
        if replicas and abs(ratio - 1.0) <= self._rule.tolerance:
            return replicas
        return ceil(busy / self._rule.target - NEARLY)
