"""From a project to the problem of a plan: open jobs with their run times, demand, prices per slot, limits and goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from schedplan.check.vocabulary import KNOWN_MEASURES
from schedplan.errors import InputError
from schedplan.forecast.runtime_estimates import with_estimates
from schedplan.measures.emissions import unknown_emissions
from schedplan.measures.forbidding import idle_rules, with_rules
from schedplan.measures.latency import LAW
from schedplan.model.forecast import Forecast, Quality, Series
from schedplan.model.problem import Demand, Problem
from schedplan.model.sequence import in_order, waits_for
from schedplan.model.workload import Job
from schedplan.report.figures import counted
from schedplan.tables.artefact_context import PlanContext
from schedplan.tables.carbon import intensities
from schedplan.tables.convert import Content
from schedplan.tables.pools import price_series
from schedplan.tables.quotas import joined
from schedplan.tables.runtimes import with_runtimes
from schedplan.timegrid import TimeGrid
from schedplan.validate.registry import cautions, refuse_senseless
from schedplan.validate.registry import notes as notes_of_names
from schedplan.validate.subject import Subject
from schedplan.workflows.assumptions import default_notes
from schedplan.workflows.demand import expected_demand
from schedplan.workflows.horizon import horizon
from schedplan.workflows.pins import pinned
from schedplan.workflows.project import Project
from schedplan.workflows.rules import known_rules, unbroken_told
from schedplan.workflows.running import taken_over


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
    settings, content = project.settings, project.calibrated
    _refuse_nothing(content)
    grid, said = horizon(settings.horizon, content, settings.project.timezone)
    expected = expected_demand(content, grid, settings.forecast, settings.solver.seed, settings.project.timezone)
    problem, assumed, warnings = _problem(project, grid, expected.demands, runtime_minutes)
    subject = Subject(problem.cluster, problem.jobs, problem.services, grid=grid)
    law = (LAW,) if content.services else ()
    named = Subject(
        content.cluster,
        content.jobs,
        content.services,
        quotas=problem.quotas,
        latency_samples=content.latency_samples,
    )
    idle = notes_of_names(named)
    notes = (*content.notes, *law, *said, *expected.notes, *assumed, *idle, *default_notes(settings))
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
    settings, content = project.settings, project.calibrated
    refuse_senseless(Subject(content.cluster, content.jobs))
    known, guessed = with_estimates(content.jobs, settings.forecast.runtime_quantile, grid.start_s)
    timed, notes = with_runtimes(known, runtime_minutes)
    notes = (*guessed, *notes)
    problem = Problem(
        name=settings.project.name,
        grid=grid,
        cluster=content.cluster,
        services=content.services,
        demands=demands,
        objective=settings.objective,
        limits=settings.limits,
        currency=settings.project.currency,
        timezone=settings.project.timezone,
        quantile=settings.forecast.quantile,
        prices=price_series(content.price_changes, content.cluster, grid),
        quotas=joined(content.quotas, settings.quotas),
        intensities=intensities(content.intensity_changes, grid),
        outages=content.outages,
    )
    _refuse_unknown_rewards(problem)
    if problem.objective.carbon > 0:
        refuse_unknown_carbon(problem)
    later = _submitted_later(timed, grid)
    behind = _behind(timed, later)
    jobs, said = taken_over(problem, tuple(job for job in timed if job.name not in later | behind))
    notes = (*notes, *_not_planned_told(len(later), len(behind)))
    rules = known_rules(settings.forbid, content.cluster)
    ruled = with_rules(replace(problem, jobs=jobs, forbid=rules, best_effort=settings.best_effort))
    planned, idle_pins = pinned(ruled, content.pins)
    return planned, notes, (*said, *idle_rules(planned), *idle_pins, *unbroken_told(planned))


def _not_planned_told(n_later: int, n_behind: int) -> Iterator[str]:
    """Say how many jobs are submitted after the horizon, and how many hang on one of them."""
    if n_later:
        be = "is" if n_later == 1 else "are"
        yield f"{counted(n_later, 'job')} {be} submitted after the end of the horizon and {be} not planned"
    if n_behind:
        are, hang = ("is", "hangs") if n_behind == 1 else ("are", "hang")
        yield f"{counted(n_behind, 'job')} {hang} (after, gang) on one submitted later and {are} not planned"


def _refuse_unknown_rewards(problem: Problem) -> None:
    for reward in problem.objective.rewards:
        if reward.measure not in KNOWN_MEASURES or reward.measure == "reward":
            near = get_close_matches(reward.measure, KNOWN_MEASURES, n=1)
            raise InputError(
                f"[objective.rewards]: {reward.measure} is no measure of a plan",
                code="SP1021",
                hint=f"Did you mean {near[0]}?" if near else "docs/measures.md lists the measures.",
            )


def refuse_unknown_carbon(problem: Problem) -> None:
    """Raise InputError where carbon is to be weighed and the emissions of no node are known."""
    unknown = unknown_emissions(problem)
    if len(unknown) == sum(pool.max_count > 0 for pool in problem.cluster.pools):
        name, why = unknown[0]
        raise InputError(
            f"carbon is to be weighed, and the emissions of no node are known; {name} has {why}",
            code="SP1020",
            hint="Give power_idle_w, power_max_w and region in nodes, and the table carbon; or take the weight away.",
        )


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


def _submitted_later(jobs: tuple[Job, ...], grid: TimeGrid) -> frozenset[str]:
    return frozenset(job.name for job in jobs if job.submit_s is not None and job.submit_s >= grid.end_s)


def _behind(jobs: tuple[Job, ...], later: frozenset[str]) -> frozenset[str]:
    """Return the jobs that can't start in this horizon because they wait for, or start with, one that is submitted after it."""
    before = waits_for(jobs)
    gone: set[str] = set(later)
    for unit in in_order(jobs, lambda unit: (unit[0].name,)):
        if any(job.name in gone or not gone.isdisjoint(before[job.name]) for job in unit):
            gone.update(job.name for job in unit)
    return frozenset(gone - later)
