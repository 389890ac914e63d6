"""Ray placement groups: each is tried by itself, all bundles or none, no queue of jobs and no priorities.

Facts: ray-project/ray doc/source/ray-core/scheduling/placement-group.md; tried with emulated nodes of Ray 2.60.0 (2026-11).
"""

from __future__ import annotations

from schedplan.engines.formulas.ray import RayScore
from schedplan.engines.orders import ARRIVAL
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Blocking, Gang, NodeChoice
from schedplan.engines.policy import Policy

ENGINE = "ray"
PARAMETERS = (
    Parameter(ENGINE, "strategy", "PACK", "strategy of placement groups", choices=("PACK", "SPREAD")),
    Parameter(
        ENGINE,
        "spread-threshold",
        0.5,
        "RAY_scheduler_spread_threshold: utilisation below which nodes are alike",
        tuned=1.0,
        most=1,
    ),
)


def ray(values: Values) -> Policy:
    """Return the policy of Ray's own scheduler."""
    strategy, threshold = values.word("ray.strategy"), values.number("ray.spread-threshold")
    return Policy(
        name=ENGINE,
        summary="Ray: placement groups all or nothing, blocked ones passed over, no priorities",
        order=ARRIVAL,
        blocking=Blocking.SKIP,
        gang=Gang("a placement group reserves all its bundles or none; nothing is held while it waits"),
        nodes=NodeChoice(
            f"{strategy}: {'fullest' if strategy == 'PACK' else 'emptiest'} nodes by devices first, then those whose cores"
            f" and memory"
            f" are used to less than {threshold:g}, then the least used",
            RayScore(threshold, strategy == "PACK"),
            source="ray-project/ray src/ray/raylet/scheduling/policy",
        ),
        differs=(
            "every job is a placement group of one bundle per worker",
            "the engine draws among the best fifth of nodes for single tasks",
            "replicas of Serve and the autoscaler are not modelled",
        ),
        sources=("ray-project/ray doc/source/ray-core/scheduling/placement-group.md",),
    )
