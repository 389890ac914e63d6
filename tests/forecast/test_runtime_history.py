"""How long a job is expected to run, from like jobs that ended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.forecast.runtime_history import Memory, RuntimeHistory, ended_s, groups, ran_minutes
from schedplan.model.workload import Job, JobState, WorkerShape

LEVELS = (0.5, 0.9)
ALIKE = Memory(half_life=1e9, prior=1.0)  # nothing is forgotten: masses can be counted by hand
JOB = Job("train-7", tenant="lab", user="ada", shape=WorkerShape(gpus=1.0), time_limit_minutes=600.0)


def told(*minutes: float, job: Job = JOB, memory: Memory = ALIKE) -> RuntimeHistory:
    history = RuntimeHistory(memory)
    for each in minutes:
        history.add(job, each)
    return history


def test_without_history_it_is_the_limit():
    estimate = told().estimate(JOB, LEVELS)

    assert [600.0, 600.0] == estimate.minutes.tolist()
    assert estimate.is_limit


def test_without_history_and_limit_there_is_none():
    assert None is told().estimate(replace(JOB, time_limit_minutes=None), LEVELS)


def test_quantiles_of_like_jobs():
    # nine jobs of 10 minutes and one of 100 in each of six groups: the limit keeps next to nothing; nine tenths ran 10
    # minutes, so the median and P80 do, and the P95 is the long one
    estimate = told(*[10.0] * 9, 100.0).estimate(JOB, (0.5, 0.8, 0.95))

    assert [10.0, 10.0, 100.0] == estimate.minutes.tolist()
    assert ("name", 10) == (estimate.basis, estimate.jobs)


def test_a_coarser_group_answers_for_who_has_not_run_yet():
    other = replace(JOB, user="bob", name="eval-1", time_limit_minutes=None)

    estimate = told(5.0, 5.0, 5.0).estimate(other, LEVELS)

    assert ("tenant", 3) == (estimate.basis, estimate.jobs)


def test_the_newest_weigh_most():
    # with a half-life of one job the newest weighs as much as all before it
    estimate = told(100.0, 100.0, 1.0, 1.0, memory=Memory(half_life=1.0, prior=0.01)).estimate(JOB, LEVELS)

    assert [1.0, 100.0] == estimate.minutes.tolist()


def test_nothing_is_expected_beyond_the_limit():
    assert [20.0, 20.0] == told(500.0, 500.0).estimate(replace(JOB, time_limit_minutes=20.0), LEVELS).minutes.tolist()


def test_a_job_that_runs_is_like_those_that_ran_longer():
    estimate = told(10.0, 10.0, 10.0, 50.0).estimate(JOB, LEVELS, ran_minutes=20.0)

    assert 50.0 == estimate.minutes[0]


def test_levels_are_read_where_so_many_ended_before():
    # of ten earlier jobs nine ran longer than 90 % of their likes: the median is read there, at the longest of ten
    biased = replace(ALIKE, ranks=(0.0, *[0.9] * 9))

    assert [10.0] == told(*[10.0] * 9, 100.0).estimate(JOB, (0.5,)).minutes.tolist()
    assert [100.0] == told(*[10.0] * 9, 100.0, memory=biased).estimate(JOB, (0.5,)).minutes.tolist()


def test_the_rank_is_the_share_that_ran_shorter():
    free = replace(JOB, time_limit_minutes=None)

    assert 0.5 == pytest.approx(told(1.0, 2.0, 3.0, 4.0, job=free).rank(free, 3.0))


def test_numbers_in_a_name_are_no_words():
    keys = {dict(groups(replace(JOB, name=name)))["name"] for name in ("train-7", "train_12", "train")}

    assert 1 == len(keys)
    assert "name" not in dict(groups(replace(JOB, name="163485")))


@pytest.mark.parametrize(
    ("job", "minutes", "end"),
    [
        (replace(JOB, state=JobState.COMPLETED, start_s=0, end_s=600), 10.0, 600),
        (replace(JOB, state=JobState.FAILED, submit_s=60, runtime_minutes=5.0), 5.0, 360),
        (replace(JOB, state=JobState.RUNNING, start_s=0, runtime_minutes=5.0), None, None),
        (replace(JOB, state=JobState.CANCELLED), None, None),
        (replace(JOB, state=JobState.CANCELLED, start_s=600, end_s=600), None, 600),
    ],
)
def test_what_the_past_says(job, minutes, end):
    assert (minutes, end) == (ran_minutes(job), ended_s(job))


def test_estimates_never_fall_with_the_level():
    history = told(*np.random.default_rng(0).exponential(60.0, 300))

    assert (np.diff(history.estimate(JOB, tuple(np.linspace(0.01, 0.99, 50))).minutes) >= 0).all()
