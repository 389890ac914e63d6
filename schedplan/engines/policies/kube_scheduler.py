"""The plain kube-scheduler: pod by pod, no gangs, nothing blocks; by default devices are not packed.

Facts: kubernetes/kubernetes pkg/scheduler (apis/config/v1/defaults.go, default_plugins.go, schedule_one.go; read 2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.formulas.kube import KubeScore
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Blocking, Cycle, CycleKind, Gang, GangKind, NodeChoice, Preemption, Tie
from schedplan.engines.policy import WHOLE_GANG, Policy

ENGINE = "kube-scheduler"
STRATEGIES = ("LeastAllocated", "MostAllocated")
SCORING = (
    Parameter(
        ENGINE, "scoring", "LeastAllocated", "scoringStrategy of NodeResourcesFit", tuned="MostAllocated", choices=STRATEGIES
    ),
    Parameter(ENGINE, "scoring.gpu", 0.0, "weight of nvidia.com/gpu in it", tuned=1.0, most=100),
    Parameter(ENGINE, "scoring.cpu", 1.0, "weight of cpu in it", tuned=0.0, most=100),
    Parameter(ENGINE, "scoring.memory", 1.0, "weight of memory in it", tuned=0.0, most=100),
)
RATES = (
    Parameter(ENGINE, "qps", 50.0, "requests a second of its client, so pods bound in a second in the long run", least=1),
    Parameter(ENGINE, "burst", 100.0, "pods that may be bound at once after a rest", least=1),
)
PARAMETERS = (
    *SCORING,
    *RATES,
    Parameter(ENGINE, "pod-groups", False, "native PodGroups (gate GenericWorkload, off by default): all of a group or none"),
)
APART = Gang(
    "none: workers are bound one by one and hold their place while the rest waits; the job runs from when the last is bound,"
    " and two gangs may hold parts for ever",
    GangKind.PER_WORKER,
)
CHECKED = (
    "scores worked by hand (tests/engines)",
    "5,000 single pods at its default rates against 99 s measured with KWOK by the makers of YuniKorn",
)


def node_choice(values: Values) -> NodeChoice:
    """Return how nodes are scored."""
    strategy = values.word("kube-scheduler.scoring")
    gpu, cpu, memory = (values.number(f"kube-scheduler.scoring.{name}") for name in ("gpu", "cpu", "memory"))
    return NodeChoice(
        f"{strategy} over devices ({gpu:g}), cores ({cpu:g}) and memory ({memory:g}) + BalancedAllocation over cores and memory,"
        " weight 1 each",
        KubeScore(strategy == "MostAllocated", (gpu, cpu, memory)),
        Tie.RANDOM,
        "kubernetes/kubernetes pkg/scheduler/apis/config/v1/default_plugins.go",
    )


def pace(values: Values) -> Cycle:
    """Return when pods are bound, and how many in a second."""
    return Cycle(
        CycleKind.INSTANT,
        binds_per_s=values.whole("kube-scheduler.qps"),
        burst=values.whole("kube-scheduler.burst"),
        backoff_s=(1, 10),
    )


def kube_scheduler(values: Values) -> Policy:
    """Return the policy of the plain kube-scheduler."""
    apart = pod_by_pod(values)
    if not values.flag("kube-scheduler.pod-groups"):
        return apart
    differs = (*apart.differs[:3], "pods of whole groups are bound at no rate")
    return replace(
        apart, summary="kube-scheduler alone with native pod groups: all of a group or none", gang=WHOLE_GANG, differs=differs
    )


def pod_by_pod(values: Values) -> Policy:
    """Return the policy that binds every pod by itself."""
    return Policy(
        name=ENGINE,
        summary="kube-scheduler alone: pod by pod; parts of gangs hold their devices",
        order=PRIORITY_THEN_ARRIVAL,
        blocking=Blocking.SKIP,
        gang=APART,
        nodes=node_choice(values),
        cycle=pace(values),
        preemption=Preemption("not modelled: the engine's own evicts pods of lower priority on one node"),
        differs=(
            "the pause after a failed try is kept per kind of pod, not per pod",
            "all nodes are scored; above 100 nodes the engine stops once it found a share of feasible ones",
            "pod affinity, spread and image locality score alike on all nodes",
            "native pod groups (beta and off by default in 1.37) are not used",
        ),
        sources=(
            "kubernetes/kubernetes pkg/scheduler/apis/config/v1/defaults.go",
            "kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/least_allocated.go",
        ),
    )
