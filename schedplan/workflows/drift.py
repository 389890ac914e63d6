"""Hold a saved forecast against the load that came since: what `check` judges of it. It forecasts nothing anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.config.settings import Settings
from schedplan.errors import InputError
from schedplan.forecast.drift import Drift, drift_of, refit_reason
from schedplan.model.findings import Measure
from schedplan.model.forecast import Forecast, Series
from schedplan.tables.artefact_forecast import read_forecast
from schedplan.workflows.project import Project

DRIFT_RULES = ("forecast_breaker == 0", "forecast_drift <= 1.5 warn", "forecast_cusum <= 3 warn")
"""Judged where neither the call nor the project has a rule on forecasts."""
PREFIX = "forecast_"
NOT_THERE = "SP1018"


@dataclass(frozen=True, slots=True)
class SeriesDrift:
    """What came of one forecast since. refit: why it is to be fitted anew, None where it is not."""

    unique_id: str
    drift: Drift
    refit: str | None


def forecast_rules(rules: tuple[str, ...], settings: Settings | None) -> tuple[str, ...]:
    """Return the rules to judge a forecast by: those given, else those of the project that are about forecasts, else the usual."""
    own = () if settings is None else tuple(rule for rule in settings.check.rules if PREFIX in rule)
    return rules or own or DRIFT_RULES


def drifts(path: Path, project: Project) -> tuple[SeriesDrift, ...]:
    """Return how the forecasts of a file fit the project's load. Raises InputError where none of it has come yet."""
    load_of = {series.unique_id: series for series in project.content.series}
    quantile = project.settings.forecast.quantile
    found = []
    for forecast in read_forecast(path):
        load = load_of.get(forecast.unique_id)
        if load is not None:
            drift = _drift(forecast, load, quantile, path)
            age_s = load.end_s - forecast.cutoff_s
            found.append(SeriesDrift(forecast.unique_id, drift, refit_reason(drift, age_s)))
    if not any(each.drift.points for each in found):
        raise InputError(
            f"{path}: none of the load it forecasts has come yet",
            code=NOT_THERE,
            hint="Give load.csv with rows after the forecast's cutoff.",
        )
    return tuple(each for each in found if each.drift.points)


def drift_measures(found: tuple[SeriesDrift, ...]) -> tuple[Measure, ...]:
    """Return the measures of forecasts by series, and for the whole the worst of them."""
    rows = []
    for each in found:
        labels = (("series", each.unique_id),)
        drift = each.drift
        rows += [
            Measure("forecast_drift", drift.mae_ratio, "", labels),
            Measure("forecast_cusum", drift.cusum, "", labels),
            Measure("forecast_exceedance_95", drift.exceedance_95, "share", labels),
            Measure("forecast_coverage_95", drift.coverage_95, "share", labels),
            Measure("forecast_breaker", float(drift.breaker_open), "", labels),
        ]
    whole = []
    for name, unit, worst in (
        ("forecast_drift", "", max),
        ("forecast_cusum", "", max),
        ("forecast_exceedance_95", "share", max),
        ("forecast_coverage_95", "share", min),
        ("forecast_breaker", "", max),
    ):
        values = [row.value for row in rows if row.name == name and row.value is not None]
        whole.append(Measure(name, worst(values) if values else None, unit))
    return (*whole, *rows)


def drift_words(found: tuple[SeriesDrift, ...]) -> tuple[str, ...]:
    """Return one sentence per series that is to be fitted anew, and per breaker that is open."""
    refits = (f"{each.unique_id}: forecast anew, {each.refit}" for each in found if each.refit)
    opened = (
        f"{each.unique_id}: the breaker is open, provide for the load that is measured" for each in found if each.drift.breaker_open
    )
    return (*opened, *refits)


def _drift(forecast: Forecast, load: Series, quantile: float, path: Path) -> Drift:
    try:
        return drift_of(forecast, load, quantile)
    except ValueError as problem:
        raise InputError(f"{path}: {problem}", code=NOT_THERE, hint="Forecast this load again.") from None
