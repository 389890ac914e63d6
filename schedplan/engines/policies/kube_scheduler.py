"""The plain kube-scheduler: pod by pod, no gangs, nothing blocks; by default devices are not packed.

Facts: kubernetes/kubernetes pkg/scheduler (apis/config/v1/defaults.go, default_plugins.go, schedule_one.go; read 2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.node_choice import kube_default, kube_packed
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.part import Blocking, Cycle, CycleKind, Gang, GangKind, NodeChoice, Preemption, Tie
from schedplan.engines.policy import Policy

KUBE_SCHEDULER = Policy(
    name="kube-scheduler",
    summary="plain kube-scheduler, default profile: pod by pod without gangs; parts of gangs hold their devices",
    order=PRIORITY_THEN_ARRIVAL,
    blocking=Blocking.SKIP,
    gang=Gang(
        "none: workers are bound one by one and hold their place while the rest waits; the job runs from when the last is bound,"
        " and two gangs may hold parts for ever",
        GangKind.PER_WORKER,
    ),
    nodes=NodeChoice(
        "LeastAllocated over cores and memory + BalancedAllocation over the same, weight 1 each; devices do not count",
        kube_default,
        Tie.RANDOM,
        "kubernetes/kubernetes pkg/scheduler/apis/config/v1/default_plugins.go",
    ),
    cycle=Cycle(CycleKind.INSTANT, binds_per_s=50, backoff_s=(1, 10)),
    preemption=Preemption("not modelled: the engine's own evicts pods of lower priority on one node"),
    engine="kube-scheduler",
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

KUBE_SCHEDULER_PACKED = replace(
    KUBE_SCHEDULER,
    name="kube-scheduler-packed",
    summary="plain kube-scheduler with a profile that fills nodes by devices (MostAllocated over nvidia.com/gpu)",
    nodes=NodeChoice(
        "MostAllocated over devices + BalancedAllocation over cores and memory, weight 1 each",
        kube_packed,
        Tie.RANDOM,
        "kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/most_allocated.go",
    ),
)
