"""How much of the difference of two plans each changed input explains: each of them alone put into the first project, and solved.

What the effects of all of them do not add up to is their interaction. Everything is valued by the scales of the first project, so
that the objectives can be compared. It reads no plan's numbers but solves both projects anew: the same inputs, the same plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import SchedplanError
from schedplan.measures.objective import Normalisation
from schedplan.model.plan import Plan, PlanStatus
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.solve import optimize
from schedplan.workflows.input_changes import ChangedInput, changed_inputs
from schedplan.workflows.optimize import solve_options
from schedplan.workflows.plan import SavedPlan, open_plan
from schedplan.workflows.problem import prepare
from schedplan.workflows.project import Project

MOST_INPUTS = 12
INTERACTION = "together, beyond each alone"


@dataclass(frozen=True, slots=True)
class Value:
    """What is compared of a plan. wait_h: mean wait of placed jobs, hours; stands: (start, nodes) of each placed job."""

    objective: float
    cost: float | None
    wait_h: float | None
    stands: tuple[tuple[str, int, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What one input changes alone. moved: jobs that stand elsewhere, at another time, or in one plan only. None: not known."""

    input: str
    objective: float | None
    cost: float | None
    wait_h: float | None
    moved: int | None
    note: str = ""


@dataclass(frozen=True)
class Attribution:
    """The changed inputs and their effects, that of all together last; or why they can't be told."""

    inputs: tuple[ChangedInput, ...] = ()
    effects: tuple[Effect, ...] = ()
    reason: str = ""


def attribution(before: Path, after: Path, before_data: Path | None = None, after_data: Path | None = None) -> Attribution:
    """Return which inputs of two saved plans differ, and what each of them alone does.

    Both projects must still hold what the plans were made from; where one does not, the reason is returned in place of effects.
    """
    try:
        first, second = open_plan(before, before_data), open_plan(after, after_data)
    except SchedplanError as problem:
        return Attribution(reason=problem.message)
    found = changed_inputs(first.project, second.project)
    if not found:
        return Attribution()
    if first.problem.is_static or second.problem.is_static:
        return Attribution(found, reason="a plan of one instant is not solved anew input by input")
    if len(found) > MOST_INPUTS:
        return Attribution(found, reason=f"{len(found)} inputs differ, more than the {MOST_INPUTS} that are solved one by one")
    return Attribution(found, _effects(first, second, found))


def _effects(first: SavedPlan, second: SavedPlan, found: tuple[ChangedInput, ...]) -> tuple[Effect, ...]:
    base_problem = prepare(first.project).problem
    scales = normalisation(base_problem, reference(base_problem))
    base, whole = _value(first.project, scales), _value(second.project, scales)
    if isinstance(base, str) or isinstance(whole, str):
        return ()
    effects = [_effect(one.name, base, _value(one.put_into(first.project, second.project), scales)) for one in found]
    total = _effect("all of them", base, whole)
    if len(found) > 1:
        effects.append(_rest(effects, total))
    return (*effects, total)


def _value(project: Project, scales: Normalisation) -> Value | str:
    """Return what a project's plan is worth, or in words why it has none."""
    try:
        problem = prepare(project).problem
        plan = optimize(problem, solve_options(project.settings), scales)
    except SchedplanError as refused:
        return refused.message
    if plan.proof.status is PlanStatus.INFEASIBLE or plan.proof.objective is None:
        return "with it alone there is no plan"
    return Value(plan.proof.objective, _measure(plan, "cost", 1.0), _measure(plan, "wait_s_mean", 1 / 3600), _stands(plan))


def _measure(plan: Plan, name: str, factor: float) -> float | None:
    found = next((measure.value for measure in plan.measures if measure.name == name and not measure.labels), None)
    return None if found is None else found * factor


def _stands(plan: Plan) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    nodes: dict[tuple[str, int], list[str]] = {}
    for row in plan.placements:
        nodes.setdefault((row.job, row.start_s), []).append(row.node)
    return tuple((job, start_s, tuple(sorted(found))) for (job, start_s), found in sorted(nodes.items()))


def _effect(name: str, base: Value, there: Value | str) -> Effect:
    if isinstance(there, str):
        return Effect(name, None, None, None, None, there)
    moved = {job for job, _, _ in set(base.stands) ^ set(there.stands)}
    return Effect(
        name, there.objective - base.objective, _less(there.cost, base.cost), _less(there.wait_h, base.wait_h), len(moved)
    )


def _rest(effects: list[Effect], total: Effect) -> Effect:
    """Return what the inputs do together beyond the sum of each alone; moved jobs do not add up, so they have none."""
    return Effect(
        INTERACTION,
        _beyond([one.objective for one in effects], total.objective),
        _beyond([one.cost for one in effects], total.cost),
        _beyond([one.wait_h for one in effects], total.wait_h),
        None,
    )


def _beyond(parts: list[float | None], total: float | None) -> float | None:
    known = [part for part in parts if part is not None]
    return None if total is None or len(known) < len(parts) else total - sum(known)


def _less(there: float | None, here: float | None) -> float | None:
    return None if there is None or here is None else there - here
