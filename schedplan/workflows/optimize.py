"""Plan: prepare the problem, solve it, say what it would cost otherwise and why some work has no place, and save the plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from schedplan.config.override import Override
from schedplan.config.settings import Settings
from schedplan.errors import OutputError, UsageError
from schedplan.explain.blocker import blockers
from schedplan.measures.baselines import baselines, waterfall
from schedplan.model.earlier import Earlier
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import GOALS, Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solved import Solved, Solving
from schedplan.report.document import Document
from schedplan.report.plan_document import plan_document
from schedplan.tables.artefact_context import PlanContext, SettingsSnapshot, context_of, relative_path, settings_sha256
from schedplan.tables.artefacts import DEFAULT_PLAN, PLAN_FOLDER, read_plan, write_front, write_plan
from schedplan.workflows.earlier import earlier_text, idle_earlier
from schedplan.workflows.goals import AskedGoals, goal_values_asked, held_values
from schedplan.workflows.preempt import waiting_rows
from schedplan.workflows.problem import Prepared, prepare, refuse_unknown_carbon
from schedplan.workflows.project import Project
from schedplan.workflows.recorded import EARLIER_KEY, RUNTIME_KEY, STOPPED_KEY

_WEIGHTS_FORM = "Give it as --weights latency=.5,utilization=.3,cost=.2"


@dataclass(frozen=True)
class Planned:
    """A plan with the problem it answers and the context it is saved with; front: likewise, the plans of a front."""

    plan: Plan
    prepared: Prepared
    context: PlanContext
    document: Document
    front: tuple[tuple[Plan, PlanContext], ...] = ()

    @property
    def is_infeasible(self) -> bool:
        return self.plan.proof.status is PlanStatus.INFEASIBLE


def plan_project(
    project: Project,
    options: SolveOptions,
    runtime_minutes: float | None = None,
    earlier: Earlier | None = None,
    asked: AskedGoals | None = None,
    *,
    preempt: bool = False,
    watch: Watch = unwatched,
    keep: Callable[[Planned], None] | None = None,
) -> Planned:
    """Return the plan of a project; earlier: the one it keeps to, at a price; preempt: whether running jobs may be stopped.

    asked: goals one by one, or a front of two; None: one plan by the weights. `watch` is told how far the search is. On interrupt
    or termination `keep` is given the best plan so far, if there is one, before the exception goes on. Raises InputError for tables
    that make no problem, SolverError without a plan.
    """
    asked = asked or AskedGoals()
    watch(Progress("forecast"))
    bare = prepare(project, runtime_minutes)
    kept_to = replace(bare.problem, earlier=earlier)
    prepared = replace(bare, problem=kept_to, warnings=(*bare.warnings, *idle_earlier(kept_to)))
    _refuse_unknown_carbon(prepared.problem, asked)
    watch(Progress("plan"))
    solving = (
        _preempting(project, prepared.problem, options, watch) if preempt else _solving(prepared.problem, options, asked, watch)
    )
    try:
        solved = solving.solve()
        watch(_told("reasons and baselines", solved.plan))
        return _planned(project, prepared, solved, asked, runtime_minutes)
    except (KeyboardInterrupt, SystemExit):
        reached = solving.reached()
        if keep is not None and reached is not None and reached.plan.proof.status is not PlanStatus.INFEASIBLE:
            keep(_planned(project, prepared, reached, asked, runtime_minutes))
        raise


def _told(phase: str, plan: Plan) -> Progress:
    """Return a phase with what is known of a plan in it."""
    proof = plan.proof
    is_there = proof.status is not PlanStatus.INFEASIBLE
    return Progress(phase, proof.objective, proof.bound, proof.gap, plan.decisions if is_there else None)


def _preempting(project: Project, problem: Problem, options: SolveOptions, watch: Watch) -> Solving:
    """Return the solve that may stop running jobs."""
    # Late: see _solving.
    from schedplan.optimize.preempting import Preempting

    return Preempting(problem, waiting_rows(project, problem), options, watch)


def _solving(problem: Problem, options: SolveOptions, asked: AskedGoals, watch: Watch) -> Solving:
    """Return the solve that is asked for."""
    # Late: a placement at one instant, which shares this file's words, needs none of their solvers.
    from schedplan.optimize.goals.by_weights import ByWeights
    from schedplan.optimize.goals.lexicographic import GoalByGoal
    from schedplan.optimize.goals.pareto import FrontOfTwo

    anew = replace(options, is_near=False)  # what is best by one goal is not near what was best by all
    if asked.n_points is not None:
        return FrontOfTwo(problem, asked.front_of(problem.objective), asked.n_points, anew, watch)
    if asked.order:
        return GoalByGoal(problem, asked.order, anew, watch)
    return ByWeights(problem, options, watch)


def _planned(project: Project, prepared: Prepared, solved: Solved, asked: AskedGoals, runtime_minutes: float | None) -> Planned:
    problem = solved.problem
    # Goals that were held are told by the settings; the problem that is saved has jobs stopped, and the goals of the project.
    prepared = replace(prepared, problem=replace(problem, objective=prepared.problem.objective))
    settings = snapshot(project, runtime_minutes, problem.earlier, tuple(stop.job for stop in problem.stops))
    own = replace(settings, values=(*settings.values, *goal_values_asked(asked), *held_values(problem.objective.at_most)))
    plan = _explained(problem, solved.plan, prepared.warnings)
    context = _context(prepared, project, own)
    front = tuple(
        (_explained(one.problem, one.plan, prepared.warnings), _context(prepared, project, _weighed(settings, one.problem)))
        for one in solved.front
    )
    return Planned(plan, prepared, context, _document(prepared, plan, context), front)


def _explained(problem: Problem, plan: Plan, warnings: tuple[str, ...]) -> Plan:
    """Return a plan with why some work has no place, and what the same work would cost without one."""
    if plan.proof.status is not PlanStatus.INFEASIBLE:
        placed = {part.job for part in plan.decisions.parts}
        plan = replace(
            plan,
            unplaced=blockers(problem, plan.decisions, tuple(job for job in problem.jobs if job.name not in placed)),
            baselines=baselines(problem, plan.decisions),
            waterfall=waterfall(problem, plan.decisions),
        )
    return replace(plan, warnings=(*plan.warnings, *warnings))


def _context(prepared: Prepared, project: Project, settings: SettingsSnapshot) -> PlanContext:
    return context_of(
        prepared.problem,
        inputs=project.inputs(),
        settings=settings,
        forecasts=prepared.forecasts,
        quality=prepared.qualities,
    )


def _weighed(settings: SettingsSnapshot, problem: Problem) -> SettingsSnapshot:
    """Return settings with the weights that a point of a front has, and the goals that it holds."""
    wanted = problem.objective
    weights = {f"objective.{goal}": json.dumps(getattr(wanted, goal)) for goal in GOALS}
    kept = tuple((key, value) for key, value in settings.values if key not in weights)
    return replace(settings, values=(*kept, *weights.items(), *held_values(wanted.at_most)))


def _refuse_unknown_carbon(problem: Problem, asked: AskedGoals) -> None:
    if "carbon" in (*asked.order, *(asked.front_of(problem.objective) if asked.n_points is not None else ())):
        refuse_unknown_carbon(problem)


def save(planned: Planned, project: Project, folder: Path, *, force: bool = False) -> None:
    """Write a plan to its folder, whole or not at all. A conflict is an answer, but no plan, and is not saved."""
    write_plan(folder, planned.plan, planned.context, force=force, inputs=project.paths())
    if planned.front:
        write_front(front_folder(folder), planned.front, force=force, inputs=project.paths())


def refuse_other_plan(project: Project, folder: Path) -> None:
    """Raise OutputError where the place of every plan without a project file holds the plan of other tables."""
    if project.settings.file is not None or not has_plan(folder):
        return
    _, context = read_plan(folder)
    theirs = [record.path for record in context.inputs]
    if {record.path for record in project.inputs()}.isdisjoint(theirs):
        raise OutputError(
            f"{folder} holds the plan of other tables: {', '.join(theirs)}",
            code="SP2102",
            hint="Name another place with --out, or give that plan up with --force.",
        )


def front_folder(folder: Path) -> Path:
    """Return where the plans of a front are saved: beside the plan."""
    return folder.with_name(f"{folder.name}-front")


def default_folder(project: Project) -> Path:
    """Return where the plan of a project is saved unless another place is named."""
    return project.root / DEFAULT_PLAN


def interrupted_folder(folder: Path) -> Path:
    """Return where the best plan of an interrupted search is kept: beside the target, which is left as it was."""
    return folder.parent / f"{folder.name}.interrupted"


def has_plan(folder: Path) -> bool:
    """Whether a plan stands in a folder."""
    return (folder / PLAN_FOLDER.record).is_file()


def weight_overrides(text: str | None) -> tuple[Override, ...]:
    """Return what `latency=.5,cost=.2` says: the weights it names, and 0 for the other goals. UsageError for another form."""
    if text is None:
        return ()
    weights: dict[str, str] = {}
    for part in text.split(","):
        goal, equals, weight = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"--weights: {part.strip()!r} is no goal=weight", hint=_WEIGHTS_FORM)
        if goal not in GOALS:
            near = get_close_matches(goal, GOALS, n=1)
            hint = f"Did you mean {near[0]}?" if near else _WEIGHTS_FORM
            raise UsageError(f"--weights: {goal!r} is no goal; the goals are {', '.join(GOALS)}", hint=hint)
        if goal in weights:
            raise UsageError(f"--weights: {goal} stands in it twice", hint="Give every goal one weight.")
        weights[goal] = weight
    return tuple(Override(f"objective.{goal}", weights.get(goal, "0"), "--weights") for goal in GOALS)


def solve_options(settings: Settings, *, require_optimal: bool = False) -> SolveOptions:
    """Return the options of a solve as the project has them."""
    solver = settings.solver
    return SolveOptions(
        gap=solver.gap,
        seed=solver.seed,
        time_limit_s=solver.time_limit_s,
        require_optimal=require_optimal,
        is_near=not solver.anew,
    )


def snapshot(
    project: Project, runtime_minutes: float | None, earlier: Earlier | None = None, stopped: tuple[str, ...] = ()
) -> SettingsSnapshot:
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
    if stopped:
        values = (*values, (STOPPED_KEY, json.dumps(stopped)))
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
