"""Run times of open jobs: given, else the limit, else what the call says, else a fault."""

from __future__ import annotations

import pytest

from schedplan.errors import InputError
from schedplan.model.workload import Job, JobState
from schedplan.tables.runtimes import with_runtimes

GIVEN = Job("given", runtime_minutes=60.0, time_limit_minutes=90.0)
LIMITED = Job("limited", time_limit_minutes=90.0)
BARE = Job("bare")


def test_a_run_time_is_given_or_the_limit_or_what_the_call_says():
    jobs, notes = with_runtimes((BARE, GIVEN, LIMITED), 30.0)

    assert [30.0, 60.0, 90.0] == [job.runtime_minutes for job in jobs]
    assert (
        "job bare: run time taken as 30 min, as asked for all jobs without one",
        "job limited: run time taken as 90 min, its time limit",
    ) == notes


def test_history_is_left_aside():
    assert ((), ()) == with_runtimes((Job("old", state=JobState.COMPLETED),))


def test_every_job_without_any_is_named():
    with pytest.raises(InputError, match="--static") as refused:
        with_runtimes((BARE, Job("too"), GIVEN))

    assert ["job bare has no run time", "job too has no run time"] == [fault.message for fault in refused.value.faults]
