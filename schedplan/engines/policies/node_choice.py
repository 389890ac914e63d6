"""Policies that differ in the choice of nodes alone: arrival order, what does not fit is passed over."""

from __future__ import annotations

from schedplan.engines import node_choices
from schedplan.engines.orders import ARRIVAL
from schedplan.engines.part import Blocking, NodeChoice
from schedplan.engines.policy import Policy


def _placing(name: str, where: str, nodes: NodeChoice) -> Policy:
    return Policy(
        name=name,
        summary=f"arrival order, what does not fit is passed over; each worker on {where}",
        order=ARRIVAL,
        blocking=Blocking.SKIP,
        nodes=nodes,
        sources=(nodes.source,) if nodes.source else (),
    )


RANDOM = _placing("random", "any node that holds it, drawn", node_choices.RANDOM)
FIRST_FIT = _placing("first-fit", "the first node by name that holds it", node_choices.FIRST_FIT)
BEST_FIT = _placing("best-fit", "the node with the least left", node_choices.BEST_FIT)
WORST_FIT = _placing("worst-fit", "the node with the most left", node_choices.WORST_FIT)
DOT_PRODUCT = _placing("dot-product", "the node whose free amounts are least like what it asks", node_choices.DOT_PRODUCT)
GPU_PACKING = _placing("gpu-packing", "shared devices first, then used nodes, then free ones", node_choices.GPU_PACKING)
GPU_CLUSTERING = _placing("gpu-clustering", "a node where workers of its kind stand", node_choices.GPU_CLUSTERING)
FGD = _placing("fgd", "the node whose fragmentation grows least", node_choices.FGD)
PLAN_GUIDED = _placing("plan-guided", "a place kept for work like it by a static plan", node_choices.PLAN_GUIDED)
