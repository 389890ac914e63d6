"""What the services must serve: their load, given or forecast, per slot of the plan."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from schedplan.config.settings import ForecastSettings
from schedplan.errors import InputError, UsageError
from schedplan.forecast.batch import Asked, forecast_each
from schedplan.forecast.demand import history, horizon_steps, slot_demand
from schedplan.forecast.options import Engine, ForecastOptions, ModelChoice
from schedplan.forecast.pipeline import ForecastResult
from schedplan.forecast.plugin import plugin_names
from schedplan.model.event import Event
from schedplan.model.forecast import QUANTILES, Forecast, Quality, Series
from schedplan.model.problem import Demand
from schedplan.model.workload import Service
from schedplan.tables.convert import Content
from schedplan.timegrid import TimeGrid


@dataclass(frozen=True)
class Expected:
    """Demand per service in their order, and the forecasts behind it with their quality and history."""

    demands: tuple[Demand, ...]
    forecasts: tuple[Forecast, ...]
    qualities: tuple[Quality, ...]
    histories: tuple[Series, ...]
    notes: tuple[str, ...]


def expected_demand(content: Content, grid: TimeGrid, settings: ForecastSettings, seed: int, timezone: str = "UTC") -> Expected:
    """Return the demand of all services on the slots of a plan; days of the load are those of `timezone`.

    Raises InputError for a service without load.
    """
    series_of = {series.unique_id: series for series in content.series}
    given_of = {forecast.unique_id: forecast for forecast in content.forecasts}
    missing = next((service for service in content.services if service.series not in series_of), None)
    if missing is not None:
        raise _without_load(missing, series_of)
    wanted = dict.fromkeys(service.series for service in content.services if service.series not in given_of)
    made = _forecasts([series_of[name] for name in wanted], content.events, grid, settings, seed, timezone)
    demands: list[Demand] = []
    notes: list[str] = []
    for service in content.services:
        result = made.get(service.series)
        forecast = given_of.get(service.series) or (result.forecast if result else None)
        found = slot_demand(series_of[service.series], forecast, grid, settings.quantile, settings.ignore_future)
        demands.append(Demand(service.name, found.peak_rps, found.mean_rps))
        notes.extend(found.notes)
    used = sorted(made)
    return Expected(
        demands=tuple(demands),
        forecasts=tuple(made[name].forecast for name in used),
        qualities=tuple(made[name].quality for name in used),
        histories=tuple(history(series_of[name], grid) for name in used),
        notes=tuple(dict.fromkeys(notes)),
    )


def _forecasts(
    wanted: list[Series], events: tuple[Event, ...], grid: TimeGrid, settings: ForecastSettings, seed: int, timezone: str
) -> dict[str, ForecastResult]:
    """Return the forecast of each series that has slots without rows, by name."""
    asked = []
    for series in wanted:
        steps = horizon_steps(series, grid, settings.ignore_future)
        if steps:
            options = forecast_options(settings, series, steps, seed)
            asked.append(Asked(history(series, grid), options, events=events, timezone=timezone))
    return {each.series.unique_id: result for each, result in zip(asked, forecast_each(asked), strict=True)}


def season_notes(settings: ForecastSettings, series: tuple[Series, ...]) -> tuple[str, ...]:
    """Return which series do without a season that was asked for, since it is not two whole intervals of them or more."""
    notes = (
        f"the season of {season_s} s is not several whole intervals of {one.step_s} s, so {one.unique_id} is forecast without it"
        for season_s in settings.seasons_s
        for one in series
        if season_s % one.step_s or season_s == one.step_s
    )
    return tuple(notes)


def forecast_options(settings: ForecastSettings, series: Series, steps: int, seed: int) -> ForecastOptions:
    """Return the options of one series: seasons in its own steps, those that are whole and longer than one."""
    seasons = tuple(season_s // series.step_s for season_s in settings.seasons_s if season_s % series.step_s == 0)
    return ForecastOptions(
        horizon_steps=steps,
        seasons=tuple(season for season in seasons if season > 1),
        model=_model(settings.model),
        plugin=settings.model if settings.model in plugin_names() else "",
        levels=settings.levels,
        quantile_levels=tuple(sorted({*QUANTILES, settings.quantile})),
        seed=seed,
        engine=Engine(settings.engine),
        folds=settings.backtest,
    )


def _model(name: str) -> ModelChoice:
    """Return the model of a name, AUTO for that of an installed plug-in; UsageError where there is none."""
    if name in plugin_names():
        return ModelChoice.AUTO
    names = [*(choice.value for choice in ModelChoice), *plugin_names()]
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names)}."
        raise UsageError(f"[forecast] model: there is no forecaster {name!r}", hint=hint)
    return ModelChoice(name)


def _without_load(service: Service, series_of: dict[str, Series]) -> InputError:
    near = get_close_matches(service.series, series_of, n=1)
    known = f"load has {', '.join(sorted(series_of)[:5])}" if series_of else "there is no table load"
    give = "Give load.csv with unique_id, ds, y, two rows of each load at least."
    return InputError(
        f"service {service.name}: its load {service.series} is in no input, or a single row of it; {known}",
        code="SP1201",
        hint=f"Did you mean {near[0]}? Set the column series." if near else give,
    )
