"""Many series forecast in one go, in as many processes as pay; a series that cannot be forecast is one result among the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from schedplan.forecast.decision import Provision
from schedplan.forecast.events import forecast_with_events
from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import ForecastResult, forecast_series, not_forecast
from schedplan.forecast.wall_clock import by_wall_clock
from schedplan.model.event import Event
from schedplan.model.forecast import Series
from schedplan.parallel.run import run_each, usable_cores

SERIES_TIMEOUT_S = 120.0
SERIES_PER_WORKER = 16
"""A process takes about as long to start as a few series by the hour take to forecast."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One series and how it is to be forecast.

    provision: how its devices are ordered, None: no decision backtest. events: what is known to move it, or others. timezone: name
    of the zone by whose clock days are counted, where that changes.
    """

    series: Series
    options: ForecastOptions
    provision: Provision | None = None
    events: tuple[Event, ...] = ()
    timezone: str = "UTC"


def forecast_each(
    asked: Sequence[Asked], workers: int | None = None, timeout_s: float = SERIES_TIMEOUT_S
) -> tuple[ForecastResult, ...]:
    """Return one result per series, in their order, the same bytes for any number of workers; `folds` and `online` are left out.

    workers: processes; None: as many as there are cores, and none for less than 32 series. A series that raises, or ends its
    process, or takes longer than `timeout_s` in one (hundreds of times what a series by the hour takes, so that only what hangs is
    ended), gets a forecast without values that says why.
    """
    most = usable_cores() if workers is None else workers
    outcomes = run_each(_forecast, asked, min(most, len(asked) // SERIES_PER_WORKER), SERIES_PER_WORKER, timeout_s)
    results = []
    for each, outcome in zip(asked, outcomes, strict=True):
        if outcome.value is not None:
            results.append(outcome.value)
        else:
            why = "no answer" if outcome.failure is None else f"{outcome.failure.kind}: {outcome.failure.message}"
            results.append(not_forecast(each.series, each.options, why))
    return tuple(results)


def _forecast(asked: Asked) -> ForecastResult:
    def on_clock(series: Series, horizon: int) -> ForecastResult:
        return forecast_series(series, replace(asked.options, horizon_steps=horizon), asked.provision)

    def make(series: Series) -> ForecastResult:
        return by_wall_clock(series, ZoneInfo(asked.timezone), asked.options.horizon_steps, on_clock)

    result = forecast_with_events(asked.series, asked.events, asked.options.seasons, make)
    return replace(result, folds=None, online=None)
