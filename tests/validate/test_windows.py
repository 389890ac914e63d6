"""The rules of windows: run times, deadlines and slack."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.model.cluster import Speed
from schedplan.model.findings import Severity
from schedplan.model.workload import DeadlineKind
from schedplan.timegrid import TimeGrid
from tests.validate.judged import JOB, NIGHT, POOL, SPOT, codes, found


def test_a_job_needs_a_run_time_or_a_limit():
    assert ["SP1220"] == codes(found(POOL, jobs=(replace(JOB, runtime_minutes=None),)))
    assert [] == codes(found(POOL, jobs=(replace(JOB, runtime_minutes=None, time_limit_minutes=60.0),)))


@pytest.mark.parametrize(("deadline_s", "expected"), [(3601, []), (3600, ["SP1225"]), (3599, ["SP1221"])])
def test_a_window_shorter_than_the_run(deadline_s, expected):
    job = replace(JOB, earliest_start_s=0, deadline_s=deadline_s)

    assert expected == codes(found(POOL, jobs=(job,)))
    assert [] == codes(found(POOL, jobs=(replace(job, deadline_kind=DeadlineKind.SOFT),)))


def test_zero_slack_of_a_hard_deadline_is_told():
    # from 0 to 3600 s are the 60 min that it runs
    (finding,) = found(POOL, jobs=(replace(JOB, earliest_start_s=0, deadline_s=3600),))

    assert ("SP1225", Severity.WARNING, "job j") == (finding.code, finding.severity, finding.subject)
    assert "it has zero slack before its deadline: 60 min of work in a window of 60 min" == finding.message


def test_a_faster_device_opens_a_window():
    # 60 min at speed 2 are 30 min, in a window of 31
    job = replace(JOB, earliest_start_s=0, deadline_s=1860)

    assert [] == codes(found(POOL, jobs=(job,), speeds=(Speed("A100", "batch", 2.0),)))


def test_zero_slack_on_spot_is_told_with_its_chance():
    # 10 nodes x 0.01 per hour x 4 h: untouched with exp(-0.4) = 67.0 %
    (finding,) = found(SPOT, jobs=(NIGHT,))

    assert ("SP1222", Severity.WARNING) == (finding.code, finding.severity)
    assert "zero slack" in finding.message
    assert "67.0%" in finding.message


def test_slack_beyond_the_expected_rework_is_no_finding():
    # at 0.1 per hour 4 h with checkpoints every half hour lose about (e^0.05 - 1) / 0.1 x 8 - 4 = 0.1 h
    assert ["SP1222"] == codes(found(SPOT, jobs=(replace(NIGHT, deadline_s=4 * 3600 + 300),)))
    assert [] == codes(found(SPOT, jobs=(replace(NIGHT, deadline_s=4 * 3600 + 420),)))
    assert ["SP1225"] == codes(found(replace(SPOT, interruptions_per_hour=0.0), jobs=(NIGHT,)))


def test_a_job_longer_than_the_horizon():
    # 2 slots of 60 min: 120 min hold a job of 120 min and none of 121; at speed 2 the second takes 60.5 min
    grid = TimeGrid.regular(0, 60, 2)
    jobs = (replace(JOB, runtime_minutes=120.0), replace(JOB, name="k", runtime_minutes=121.0))

    (finding,) = found(POOL, jobs=jobs, grid=grid)

    assert ("SP1223", Severity.WARNING, "job k") == (finding.code, finding.severity, finding.subject)
    assert "it runs 121 min on the fastest node that takes it; the whole horizon is 120 min" == finding.message
    assert [] == codes(found(POOL, jobs=jobs, grid=grid, speeds=(Speed("A100", "batch", 2.0),)))
    assert [] == codes(found(POOL, jobs=jobs))


def test_a_hard_deadline_that_is_over_when_the_plan_begins():
    grid = TimeGrid.regular(7200, 60, 24)
    jobs = tuple(replace(JOB, name=name, deadline_s=deadline_s) for name, deadline_s in (("a", 7200), ("b", 3600), ("c", 10860)))

    (finding,) = found(POOL, jobs=jobs, grid=grid)

    # c has a minute more than it runs
    assert ("SP1224", Severity.WARNING, "2 jobs: a, b") == (finding.code, finding.severity, finding.subject)
    assert "1970-01-01T02:00:00Z at the latest" in finding.message
    soft = tuple(replace(job, deadline_kind=DeadlineKind.SOFT) for job in jobs)
    assert [] == codes(found(POOL, jobs=soft, grid=grid))


def test_a_window_begins_with_the_plan():
    job = replace(JOB, deadline_s=5400)

    # from 3600 to 5400 s are 30 min, for 60 min; from 0 they are 90
    assert ["SP1221"] == codes(found(POOL, jobs=(job,), grid=TimeGrid.regular(3600, 60, 24)))
    assert [] == codes(found(POOL, jobs=(job,), grid=TimeGrid.regular(0, 60, 24)))


def test_a_deadline_before_the_release_is_told_by_its_times():
    (finding,) = found(POOL, jobs=(replace(JOB, submit_s=31_500_000, deadline_s=0),))

    assert "SP1221" == finding.code
    assert "its deadline, 1970-01-01T00:00:00Z, is before its release, 1970-12-31T14:00:00Z" == finding.message
