"""Run-time estimates on the past: nothing of the future, both yardsticks, and what a plan or replay makes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schedplan import api
from schedplan.forecast.runtime_backtest import (
    HISTORY,
    LAST,
    LEVELS,
    LIMIT,
    RuntimeBacktest,
    as_submitted,
    ended_jobs,
    judge_runtimes,
)
from schedplan.forecast.runtime_estimates import guesses, open_estimates, with_estimates
from schedplan.forecast.runtime_history import Memory
from schedplan.model.workload import Job, JobState, WorkerShape
from schedplan.workflows.ingest import ingest_files

HOUR = 3600


def job(number: int, minutes: float, user: str = "ada", limit: float | None = 240.0) -> Job:
    """Return a job submitted at an hour of its own and started at once."""
    start_s = number * HOUR
    return Job(
        f"j{number}",
        user=user,
        state=JobState.COMPLETED,
        submit_s=start_s,
        start_s=start_s,
        end_s=start_s + round(minutes * 60),
        shape=WorkerShape(gpus=1.0),
        time_limit_minutes=limit,
    )


def log(n_jobs: int = 400) -> tuple[Job, ...]:
    """Two users: one whose jobs run 5 to 15 minutes, one whose jobs run 20 to 40, limits of four hours."""
    random = np.random.default_rng(0)
    rows = [(("ada", 5.0), ("bob", 20.0))[number % 2] for number in range(n_jobs)]
    return tuple(job(number, least * (1 + 2 * random.random()), user) for number, (user, least) in enumerate(rows))


def test_history_beats_limit_and_last_job():
    found = judge_runtimes(log())
    own, limit, last = (found.score(way) for way in (HISTORY, LIMIT, LAST))

    # of even run times over a range of w the best pinball at q is w q (1 - q) / 2; ranges of 10 and 40, 25 in the mean: 3.1 at the
    # median. A random earlier job instead errs by w / 3 in the mean, half of that at the median: 4.2. The limit errs by about 215.
    assert 200 == found.judged == own.jobs == limit.jobs == last.jobs
    assert 3.1 == pytest.approx(own.pinball_minutes[0], rel=0.15)
    assert 4.2 == pytest.approx(last.pinball_minutes[0], rel=0.15)
    assert limit.pinball_minutes[0] > 90
    assert (1.0,) * 4 == limit.coverage
    assert list(LEVELS) == pytest.approx(list(own.coverage), abs=0.07)


def test_only_what_has_ended_is_known():
    # the first job ends after the second is submitted
    jobs = (job(0, 90.0), job(1, 5.0), job(2, 5.0))
    known = [history.estimate(each.job, (0.5,)).jobs for each, history, _ in as_submitted(ended_jobs(jobs), Memory())]

    assert [0, 0, 2] == known


def test_the_future_changes_no_estimate():
    jobs = log(100)
    other = (*jobs[:60], *(replace(each, end_s=each.end_s + 7200) for each in jobs[60:]))
    memory = Memory()

    def estimates(some: tuple[Job, ...]) -> list[list[float]]:
        rows = [history.estimate(each.job, LEVELS) for each, history, _ in as_submitted(ended_jobs(some), memory)]
        return [row.minutes.tolist() for row in rows[:61]]

    assert estimates(jobs) == estimates(other)


def test_the_order_of_rows_changes_nothing():
    jobs = log(100)

    assert judge_runtimes(jobs) == judge_runtimes(jobs[::-1])


def test_too_few_jobs_are_not_judged():
    assert () == judge_runtimes(log(10)).scores


def test_a_waiting_job_is_planned_for_the_quantile_asked_for():
    waiting = replace(job(500, 1.0), name="next", state=JobState.PENDING, start_s=None, end_s=None)
    stated = replace(waiting, name="stated", runtime_minutes=7.0)
    jobs, notes = with_estimates((*log(), waiting, stated), 0.9, 500 * HOUR)
    estimated = {each.name: each.runtime_minutes for each in jobs}

    # ada's jobs run 5 to 15 minutes evenly: nine tenths of them 14 at most
    assert 14.0 == pytest.approx(estimated["next"], abs=0.8)
    assert 7.0 == estimated["stated"]
    assert "the P90 of 200 ended jobs" in notes[0]
    assert ((waiting,), ()) == with_estimates((waiting,), None, 0)


def test_without_like_jobs_a_job_keeps_its_limit():
    waiting = replace(job(500, 1.0), state=JobState.PENDING, start_s=None, end_s=None)

    assert ((waiting,), ()) == with_estimates((waiting,), 0.9, 0)


def test_what_is_known_is_known_at_the_start_of_the_plan():
    waiting = replace(job(0, 1.0), name="next", state=JobState.PENDING, start_s=None, end_s=None)

    # nothing has ended by the end of the first hour but the first job
    (one,) = open_estimates((*log(), waiting), at_s=HOUR)
    assert 1 == one.estimate.jobs


def test_guesses_of_a_log_stay_within_the_limit():
    found = guesses(log(), 0.9)

    assert 240.0 == found["j0"]
    assert all(minutes <= 240.0 for minutes in found.values())
    assert {} == guesses(log(), None)


@pytest.mark.real_data
def test_slurm_log_of_open_xdmod(shared_data: Path, tmp_path: Path) -> None:
    found = _judged(shared_data / "slurm" / "xdmod_phillips_sacct.log.gz", tmp_path)
    own, limit, last = (found.score(way) for way in (HISTORY, LIMIT, LAST))

    assert own is not None
    assert limit is not None
    assert last is not None
    assert own.mean_pinball_minutes < last.mean_pinball_minutes < limit.mean_pinball_minutes
    assert list(own.coverage[1:]) == pytest.approx(list(LEVELS[1:]), abs=0.05)


@pytest.mark.real_data
def test_philly(shared_data: Path, tmp_path: Path) -> None:
    found = _judged(shared_data / "traces" / "philly_2017_vcA.csv.gz", tmp_path)
    own, last = found.score(HISTORY), found.score(LAST)

    assert own is not None
    assert last is not None
    assert found.score(LIMIT) is None
    assert own.mean_pinball_minutes < 0.85 * last.mean_pinball_minutes
    assert list(own.coverage) == pytest.approx(list(LEVELS), abs=0.05)


def _judged(file: Path, folder: Path) -> RuntimeBacktest:
    ingest_files((file,), folder / "log", timezone="UTC", renames=(), reader="auto", force=False)
    return judge_runtimes(api.project(folder / "log").content.jobs)
