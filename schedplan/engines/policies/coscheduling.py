"""kube-scheduler with the plugins Coscheduling and CapacityScheduling: gangs wait in Permit, holding their nodes.

Facts: kubernetes-sigs/scheduler-plugins pkg/coscheduling, pkg/capacityscheduling (read 2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Gang, GangKind, Hold
from schedplan.engines.policies.kube_scheduler import RATES, SCORING, pod_by_pod
from schedplan.engines.policy import Policy

ENGINE = "coscheduling"
PARAMETERS = (
    *SCORING,
    *RATES,
    Parameter(
        ENGINE, "permit-timeout", 60.0, "permitWaitingTimeSeconds: how long pods of a gang keep their nodes", least=1, most=86400
    ),
    Parameter(
        ENGINE, "reject-percentage", 10.0, "podGroupRejectPercentage: pods that may be missing for the others to wait on", most=100
    ),
)


def permit(timeout_s: int, reject_above: float) -> Gang:
    """Return the gang rule of the plugin."""
    return Gang(
        f"Permit: workers that have a place keep it for the rest, {timeout_s} s at most, as long as no more than"
        f" {reject_above:.0%} of the gang has none; else all let go at once; nothing is bound before all have a place",
        GangKind.PER_WORKER,
        Hold(timeout_s, reject_above),
    )


def coscheduling(values: Values) -> Policy:
    """Return the policy of kube-scheduler with both plugins."""
    plain = pod_by_pod(values)
    return replace(
        plain,
        name=ENGINE,
        summary="kube-scheduler with Coscheduling: gangs hold nodes in Permit until all have one, or let go",
        gang=permit(values.whole("coscheduling.permit-timeout"), values.number("coscheduling.reject-percentage") / 100.0),
        differs=(
            *plain.differs[:3],
            "gangs of one priority go by submission of the job, in the engine by that of its PodGroup",
            "ElasticQuota stops nothing that borrowed",
        ),
        sources=(
            *plain.sources,
            "kubernetes-sigs/scheduler-plugins pkg/coscheduling/coscheduling.go",
            "kubernetes-sigs/scheduler-plugins pkg/capacityscheduling/README.md",
        ),
    )
