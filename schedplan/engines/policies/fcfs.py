"""First come, first served: the head of the queue blocks until it fits."""

from __future__ import annotations

from schedplan.engines.node_choice import best_fit
from schedplan.engines.policy import Blocking, NodeChoice, Order, Policy
from schedplan.model.view import LaneView


def by_arrival(lane: LaneView) -> tuple[int, ...]:
    """Return the job's place in the order of submission, then name."""
    return (lane.rank,)


ARRIVAL = Order("arrival: earlier submission first, then name", by_arrival)
BEST_FIT = NodeChoice(
    "best fit: worker by worker, the node with the least left of devices and cores, each over the largest node",
    best_fit,
    source="hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin/best_fit_score.go",
)

FCFS = Policy(
    name="fcfs",
    summary="first come, first served; the head blocks until it fits",
    order=ARRIVAL,
    blocking=Blocking.HEAD,
    nodes=BEST_FIT,
)
