"""Kueue above kube-scheduler: quota for the whole job first, nodes for its pods later.

Facts: kubernetes-sigs/kueue pkg/scheduler, apis/config/v1beta2/defaults.go, site/content/en/docs/concepts (read 2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.node_choices import BEST_FIT
from schedplan.engines.parameter import Parameter, Tier, Values
from schedplan.engines.part import Admission, Gang, GangKind, Hold
from schedplan.engines.policies.kube_scheduler import RATES, SCORING, pod_by_pod
from schedplan.engines.policy import WHOLE_GANG, Policy

ENGINE = "kueue"
PUBLISHED_RATE = 15_000 / 351
"""Admissions a second of the published baseline: 15,000 workloads in 351 s (configs/baseline/rangespec.yaml), bounded by the
API.
"""
PARAMETERS = (
    *SCORING,
    *RATES,
    Parameter(
        ENGINE,
        "admissions-per-s",
        round(PUBLISHED_RATE, 2),
        "workloads admitted in a second at most; calibrated on the published baseline, 15,000 in 351 s",
        Tier.MEASURED,
        least=0.01,
        band=(35.0, 230.0),
    ),
    Parameter(ENGINE, "topology-aware", False, "TopologyAwareScheduling: nodes are fixed at admission", tuned=True),
    Parameter(
        ENGINE, "pods-ready-timeout", 1800.0, "waitForPodsReady.timeout, on by default since 0.19: seconds", least=1, most=1e6
    ),
    Parameter(ENGINE, "requeue-base", 60.0, "waitForPodsReady.requeuingStrategy.backoffBaseSeconds, doubling", least=1, most=3600),
)


def kueue(values: Values) -> Policy:
    """Return the policy of Kueue with a ClusterQueue per tenant, all in one cohort where no quotas say otherwise."""
    placer = pod_by_pod(values)
    per_s = values.number("kueue.admissions-per-s")
    timeout_s, base_s = values.whole("kueue.pods-ready-timeout"), values.whole("kueue.requeue-base")
    knows_nodes = values.flag("kueue.topology-aware")
    gang = Gang(
        "quota is reserved for the whole job; its pods are then bound one by one and wait for the rest; not ready"
        f" {timeout_s} s after the first, all are evicted, and the job is queued again after {base_s} s, doubling up to 3600 s",
        GangKind.PER_WORKER,
        Hold(timeout_s, is_bound=True, pause_s=(base_s, 3600)),
    )
    return replace(
        placer,
        name=ENGINE,
        summary="Kueue admits whole jobs by quota, kube-scheduler places their pods",
        admission=Admission(
            "a round takes the first job of each tenant, those that stay within what their tenant is promised before those"
            " that borrow,"
            " then by priority and submission; one that has no quota, or for which the machine as one sum is too full, is"
            " passed over;"
            f" at most {per_s:g} jobs a second",
            overcommit=1.0,
            by_quota=True,
            per_s=per_s,
            least_borrowed_first=True,
        ),
        gang=replace(WHOLE_GANG, says="nodes are fixed at admission: all workers or none") if knows_nodes else gang,
        nodes=replace(BEST_FIT, says=f"topology-aware, unconstrained: {BEST_FIT.says}") if knows_nodes else placer.nodes,
        cycle=replace(placer.cycle, binds_per_s=None, burst=None, backoff_s=None) if knows_nodes else placer.cycle,
        differs=(
            *(placer.differs[:3] if not knows_nodes else ()),
            "preemption and reclaim in a cohort are off, as by default; fair sharing by weighted share is not modelled",
            "an evicted job keeps its place by submission; the engine queues it by the time of eviction",
            *(("a job that has quota but no nodes keeps its quota; the engine then gives it none",) if knows_nodes else ()),
        ),
        sources=(
            "kubernetes-sigs/kueue pkg/scheduler/scheduler.go",
            "kubernetes-sigs/kueue site/content/en/docs/concepts/all_or_nothing.md",
            "kubernetes-sigs/kueue test/performance/scheduler/configs/baseline",
        ),
    )
