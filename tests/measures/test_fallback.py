from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600
SPOT = Pool("spot", accelerator="A", gpus=1, market=Market.SPOT, min_count=0, price_per_hour=1.0, interruptions_per_hour=0.05)
OD = Pool("od", accelerator="A", gpus=1, market=Market.ON_DEMAND, min_count=0, price_per_hour=3.0)
JOB = Job("j", shape=WorkerShape(gpus=1), runtime_minutes=120.0, deadline_s=T0 + 4 * H, spot_ok=True, checkpoint_minutes=30.0)


def fall_back(job, od=OD, others=(), start=0):
    """(fallback pool, hours until the switch, warnings) of a job on the spot node; others (name, start) stand on the other."""
    work = tuple(Job(name, shape=WorkerShape(gpus=1), runtime_minutes=60.0) for name, _ in others)
    problem = Problem("p", TimeGrid.regular(T0, 60, 4), Cluster((od, SPOT)), (job, *work))
    parts = (JobPart("j", "spot", start, 1), *(JobPart(name, "od", at, 1) for name, at in others))
    found = account(problem, Decisions(parts, (), np.ones((2, 4), dtype=np.bool_)))
    row = next(row for row in found.placements if row.job == "j")
    return row.fallback_pool, None if row.switch_by_s is None else (row.switch_by_s - T0) / H, found.warnings


def test_with_two_hours_of_slack_a_switch_is_safe_to_the_end_of_the_run():
    # Nothing lost is ever more than 30 min + what is left; the run ends at 02:00.
    assert fall_back(JOB) == ("od", 2.0, ())


@pytest.mark.parametrize(
    ("deadline_h", "startup", "restart", "until_h"),
    [
        (2.25, 0, 0, 0.25),  # slack 15 min: in the first half hour nothing is saved, 2.25 - 2 = 0.25; after it a gap
        (2.5, 0, 0, 2.0),  # slack = the checkpoint interval: safe throughout
        (2.5, 15, 0, 0.25),  # start-up takes 15 of the 30 min
        (2.5, 15, 6, 0.15),  # a restart another 6
        (2.0, 0, 0, 0.0),  # no slack: only before it begins
    ],
)
def test_the_latest_safe_switch(deadline_h, startup, restart, until_h):
    job = replace(JOB, deadline_s=T0 + int(deadline_h * H), restart_minutes=float(restart))

    assert fall_back(job, replace(OD, startup_minutes=float(startup)))[:2] == ("od", pytest.approx(until_h))


def test_without_checkpoints_only_the_slack_is_there():
    assert fall_back(replace(JOB, checkpoint_minutes=None, deadline_s=T0 + 3 * H))[:2] == ("od", 1.0)


def test_a_switch_that_is_too_late_from_the_start_is_no_fallback():
    found = fall_back(replace(JOB, deadline_s=T0 + 2 * H), replace(OD, startup_minutes=5.0))

    assert found[:2] == (None, None)
    assert found[2][1] == "job j: no fallback in time: pool od has room for it, but a switch is too late from the start"


def test_a_pool_that_is_full_in_one_slot_of_the_window_is_no_fallback():
    found = fall_back(JOB, others=[("k", 3)])

    assert found == (
        None,
        None,
        (
            "job j: no full fallback: it needs 1 devices should its spot nodes be taken away; pool od has 0 left at worst "
            "(2026-12-01 03:00+00:00)",
            # the earliest instant at which most is lost: just before the first checkpoint
            "pool spot: should all of it go at 2026-12-01 00:30+00:00 and not come back, 1 of 1 jobs there would miss their "
            "deadline: j; other pools have room and time for 0",
        ),
    )


def test_work_after_the_deadline_does_not_stand_in_the_way():
    assert fall_back(replace(JOB, deadline_s=T0 + 3 * H), others=[("k", 3)])[0] == "od"


@pytest.mark.parametrize("od", [replace(OD, accelerator="B"), replace(OD, market=Market.SPOT), replace(OD, gpus=0)])
def test_another_device_or_market_is_no_fallback(od):
    found = fall_back(JOB, od)

    assert found[:2] == (None, None)
    assert found[2][0].endswith("no other pool outside spot may hold it")


def test_a_job_without_deadline_or_off_spot_asks_for_none():
    assert fall_back(replace(JOB, deadline_s=None)) == (None, None, ())


def test_the_day_says_its_zero_slack_and_its_missing_fallback(day, day_plan):
    # From 02:00 to 06:00 the services hold 1, 1, 1, 2 of 10 on-demand nodes; e^(-0.1 x 4) = 67.0 %.
    found = account(day, day_plan)

    assert found.warnings == (
        "job nightly: slack 0 h on spot: it must run from 2026-12-01 02:00+00:00 to 2026-12-01 06:00+00:00 without a break on 10 "
        "nodes; the chance that none is taken away is 67.0% (0.1 interruptions/h of the gang for 4 h)",
        "job nightly: no full fallback: it needs 10 devices should its spot nodes be taken away; pool od has 8 left at worst "
        "(2026-12-01 05:00+00:00)",
        "pool spot: should all of it go at 2026-12-01 02:30+00:00 and not come back, 1 of 1 jobs there would miss their deadline: "
        "nightly; other pools have room and time for 0",
    )


def test_devices_in_sum_are_no_fallback_for_workers_that_need_a_node_each():
    # two nodes of two devices, one taken on each: two are free in sum, and no node has two
    od = replace(OD, gpus=2, count=2, max_count=2)
    spot = replace(SPOT, gpus=2)
    job = replace(JOB, shape=WorkerShape(gpus=2))
    others = tuple(Job(name, shape=WorkerShape(gpus=1), runtime_minutes=240.0) for name in ("k", "l"))
    problem = Problem("p", TimeGrid.regular(T0, 60, 4), Cluster((od, spot)), (job, *others))
    parts = (JobPart("j", "spot", 0, 1), JobPart("k", "od/1", 0, 1), JobPart("l", "od/2", 0, 1))
    found = account(problem, Decisions(parts, (), np.ones((3, 4), dtype=np.bool_)))

    assert [row.fallback_pool for row in found.placements if row.job == "j"] == [None]
    assert found.warnings[0].endswith("but not on nodes that could hold its workers until the deadline")
