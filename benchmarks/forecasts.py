"""What a forecast costs and how good it is: generated series of several lengths, public ones, and many at once.

    python -m benchmarks.forecasts cost [SPEC ...]     CPU seconds per series and phase
    python -m benchmarks.forecasts accuracy            the public series in SCHEDPLAN_DATA, judged on their own past
    python -m benchmarks.forecasts engines [N]         N series of eight weeks by the hour, by the blend and by each engine
    python -m benchmarks.forecasts held-out            the same, each from what stood before it alone, the model chosen anew
    python -m benchmarks.forecasts many [N]            N series of eight weeks by the hour, in as many processes as there are cores

It knows nothing of planning.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from schedplan.forecast.pipeline import ForecastResult
    from schedplan.model.forecast import Series

DAY_S = 86_400
PHASES = ("plan", "fit", "roll", "whole")
"""cut the past into folds; fit the blend once; roll it from every origin; the whole forecast with every model and its bands."""


@dataclass(frozen=True, slots=True)
class SeriesSpec:
    """Generated load of some weeks at a step; `smoke` is the number of weeks that tests run."""

    name: str
    weeks: int
    step_s: int
    smoke: int = 1


SPECS = (
    SeriesSpec("2-weeks-hourly", 2, 3600),
    SeriesSpec("8-weeks-hourly", 8, 3600, smoke=3),
    SeriesSpec("2-weeks-5-minutes", 2, 300),
    SeriesSpec("8-weeks-5-minutes", 8, 300),
)


@dataclass(frozen=True, slots=True)
class PublicSeries:
    """A column of a file; step_s: of its rows; summed: rows that make one value; gap_at: the value that is none."""

    name: str
    file: str
    column: str
    step_s: int
    summed: int = 1
    gap_at: float | None = None
    is_dated: bool = False


PUBLIC = (
    PublicSeries("nyc-taxi", "nab_nyc_taxi.csv", "value", 1800, summed=2),
    PublicSeries("genai-lora", "alibaba_genai_v2026_lora_hourly.csv", "requests", 3600),
    PublicSeries("nasa-july", "nasa_http_1995_jul_hourly.csv", "requests", 3600),
    PublicSeries("nasa-july-5min", "nasa_http_1995_jul_5min.csv", "requests", 300),
    PublicSeries("genai-lora-seconds", "alibaba_genai_v2026_lora_hourly.csv", "exec_seconds", 3600),
    PublicSeries("philly-jobs", "philly_hourly_vcA.csv", "jobs_submitted", 3600),
    PublicSeries("philly-gpus", "philly_hourly_vcA.csv", "gpus_requested", 3600),
    PublicSeries("servegen-m-large", "servegen_m_large_total_10min.csv", "rate_rps", 600),
    PublicSeries("servegen-m-small", "servegen_m_small_total_10min.csv", "rate_rps", 600, gap_at=0.0),
    PublicSeries("twitter-goog", "nab_Twitter_volume_GOOG.csv", "value", 300, is_dated=True),
    PublicSeries("autoscaling-cpu", "nab_cpu_utilization_asg_misconfiguration.csv", "value", 300, is_dated=True),
    PublicSeries("ec2-cpu", "nab_ec2_cpu_utilization_825cc2.csv", "value", 300, is_dated=True),
    PublicSeries("elb-requests", "nab_elb_request_count_8c0756.csv", "value", 300, is_dated=True),
    PublicSeries("rds-cpu", "nab_rds_cpu_utilization_cc0c53.csv", "value", 300, is_dated=True),
)


def generated(weeks: int, step_s: int, seed: int) -> Series:
    """Return load with a daily wave, quieter weekends and noise that lasts some steps; the same arguments give the same load."""
    from schedplan.model.forecast import Series

    hours = np.arange(weeks * 7 * DAY_S // step_s) * step_s / 3600
    wave = 100 * (1 - 0.6 * np.cos(2 * np.pi * (hours - 3) / 24)) * np.where(hours // 24 % 7 < 5, 1.0, 0.6)
    noise = 0.05 * np.random.default_rng(seed).normal(size=len(hours))
    for step in range(1, len(hours)):
        noise[step] += 0.7 * noise[step - 1]
    return Series(f"series-{seed:04}", 0, step_s, wave * (1 + noise))


def phase_cpu_s(series: Series) -> tuple[float, ...]:
    """Return the CPU seconds per entry of PHASES for a forecast of one day."""
    from schedplan.forecast.backtest import plan_trial
    from schedplan.forecast.options import ForecastOptions
    from schedplan.forecast.pipeline import forecast_series
    from schedplan.forecast.sarima_blend import SarimaBlend
    from schedplan.forecast.season import default_seasons

    day = DAY_S // series.step_s
    clock = [process_time()]
    trial = plan_trial(series, day, day, most_folds=84)
    if trial is None:
        raise ValueError(f"{series.unique_id} is too short for a backtest")
    clock.append(process_time())
    fitted = SarimaBlend(default_seasons(series.step_s, len(series.values))).fit(trial.fit_on(trial.split))
    clock.append(process_time())
    fitted.roll(trial.fit_on(None), trial.origins, day)
    clock.append(process_time())
    forecast_series(series, ForecastOptions(day))
    clock.append(process_time())
    return tuple(end - begin for begin, end in pairwise(clock))


def public_series(spec: PublicSeries, folder: Path) -> Series:
    """Return a public series on a regular grid, NaN where it has no row; its last bucket, mostly a partial one, is left out."""
    from schedplan.model.forecast import Series

    with (folder / spec.file).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values = np.array([float(row[spec.column]) for row in rows])
    if spec.is_dated:
        values = _on_grid([datetime.fromisoformat(row["timestamp"]) for row in rows], values, spec.step_s)
    values = values[: len(values) // spec.summed * spec.summed].reshape(-1, spec.summed).sum(axis=1)
    if spec.gap_at is not None:
        values[values == spec.gap_at] = np.nan
    return Series(spec.name, 0, spec.step_s * spec.summed, values[:-1])


def judged(series: Series) -> ForecastResult:
    """Return the forecast of one day and how it did on the past."""
    from schedplan.forecast.options import ForecastOptions
    from schedplan.forecast.pipeline import forecast_series

    return forecast_series(series, ForecastOptions(DAY_S // series.step_s))


def cost(names: list[str]) -> int:
    """Print what each phase takes; 2 where a name is unknown."""
    unknown = sorted(set(names) - {spec.name for spec in SPECS})
    if unknown:
        print(f"no such spec: {', '.join(unknown)}; there are {', '.join(spec.name for spec in SPECS)}", file=sys.stderr)
        return 2
    phase_cpu_s(generated(1, 3600, 0))
    for spec in SPECS:
        if not names or spec.name in names:
            times = np.median([phase_cpu_s(generated(spec.weeks, spec.step_s, seed)) for seed in range(3)], axis=0)
            told = ", ".join(f"{phase} {cpu_s:.3f} s" for phase, cpu_s in zip(PHASES, times, strict=True))
            print(f"{spec.name}: {told}")
    return 0


def engines(arguments: list[str]) -> int:
    """Print the CPU seconds of a forecast by the blend of SARIMAs and by one SARIMA of each engine, and their errors."""
    from schedplan.forecast.options import Engine, ForecastOptions, ModelChoice
    from schedplan.forecast.pipeline import forecast_series

    many = [generated(8, 3600, seed) for seed in range(int(arguments[0]) if arguments else 3)]
    ways = {"blend": ForecastOptions(24)}
    ways |= {engine.value: ForecastOptions(24, model=ModelChoice.SARIMA, engine=engine) for engine in Engine}
    for name, options in ways.items():
        forecast_series(many[0], options)
        times, ratios = [], []
        for series in many:
            begin_s = process_time()
            ratios.append(forecast_series(series, options).quality.relative_mae or np.nan)
            times.append(process_time() - begin_s)
        print(f"{name}: {np.median(times):.2f} CPU s a series, the slowest {max(times):.2f}; relative MAE {np.mean(ratios):.3f}")
    return 0


def accuracy(_: list[str]) -> int:
    """Print how the public series are forecast; 2 where their folder is not told."""
    folder = os.environ.get("SCHEDPLAN_DATA")
    if folder is None:
        print("set SCHEDPLAN_DATA to the folder with the public data", file=sys.stderr)
        return 2
    print(f"{'series':20} {'model':20} relative MAE  80 % covers  95 % covers  above P95  CPU s")
    for spec in PUBLIC:
        series = public_series(spec, Path(folder) / "timeseries")
        begin_s = process_time()
        quality = judged(series).quality
        figures = (quality.relative_mae, quality.coverage_80, quality.coverage_95, quality.exceedance_95)
        told = "  ".join("         -" if each is None else f"{each:10.3f}" for each in figures)
        print(f"{spec.name:20} {quality.model:20} {told}  {process_time() - begin_s:5.2f}")
    return 0


def held_out(series: Series) -> tuple[float, float, float]:
    """Return MAE / seasonal naive, MAE / the better of mean and last value, and the share above P95 over the last quarter.

    Twice a day the next day is forecast from the history up to then, as a user would: model, weights and bands are found anew.
    """
    from schedplan.model.forecast import Series as Load

    day, n = DAY_S // series.step_s, len(series.values)
    sums = np.zeros(6)
    for origin in range(n * 3 // 4, n - day + 1, day // 2):
        known = series.values[:origin]
        found = judged(Load(series.unique_id, series.start_s, series.step_s, known)).forecast
        actual, naive = series.values[origin : origin + day], series.values[origin - day : origin]
        last = known[~np.isnan(known)][-1]
        seen = np.isfinite(actual) & np.isfinite(naive)
        errors = [np.abs(actual - each)[seen].sum() for each in (found.mean, naive, np.nanmean(known), last)]
        sums += np.array([*errors, np.count_nonzero(actual[seen] > found.at(0.95)[seen]), np.count_nonzero(seen)])
    own, naive_mae, mean_mae, last_mae, above, points = sums
    return float(own / naive_mae), float(own / min(mean_mae, last_mae)), float(above / points)


def held(_: list[str]) -> int:
    """Print how the public series are forecast without any look at what is forecast; 2 where their folder is not told."""
    folder = os.environ.get("SCHEDPLAN_DATA")
    if folder is None:
        print("set SCHEDPLAN_DATA to the folder with the public data", file=sys.stderr)
        return 2
    print(f"{'series':20} MAE / seasonal naive  / best of mean and last  above P95")
    for spec in PUBLIC:
        ratio, plain, above = held_out(public_series(spec, Path(folder) / "timeseries"))
        print(f"{spec.name:20} {ratio:20.3f} {plain:24.3f} {above:10.3f}", flush=True)
    return 0


def many(arguments: list[str]) -> int:
    """Print what many series take in wall time, and the memory of the largest process."""
    import resource

    from schedplan.forecast.batch import Asked, forecast_each
    from schedplan.forecast.options import ForecastOptions

    asked = [Asked(generated(8, 3600, seed), ForecastOptions(24)) for seed in range(int(arguments[0]) if arguments else 1000)]
    begin_s = perf_counter()
    results = forecast_each(asked)
    wall_s = perf_counter() - begin_s
    done = sum(np.isfinite(result.forecast.mean).all() for result in results)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{done} of {len(asked)} series forecast in {wall_s:.1f} s wall; processes took {usage.ru_utime:.1f} CPU s,"
        f" the largest {usage.ru_maxrss / 1024:.0f} MiB"
    )
    return 0


def _on_grid(times: list[datetime], values: NDArray[np.float64], step_s: int) -> NDArray[np.float64]:
    at = [round((time - times[0]).total_seconds() / step_s) for time in times]
    grid = np.full(at[-1] + 1, np.nan)
    grid[at] = values
    return grid


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "cost": cost,
    "engines": engines,
    "accuracy": accuracy,
    "held-out": held,
    "many": many,
}


def main(arguments: list[str]) -> int:
    """Run one of the five; 2 where it is none of them."""
    if not arguments or arguments[0] not in COMMANDS:
        print(f"say which: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
