"""Demand derived from jobs: exact means per interval, groups that add up, and what is not counted."""

from __future__ import annotations

import csv
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedplan.errors import InputError
from schedplan.forecast.job_demand import Grouping, job_demand, mean_in_use
from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import forecast_series
from schedplan.ingest.philly import Philly
from schedplan.ingest.reader import ReadOptions
from schedplan.model.workload import Job, JobKind, JobState, WorkerShape
from schedplan.tables.convert import content
from schedplan.tables.holdings import holdings

HOUR = 3600
DAY_S = 1_512_086_400  # 2017-12-01T00:00:00Z
DONE = JobState.COMPLETED


def job(name: str, submit_h: float, hours: float, gpus: float = 1.0, workers: int = 1, **more: object) -> Job:
    at_s = DAY_S + round(submit_h * HOUR)
    shape = WorkerShape(gpus=gpus, accelerators=more.pop("accelerators", ()))  # type: ignore[arg-type]
    state = more.pop("state", DONE)
    return Job(name, submit_s=at_s, runtime_minutes=hours * 60, workers=workers, shape=shape, state=state, **more)  # type: ignore[arg-type]


def values(*jobs: Job, step_s: int = HOUR) -> list[float]:
    (series,) = job_demand(jobs, step_s, UTC).series
    return series.values.tolist()


def test_an_interval_has_the_mean_weighted_by_time():
    # a: 2 devices 00:00-01:30; b: 4 devices 01:15-02:15; c marks the end at 03:00
    # 00-01: 2; 01-02: 2*0.5 + 4*0.75 = 4; 02-03: 4*0.25 = 1
    jobs = (job("a", 0, 1.5, 2), job("b", 1.25, 1, workers=4), job("c", 3, 1))

    assert [2.0, 4.0, 1.0] == values(*jobs)


def test_a_level_that_fell_to_zero_is_zero():
    # a third of a device is no binary fraction; six of them come and go
    jobs = (*(job(f"a{idx}", idx / 7, 1 / 7, 1 / 3) for idx in range(6)), job("z", 3, 1))

    assert 0.0 == values(*jobs)[2]


def test_the_first_and_the_last_interval_are_whole():
    # the first job begins at 00:30, the newest at 03:59: 01-02 and 02-03 are whole
    (series,) = job_demand((job("a", 0.5, 1), job("b", 3.98, 9)), HOUR, UTC).series

    assert (DAY_S + HOUR, [0.5, 0.0]) == (series.start_s, series.values.tolist())


def test_a_stated_start_and_end_count_and_not_the_submission():
    waited = Job("a", submit_s=DAY_S, start_s=DAY_S + HOUR, end_s=DAY_S + 2 * HOUR, state=DONE, shape=WorkerShape(gpus=1))

    assert [1.0, 0.0] == values(waited, job("b", 3, 1))


def test_pending_jobs_use_nothing_and_what_is_not_known_is_counted():
    waiting = job("w", 0, 9, 8, state=JobState.PENDING)
    later = job("l", 50, 9, 8, state=JobState.PENDING)

    demand = job_demand((job("a", 0, 1), waiting, later, Job("x", state=DONE), job("b", 2, 1)), HOUR, UTC)

    assert [1.0, 0.0] == demand.series[0].values.tolist()
    told = "\n".join(demand.notes)
    assert "2 pending jobs have not begun" in told
    assert "1 jobs state no time or no length" in told
    assert "2 jobs state no start" in told


def test_groups_add_up_and_share_their_intervals():
    jobs = (
        job("a", 0, 1, 2, tenant="t1", kind=JobKind.TRAINING, accelerators=("A100", "H100")),
        job("b", 0.5, 1, 1, tenant="t2"),
        job("c", 4, 1, tenant="t1"),
    )

    total = job_demand(jobs, HOUR, UTC).series[0].values
    for by, names in (
        (Grouping.TENANT, ["tenant=t1", "tenant=t2"]),
        (Grouping.KIND, ["kind=batch", "kind=training"]),
        (Grouping.ACCELERATOR, ["accelerator=A100|H100", "accelerator=any"]),
    ):
        series = job_demand(jobs, HOUR, UTC, by).series
        assert names == [one.unique_id for one in series]
        assert np.array_equal(total, sum(one.values for one in series))


def test_cores_count_where_no_job_asks_for_a_device():
    cores = Job("a", submit_s=DAY_S, runtime_minutes=60, workers=3, shape=WorkerShape(cpus=2), state=DONE)

    (series,) = job_demand((cores, job("b", 1, 1, 0)), HOUR, UTC).series

    assert ("cpus", "cpus", [6.0]) == (series.unique_id, series.unit, series.values.tolist())


def test_intervals_lie_on_the_clock_of_the_project():
    (series,) = job_demand((job("a", 0.25, 9), job("b", 3, 1)), HOUR, ZoneInfo("Asia/Kolkata")).series

    # 00:15 UTC is 05:45 at +05:30; the next whole hour there is 00:30 UTC
    assert DAY_S + HOUR // 2 == series.start_s


@pytest.mark.parametrize(
    ("jobs", "step_s", "word"),
    [
        ((job("a", 0, 1, state=JobState.PENDING),), HOUR, "no job has begun"),
        ((job("a", 0, 1), job("b", 0.5, 1)), HOUR, "longer than the log"),
        ((job("a", 0, 1), job("b", 1e5, 1)), 1, "too short"),
        ((job("a", 0, 1, 0), job("b", 9, 1, 0)), HOUR, "asks for a device or a core"),
    ],
)
def test_too_little_to_tell_is_refused(jobs, step_s, word):
    with pytest.raises(InputError, match=word) as refused:
        job_demand(jobs, step_s, UTC)
    assert refused.value.hint


@given(
    st.lists(st.tuples(st.integers(-50, 150), st.integers(0, 120), st.integers(0, 9)), max_size=12),
    st.integers(1, 20),
    st.integers(1, 8),
)
def test_the_mean_is_that_of_counting_second_by_second(held, step_s, n_steps):
    start = np.array([start for start, _, _ in held], dtype=np.int64)
    end = start + np.array([length for _, length, _ in held], dtype=np.int64)
    amounts = np.array([amount * 1_000_000 for _, _, amount in held], dtype=np.int64)
    by_second = [sum(n for a, length, n in held if a <= second < a + length) for second in range(step_s * n_steps)]
    expected = np.array(by_second, dtype=np.float64).reshape(n_steps, step_s).sum(axis=1) / step_s

    assert np.array_equal(expected, mean_in_use(start, end, amounts, 0, step_s, n_steps))


def _philly(shared_data: Path) -> tuple[Job, ...]:
    return content(Philly().read(shared_data / "traces" / "philly_2017_vcA.csv.gz", ReadOptions())).jobs


@pytest.mark.real_data
def test_philly_has_the_levels_of_the_stored_hourly_file(shared_data):
    """The stored file has, per hour, the plain mean of the levels right after each instant of change, and repeats it over hours
    without any; so the same levels must give its figures, while ours weights each level by how long it lasted."""
    with (shared_data / "timeseries" / "philly_hourly_vcA.csv").open(newline="", encoding="utf-8") as file:
        stored = np.array([float(row["gpus_in_use_if_started_at_submit"]) for row in csv.DictReader(file)])
    jobs = _philly(shared_data)
    held = holdings(jobs)
    devices = np.array([job.workers * job.shape.gpus for job in held.jobs])
    instants, inverse = np.unique(np.concatenate([held.start_s, held.end_s]), return_inverse=True)
    level = np.cumsum(np.bincount(inverse, np.concatenate([devices, -devices])))
    first_s = instants[0] // HOUR * HOUR
    hour = (instants - first_s) // HOUR
    n_changes = np.bincount(hour, minlength=len(stored))[: len(stored)]
    plain = np.bincount(hour, level, minlength=len(stored))[: len(stored)] / np.maximum(n_changes, 1)
    repeated = plain[np.maximum.accumulate(np.where(n_changes > 0, np.arange(len(stored)), 0))]

    assert np.abs(stored - repeated).max() <= 5.001e-4

    (series,) = job_demand(jobs, HOUR, UTC).series
    # the stored file begins with the hour of the first job and ends with that of the last; ours with the whole hours between
    assert (first_s + HOUR, len(stored) - 2) == (series.start_s, len(series.values))
    last = np.searchsorted(instants, series.start_s + HOUR * np.arange(len(series.values)), side="right") - 1
    quiet = n_changes[1:-1] == 0
    assert quiet.any()
    assert np.array_equal(level[last][quiet], series.values[quiet])
    # 220 devices on average if nothing waited: device-seconds of all jobs over the length of the log
    assert 220 == pytest.approx(series.values.mean(), abs=0.5)


@pytest.mark.real_data
def test_philly_demand_has_no_season_forced_on_it(shared_data):
    (series,) = job_demand(_philly(shared_data), HOUR, UTC).series

    result = forecast_series(series, ForecastOptions(24))

    assert result.quality.verdict.startswith("no season found")
    tried = {score.model: score.mae for score in result.scores}
    assert min(tried.values()) == tried[result.forecast.model]
    assert tried["seasonal-naive-168"] > 1.5 * tried[result.forecast.model]
