"""Compare engines: profile the workload, hold engines against gates and needs, replay the jobs, plan them where that is cheap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from schedplan.compare_engines.comparison import Comparison, compare
from schedplan.compare_engines.gates import parse_requirements
from schedplan.compare_engines.needs import Factor, parse_factors
from schedplan.compare_engines.profile import profile_of
from schedplan.compare_engines.recommendation import Recommendation, recommend
from schedplan.compare_engines.replays import PLAN_POLICY, ReplayRow, replay_cases, replayed
from schedplan.engines.parameter import Value
from schedplan.engines.policy import Policy
from schedplan.engines.stack import Preset, Stack
from schedplan.engines.stack_facts import stack_engine
from schedplan.engines.stack_table import STACKS, changed_by, parse_changes, stacks_of
from schedplan.errors import InputError, SolverError, UsageError
from schedplan.model.cluster import Cluster
from schedplan.model.findings import Measure
from schedplan.model.problem import Demand
from schedplan.model.workload import Job, Service
from schedplan.report.compare_engines_document import compare_engines_document
from schedplan.report.document import Document
from schedplan.report.figures import counted
from schedplan.tables.machine import Machine, parse_machine
from schedplan.timegrid import TimeGrid
from schedplan.workflows.optimize import Planned, plan_project, solve_options
from schedplan.workflows.problem import Prepared, prepare
from schedplan.workflows.project import Project
from schedplan.workflows.replayed_work import (
    ReplayedWork,
    log_work,
    on_machine,
    open_work,
    planned_work,
    read_warnings,
)
from schedplan.workflows.replays import Asked, replayed_all
from schedplan.workflows.report import write_document
from schedplan.workflows.version import versions

MOST_JOBS_PLANNED = 200
MOST_JOB_SLOTS_PLANNED = 20_000
"""Our choice of what is planned by the way: beyond it, `schedplan optimize` is the command for it."""
_NO_PLAN = "no plan of optimize stands beside the replays"

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What was asked. stacks: the ones to compare, in a fixed order; machine None: the nodes that the tables have.

    changes: parameters of engines by path, replayed as a preset of their own.
    """

    stacks: tuple[Stack, ...]
    requirements: tuple[str, ...]
    factors: tuple[Factor, ...]
    machine: Machine | None
    presets: tuple[Preset, ...]
    changes: Mapping[str, Value]


@dataclass(frozen=True)
class Compared:
    """A comparison with its recommendation and its document."""

    comparison: Comparison
    recommendation: Recommendation
    document: Document


def compare_options(
    engines: str | None = None,
    require: str | None = None,
    weights: str | None = None,
    machine: str | None = None,
    presets: str | None = None,
    assignments: Iterable[tuple[str, str]] = (),
) -> CompareOptions:
    """Return what the texts of the options say; UsageError, with the nearest name, for an unknown engine, requirement, weight,
    preset or parameter, and for a parameter of an engine that is not compared.
    """
    stacks, changes = chosen_stacks(engines), parse_changes(assignments)
    for path in changes:
        if not any(changed_by(stack, {path: changes[path]}) for stack in stacks):
            raise UsageError(f"--set {path}: none of the engines compared has it", hint="Name its engine in --engines.")
    return CompareOptions(
        stacks=stacks,
        requirements=parse_requirements(require),
        factors=parse_factors(weights),
        machine=None if machine is None else parse_machine(machine),
        presets=chosen_presets(presets),
        changes=changes,
    )


def chosen_stacks(text: str | None) -> tuple[Stack, ...]:
    """Return the stacks that `volcano,kueue` names, or has as a layer, in the fixed order of all; all of them for None."""
    if text is None:
        return STACKS
    named = {stack.name for name in text.split(",") if name.strip() for stack in stacks_of(name)}
    if not named:
        raise UsageError("--engines names none", hint="Give it as --engines volcano,kai; `schedplan engines` lists them.")
    return tuple(one for one in STACKS if one.name in named)


def chosen_presets(text: str | None) -> tuple[Preset, ...]:
    """Return the presets that `default,tuned` names; UsageError for another."""
    if text is None:
        return tuple(Preset)
    known = {preset.value: preset for preset in Preset}
    named = [name.strip() for name in text.split(",") if name.strip()]
    for name in named:
        if name not in known:
            raise UsageError(f"--presets: there is no preset {name!r}", hint=f"There are: {', '.join(known)}.")
    if not named:
        raise UsageError("--presets names none", hint=f"There are: {', '.join(known)}.")
    return tuple(preset for preset in Preset if preset.value in named)


def compare_project(project: Project, asked: CompareOptions, tell: Tell | None = None) -> Compared:
    """Return the engines compared for the workload of a project.

    Open jobs and services are what is compared for, on the horizon of the project; but where more jobs have ended than are open,
    all jobs of that log. Raises InputError where there is no node, or neither job nor service.
    """
    say = tell or _silent
    workload = _workload(project, asked.machine)
    profile = profile_of(workload.cluster, workload.jobs, *_serving(workload))
    say("plan")
    planned, no_plan = _planned(workload)
    replays = _replayed(workload, asked, planned, say)
    plan_warnings = () if planned is None else planned.plan.warnings
    found = compare(
        profile,
        tuple(stack_engine(stack) for stack in asked.stacks),
        asked.requirements,
        asked.factors,
        replays.rows,
        () if planned is None else planned.plan.measures,
    )
    recommended = recommend(found)
    settings = workload.project.settings.project
    document = compare_engines_document(
        found,
        recommended,
        asked.stacks,
        title=f"Which engine fits {settings.name}" if settings.name else "Which engine fits",
        currency=settings.currency,
        timezone=settings.timezone,
        notes=_once((*workload.notes, *profile.notes, *(() if no_plan is None else (no_plan,)), *replays.notes)),
        warnings=_once((*workload.warnings, *plan_warnings, *replays.warnings)),
        inputs=tuple((record.path, record.sha256) for record in project.inputs()),
        versions=versions(),
    )
    return Compared(found, recommended, document)


def save(compared: Compared, project: Project, path: Path, *, force: bool = False) -> None:
    """Write a comparison as HTML, Markdown or JSON, by the ending of the file."""
    write_document(compared.document, path, force=force, inputs=project.paths())


@dataclass(frozen=True)
class _Workload:
    """project: with the nodes of the machine where one was given. prepared None: a log of jobs, without a horizon.

    jobs: those whose needs are weighed, with their run times; work: those that are replayed, as `simulate` replays them.
    """

    project: Project
    prepared: Prepared | None
    cluster: Cluster
    jobs: tuple[Job, ...]
    work: ReplayedWork
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def _workload(project: Project, machine: Machine | None) -> _Workload:
    if not project.content.jobs and not project.content.services:
        raise InputError(
            "there is no job and no service to compare engines for", code="SP1019", hint="Give jobs.csv or services.csv."
        )
    project = on_machine(project, machine)
    content = project.content
    n_open = sum(job.state.is_open for job in content.jobs)
    if len(content.jobs) - n_open > n_open:
        notes = (*content.notes, _log_note(len(content.jobs), n_open))
        return _Workload(project, None, content.cluster, content.jobs, log_work(project), notes, read_warnings(project))
    prepared = prepare(project)
    problem = prepared.problem
    work = open_work(project)
    return _Workload(project, prepared, problem.cluster, problem.jobs, work, problem.assumptions, prepared.warnings)


def _log_note(n_jobs: int, n_open: int) -> str:
    still = f", {n_open:,} of which have not ended" if n_open else ""
    return f"engines are compared for the log of {counted(n_jobs, 'job')}{still}"


def _serving(workload: _Workload) -> tuple[tuple[Service, ...], tuple[Demand, ...], TimeGrid | None]:
    if workload.prepared is None:
        return workload.project.content.services, (), None
    problem = workload.prepared.problem
    return problem.services, problem.demands, problem.grid


def _planned(workload: _Workload) -> tuple[Planned | None, str | None]:
    """Return the plan of `optimize` where the problem is small enough, else what is said in its place."""
    if workload.prepared is None:
        return None, None
    problem = workload.prepared.problem
    reason = too_large_to_plan(len(problem.jobs), problem.grid.n_slots)
    if reason is not None:
        return None, f"{_NO_PLAN}: {reason}"
    try:
        planned = plan_project(workload.project, solve_options(workload.project.settings))
    except SolverError as problem_found:
        return None, f"{_NO_PLAN}: {problem_found.message}"
    if planned.is_infeasible:
        return None, f"{_NO_PLAN}: there is none that meets every constraint"
    return planned, None


def too_large_to_plan(n_jobs: int, n_slots: int) -> str | None:
    """Return which bound keeps a problem from being planned by the way; None where none does."""
    hint = "schedplan optimize plans more"
    if n_jobs > MOST_JOBS_PLANNED:
        return f"{n_jobs:,} jobs are more than the {MOST_JOBS_PLANNED:,} that are planned by the way; {hint}"
    if n_jobs * n_slots > MOST_JOB_SLOTS_PLANNED:
        size = f"{counted(n_jobs, 'job')} x {counted(n_slots, 'slot')} = {n_jobs * n_slots:,}"
        return f"{size} is more than the {MOST_JOB_SLOTS_PLANNED:,} that are planned by the way; {hint}"
    return None


@dataclass(frozen=True, slots=True)
class _Replays:
    rows: tuple[ReplayRow, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def _replayed(workload: _Workload, asked: CompareOptions, planned: Planned | None, say: Tell) -> _Replays:
    """Return a row per preset, what the replays assumed, and what must be known; jobs alone are replayed, services are not."""
    if not workload.work.jobs:
        return _Replays()
    settings = workload.project.settings
    problem = None if workload.prepared is None else workload.prepared.problem
    following = planned_work(problem, planned.plan) if problem is not None and planned is not None else None
    notes: list[str] = list(workload.work.notes)
    warnings: list[str] = []

    def measured(policies: tuple[Policy, ...]) -> tuple[tuple[Measure, ...], ...]:
        found = replayed_all(
            [Asked(following if following is not None and one.name == PLAN_POLICY else workload.work, one) for one in policies],
            settings.solver.seed,
            settings.project.currency,
            say,
        )
        for result, one in zip(found, policies, strict=True):
            notes.extend(result.notes)
            warnings.extend(f"replay {one.name}: {words}" for words in result.warnings)
        return tuple(result.measures for result in found)

    cases = replay_cases(asked.stacks, asked.presets, asked.changes, has_plan=following is not None)
    rows = replayed(cases, measured)
    if workload.project.content.services:
        notes.append(
            "replays hold jobs alone: services are not replayed, and nothing is kept free for them, except where a plan is"
        )
    if following is not None and len(following.jobs) != len(workload.work.jobs):
        notes.append(
            f"the plan is replayed with the {len(following.jobs):,} of {counted(len(workload.work.jobs), 'job')} that it planned"
        )
    return _Replays(rows, tuple(notes), tuple(warnings))


def _once(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _silent(phase: str) -> None:
    """Say nothing."""
