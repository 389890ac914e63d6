"""Forecast every load of a project over its horizon, or the demand of its jobs, and tell how well that went on the past."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.errors import InputError, UsageError
from schedplan.forecast.backtest import HOURS_AHEAD, Score
from schedplan.forecast.batch import Asked, forecast_each
from schedplan.forecast.decision import Decided
from schedplan.forecast.job_demand import NO_DEMAND, Grouping, JobDemand, job_demand
from schedplan.forecast.pipeline import ForecastResult
from schedplan.forecast.plugin import plugin_notes
from schedplan.forecast.total import NAME as TOTAL
from schedplan.forecast.total import total_of
from schedplan.model.forecast import Series
from schedplan.report.decision_section import DecidedSeries
from schedplan.report.document import Column, Document, Kind, Table
from schedplan.report.forecast_document import forecast_document
from schedplan.tables.artefact_forecast import write_forecast
from schedplan.units import QuantityError, parse_duration_s
from schedplan.workflows.decision import DecisionAsked, SeriesProvision, per_device, provision_of
from schedplan.workflows.demand import forecast_options, season_notes
from schedplan.workflows.project import Project
from schedplan.workflows.replayed_work import read_warnings
from schedplan.workflows.report import report_form, write_document

ENDING = ".parquet"
DEFAULT_FILE = Path("runs") / f"forecast{ENDING}"
DEFAULT_STEP_S = 3600
MOST_STEPS_AHEAD = 110_000
"""A year by 5 minutes is 105,120. Our choice."""


@dataclass(frozen=True)
class Forecasted:
    """Results in the order of the series' names."""

    results: tuple[ForecastResult, ...]
    document: Document


def forecast_project(
    project: Project,
    horizon_s: int | None = None,
    only: tuple[str, ...] = (),
    by: Grouping | None = None,
    decision: DecisionAsked | None = None,
    with_total: bool = False,
) -> Forecasted:
    """Return the forecast of every load of a project, or of those named, from the end of its history on.

    Without load, or where `by` says by what, it is the demand of devices derived from jobs. horizon_s: how far, seconds; None =
    the project's horizon, counted from its start where that is stated. decision: judge the forecasts by what they would have made
    a planner buy, too. with_total: the sum of the loads as one more. Raises InputError where there is no load and no job that ran,
    or no load with a value; one bad load among others is told in the document.
    """
    demand = _demand(project, by)
    chosen = _chosen(demand.series, only)
    if with_total:
        chosen = (*chosen, _total(chosen))
    settings = project.settings
    known = tuple(_history_and_steps(project, series, horizon_s) for series in chosen)
    histories = [history for history, _ in known]
    provided = None if decision is None else [provision_of(project, history, decision) for history in histories]
    results = forecast_each(
        [
            Asked(
                history,
                forecast_options(settings.forecast, history, steps, settings.solver.seed),
                None if provided is None else provided[index].provision,
                project.content.events,
                settings.project.timezone,
            )
            for index, (history, steps) in enumerate(known)
        ]
    )
    if not any(result.forecast.has_values for result in results):
        hint = "Give load before the horizon; rows of the horizon itself are not history."
        raise InputError(_nothing_made(results), code=NO_DEMAND, hint=hint)
    document = forecast_document(
        tuple(result.forecast for result in results),
        tuple(result.quality for result in results),
        tuple(histories),
        (backtest_table(results),) if any(result.scores for result in results) else (),
        title=f"Forecast of {project.name}",
        timezone=settings.project.timezone,
        quantile=settings.forecast.quantile,
        notes=(
            *read_warnings(project),
            *(() if by else project.content.load_notes),
            *demand.notes,
            *season_notes(settings.forecast, tuple(histories)),
            *plugin_notes(),
        ),
        decided=None if provided is None else _decided(results, provided),
        records=tuple((result.forecast.unique_id, result.record) for result in results if result.record is not None),
    )
    return Forecasted(results, document)


def is_report(path: Path) -> bool:
    """Say whether a file gets the report of a forecast rather than its values; UsageError for an ending of neither."""
    if path.suffix == ENDING:
        return False
    try:
        report_form(path)
    except UsageError:
        hint = f"End it with {ENDING} for the values, or with .html, .md or .json for a report."
        raise UsageError(f"{path}: its ending says no form of forecast", hint=hint) from None
    return True


def save(found: Forecasted, project: Project, path: Path, *, force: bool = False) -> None:
    """Write the forecasts that have values as Parquet, or all that was found as a report, by the ending; whole or not at all."""
    if is_report(path):
        write_document(found.document, path, force=force, inputs=project.paths())
        return
    made = tuple(result.forecast for result in found.results if result.forecast.has_values)
    write_forecast(path, made, force=force, inputs=project.paths())


def default_file(project: Project) -> Path:
    """Return where the forecast of a project is saved unless another place is named."""
    return project.root / DEFAULT_FILE


def horizon_seconds(text: str | None) -> int | None:
    """Return the seconds of `--horizon`; UsageError where it is no length of time above 0."""
    return None if text is None else _length_s("--horizon", text)


def decision_asked(decision: bool, startup: str | None, replan: str | None, device: str | None) -> DecisionAsked | None:
    """Return what `--decision` and its options ask for, None without it; UsageError where one of them can't be read."""
    if not decision:
        given = {"--startup": startup, "--replan": replan, "--per-device": device}
        for option, text in given.items():
            if text is not None:
                raise UsageError(f"{option} is for the decision backtest", hint="Add --decision, or leave it out.")
        return None
    startup_s = None if startup is None else _duration_s("--startup", startup)
    replan_s = None if replan is None else _length_s("--replan", replan)
    return DecisionAsked(startup_s, replan_s, per_device(device))


def backtest_table(results: tuple[ForecastResult, ...]) -> Table:
    """Return how every model that was tried did, the one used first."""
    columns = (
        Column("unique_id", "Series"),
        Column("model", "Model"),
        Column("folds", "Folds", Kind.COUNT, is_detail=True),
        Column("mae", "MAE", Kind.NUMBER),
        Column("mase", "MASE", Kind.NUMBER),
        Column("wape", "WAPE", Kind.SHARE),
        Column("smape", "sMAPE", Kind.NUMBER, digits=1, is_detail=True),
        Column("relative_mae", "MAE ratio", Kind.NUMBER),
        Column("pinball_95", "P95 pinball", Kind.NUMBER, is_detail=True),
        Column("coverage_80", "80 % holds", Kind.SHARE, is_detail=True),
        Column("coverage_95", "95 % holds", Kind.SHARE, is_detail=True),
        Column("exceedance_95", "above P95", Kind.SHARE),
        *(Column(f"mae_{hours}h", f"MAE {hours} h ahead", Kind.NUMBER, is_detail=True) for hours in HOURS_AHEAD),
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
        score.smape,
        score.relative_mae,
        score.pinball_95,
        score.coverage_80,
        score.coverage_95,
        score.exceedance_95,
        *score.mae_ahead,
    )


def _decided(results: tuple[ForecastResult, ...], provided: list[SeriesProvision]) -> tuple[DecidedSeries, ...]:
    return tuple(
        DecidedSeries(
            result.forecast.unique_id,
            result.forecast.model,
            result.decided or Decided(why_not=result.quality.verdict),
            each.carried,
            each.unit,
        )
        for result, each in zip(results, provided, strict=True)
    )


def _demand(project: Project, by: Grouping | None) -> JobDemand:
    """Return what there is to forecast: load as it was given, else the demand that the jobs show."""
    content = project.content
    if content.series and by is None:
        return JobDemand(content.series, ())
    if not content.jobs:
        what = "no load and no jobs" if by is None else "no jobs to derive demand from"
        hint = "Give load.csv with the columns unique_id, ds, y, or jobs.csv with jobs that ran."
        raise InputError(f"there is nothing to forecast: there are {what}", code=NO_DEMAND, hint=hint)
    by = by or Grouping.TOTAL
    step_s, zone = project.settings.forecast.freq_s or DEFAULT_STEP_S, ZoneInfo(project.settings.project.timezone)
    found = job_demand(content.jobs, step_s, zone, by)
    if by is Grouping.TOTAL:
        return found
    return JobDemand(found.series, (*found.notes, "quantiles of groups do not add up to that of all jobs; --by total forecasts it"))


def _chosen(series: tuple[Series, ...], only: tuple[str, ...]) -> tuple[Series, ...]:
    ids = [one.unique_id for one in series]
    missing = [name for name in only if name not in ids]
    if missing:
        raise InputError(
            f"there is no series {', '.join(missing)} to forecast",
            code=NO_DEMAND,
            hint=f"Did you mean {ids[0]}?" if len(ids) == 1 else f"There are {', '.join(ids[:5])}.",
        )
    return tuple(one for one in series if not only or one.unique_id in only)


def _total(series: tuple[Series, ...]) -> Series:
    if any(one.unique_id == TOTAL for one in series):
        raise UsageError(f"--total with a series called {TOTAL}", hint="Leave one of the two out, by --only.")
    try:
        return total_of(series)
    except ValueError as problem:
        raise InputError(f"--total: {problem}", code=NO_DEMAND, hint="Choose series of one unit and grid by --only.") from None


def _duration_s(option: str, text: str) -> int:
    try:
        return parse_duration_s(text)
    except QuantityError as problem:
        raise UsageError(f"{option} {text!r}: expected {problem}") from None


def _length_s(option: str, text: str) -> int:
    length_s = _duration_s(option, text)
    if length_s == 0:
        raise UsageError(f"{option} {text!r}: expected a length above 0")
    return length_s


def _nothing_made(results: tuple[ForecastResult, ...]) -> str:
    why = results[0].forecast.notes[0]
    return why if len(results) == 1 else f"none of {len(results)} loads could be forecast; the first: {why}"


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
    steps = max(-(-(end_s - known.end_s) // series.step_s), 1)
    if steps > MOST_STEPS_AHEAD:
        told = f"the horizon has {steps} intervals of {series.step_s} s from the end of {series.unique_id} on"
        hint = "Give a shorter --horizon, or longer intervals by --freq."
        raise UsageError(f"{told}, more than the {MOST_STEPS_AHEAD} that are forecast", hint=hint)
    return known, steps
