"""Scaling rules: how many replicas of a service are asked for, and from what. They know no service by name."""

from __future__ import annotations

from collections.abc import Callable

from schedplan.engines.part import Scaling, ScalingKind
from schedplan.model.breaker import Breaker

HPA_SYNC_S, HPA_TOLERANCE, HPA_STABILIZATION_S = 15, 0.1, 300
"""Defaults of the HorizontalPodAutoscaler. Source: kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale (2026-12-01):
--horizontal-pod-autoscaler-sync-period 15 s, -tolerance 0.1, -downscale-stabilization 5 min."""
TARGET = 0.7
"""Share of a replica's time or places that are to be busy, our choice; that of Knative's concurrency target as well."""

_WHEN = (
    f"; looked at every {HPA_SYNC_S} s, fewer only where nothing in the last {HPA_STABILIZATION_S} s asked for more; new replicas"
    " take room before jobs do, and where there is none stop jobs of lower priority if the policy preempts by it"
)


def none(target: float) -> Scaling:
    """Return the rule that leaves services at their least replicas."""
    return Scaling("none: services keep min_replicas", ScalingKind.NONE, target)


def utilization(target: float = TARGET) -> Scaling:
    """Return the rule of the HorizontalPodAutoscaler on how busy replicas are."""
    return Scaling(
        f"target utilization: replicas that serve x how busy they were (never above 1) / {target:g}, rounded up; no change within"
        f" {HPA_TOLERANCE:g} of the target{_WHEN}",
        ScalingKind.UTILIZATION,
        target,
        HPA_SYNC_S,
        HPA_TOLERANCE,
        HPA_STABILIZATION_S,
    )


def _looking_often(says: str, kind: ScalingKind, target: float) -> Scaling:
    """Return a rule at the pace of the HorizontalPodAutoscaler that heeds every change."""
    return Scaling(says, kind, target, HPA_SYNC_S, 0.0, HPA_STABILIZATION_S)


def queue_length(target: float = TARGET) -> Scaling:
    """Return the rule on how many requests are in the system, waiting or served."""
    return _looking_often(
        f"queue length: requests waiting or served / ({target:g} x concurrency of a replica), rounded up{_WHEN}",
        ScalingKind.QUEUE,
        target,
    )


def forecast(target: float = TARGET) -> Scaling:
    """Return the rule on what is forecast until new replicas would serve."""
    return _looking_often(
        f"forecast: the least replicas that serve the largest rate forecast until new ones would be ready at {target:g} busy; what"
        f" was forecast at the start of the horizon at [forecast] quantile{_WHEN}",
        ScalingKind.FORECAST,
        target,
    )


def forecast_breaker(target: float = TARGET) -> Scaling:
    """Return the rule on what is forecast, which follows what is measured while the forecast is off."""
    rule = Breaker()
    return _looking_often(
        f"forecast, with a breaker: as forecast; after {rule.opens_after} intervals in a row with more than was forecast at that"
        f" quantile, and until {rule.closes_after} in a row without, at least what the rule slo asks for{_WHEN}",
        ScalingKind.BREAKER,
        target,
    )


def slo(target: float = TARGET) -> Scaling:
    """Return the rule on what the latency model asks for at the rate seen."""
    return _looking_often(
        f"SLO: the least replicas that by the latency model meet the SLO at the rate seen, and work off what waits until they are"
        f" looked at again{_WHEN}",
        ScalingKind.SLO,
        target,
    )


SCALINGS: dict[str, Callable[[float], Scaling]] = {
    "none": none,
    "target-utilization": utilization,
    "queue-length": queue_length,
    "forecast": forecast,
    "forecast-breaker": forecast_breaker,
    "slo": slo,
}
"""Each makes its rule of the target."""
