"""Compare engines: profile the workload, hold engines against gates and needs, replay the jobs, plan them where that is cheap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from schedplan.compare_engines.comparison import Comparison, compare
from schedplan.compare_engines.gates import parse_requirements
from schedplan.compare_engines.needs import Factor, parse_factors
from schedplan.compare_engines.profile import profile_of
from schedplan.compare_engines.recommendation import Recommendation, recommend
from schedplan.compare_engines.replays import PLAN_POLICY, ReplayRow, chosen_policies, replayed
from schedplan.engines.catalog import all_engines, engine
from schedplan.engines.fact import Engine
from schedplan.engines.policy_table import POLICIES, policy
from schedplan.errors import InputError, SolverError, UsageError
from schedplan.measures.replay import replay_measures
from schedplan.model.cluster import Cluster
from schedplan.model.findings import Measure
from schedplan.model.problem import Demand
from schedplan.model.workload import Job, Service
from schedplan.report.compare_engines_document import compare_engines_document
from schedplan.report.document import Document
from schedplan.simulate.follow import followed
from schedplan.simulate.options import ReplayOptions
from schedplan.simulate.replay import replay
from schedplan.tables.machine import Machine, machine_pool, parse_machine
from schedplan.timegrid import TimeGrid
from schedplan.workflows.optimize import Planned, plan_project, solve_options
from schedplan.workflows.problem import Prepared, prepare
from schedplan.workflows.project import Project
from schedplan.workflows.report import write_document
from schedplan.workflows.version import versions

MOST_JOBS_PLANNED = 200
MOST_JOB_SLOTS_PLANNED = 20_000
"""Our choice of what is planned by the way: beyond it, `schedplan optimize` is the command for it."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What was asked. engines: the ones to compare, in a fixed order; machine None: the nodes that the tables have."""

    engines: tuple[Engine, ...]
    requirements: tuple[str, ...]
    factors: tuple[Factor, ...]
    machine: Machine | None


@dataclass(frozen=True)
class Compared:
    """A comparison with its recommendation and its document."""

    comparison: Comparison
    recommendation: Recommendation
    document: Document


def compare_options(
    engines: str | None = None, require: str | None = None, weights: str | None = None, machine: str | None = None
) -> CompareOptions:
    """Return what the texts of the options say; UsageError, with the nearest name, for an unknown engine, requirement or weight."""
    return CompareOptions(
        engines=chosen_engines(engines),
        requirements=parse_requirements(require),
        factors=parse_factors(weights),
        machine=None if machine is None else parse_machine(machine),
    )


def chosen_engines(text: str | None) -> tuple[Engine, ...]:
    """Return the engines that `volcano,kai` names, in the fixed order of all; all of them for None."""
    if text is None:
        return all_engines()
    named = {engine(name).name for name in text.split(",") if name.strip()}
    if not named:
        raise UsageError("--engines names none", hint="Give it as --engines volcano,kai; `schedplan engines` lists them.")
    return tuple(one for one in all_engines() if one.name in named)


def compare_project(project: Project, asked: CompareOptions, tell: Tell | None = None) -> Compared:
    """Return the engines compared for the workload of a project.

    Open jobs and services are what is compared for, on the horizon of the project; but where more jobs have ended than are open,
    all jobs of that log. Raises InputError where there is no node, or neither job nor service.
    """
    say = tell or _silent
    workload = _workload(project, asked.machine)
    profile = profile_of(workload.cluster, workload.jobs, *_serving(workload))
    say("plan")
    planned, notes = _planned(workload)
    rows, said = _replayed(workload, asked.engines, planned, say)
    found = compare(
        profile, asked.engines, asked.requirements, asked.factors, rows, () if planned is None else planned.plan.measures
    )
    recommended = recommend(found)
    settings = workload.project.settings.project
    document = compare_engines_document(
        found,
        recommended,
        title=f"Which engine fits {settings.name}" if settings.name else "Which engine fits",
        currency=settings.currency,
        timezone=settings.timezone,
        notes=(*workload.notes, *profile.notes, *notes, *said),
        inputs=tuple((record.path, record.sha256) for record in project.inputs()),
        versions=versions(),
    )
    return Compared(found, recommended, document)


def save(compared: Compared, project: Project, path: Path, *, force: bool = False) -> None:
    """Write a comparison as HTML, Markdown or JSON, by the ending of the file."""
    write_document(compared.document, path, force=force, inputs=project.paths())


@dataclass(frozen=True)
class _Workload:
    """project: with the nodes of the machine where one was given. prepared None: a log of jobs, without a horizon."""

    project: Project
    prepared: Prepared | None
    cluster: Cluster
    jobs: tuple[Job, ...]
    notes: tuple[str, ...]


def _workload(project: Project, machine: Machine | None) -> _Workload:
    content, notes = project.content, project.content.notes
    if not content.jobs and not content.services:
        raise InputError(
            "there is no job and no service to compare engines for", code="SP1019", hint="Give jobs.csv or services.csv."
        )
    if machine is not None:
        pool, said = machine_pool(machine, content.jobs)
        content = replace(content, cluster=replace(content.cluster, pools=(pool,)))
        notes = (*notes, said)
        project = replace(project, content=content)
    if not content.cluster.pools:
        raise InputError(
            "there are no nodes to run the jobs on",
            code="SP1210",
            hint="Give nodes.csv, or the machine, such as --machine 40x8gpu.",
        )
    n_open = sum(job.state.is_open for job in content.jobs)
    if len(content.jobs) - n_open > n_open:
        return _Workload(project, None, content.cluster, content.jobs, (*notes, _log_note(len(content.jobs), n_open)))
    prepared = prepare(project)
    problem = prepared.problem
    return _Workload(project, prepared, problem.cluster, problem.jobs, (*problem.assumptions, *prepared.warnings))


def _log_note(n_jobs: int, n_open: int) -> str:
    still = f", {n_open:,} of which have not ended" if n_open else ""
    return f"engines are compared for the log of {n_jobs:,} jobs{still}"


def _serving(workload: _Workload) -> tuple[tuple[Service, ...], tuple[Demand, ...], TimeGrid | None]:
    if workload.prepared is None:
        return workload.project.content.services, (), None
    problem = workload.prepared.problem
    return problem.services, problem.demands, problem.grid


def _planned(workload: _Workload) -> tuple[Planned | None, tuple[str, ...]]:
    """Return the plan of `optimize` where the problem is small enough, else what is said in its place."""
    if workload.prepared is None:
        return None, ()
    problem = workload.prepared.problem
    n_jobs, size = len(problem.jobs), len(problem.jobs) * problem.grid.n_slots
    if n_jobs > MOST_JOBS_PLANNED or size > MOST_JOB_SLOTS_PLANNED:
        return None, (f"no plan of optimize stands beside the replays: {n_jobs:,} jobs are more than are planned by the way",)
    try:
        planned = plan_project(workload.project, solve_options(workload.project.settings))
    except SolverError as problem_found:
        return None, (f"no plan of optimize stands beside the replays: {problem_found.message}",)
    if planned.is_infeasible:
        return None, ("no plan of optimize stands beside the replays: there is none that meets every constraint",)
    return planned, planned.plan.warnings


def _replayed(
    workload: _Workload, engines: tuple[Engine, ...], planned: Planned | None, say: Tell
) -> tuple[tuple[ReplayRow, ...], tuple[str, ...]]:
    """Return a row per policy, and what the replays assumed; jobs alone are replayed, services are not."""
    if not workload.jobs:
        return (), ()
    settings = workload.project.settings
    problem = None if workload.prepared is None else workload.prepared.problem
    options = ReplayOptions(seed=settings.solver.seed, default_submit_s=None if problem is None else problem.grid.start_s)
    plan = followed(problem, planned.plan) if problem is not None and planned is not None else None
    said: list[str] = []

    def measured(name: str) -> tuple[Measure, ...]:
        say(f"replay {name}")
        result = replay(workload.cluster, workload.jobs, policy(name), options, plan if name == PLAN_POLICY else None)
        said.extend(result.notes)
        return replay_measures(result.timeline, settings.project.currency)

    policies = chosen_policies(POLICIES, engines, has_plan=plan is not None)
    rows = replayed(policies, engines, measured)
    if workload.project.content.services:
        said.append("replays hold jobs alone: services are not replayed, and nothing is kept free for them, except where a plan is")
    return rows, tuple(dict.fromkeys(said))


def _silent(phase: str) -> None:
    """Say nothing."""
