"""Landing: the plan of a part on pools, on single nodes at once, so that the next part knows what stands where. It plans no part.

It is the climb of any plan (`nodes/climb`), with what waiting for a later part costs in the place of what leaving out does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schedplan.measures.objective import Normalisation
from schedplan.model.plan import ReplicaPart
from schedplan.model.workload import Job
from schedplan.optimize.layout import Layout
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.climb import Climb
from schedplan.optimize.nodes.offers import Offers
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solvers.cp_sat import Found
from schedplan.packing.assignment import GangStart


@dataclass(frozen=True)
class _RatesOfPart(Rates):
    """Rates in which a job that a part leaves out costs what the rest of the horizon makes of it, by name."""

    waiting: Mapping[str, float]

    def left_out(self, job: Job) -> float:
        return self.waiting.get(job.name, 0.0)


@dataclass(frozen=True, slots=True)
class Landed:
    """Gangs on single nodes, and replicas, by the slots of the part; work: deterministic time spent."""

    gangs: tuple[GangStart, ...]
    replicas: tuple[ReplicaPart, ...]
    work: float


def landed(
    shape: Layout, found: Found, normalisation: Normalisation, waiting: Mapping[str, float], options: SolveOptions
) -> Landed | None:
    """Put the plan of a part on nodes and improve it there by boxes; None where it finds no place.

    waiting: what each job adds to F where it does not start in the part.
    """
    part = shape.problem
    climb = Climb(part, shape, normalisation, options.seed)
    plain = climb.rates
    climb.rates = _RatesOfPart(part, plain.latency, plain.utilization, plain.cost, plain.carbon, plain.unplaced, waiting)
    climb.offers = Offers(shape, climb.rates)
    if climb.land(found.gangs, found.fleets) is None or climb.floor is None:
        return None
    for _ in climb.improve(options.window_frames, options.frame_work):
        pass
    names = part.cluster.nodes
    gangs = tuple(_standing(one, names) for _, one in sorted(climb.floor.berths.items()))
    decisions = climb.floor.decisions()
    return None if decisions is None else Landed(gangs, decisions.replicas, climb.work)


def _standing(berth: Berth, names: tuple[str, ...]) -> GangStart:
    groups = tuple(((names[node],), count) for node, count in berth.nodes)
    return GangStart(berth.job, berth.start_slot, berth.end_edge, groups, one_node=False)
