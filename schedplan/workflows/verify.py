"""Verify a saved plan without a solver: every constraint, and every number recomputed from the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from schedplan.explain.blocker import blockers
from schedplan.measures.corruption import corrupted
from schedplan.measures.objective import Normalisation
from schedplan.model.findings import Finding, Severity
from schedplan.model.plan import Plan, PlanStatus, PolicyValue
from schedplan.model.problem import Problem
from schedplan.optimize.ground import unavoidable
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.reference.standard import listed, values
from schedplan.optimize.static.reference import static_scales
from schedplan.report.document import Document
from schedplan.report.findings_document import findings_document
from schedplan.workflows.plan import SavedPlan, open_plan
from schedplan.workflows.static import unproven

SAME = 1e-9
_BOUND_WORDS = {
    True: "The bound is proven again from its prices.",
    False: "The bound is taken from the plan; only a solver can prove it again.",
}


@dataclass(frozen=True)
class Verification:
    """What does not hold, and how many numbers were recomputed."""

    findings: tuple[Finding, ...]
    n_numbers: int
    document: Document


def verify_plan(folder: Path, data: Path | None = None) -> Verification:
    """Return what is wrong with a saved plan; no finding means that it holds. Raises StalePlanError for changed inputs."""
    saved = open_plan(folder, data)
    found = verify(saved)
    n_numbers = _numbers(saved)
    bound = _BOUND_WORDS[bool(saved.plan.proof.prices)]
    held = f"{folder}: every constraint holds, and {n_numbers} numbers are as recomputed. {bound}"
    document = findings_document(found, kind="verification", title="Verification", all_clear=held)
    return Verification(found, n_numbers, document)


def verify(saved: SavedPlan) -> tuple[Finding, ...]:
    """Return the findings of an opened plan."""
    if saved.plan.proof.status is PlanStatus.INFEASIBLE:
        return corrupted(saved.problem, saved.plan)
    if saved.problem.is_static:
        return (*corrupted(saved.problem, saved.plan, static_scales(saved.problem)), *unproven(saved.problem, saved.plan))
    problem, plan = saved.problem, saved.plan
    scales = normalisation(problem, reference(problem))
    placed = {part.job for part in plan.decisions.parts}
    unplaced = blockers(problem, plan.decisions, tuple(job for job in problem.jobs if job.name not in placed))
    found = corrupted(problem, plan, scales, unplaced=unplaced, unavoidable=unavoidable(problem, scales))
    return (*found, *_off_policies(problem, plan, scales))


def _off_policies(problem: Problem, plan: Plan, scales: Normalisation) -> tuple[Finding, ...]:
    """Return the simple policies that are worth something else than the plan says."""
    if not plan.policies:
        return ()
    fresh = values(problem, listed(problem, reference(problem)), scales)
    if len(fresh) == len(plan.policies) and all(map(_is_alike, plan.policies, fresh)):
        return ()
    return (Finding("SP3129", Severity.ERROR, "policies", f"are {plan.policies!r}; recomputed: {fresh!r}"),)


def _is_alike(one: PolicyValue, other: PolicyValue) -> bool:
    if one.objective is None or other.objective is None:
        return one == other
    is_as_good = abs(one.objective - other.objective) <= SAME * max(1.0, abs(other.objective))
    return is_as_good and replace(one, objective=None) == replace(other, objective=None)


def _numbers(saved: SavedPlan) -> int:
    plan = saved.plan
    per_node = 0 if plan.node_use is None else 6 * plan.node_use.on.size
    return len(plan.measures) + 6 * len(plan.terms) + 8 * len(plan.placements) + 4 * len(plan.replicas) + per_node
