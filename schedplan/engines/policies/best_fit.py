"""Best fit: whoever fits starts, on the node that it fills most."""

from __future__ import annotations

from schedplan.engines.policies.fcfs import ARRIVAL
from schedplan.engines.policies.fcfs import BEST_FIT as BEST_FIT_NODES
from schedplan.engines.policy import Blocking, Policy

BEST_FIT = Policy(
    name="best-fit",
    summary="arrival order, what does not fit is passed over; each worker on the node with the least left",
    order=ARRIVAL,
    blocking=Blocking.SKIP,
    nodes=BEST_FIT_NODES,
    sources=(BEST_FIT_NODES.source,),
)
