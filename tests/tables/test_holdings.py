"""When jobs held what they ask for: from what is stated, by the rule for each thing that is not."""

from __future__ import annotations

import pytest

from schedplan.model.workload import Job, JobState
from schedplan.tables.holdings import holdings


def held(*jobs: Job) -> list[tuple[int, int]]:
    found = holdings(jobs)
    return list(zip(found.start_s.tolist(), found.end_s.tolist(), strict=True))


@pytest.mark.parametrize(
    ("job", "interval"),
    [
        (Job("a", submit_s=0, start_s=100, end_s=160, runtime_minutes=9), (100, 160)),
        (Job("a", submit_s=0, start_s=100, runtime_minutes=1), (100, 160)),
        (Job("a", submit_s=40, runtime_minutes=1), (40, 100)),
        # the end is later than the run is long: it waited, but since when it ran is not stated
        (Job("a", submit_s=40, end_s=400, runtime_minutes=1), (40, 100)),
        (Job("a", submit_s=40, end_s=400), (40, 400)),
    ],
)
def test_an_interval_is_what_is_stated(job, interval):
    assert [interval] == held(job)


def test_what_runs_on_holds_up_to_the_newest_instant():
    running = Job("a", start_s=100, state=JobState.RUNNING)

    assert [(100, 500)] == held(running, Job("b", submit_s=500))


def test_jobs_without_time_or_length_are_counted():
    found = holdings((Job("a"), Job("b", submit_s=1), Job("c", start_s=1), Job("d", submit_s=1, runtime_minutes=2)))

    assert (("d",), 1, 3) == (tuple(job.name for job in found.jobs), found.from_submission, found.without_interval)


def test_no_job_holds_nothing():
    assert [] == held()


def test_seconds_survive_their_way_through_minutes():
    # 7 s are 0.11666... min, which times 60 is not exactly 7
    assert [(0, 7)] == held(Job("a", submit_s=0, runtime_minutes=7 / 60))
