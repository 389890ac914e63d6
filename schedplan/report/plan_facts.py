"""What a plan says to machines: its top-level values, and how single ones are looked up."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.findings import Measure, Severity
from schedplan.model.plan import Baseline, ConflictItem, Plan, PlanStatus, PolicyValue, Rate, Repair, Term, Unplaced
from schedplan.model.problem import Problem
from schedplan.report.document import Facts, Notice, finite
from schedplan.report.figures import LEAST_SHARE
from schedplan.report.goal_sections import front_facts, stages_facts

WHOLE: tuple[tuple[str, str], ...] = ()
LEFT_OUT_FIRST = 3


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a plan comes from. inputs: (path, SHA-256); versions: (program, version); notes: (label, words)."""

    inputs: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


def plan_facts(problem: Problem, plan: Plan, provenance: Provenance) -> Facts:
    """Return the top-level values of a plan for machines."""
    proof = plan.proof
    return Facts(
        (
            ("status", proof.status.value),
            ("objective", finite(proof.objective)),
            ("bound", finite(proof.bound)),
            ("gap", finite(proof.gap)),
            ("gap_avoidable", finite(proof.gap_avoidable)),
            ("currency", problem.currency),
            ("terms", tuple(_term_facts(term) for term in plan.terms)),
            ("measures", tuple(measure_facts(measure) for measure in plan.measures)),
            ("unplaced", tuple(_unplaced_facts(one) for one in plan.unplaced)),
            ("conflict", tuple(_conflict_facts(one) for one in proof.conflict)),
            ("repairs", tuple(_repair_facts(one) for one in proof.repairs)),
            ("warnings", plan.warnings),
            ("assumptions", problem.assumptions),
            ("baselines", tuple(_baseline_facts(one) for one in plan.baselines)),
            ("policies", tuple(_policy_facts(one) for one in plan.policies)),
            ("inputs", tuple(Facts((("path", path), ("sha256", digest))) for path, digest in provenance.inputs)),
            ("versions", Facts(provenance.versions)),
            ("seed", plan.seed),
            ("exchange_rates", tuple(_rate_facts(rate) for rate in plan.rates)),
            ("stages", stages_facts(plan)),
            ("pareto", front_facts(plan.front)),
        )
    )


def _rate_facts(rate: Rate) -> Facts:
    return Facts((("what", rate.what), ("worth", finite(rate.worth)), ("unit", rate.unit)))


def measure_facts(measure: Measure) -> Facts:
    """Return a measure for machines: name, value, unit, labels."""
    return Facts(
        (("name", measure.name), ("value", finite(measure.value)), ("unit", measure.unit), ("labels", Facts(measure.labels)))
    )


def _conflict_facts(one: ConflictItem) -> Facts:
    return Facts((("rule", one.rule), ("subject", one.subject), ("evidence", one.evidence), ("group", one.group)))


def _repair_facts(one: Repair) -> Facts:
    changed = tuple(
        Facts((("table", edit.table), ("row", edit.row), ("column", edit.column), ("value", edit.value))) for edit in one.edits
    )
    return Facts((("change", one.change), ("cost", finite(one.cost)), ("edits", changed)))


def _term_facts(term: Term) -> Facts:
    return Facts((("name", term.name), ("value", finite(term.value)), ("unit", term.unit), ("weight", term.weight)))


def _unplaced_facts(one: Unplaced) -> Facts:
    return Facts(
        (
            ("kind", one.kind),
            ("name", one.name),
            ("count", one.count),
            ("rule", one.rule),
            ("evidence", one.evidence),
            ("repair", one.repair),
            ("repair_cost", finite(one.repair_cost)),
        )
    )


def _baseline_facts(one: Baseline) -> Facts:
    return Facts((("name", one.name), ("cost", finite(one.cost)), ("description", one.description)))


def _policy_facts(one: PolicyValue) -> Facts:
    return Facts(
        (
            ("name", one.name),
            ("objective", finite(one.objective)),
            ("left_out", one.left_out),
            ("broken", one.broken),
            ("description", one.description),
        )
    )


def placed_words(placed: int, total: int) -> str:
    """Return how many of the jobs are placed, as the beginning of a sentence."""
    if total == 1:
        return f"The one job is {'placed' if placed else 'left out'}"
    if placed == total:
        return "Both jobs are placed" if total == 2 else f"All {total:,} jobs are placed"
    if placed == 0:
        return "Neither of the 2 jobs is placed" if total == 2 else f"None of the {total:,} jobs is placed"
    return f"{placed:,} of {total:,} jobs {'is' if placed == 1 else 'are'} placed"


def left_out_notices(plan: Plan) -> tuple[Notice, ...]:
    """Return a warning for each of the first jobs left out, with its evidence, and one that counts the rest."""
    shown = plan.unplaced[:LEFT_OUT_FIRST]
    told = tuple(Notice(Severity.WARNING, f"left out: {one.name} ({one.evidence})") for one in shown)
    more = len(plan.unplaced) - len(shown)
    return (*told, Notice(Severity.WARNING, f"left out: and {more:,} more")) if more > 0 else told


def is_tight(plan: Plan) -> bool:
    """Whether a plan is proven optimal, or so near to its bound that the difference has no figure."""
    gap = plan.proof.gap
    return plan.proof.status is PlanStatus.OPTIMAL or (_has_plan(plan) and gap is not None and gap < LEAST_SHARE)


def _has_plan(plan: Plan) -> bool:
    return plan.proof.status in (PlanStatus.OPTIMAL, PlanStatus.FEASIBLE)


def plan_cost(plan: Plan) -> float | None:
    """Return what a plan costs over its horizon; None where that isn't known."""
    cost = whole_value(plan, "cost")
    if cost is not None:
        return cost
    return next((finite(term.value) for term in plan.terms if term.name == "cost"), None)


def whole_value(plan: Plan, name: str) -> float | None:
    """Return the value of a measure for the whole; None where it has none."""
    return next((finite(measure.value) for measure in plan.measures if measure.name == name and measure.labels == WHOLE), None)
