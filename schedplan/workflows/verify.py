"""Verify a saved plan without a solver: every constraint, and every number recomputed from the tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.explain.blocker import blockers
from schedplan.measures.corruption import corrupted
from schedplan.model.findings import Finding
from schedplan.model.plan import PlanStatus
from schedplan.optimize.ground import unavoidable
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.static.reference import static_scales
from schedplan.report.document import Document
from schedplan.report.findings_document import findings_document
from schedplan.workflows.plan import SavedPlan, open_plan
from schedplan.workflows.static import unproven

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
    return corrupted(problem, plan, scales, unplaced=unplaced, unavoidable=unavoidable(problem, scales))


def _numbers(saved: SavedPlan) -> int:
    plan = saved.plan
    per_node = 0 if plan.node_use is None else 6 * plan.node_use.on.size
    return len(plan.measures) + 6 * len(plan.terms) + 8 * len(plan.placements) + 4 * len(plan.replicas) + per_node
