"""Orders of waiting jobs: which is looked at first. They know what a policy may look at, and no machine."""

from __future__ import annotations

from schedplan.engines.part import Order, Within
from schedplan.model.view import LaneView

THOUSANDTHS = 1000


def by_arrival(lane: LaneView) -> tuple[int, ...]:
    """Return the job's place in the order of submission, then name."""
    return (lane.rank,)


def by_estimate(lane: LaneView) -> tuple[int, ...]:
    """Return the estimate in seconds, then the place in the order of submission."""
    return (lane.estimate_s, lane.rank)


def by_size(lane: LaneView) -> tuple[int, ...]:
    """Return minus the job's devices (cores where it asks for none) in thousandths, then the place in the order of submission."""
    return (-round((lane.devices or lane.cores) * THOUSANDTHS), lane.rank)


def by_priority(lane: LaneView) -> tuple[int, ...]:
    """Return minus the priority, then the place in the order of submission."""
    return (-lane.priority, lane.rank)


ARRIVAL = Order("arrival: earlier submission first, then name", by_arrival)
SHORTEST_FIRST = Order(
    "shortest estimate first, then earlier submission, then name; decided anew at each event", by_estimate, within=Within.SHORTEST
)
LARGEST_FIRST = Order(
    "most devices first (cores where a job asks for none), then earlier submission, then name; decided anew at each event", by_size
)
PRIORITY_THEN_ARRIVAL = Order("higher priority first, then earlier submission, then name", by_priority, by_priority=True)

ORDERS = {"arrival": ARRIVAL, "shortest": SHORTEST_FIRST, "largest": LARGEST_FIRST, "priority": PRIORITY_THEN_ARRIVAL}
