"""A static placement with named profiles of devices: by the whole model of a plan with one slot, which knows legal starts.

The recipe for large placements counts slices, and profiles are more than that. What is handed out reads like any static placement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from schedplan.model.plan import Decisions, Plan, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.model.workload import Job
from schedplan.optimize.ground import ground_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import interrupted, optimize
from schedplan.optimize.static.reference import static_scales
from schedplan.packing.screen import refusals


def asks_for_profiles(problem: Problem) -> bool:
    """Whether some work asks for a named profile."""
    shapes = (*(job.shape for job in problem.jobs), *(service.shape for service in problem.services))
    return any(shape.slice_profile is not None for shape in shapes)


def optimize_profiles(problem: Problem, options: SolveOptions, watch: Watch = unwatched) -> Plan:
    """Return the plan of a static problem, or its conflict. Raises SolverError as `optimize` does."""
    return _read_as_static(problem, optimize(problem, options, static_scales(problem), watch))


def interrupted_profiles(problem: Problem, options: SolveOptions, reached: Progress) -> Plan:
    """Return the plan that such a search had reached when it was ended from outside. ValueError where it had none."""
    return _read_as_static(problem, interrupted(ground_of(problem, static_scales(problem)), problem, options, reached))


def _read_as_static(problem: Problem, plan: Plan) -> Plan:
    return replace(plan, unplaced=tuple(_left_out(problem, plan.decisions))) if plan.proof.objective is not None else plan


def _left_out(problem: Problem, decisions: Decisions) -> Iterator[Unplaced]:
    placed = {part.job for part in decisions.parts}
    for job in problem.jobs:
        if job.name not in placed:
            rule, evidence = _reason(problem, job)
            yield Unplaced("job", job.name, 1, rule, evidence, "add nodes that take it, or ask for less", None)


def _reason(problem: Problem, job: Job) -> tuple[str, str]:
    refused = refusals(problem, job)
    if len(refused) == len(problem.cluster.pools):
        told = "; ".join(refusal.message for _, refusal in refused[:3])
        return (refused[0][1].rule, f"no node takes it: {told}") if refused else ("capacity", "the cluster has no nodes")
    asked = f"{job.workers} x {job.shape.slice_profile or f'{job.shape.gpus:g} of a device'}"
    return "capacity", f"asks for {asked}; beside what is placed, of more weight together, no place is left for it"
