"""YuniKorn: fair queues, placeholders that hold nodes for a gang, nothing blocks.

Facts: apache/yunikorn-core pkg/scheduler, apache/yunikorn-site docs/user_guide (read 2026-11).
"""

from __future__ import annotations

from schedplan.engines.formulas.yunikorn import YuniKornScore, by_usage_ratio
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Blocking, Cycle, Gang, GangKind, Hold, NodeChoice, Preemption, Share, Tie
from schedplan.engines.policy import Policy

ENGINE = "yunikorn"
PARAMETERS = (
    Parameter(
        ENGINE, "nodesort", "fair", "nodesortpolicy.type of the partition", tuned="binpacking", choices=("fair", "binpacking")
    ),
    Parameter(ENGINE, "nodesort.gpu", 0.0, "weight of nvidia.com/gpu in it", tuned=1.0, most=100),
    Parameter(ENGINE, "nodesort.vcore", 1.0, "weight of vcore in it", tuned=0.0, most=100),
    Parameter(ENGINE, "nodesort.memory", 1.0, "weight of memory in it", tuned=0.0, most=100),
    Parameter(
        ENGINE, "placeholder-timeout", 900.0, "seconds from the first placeholder until all are released", least=1, most=86400
    ),
    Parameter(ENGINE, "gang-style", "Soft", "after that: pods one by one, or the job fails", choices=("Soft", "Hard")),
)
USAGE_RATIO = Share(
    "the queue (one per tenant) with the least usage ratio first: the largest of allocated / guaranteed, against the whole machine"
    " where nothing is guaranteed",
    by_usage_ratio,
)


def yunikorn(values: Values) -> Policy:
    """Return the policy of YuniKorn with a queue per tenant."""
    timeout_s, is_soft = values.whole("yunikorn.placeholder-timeout"), values.word("yunikorn.gang-style") == "Soft"
    after = "then its pods are bound one by one" if is_soft else "then the job fails"
    return Policy(
        name=ENGINE,
        summary="YuniKorn: fair queues, placeholders reserve places for a gang",
        order=PRIORITY_THEN_ARRIVAL,
        share=USAGE_RATIO,
        blocking=Blocking.SKIP,
        gang=Gang(
            f"placeholders take their places one by one and keep them for {timeout_s} s; the gang starts once all have one,"
            f" else all"
            f" are released; {after}",
            GangKind.PER_WORKER,
            Hold(timeout_s, then_apart=is_soft, fails=not is_soft),
        ),
        nodes=_node_choice(values),
        cycle=Cycle(),
        preemption=Preemption("not modelled: a queue under its guarantee takes from those over theirs after 30 s"),
        differs=(
            "priorities order the jobs of one queue, not the queues",
            "no request reserves a node, which the engine allows one after 2 s",
        ),
        sources=(
            "apache/yunikorn-core pkg/scheduler/objects/queue.go",
            "apache/yunikorn-site docs/user_guide/gang_scheduling.md",
            "apache/yunikorn-core pkg/scheduler/objects/nodesorting.go",
        ),
    )


def _node_choice(values: Values) -> NodeChoice:
    sort = values.word("yunikorn.nodesort")
    gpu, vcore, memory = (values.number(f"yunikorn.nodesort.{name}") for name in ("gpu", "vcore", "memory"))
    return NodeChoice(
        f"{sort}: by the weighted use of devices ({gpu:g}), cores ({vcore:g}) and memory ({memory:g}) before the worker,"
        f" {'fullest' if sort == 'binpacking' else 'emptiest'} first",
        YuniKornScore(sort == "binpacking", (gpu, vcore, memory)),
        Tie.SMALLEST_NAME,
        "apache/yunikorn-core pkg/scheduler/objects/nodesorting.go",
    )
