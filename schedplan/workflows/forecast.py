"""Forecast every load of a project over its horizon, with quantiles and how the forecaster did out of sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import InputError, UsageError
from schedplan.forecast.backtest import Score
from schedplan.forecast.pipeline import ForecastResult, forecast_series
from schedplan.model.forecast import Series
from schedplan.report.document import Column, Document, Kind, Table
from schedplan.report.forecast_document import forecast_document
from schedplan.tables.artefact_forecast import write_forecast
from schedplan.units import QuantityError, parse_duration_s
from schedplan.workflows.demand import forecast_options
from schedplan.workflows.project import Project

DEFAULT_FILE = Path("runs") / "forecast.parquet"


@dataclass(frozen=True)
class Forecasted:
    """Results in the order of the series' names."""

    results: tuple[ForecastResult, ...]
    document: Document


def forecast_project(project: Project, horizon_s: int | None = None, only: tuple[str, ...] = ()) -> Forecasted:
    """Return the forecast of every load of a project, or of those named, from the end of its history on.

    horizon_s: how far, seconds; None = the project's horizon, counted from its start where that is stated. Raises InputError
    where there is no load.
    """
    chosen = _chosen(project, only)
    settings = project.settings
    results, histories = [], []
    for series in chosen:
        history, steps = _history_and_steps(project, series, horizon_s)
        histories.append(history)
        results.append(forecast_series(history, forecast_options(settings.forecast, history, steps, settings.solver.seed)))
    document = forecast_document(
        tuple(result.forecast for result in results),
        tuple(result.quality for result in results),
        tuple(histories),
        (backtest_table(tuple(results)),),
        title=f"Forecast of {project.name}",
        timezone=settings.project.timezone,
        quantile=settings.forecast.quantile,
    )
    return Forecasted(tuple(results), document)


def save(found: Forecasted, project: Project, path: Path, *, force: bool = False) -> None:
    """Write the forecasts as one Parquet file, whole or not at all."""
    write_forecast(path, tuple(result.forecast for result in found.results), force=force, inputs=project.paths())


def default_file(project: Project) -> Path:
    """Return where the forecast of a project is saved unless another place is named."""
    return project.root / DEFAULT_FILE


def horizon_seconds(text: str | None) -> int | None:
    """Return the seconds of `--horizon`; UsageError where it is no length of time."""
    if text is None:
        return None
    try:
        return parse_duration_s(text)
    except QuantityError as problem:
        raise UsageError(f"--horizon {text!r}: expected {problem}") from None


def backtest_table(results: tuple[ForecastResult, ...]) -> Table:
    """Return how every model that was tried did, the one used first."""
    columns = (
        Column("unique_id", "Series"),
        Column("model", "Model"),
        Column("folds", "Folds", Kind.COUNT),
        Column("mae", "MAE", Kind.NUMBER),
        Column("mase", "MASE", Kind.NUMBER),
        Column("wape", "WAPE", Kind.SHARE),
        Column("relative_mae", "MAE / seasonal naive", Kind.NUMBER),
        Column("pinball_95", "P95 pinball", Kind.NUMBER),
        Column("coverage_80", "80 % covers", Kind.SHARE),
        Column("coverage_95", "95 % covers", Kind.SHARE),
        Column("exceedance_95", "above P95", Kind.SHARE),
    )
    rows = tuple(_score_row(result.forecast.unique_id, score) for result in results for score in result.scores)
    return Table("backtest", "Every model that was tried", columns, rows)


def _score_row(unique_id: str, score: Score) -> tuple[str | int | float | None, ...]:
    return (
        unique_id,
        score.model,
        score.folds,
        score.mae,
        score.mase,
        score.wape,
        score.relative_mae,
        score.pinball_95,
        score.coverage_80,
        score.coverage_95,
        score.exceedance_95,
    )


def _chosen(project: Project, only: tuple[str, ...]) -> tuple[Series, ...]:
    series = project.content.series
    if not series:
        raise InputError("there is no load to forecast", code="SP1018", hint="Give load.csv with the columns unique_id, ds, y.")
    missing = [name for name in only if name not in {one.unique_id for one in series}]
    if missing:
        raise InputError(
            f"load has no series {', '.join(missing)}",
            code="SP1018",
            hint=f"It has {', '.join(one.unique_id for one in series[:5])}.",
        )
    return tuple(one for one in series if not only or one.unique_id in only)


def _history_and_steps(project: Project, series: Series, horizon_s: int | None) -> tuple[Series, int]:
    """Return what is known of a series, and how many intervals from its end reach the end of the horizon."""
    horizon = project.settings.horizon
    length_s = horizon_s if horizon_s is not None else round(horizon.hours * 3600)
    known = series
    end_s = series.end_s + length_s
    if horizon.start_s is not None and horizon.start_s > series.start_s:
        before = min(-(-(horizon.start_s - series.start_s) // series.step_s), len(series.values))
        known = Series(series.unique_id, series.start_s, series.step_s, series.values[:before], series.unit)
        end_s = horizon.start_s + length_s
    return known, max(-(-(end_s - known.end_s) // series.step_s), 1)
