"""Volcano: whole gangs, queues by what each deserves, blocked jobs passed over, a session every second.

Facts: volcano-sh/volcano pkg/scheduler (actions enqueue, allocate; plugins gang, overcommit, proportion, nodeorder, binpack; read
2026-11); weights of the preset `default` are those of its chart.
"""

from __future__ import annotations

from schedplan.engines.formulas.volcano import VolcanoScore, deserved
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import PASSED_OVER, Admission, Blocking, Cycle, CycleKind, Gang, NodeChoice, Preemption, Share, Tie
from schedplan.engines.policy import Policy
from schedplan.engines.shares import BILLIONTHS
from schedplan.model.view import TenantView

ENGINE = "volcano"
PARAMETERS = (
    Parameter(ENGINE, "schedule-period", 1.0, "seconds between sessions", least=1, most=3600),
    Parameter(ENGINE, "overcommit.factor", 1.2, "how far beyond the free machine jobs are enqueued", least=1, most=100),
    Parameter(ENGINE, "nodeorder.least", 1.0, "leastrequested.weight", most=1000),
    Parameter(ENGINE, "nodeorder.most", 0.0, "mostrequested.weight", most=1000),
    Parameter(ENGINE, "nodeorder.balanced", 1.0, "balancedresource.weight", most=1000),
    Parameter(ENGINE, "binpack.weight", 1.0, "binpack.weight", tuned=10.0, most=1000),
    Parameter(ENGINE, "binpack.gpu", 0.0, "binpack.resources.nvidia.com/gpu", tuned=10.0, most=1000),
    Parameter(ENGINE, "binpack.cpu", 1.0, "binpack.cpu", most=1000),
    Parameter(ENGINE, "binpack.memory", 1.0, "binpack.memory", most=1000),
)


def volcano(values: Values) -> Policy:
    """Return the policy of Volcano with a queue per tenant."""
    overcommit = values.number("volcano.overcommit.factor")
    return Policy(
        name=ENGINE,
        summary="Volcano: gangs all or nothing, queues by what each deserves, blocked jobs passed over",
        order=PRIORITY_THEN_ARRIVAL,
        share=PROPORTION,
        admission=Admission(
            f"enqueue with overcommit: a job is looked at once what admitted waiting jobs ask, and it, is at most {overcommit:g} x"
            " machine - used; a job that is not admitted is passed over",
            overcommit=overcommit,
        ),
        blocking=Blocking.SKIP,
        gang=Gang("a statement per job: all workers are placed or every placement is discarded; nothing is held"),
        nodes=_node_choice(values),
        cycle=Cycle(CycleKind.PERIOD, period_s=values.whole("volcano.schedule-period")),
        preemption=Preemption("none: preempt and reclaim are not among the default actions"),
        differs=(
            "what a queue deserves counts all of its waiting jobs, not those alone that are enqueued",
            "the order of drf among jobs of one queue has no effect: one that waits holds nothing",
            "hyperNodes, the sla plugin and queue priorities are not modelled",
        ),
        sources=(
            "volcano-sh/volcano pkg/scheduler/actions/allocate/allocate.go",
            "volcano-sh/volcano pkg/scheduler/plugins/overcommit",
            "volcano-sh/volcano pkg/scheduler/plugins/proportion/proportion.go",
        ),
    )


def by_deserved(tenant: TenantView) -> int:
    """Return the share of a queue, allocated / deserved, in billionths; PASSED_OVER where it is overused."""
    return PASSED_OVER if tenant.is_sated else round(tenant.of_due * BILLIONTHS)


PROPORTION = Share(
    "proportion: the queue (one per tenant) with the least share first, the largest of allocated / deserved; one that holds"
    " all that"
    " it deserves is passed over; deserved: by weight, no more than what it asks for, found at each session",
    by_deserved,
    due=deserved,
)


def _node_choice(values: Values) -> NodeChoice:
    least, most, balance = (values.number(f"volcano.nodeorder.{name}") for name in ("least", "most", "balanced"))
    weight, gpu, cpu, memory = (values.number(f"volcano.binpack.{name}") for name in ("weight", "gpu", "cpu", "memory"))
    packed = "devices are not packed" if gpu == 0 or weight == 0 else f"devices weigh {gpu:g}"
    return NodeChoice(
        f"nodeorder (least allocated {least:g} and most allocated {most:g} over cores and memory, balanced {balance:g} over"
        f" devices,"
        f" cores, memory) + binpack {weight:g} over what a worker asks for: cores {cpu:g}, memory {memory:g}; {packed}",
        VolcanoScore(least, most, balance, weight, (gpu, cpu, memory)),
        Tie.RANDOM,
        "volcano-sh/volcano installer/helm/chart/volcano/config/volcano-scheduler.conf",
    )
