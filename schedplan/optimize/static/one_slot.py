"""A static placement by the whole model of a plan with one slot, which keeps every constraint of the model exactly.

The recipe for large placements counts slices, and named profiles are more than that: work that asks for one always comes here. What
ties jobs, tenants or replicas together comes here where it is small. What is handed out reads like any static placement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from schedplan.measures.quotas import quota_refusal
from schedplan.model.plan import Decisions, Plan, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.model.workload import Job
from schedplan.optimize.ground import ground_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import interrupted, optimize
from schedplan.optimize.static.amounts import amounts
from schedplan.optimize.static.assembly import NOW
from schedplan.optimize.static.bound import bound_of
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.leftover import quota_told, rows_told
from schedplan.optimize.static.reference import static_scales
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.services import service_needs
from schedplan.optimize.static.standing import allowance_beside
from schedplan.optimize.static.ties import asks_for_profiles
from schedplan.packing.allowance import Allowance
from schedplan.packing.screen import refusals


def optimize_one_slot(problem: Problem, options: SolveOptions, watch: Watch = unwatched) -> Plan:
    """Return the plan of a static problem, or its conflict. Raises SolverError as `optimize` does."""
    return _read_as_static(problem, optimize(problem, options, static_scales(problem), watch))


def interrupted_in_one_slot(problem: Problem, options: SolveOptions, reached: Progress) -> Plan:
    """Return the plan that such a search had reached when it was ended from outside. ValueError where it had none."""
    return _read_as_static(problem, interrupted(ground_of(problem, static_scales(problem)), problem, options, reached))


def _read_as_static(problem: Problem, plan: Plan) -> Plan:
    if plan.proof.objective is None:
        return plan
    work = plan.proof.work if asks_for_profiles(problem) else (*plan.proof.work, *_amounts(problem, plan.decisions))
    return replace(plan, proof=replace(plan.proof, work=work), unplaced=tuple(_left_out(problem, plan.decisions)))


def _amounts(problem: Problem, decisions: Decisions) -> tuple[tuple[str, float], ...]:
    relaxed = instance(problem, is_relaxed=True)
    services = service_needs(problem, relaxed)
    relaxation = Relaxation(relaxed, services)
    answer = relaxation.solve(relaxed.weights)
    if answer is None:
        return ()
    return amounts(relaxation, services, bound_of(relaxed, services, relaxation.prices(answer)), decisions)


def _left_out(problem: Problem, decisions: Decisions) -> Iterator[Unplaced]:
    placed = {part.job for part in decisions.parts}
    allowance = allowance_beside(problem, decisions.parts, decisions.replicas)
    for job in problem.jobs:
        if job.name not in placed:
            rule, evidence, repair = _reason(problem, allowance, job)
            yield Unplaced("job", job.name, 1, rule, evidence, repair, None)


def _reason(problem: Problem, allowance: Allowance, job: Job) -> tuple[str, str, str]:
    refused = refusals(problem, job)
    help_ = "add nodes that take it, or ask for less"
    if len(refused) == len(problem.cluster.pools):
        told = "; ".join(refusal.message for _, refusal in refused[:3])
        return refused[0][1].rule if refused else "capacity", f"no node takes it: {told or 'there are none'}", help_
    kept_off = {pool.name for pool, _ in refused}
    accelerators = dict.fromkeys(pool.accelerator for pool in problem.cluster.pools if pool.name not in kept_off)
    quotas = [allowance.refusal(job, accelerator, job.workers, NOW) for accelerator in accelerators]
    if quotas and quotas[0] is not None and all(quota is not None for quota in quotas):
        return quota_told(quotas[0], quota_refusal(problem, job, next(iter(accelerators)), job.workers))
    if job.name in problem.gang_rows:
        return rows_told(problem, job)
    asked = f"{job.workers} x {job.shape.slice_profile or f'{job.shape.gpus:g} of a device'}"
    return "capacity", f"asks for {asked}; beside what is placed, of more weight together, no place is left for it", help_
