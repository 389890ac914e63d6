"""Ray placement groups: each is tried by itself, all bundles or none, no queue of jobs and no priorities.

Facts: ray-project/ray doc/source/ray-core/scheduling/placement-group.md; tried with emulated nodes of Ray 2.60.0 (2026-12).
"""

from __future__ import annotations

from schedplan.engines.formulas.ray import bundle_score
from schedplan.engines.orders import ARRIVAL
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Blocking, Gang, NodeChoice, Spill
from schedplan.engines.policy import Policy

ENGINE = "ray"
PARAMETERS = (
    Parameter(ENGINE, "strategy", "PACK", "strategy of placement groups that ask for no topology", choices=("PACK", "SPREAD")),
)


def ray(values: Values) -> Policy:
    """Return the policy of Ray's own scheduler."""
    packs = values.word("ray.strategy") == "PACK"
    return Policy(
        name=ENGINE,
        summary="Ray: placement groups all or nothing, blocked ones passed over, no priorities",
        order=ARRIVAL,
        blocking=Blocking.SKIP,
        gang=Gang("a placement group reserves all its bundles or none; nothing is held while it waits"),
        nodes=NodeChoice(
            (
                "PACK: the node that keeps most of what is free takes all bundles that it holds, then the next"
                if packs
                else "SPREAD: bundle by bundle, the node that keeps most of what is free, those without one of the group first"
            )
            + "; on one node (topology node) that is STRICT_PACK, with max_per_node 1 STRICT_SPREAD",
            bundle_score,
            source="ray-project/ray src/ray/raylet/scheduling/policy/{scorer,bundle_scheduling_policy}.cc",
            spill=Spill.NODE if packs else Spill.SPREAD,
            is_domain_by_score=True,
        ),
        differs=(
            "every job is a placement group of one bundle per worker; single tasks and actors, which Ray places by utilisation,"
            " are not modelled",
            "nodes alike are taken by name, in Ray by an identifier drawn at their start",
            "replicas of Serve and the autoscaler are not modelled",
        ),
        sources=("ray-project/ray doc/source/ray-core/scheduling/placement-group.md",),
    )
