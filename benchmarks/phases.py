"""The phases of a benchmark, in their order: load, forecast, solve, verify. They know no clock.

Imports stand inside the phases: what a command imports late counts here as it does there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from schedplan.config.settings import Settings
    from schedplan.model.plan import Plan
    from schedplan.model.problem import Demand, Problem
    from schedplan.model.workload import Service
    from schedplan.tables.convert import Content
    from schedplan.timegrid import TimeGrid


def load(folder: Path) -> tuple[Settings, Content]:
    """Read settings and tables of a project."""
    from schedplan.config.load import load_settings
    from schedplan.tables.convert import content
    from schedplan.tables.sources import read_sources, sources_of

    settings = load_settings(folder)
    inputs = {files.table: files.paths for files in settings.inputs}
    return settings, content(read_sources(sources_of(inputs), ZoneInfo(settings.project.timezone)))


def forecast(settings: Settings, content: Content) -> Problem:
    """Forecast the load of every service to the end of the horizon, and return the problem."""
    from schedplan.model.problem import Problem
    from schedplan.tables.quotas import joined

    grid = settings.horizon.grid(settings.horizon.start_s or 0)
    return Problem(
        name=settings.project.name,
        grid=grid,
        cluster=content.cluster,
        jobs=content.jobs,
        services=content.services,
        demands=tuple(_demand(service, settings, content, grid) for service in content.services),
        quotas=joined(content.quotas, settings.quotas),
        objective=settings.objective,
        limits=settings.limits,
        timezone=settings.project.timezone,
        quantile=settings.forecast.quantile,
    )


def _demand(service: Service, settings: Settings, content: Content, grid: TimeGrid) -> Demand:
    from schedplan.forecast.demand import history, horizon_steps, slot_demand
    from schedplan.forecast.options import ForecastOptions
    from schedplan.forecast.pipeline import forecast_series
    from schedplan.model.problem import Demand

    series = next(series for series in content.series if series.unique_id == (service.series or service.name))
    options = ForecastOptions(horizon_steps=horizon_steps(series, grid))
    expected = forecast_series(history(series, grid), options).forecast
    slots = slot_demand(series, expected, grid, settings.forecast.quantile)
    return Demand(service.name, slots.peak_rps, slots.mean_rps)


def at_one_instant(folder: Path) -> Problem:
    """Return the problem of placing everything at one instant."""
    from schedplan.config.load import load_settings
    from schedplan.config.project import ProjectPlace
    from schedplan.workflows.project import open_project
    from schedplan.workflows.static import prepare_static

    place = ProjectPlace(folder, (), ())
    return prepare_static(open_project(place, load_settings(folder))).problem


def place(problem: Problem) -> Plan:
    """Place everything at one instant with the default options."""
    from schedplan.optimize.static.at_one_instant import optimize_static

    return optimize_static(problem)


def solve(problem: Problem) -> Plan:
    """Plan with the default options."""
    from schedplan.optimize.solve import optimize

    return optimize(problem)


def verify(problem: Problem, plan: Plan) -> int:
    """Recompute every number of the plan and return how many rules it breaks."""
    from schedplan.measures.accounting import account
    from schedplan.measures.feasibility import violations

    account(problem, plan.decisions)
    return len(violations(problem, plan.decisions))
