"""Plan: prepare the problem, solve it, say what it would cost otherwise and why some work has no place, and save the plan."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from schedplan.config.override import Override
from schedplan.config.settings import Settings
from schedplan.errors import UsageError
from schedplan.explain.blocker import blockers
from schedplan.measures.baselines import baselines, waterfall
from schedplan.model.earlier import Earlier
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import GOALS
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from schedplan.report.document import Document
from schedplan.report.plan_document import plan_document
from schedplan.tables.artefact_context import PlanContext, SettingsSnapshot, context_of, relative_path, settings_sha256
from schedplan.tables.artefacts import PLAN_FOLDER, write_plan
from schedplan.workflows.earlier import earlier_text
from schedplan.workflows.problem import Prepared, prepare
from schedplan.workflows.project import Project
from schedplan.workflows.recorded import EARLIER_KEY, RUNTIME_KEY

DEFAULT_FOLDER = Path("runs") / "plan"
_WEIGHTS_FORM = "Give it as --weights latency=.5,utilization=.3,cost=.2"


@dataclass(frozen=True)
class Planned:
    """A plan with the problem it answers and the context it is saved with."""

    plan: Plan
    prepared: Prepared
    context: PlanContext
    document: Document

    @property
    def is_infeasible(self) -> bool:
        return self.plan.proof.status is PlanStatus.INFEASIBLE


def plan_project(
    project: Project, options: SolveOptions, runtime_minutes: float | None = None, earlier: Earlier | None = None
) -> Planned:
    """Return the plan of a project; earlier: the one it keeps to, at a price.

    Raises InputError for tables that make no problem, SolverError without a plan.
    """
    bare = prepare(project, runtime_minutes)
    prepared = replace(bare, problem=replace(bare.problem, earlier=earlier))
    problem = prepared.problem
    plan = optimize(problem, options)
    if plan.proof.status is not PlanStatus.INFEASIBLE:
        placed = {part.job for part in plan.decisions.parts}
        plan = replace(
            plan,
            unplaced=blockers(problem, plan.decisions, tuple(job for job in problem.jobs if job.name not in placed)),
            baselines=baselines(problem, plan.decisions),
            waterfall=waterfall(problem, plan.decisions),
        )
    plan = replace(plan, warnings=(*plan.warnings, *prepared.warnings))
    context = context_of(
        problem,
        inputs=project.inputs(),
        settings=snapshot(project, runtime_minutes, earlier),
        forecasts=prepared.forecasts,
        quality=prepared.qualities,
    )
    return Planned(plan, prepared, context, _document(prepared, plan, context))


def save(planned: Planned, project: Project, folder: Path, *, force: bool = False) -> None:
    """Write a plan to its folder, whole or not at all. A conflict is an answer, but no plan, and is not saved."""
    write_plan(folder, planned.plan, planned.context, force=force, inputs=project.paths())


def default_folder(project: Project) -> Path:
    """Return where the plan of a project is saved unless another place is named."""
    return project.root / DEFAULT_FOLDER


def has_plan(folder: Path) -> bool:
    """Whether a plan stands in a folder."""
    return (folder / PLAN_FOLDER.record).is_file()


def weight_overrides(text: str | None) -> tuple[Override, ...]:
    """Return what `latency=.5,cost=.2` says: the weights it names, and 0 for the other goals. UsageError for another form."""
    if text is None:
        return ()
    weights: dict[str, str] = dict.fromkeys(GOALS, "0")
    for part in text.split(","):
        goal, equals, weight = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"--weights: {part.strip()!r} is no goal=weight", hint=_WEIGHTS_FORM)
        if goal not in GOALS:
            near = get_close_matches(goal, GOALS, n=1)
            hint = f"Did you mean {near[0]}?" if near else _WEIGHTS_FORM
            raise UsageError(f"--weights: {goal!r} is no goal; the goals are {', '.join(GOALS)}", hint=hint)
        weights[goal] = weight
    return tuple(Override(f"objective.{goal}", weight, "--weights") for goal, weight in weights.items())


def solve_options(settings: Settings, *, require_optimal: bool = False) -> SolveOptions:
    """Return the options of a solve as the project has them."""
    solver = settings.solver
    return SolveOptions(
        gap=solver.gap,
        seed=solver.seed,
        time_limit_s=solver.time_limit_s,
        require_optimal=require_optimal,
    )


def snapshot(project: Project, runtime_minutes: float | None, earlier: Earlier | None = None) -> SettingsSnapshot:
    """Return the settings in force: the project file with its hash, and every value that a flag or a variable gave."""
    file = project.settings.file
    in_file = "" if file is None else str(file)
    values = tuple(
        (origin.key, json.dumps(origin.value))
        for origin in project.settings.origins
        if origin.source != "default" and origin.key != "solver.threads" and not (in_file and in_file in origin.source)
    )
    if runtime_minutes is not None:
        values = (*values, (RUNTIME_KEY, json.dumps(runtime_minutes)))
    if earlier is not None:
        values = (*values, (EARLIER_KEY, earlier_text(earlier)))
    if file is None:
        return SettingsSnapshot(values=values)
    return SettingsSnapshot(relative_path(file, project.root), settings_sha256(file), values)


def _document(prepared: Prepared, plan: Plan, context: PlanContext) -> Document:
    return plan_document(
        prepared.problem,
        plan,
        prepared.forecasts,
        prepared.histories,
        prepared.qualities,
        inputs=tuple((record.path, record.sha256) for record in context.inputs),
        versions=context.versions,
    )
