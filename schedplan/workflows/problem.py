"""From a project to the problem of a plan: open jobs with their run times, demand, prices per slot, limits and goals."""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.errors import InputError
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.forecast import Forecast, Quality, Series
from schedplan.model.problem import Demand, Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Placed
from schedplan.tables.artefact_context import PlanContext
from schedplan.tables.convert import Content
from schedplan.tables.pools import price_series
from schedplan.tables.quotas import joined
from schedplan.tables.runtimes import with_runtimes
from schedplan.timegrid import TimeGrid
from schedplan.validate.registry import cautions
from schedplan.validate.subject import Subject
from schedplan.workflows.assumptions import default_notes
from schedplan.workflows.demand import expected_demand
from schedplan.workflows.horizon import horizon
from schedplan.workflows.project import Project


@dataclass(frozen=True)
class Prepared:
    """A problem, and the forecasts it rests on. warnings: what a person must see before trusting a plan of it."""

    problem: Problem
    forecasts: tuple[Forecast, ...]
    qualities: tuple[Quality, ...]
    histories: tuple[Series, ...]
    warnings: tuple[str, ...]


def prepare(project: Project, runtime_minutes: float | None = None) -> Prepared:
    """Return the problem of a project, its load forecast where it is not given.

    runtime_minutes: of open jobs that state neither run time nor limit. Raises InputError where the tables make no problem.
    """
    settings, content = project.settings, project.content
    _refuse_nothing(content)
    grid, said = horizon(settings.horizon, content, settings.project.timezone)
    expected = expected_demand(content, grid, settings.forecast, settings.solver.seed)
    problem, assumed, warnings = _problem(project, grid, expected.demands, runtime_minutes)
    subject = Subject(problem.cluster, problem.jobs, problem.services, grid=grid)
    notes = (*content.notes, *said, *expected.notes, *assumed, *default_notes(settings))
    return Prepared(
        problem=replace(problem, assumptions=notes),
        forecasts=expected.forecasts,
        qualities=expected.qualities,
        histories=expected.histories,
        warnings=(*settings.warnings, *content.warnings, *cautions(subject), *warnings),
    )


def rebuilt(project: Project, context: PlanContext, runtime_minutes: float | None = None) -> Problem:
    """Return the problem that a plan was made for: today's tables, the plan's slots and demand. Nothing is forecast again."""
    problem, _, _ = _problem(project, context.grid, context.demands, runtime_minutes)
    return replace(problem, assumptions=context.assumptions)


def _problem(
    project: Project, grid: TimeGrid, demands: tuple[Demand, ...], runtime_minutes: float | None
) -> tuple[Problem, tuple[str, ...], tuple[str, ...]]:
    settings, content = project.settings, project.content
    timed, notes = with_runtimes(content.jobs, runtime_minutes)
    problem = Problem(
        name=settings.project.name,
        grid=grid,
        cluster=content.cluster,
        services=tuple(replace(service, spread=None, min_hold_minutes=0.0) for service in content.services),
        demands=demands,
        objective=settings.objective,
        limits=settings.limits,
        currency=settings.project.currency,
        timezone=settings.project.timezone,
        quantile=settings.forecast.quantile,
        prices=price_series(content.price_changes, content.cluster, grid),
        quotas=joined(content.quotas, settings.quotas),
    )
    settled = [_settled(problem, job) for job in timed if _is_submitted(job, grid)]
    later = sum(not _is_submitted(job, grid) for job in timed)
    if later:
        notes = (*notes, f"{later} jobs are submitted after the end of the horizon and are not planned")
    jobs = tuple(_as_planned(job) for job, _ in settled)
    return replace(problem, jobs=jobs), notes, tuple(said for _, said in settled if said is not None)


def _refuse_nothing(content: Content) -> None:
    if not content.cluster.pools:
        raise InputError(
            "there are no nodes to plan on", code="SP1210", hint="Give nodes.csv; `schedplan schema nodes` lists its columns."
        )
    if not content.services and not any(job.state.is_open for job in content.jobs):
        raise InputError(
            "there is nothing to plan: no pending or running job, and no service",
            code="SP1019",
            hint="Give jobs.csv or services.csv; jobs that ended are history and are not planned.",
        )


def _is_submitted(job: Job, grid: TimeGrid) -> bool:
    return job.submit_s is None or job.submit_s < grid.end_s


def _as_planned(job: Job) -> Job:
    """Return a job without what no plan acts on yet; reading its table has said so by name."""
    return replace(job, after=(), gang=None, min_workers=None)


def _settled(problem: Problem, job: Job) -> tuple[Job, str | None]:
    """Return a job as it can be planned, and what had to be said: what runs must stay where it is, and end in the horizon."""
    if job.state is not JobState.RUNNING:
        return job, None
    if not job.placement:
        said = (
            f"job {job.name} runs, but its placement is not stated: it is planned as a required job that starts with the first slot"
        )
        first_s = problem.grid.start_s
        return replace(job, state=JobState.PENDING, required=True, submit_s=None, earliest_start_s=first_s, start_s=None), said
    placed = _on_single_nodes(problem.cluster, job)
    pool = problem.cluster.pool_of_node[placed.placement[0].node]
    minutes = run_minutes(problem, placed, pool)
    horizon_minutes = (problem.grid.end_s - problem.grid.start_s) / 60
    if minutes > horizon_minutes:
        said = f"job {job.name} runs on beyond the horizon; it is planned up to its end"
        return _shortened(problem, placed, pool, minutes - horizon_minutes), said
    late_minutes = (problem.grid.start_s + minutes * 60 - (job.deadline_s or 0)) / 60
    if job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD and late_minutes > 0:
        said = f"job {job.name} runs and will miss its deadline by {late_minutes:g} min"
        return replace(placed, deadline_kind=DeadlineKind.SOFT), said
    return placed, None


def _shortened(problem: Problem, job: Job, pool: Pool, minutes: float) -> Job:
    """Return a running job that ends so many minutes earlier on its pool; being cut, it has no deadline to keep."""
    speed = problem.cluster.speed(pool.accelerator, job.name, job.kind.value)
    return replace(job, runtime_minutes=(job.runtime_minutes or 0.0) - minutes * speed, deadline_s=None)


def _on_single_nodes(cluster: Cluster, job: Job) -> Job:
    """Return a running job whose placement names single nodes: a pool's name stands for its first nodes."""
    found: list[Placed] = []
    for placed in job.placement:
        if placed.node in cluster.pool_of_node:
            found.append(placed)
            continue
        pool = cluster.by_name.get(placed.node)
        if pool is None:
            raise InputError(f"job {job.name} runs on {placed.node}, which is no node of the table nodes", code="SP1203")
        found.append(Placed(pool.node_names()[0], placed.workers))
    return replace(job, placement=tuple(found))
