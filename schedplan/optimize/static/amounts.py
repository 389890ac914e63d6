"""How much a static plan places, and how much any could: weighed size, and devices (else cores) alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum

from schedplan.measures.work import counted_share, job_size
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.optimize.static.bound import ProvenBound, bound_of
from schedplan.optimize.static.certificate import (
    COUNTED_AT_MOST,
    COUNTED_PLACED,
    DEAREST_DEVICE,
    NODES_AT_LEAST,
    SIZE_AT_MOST,
    SIZE_PLACED,
)
from schedplan.optimize.static.fewest import fewest_nodes
from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.services import ServiceNeed


def weighed_size(problem: Problem, names: Sequence[str]) -> float:
    """Return the size of jobs, weighed by priority."""
    jobs = (problem.job_by_name[name] for name in names)
    return fsum(problem.urgency[job.priority] * job_size(problem.cluster, job) for job in jobs)


def amounts(
    relaxation: Relaxation, services: Sequence[ServiceNeed], bound: ProvenBound, decisions: Decisions
) -> tuple[tuple[str, float], ...]:
    """Return name and value of each number, as entries of the work of a proof."""
    problem = relaxation.instance.problem
    by_count = relaxation.instance.weighed(_counted_by_unit(relaxation.instance))
    answer = relaxation.solve(by_count.weights)
    at_most = bound_of(by_count, services, relaxation.prices(answer)).value if answer is not None else Fraction(0)
    placed = fsum(part.workers * counted_share(problem.job_by_name[part.job].shape, problem.cluster) for part in decisions.parts)
    is_all = len({part.job for part in decisions.parts}) == len(problem.jobs)
    fewest = fewest_nodes(relaxation) if is_all and problem.jobs else None
    return (
        (SIZE_PLACED, weighed_size(problem, sorted({part.job for part in decisions.parts}))),
        (SIZE_AT_MOST, float(bound.value)),
        (COUNTED_PLACED, placed),
        (COUNTED_AT_MOST, float(at_most)),
        (DEAREST_DEVICE, float(bound.dearest_device)),
        *(((NODES_AT_LEAST, float(fewest)),) if fewest is not None else ()),
    )


def _counted_by_unit(instance: Instance) -> tuple[Fraction, ...]:
    """The counted resource that one unit of each class holds."""
    return tuple(
        Fraction(counted_share(one.job.shape, instance.problem.cluster)) * (one.job.workers if one.units == 1 else 1)
        for one in instance.classes
    )
