"""Volcano with its default plugins: whole gangs, blocked jobs passed over, a session every second.

Facts: volcano-sh/volcano pkg/scheduler (actions enqueue, allocate; plugins gang, overcommit, nodeorder, binpack; read 2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.node_choice import volcano_binpack, volcano_default
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.part import Admission, Blocking, Cycle, CycleKind, Gang, NodeChoice, Preemption, Tie
from schedplan.engines.policy import Policy

VOLCANO = Policy(
    name="volcano",
    summary="Volcano, chart configuration: gangs all or nothing, blocked jobs passed over",
    order=PRIORITY_THEN_ARRIVAL,
    admission=Admission(
        "enqueue with overcommit: a job is looked at once what admitted waiting jobs ask, and it, is at most 1.2 x machine - used;"
        " a job that is not admitted is passed over",
        overcommit=1.2,
    ),
    blocking=Blocking.SKIP,
    gang=Gang("a statement per job: all workers are placed or every placement is discarded; nothing is held"),
    nodes=NodeChoice(
        "nodeorder (least allocated 1 over cores and memory, balanced 1 over devices, cores, memory) + binpack 1 over the cores and"
        " memory that a worker asks for; devices are not packed",
        volcano_default,
        Tie.RANDOM,
        "volcano-sh/volcano installer/helm/chart/volcano/config/volcano-scheduler.conf",
    ),
    cycle=Cycle(CycleKind.PERIOD, period_s=1),
    preemption=Preemption("none: preempt and reclaim are not among the default actions"),
    engine="volcano",
    differs=(
        "one queue: shares between queues (proportion, capacity) are not modelled",
        "hyperNodes and the sla plugin are not modelled",
    ),
    sources=(
        "volcano-sh/volcano pkg/scheduler/actions/allocate/allocate.go",
        "volcano-sh/volcano pkg/scheduler/plugins/overcommit",
    ),
)

VOLCANO_BINPACK = replace(
    VOLCANO,
    name="volcano-binpack",
    summary="Volcano tuned to fill nodes: binpack.weight 10, nvidia.com/gpu listed with weight 10",
    nodes=NodeChoice(
        "nodeorder as by default + 10 x binpack over devices (10), cores (1) and memory (1) that a worker asks for",
        volcano_binpack,
        Tie.RANDOM,
        "volcano-sh/volcano pkg/scheduler/plugins/binpack/binpack.go",
    ),
)
