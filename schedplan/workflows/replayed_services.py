"""Replayed services: what each is sent over the horizon, and what was forecast of it. It replays nothing."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np

from schedplan.engines.part import Scaling
from schedplan.forecast.demand import history
from schedplan.model.forecast import Series
from schedplan.simulate.autoscaler import Steps
from schedplan.simulate.fleet import FleetWork, ServiceLoad
from schedplan.timegrid import TimeGrid
from schedplan.workflows.demand import expected_demand
from schedplan.workflows.project import Project


def open_services(project: Project, grid: TimeGrid, scaling: Scaling) -> tuple[FleetWork | None, tuple[str, ...]]:
    """Return the services of a project on its horizon with what was assumed, None without any.

    Where load has a row for every interval of the horizon, those are sent as they are; else each slot is sent its mean of rows and
    forecast. Raises what `expected_demand` raises.
    """
    content, settings = project.content, project.settings
    if not content.services:
        return None, ()
    given = expected_demand(content, grid, settings.forecast, settings.solver.seed, settings.project.timezone)
    expected = None
    if scaling.kind.asks_for_a_forecast:
        blind = replace(settings.forecast, ignore_future=True)
        expected = expected_demand(content, grid, blind, settings.solver.seed, settings.project.timezone)
    series_of = {series.unique_id: series for series in content.series}
    slots_s = tuple(grid.edges_s[:-1])
    loads = []
    for idx, service in enumerate(content.services):
        rows = None if settings.forecast.ignore_future else _rows(series_of[service.series], grid)
        load = rows or Steps(slots_s, tuple(given.demands[idx].mean_rps.tolist()))
        forecast = None if expected is None else Steps(slots_s, tuple(expected.demands[idx].peak_rps.tolist()))
        loads.append(ServiceLoad(service, load, forecast))
    notes = (*given.notes, *_aside(project), f"services, replayed as a fluid with replicas by the policy's rule: {len(loads)}")
    return FleetWork(tuple(loads), grid.start_s, grid.end_s), notes


def logged_services(project: Project) -> tuple[FleetWork | None, tuple[str, ...]]:
    """Return the services of a project over the rows of their load with what was assumed, None where there are none."""
    content = project.content
    series_of = {series.unique_id: series for series in content.series}
    found = [(service, series_of[service.series]) for service in content.services if service.series in series_of]
    if not found:
        return None, ()
    submitted = [job.release_s for job in content.jobs if job.release_s is not None]
    last_s = max(series.end_s for _, series in found)
    start_s = max(min(submitted, default=last_s), min(series.start_s for _, series in found))
    if start_s >= last_s:
        return None, ("services whose load ends before the first job, not replayed: " + str(len(found)),)
    loads = tuple(ServiceLoad(service, _steps(series)) for service, series in found)
    return FleetWork(loads, start_s, last_s), (*_aside(project), f"services, replayed over the rows of their load: {len(loads)}")


def _rows(series: Series, grid: TimeGrid) -> Steps | None:
    """Return the rows of a series from the start of a grid on where they cover it without gaps."""
    first = len(history(series, grid).values)
    first -= series.start_s + first * series.step_s > grid.start_s
    if first < 0 or series.end_s < grid.end_s:
        return None
    last = -((series.start_s - grid.end_s) // series.step_s)
    if np.isnan(series.values[first:last]).any():
        return None
    return _steps(Series(series.unique_id, series.start_s + first * series.step_s, series.step_s, series.values[first:last]))


def _steps(series: Series) -> Steps:
    """Return a series as steps; a gap is sent what was sent before it."""
    rates, before = [], 0.0
    for value in series.values.tolist():
        before = before if isnan(value) else value
        rates.append(before)
    return Steps(tuple(range(series.start_s, series.end_s, series.step_s)), tuple(rates))


def _aside(project: Project) -> tuple[str, ...]:
    """Return what services ask for that the replay does not hold to."""
    services = project.content.services
    counts = (
        ("services that ask for devices of their own (dedicated), beside which the replay lets others stand", "dedicated"),
        ("services that are to be spread (spread), which the replay places as the policy does", "spread"),
    )
    found = [f"{words}: {count}" for words, name in counts if (count := sum(bool(getattr(one, name)) for one in services))]
    capped = sum(one.shape.max_per_node is not None for one in services)
    if capped:
        found.append(
            f"services with at most so many replicas on a node (max_per_node), which the replay does not hold them to: {capped}"
        )
    return tuple(found)
