"""Requests of one service as a fluid: what arrives at a rate, waits above the capacity, and drains. It knows no autoscaler.

Where replicas keep up and nothing waits, the latency is that of the steady state (measures/latency). Requests that wait beyond it
add their wait, backlog / capacity; while more arrives than is served there is no steady state, and every request misses the SLO.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.measures.latency import erlang_c, latency_ms
from schedplan.model.service_run import ServiceSpan
from schedplan.model.workload import Service


@dataclass(frozen=True, slots=True)
class Serving:
    """Replicas that serve, as one fleet. service_ms: mean over them, in proportion to their speed."""

    replicas: int = 0
    service_ms: float = 0.0


class Fluid:
    """One service from an instant on. backlog: requests; rate_rps: what reaches the replicas."""

    def __init__(self, idx: int, service: Service, now_s: int) -> None:
        self.service = service
        self.rate_rps = 0.0
        self.serving = Serving()
        self.backlog = 0.0
        self.wanted = 0
        self.arrived = 0.0
        self.arrived_in_all = 0.0
        self.spans: list[ServiceSpan] = []
        self._idx = idx
        self._at_s = now_s

    @property
    def capacity_rps(self) -> float:
        """What the replicas serve at most."""
        serving = self.serving
        return serving.replicas * self.service.concurrency * 1000.0 / serving.service_ms if serving.replicas else 0.0

    @property
    def busy(self) -> float:
        """Return the share of the replicas' time that is busy now, never above 1; 0 without any."""
        capacity = self.capacity_rps
        if not capacity:
            return 0.0
        return 1.0 if self.backlog > 0 else min(self.rate_rps / capacity, 1.0)

    @property
    def in_system(self) -> float:
        """Return the requests that wait or are served now, by Little's law."""
        serving, service = self.serving, self.service
        if not serving.replicas:
            return self.backlog
        servers, load = serving.replicas * service.concurrency, self.rate_rps * serving.service_ms / 1000.0
        if self.backlog > 0 or load >= servers:
            return self.backlog + servers
        waits = erlang_c(servers, load) * (1.0 + service.service_cv**2) / (2.0 * (servers - load))
        return load * (1.0 + waits)

    @property
    def is_steady(self) -> bool:
        """Whether nothing waits and nothing will at this rate."""
        return self.backlog <= 0 and self.rate_rps <= self.capacity_rps

    def advance(self, now_s: int) -> None:
        """Let time pass until an instant, at the rate and with the replicas that there are."""
        lasts_s = now_s - self._at_s
        if lasts_s <= 0:
            return
        before, rate, capacity = self.backlog, self.rate_rps, self.capacity_rps
        gains = rate - capacity
        drained_s = before / -gains if gains < 0 else float(lasts_s) if before > 0 or gains > 0 else 0.0
        drained_s = min(drained_s, float(lasts_s))
        after = before + gains * drained_s if drained_s == lasts_s else 0.0
        after = max(after, 0.0)
        late, latency = self._fared(before, after, drained_s, lasts_s)
        calm_s = lasts_s - drained_s
        load = min(rate / capacity, 1.0) if capacity else 0.0
        busy = self.serving.replicas * (drained_s + calm_s * load) / lasts_s if capacity else 0.0
        self.spans.append(
            ServiceSpan(
                self._idx,
                self._at_s,
                now_s,
                rate,
                self.wanted,
                self.serving.replicas,
                before,
                after,
                late,
                latency,
                busy,
            )
        )
        self.backlog, self._at_s = after, now_s
        self.arrived += rate * lasts_s
        self.arrived_in_all += rate * lasts_s

    def _fared(self, before: float, after: float, drained_s: float, lasts_s: int) -> tuple[float, float | None]:
        """Return (requests that miss the SLO, mean latency at its quantile, ms) of a stretch whose backlog is gone after
        drained_s.
        """
        rate, capacity, service = self.rate_rps, self.capacity_rps, self.service
        if not rate:
            return 0.0, None
        if not capacity:
            return rate * lasts_s, None
        steady = self._steady_ms(rate)
        waiting_ms = (before + after) / 2.0 / capacity * 1000.0 * drained_s / lasts_s
        if steady is None:
            alone = self._steady_ms(0.0)
            return rate * lasts_s, None if alone is None else alone + waiting_ms
        if steady > service.slo_ms:
            return rate * lasts_s, steady + waiting_ms
        allowed = (service.slo_ms - steady) / 1000.0 * capacity  # the backlog with which a request is just in time
        if before <= allowed:
            return 0.0, steady + waiting_ms
        falls = (before - after) / drained_s
        late_s = drained_s if after > allowed else (before - allowed) / falls
        return rate * late_s, steady + waiting_ms

    def _steady_ms(self, rate_rps: float) -> float | None:
        serving, service = self.serving, self.service
        servers = serving.replicas * service.concurrency
        return latency_ms(serving.service_ms, service.service_cv, service.slo_quantile, servers, rate_rps)
