"""Static: everything at one instant. Every row of jobs whatever its state and times, services at their largest demand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from schedplan.errors import ConfigError, InputError
from schedplan.measures.forbidding import idle_rules, with_rules
from schedplan.model.cluster import Cluster
from schedplan.model.findings import Finding, Severity
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Demand, Limits, MissedDemand, Objective, Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.model.workload import Job, JobState, Service
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solved import Solved
from schedplan.optimize.static.at_one_instant import AtOneInstant
from schedplan.optimize.static.certificate import proven_objective
from schedplan.report.static_document import static_document
from schedplan.tables.artefact_context import PlanContext, context_of
from schedplan.tables.convert import Content
from schedplan.tables.pools import price_series
from schedplan.tables.quotas import joined
from schedplan.timegrid import TimeGrid
from schedplan.validate.registry import cautions
from schedplan.validate.subject import Subject
from schedplan.workflows.assumptions import place_notes
from schedplan.workflows.demand import expected_demand
from schedplan.workflows.horizon import horizon
from schedplan.workflows.optimize import Planned, snapshot
from schedplan.workflows.pins import pinned
from schedplan.workflows.problem import Prepared
from schedplan.workflows.project import Project
from schedplan.workflows.recorded import STATIC_KEY
from schedplan.workflows.rules import known_rules

SLOT_MINUTES = 60
SAME = 1e-9


def plan_static(
    project: Project, options: SolveOptions, *, watch: Watch = unwatched, keep: Callable[[Planned], None] | None = None
) -> Planned:
    """Return the static plan of a project. `watch` and `keep` are called as by `plan_project`.

    Raises InputError for tables that make no problem, SolverError without a plan.
    """
    watch(Progress("read all as of one instant"))
    prepared = prepare_static(project)
    solving = AtOneInstant(prepared.problem, options, watch)
    try:
        return _planned(project, prepared, solving.solve())
    except (KeyboardInterrupt, SystemExit):
        reached = solving.reached()
        if keep is not None and reached is not None and reached.plan.proof.status is not PlanStatus.INFEASIBLE:
            keep(_planned(project, prepared, reached))
        raise


def _planned(project: Project, prepared: Prepared, solved: Solved) -> Planned:
    plan = replace(solved.plan, warnings=(*solved.plan.warnings, *prepared.warnings))
    settings = snapshot(project, None)
    context = context_of(
        prepared.problem,
        inputs=project.inputs(),
        settings=replace(settings, values=(*settings.values, (STATIC_KEY, json.dumps(True)))),
        forecasts=prepared.forecasts,
        quality=prepared.qualities,
    )
    inputs = tuple((record.path, record.sha256) for record in context.inputs)
    document = static_document(prepared.problem, plan, inputs=inputs, versions=context.versions)
    return Planned(plan, prepared, context, document)


def prepare_static(project: Project) -> Prepared:
    """Return the static problem of a project. Raises InputError where the tables make none."""
    settings, content = project.settings, project.calibrated
    _refuse_nothing(content)
    _refuse_missing(project)
    grid, said = horizon(settings.horizon, content, settings.project.timezone)
    expected = expected_demand(content, grid, settings.forecast, settings.solver.seed)
    slot = TimeGrid.regular(grid.start_s, SLOT_MINUTES, 1)
    problem, idle_pins = _problem(project, slot, tuple(_largest(demand) for demand in expected.demands))
    subject = Subject(problem.cluster, problem.jobs, problem.services)
    notes = (*content.notes, *(said if content.services else ()), *expected.notes, *_notes(project), *place_notes(settings))
    return Prepared(
        problem=replace(problem, assumptions=notes),
        forecasts=expected.forecasts,
        qualities=expected.qualities,
        histories=expected.histories,
        warnings=(*settings.warnings, *content.warnings, *cautions(subject), *idle_rules(problem), *idle_pins),
    )


def rebuilt_static(project: Project, context: PlanContext) -> Problem:
    """Return the problem that a static plan was made for: today's tables, the plan's instant and demand."""
    problem, _ = _problem(project, context.grid, context.demands)
    return replace(problem, assumptions=context.assumptions)


def unproven(problem: Problem, plan: Plan) -> tuple[Finding, ...]:
    """Return what is wrong with the bound of a static plan: more than its prices prove, or prices that prove nothing."""
    if not plan.proof.prices or plan.proof.bound is None or plan.proof.objective is None:
        return ()
    try:
        proven = min(proven_objective(problem, plan.proof.prices), plan.proof.objective)
    except ValueError as fault:
        return (Finding("SP3126", Severity.ERROR, "prices", str(fault)),)
    if plan.proof.bound <= proven + SAME * max(1.0, abs(proven)):
        return ()
    message = f"{plan.proof.bound!r} is more than the prices of the proof give: {proven!r}"
    return (Finding("SP3126", Severity.ERROR, "bound", message),)


def _problem(project: Project, grid: TimeGrid, demands: tuple[Demand, ...]) -> tuple[Problem, tuple[str, ...]]:
    """The problem, and what has to be said of pins that it does not have."""
    settings, content = project.settings, project.calibrated
    services = {service.name for service in content.services}
    cluster = Cluster(
        pools=tuple(replace(pool, startup_minutes=0.0) for pool in content.cluster.pools),
        speeds=tuple(row for row in content.cluster.speeds if row.kind == "service" or row.kind in services),
    )
    problem = Problem(
        name=settings.project.name,
        grid=grid,
        cluster=cluster,
        jobs=tuple(_at_one_instant(job, grid) for job in content.jobs),
        services=tuple(_without_time(service) for service in content.services),
        demands=demands,
        objective=Objective(0.0, 0.0, 0.0, 0.0, unplaced=1.0, rates=settings.objective.rates),
        limits=Limits(max_utilization=settings.limits.max_utilization, reserve=settings.limits.reserve),
        currency=settings.project.currency,
        timezone=settings.project.timezone,
        quantile=settings.forecast.quantile,
        prices=price_series(content.price_changes, cluster, grid),
        is_static=True,
        quotas=joined(content.quotas, settings.quotas),
        forbid=known_rules(settings.forbid, content.cluster),
    )
    return pinned(with_rules(problem), tuple(replace(pin, start_s=None) for pin in content.pins))


def _without_time(service: Service) -> Service:
    return replace(service, min_hold_minutes=0.0, startup_minutes=0.0, load_minutes=0.0)


def _at_one_instant(job: Job, grid: TimeGrid) -> Job:
    """Return a job without time: it asks for its place now, whatever became of it or is to become."""
    return replace(
        job,
        state=JobState.PENDING,
        submit_s=None if job.submit_s is None else min(job.submit_s, grid.start_s),
        start_s=None,
        end_s=None,
        placement=(),
        min_workers=None,
        after=(),
        runtime_minutes=float(SLOT_MINUTES),
        time_limit_minutes=None,
        earliest_start_s=None,
        deadline_s=None,
        checkpoint_minutes=None,
        checkpoint_cost_minutes=0.0,
        restart_minutes=0.0,
        load_minutes=0.0,
    )


def _largest(demand: Demand) -> Demand:
    """Return the demand of the slot in which most must be served."""
    slot = int(np.argmax(demand.peak_rps))
    return Demand(demand.service, demand.peak_rps[slot : slot + 1].copy(), demand.mean_rps[slot : slot + 1].copy())


def _notes(project: Project) -> tuple[str, ...]:
    content = project.content
    states: dict[str, int] = {}
    for job in content.jobs:
        states[job.state.value] = states.get(job.state.value, 0) + 1
    told = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    found = [f"everything is placed at one instant: all {len(content.jobs):,} jobs whatever their state and times ({told})"]
    if content.services:
        found.append("services are placed at their largest demand of the horizon")
    if any(pool.price_per_hour for pool in content.cluster.pools):
        found.append("costs are those of one hour")
    if any(job.after for job in content.jobs):
        found.append("`after` is not looked at: nothing comes before or after anything else at one instant")
    if any(job.min_workers is not None for job in content.jobs):
        found.append("elastic gangs stand with all their workers or not at all")
    if any(pin.start_s is not None for pin in content.pins):
        found.append("pins hold for places; their starts are not looked at")
    if content.outages:
        found.append("outages are not looked at: a placement without time has no hour in which a node is away")
    if project.settings.limits.budget_per_day is not None:
        found.append("budget_per_day is not kept: a placement without time has no day")
    return tuple(found)


def _refuse_missing(project: Project) -> None:
    if project.settings.limits.missed_demand is MissedDemand.PRICE and project.content.services:
        raise ConfigError(
            'a static placement serves all demand, and this project has [limits] missed_demand = "price"',
            code="SP2005",
            hint='Plan without --static, or add --set limits.missed_demand="forbid".',
        )


def _refuse_nothing(content: Content) -> None:
    if not content.cluster.pools:
        raise InputError(
            "there are no nodes to place on", code="SP1210", hint="Give nodes.csv; `schedplan schema nodes` lists its columns."
        )
    if not content.services and not content.jobs:
        raise InputError("there is nothing to place: no job and no service", code="SP1019", hint="Give jobs.csv or services.csv.")
