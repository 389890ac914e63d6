"""First come, first served: the head of the queue blocks until it fits."""

from __future__ import annotations

from schedplan.engines.node_choices import BEST_FIT
from schedplan.engines.orders import ARRIVAL
from schedplan.engines.part import Blocking
from schedplan.engines.policy import Policy

FCFS = Policy(
    name="fcfs",
    summary="first come, first served; the head blocks until it fits",
    order=ARRIVAL,
    blocking=Blocking.HEAD,
    nodes=BEST_FIT,
)
