from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.checkpoints import checkpointing
from schedplan.measures.runs import runs_of
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

SPOT = Pool("spot", gpus=1, market=Market.SPOT, min_count=0, price_per_hour=1.0, interruptions_per_hour=0.1)
JOB = Job("j", shape=WorkerShape(gpus=1), runtime_minutes=600.0, spot_ok=True, checkpoint_minutes=15.0, checkpoint_cost_minutes=6.0)


def solved(job, pool=SPOT):
    problem = Problem("p", TimeGrid.regular(0, 60, 12), Cluster((pool,)), (job,))
    return problem, Decisions((JobPart("j", "spot", 0, 1),), (), np.ones((1, 12), dtype=np.bool_))


def told(job, pool=SPOT):
    return checkpointing(runs_of(*solved(job, pool))[0])


def test_fewer_checkpoints_save_rework():
    # C = 0.1 h, M = 10 h: best 1.348 h. Rework M (e^((tau + C)/M) - 1) W/tau - W:
    # every 15 min 10 (e^0.035 - 1) 40 - 10 = 4.248 h; every 1.348 h 10 (e^0.1448 - 1) 7.418 - 10 = 1.557 h
    found = told(JOB)

    assert found.best_h == pytest.approx(1.348, abs=1e-3)
    assert (found.rework_h, found.best_rework_h) == (pytest.approx(4.248, abs=1e-3), pytest.approx(1.557, abs=1e-2))
    assert found.is_worth_telling


def test_a_plan_says_what_a_better_interval_saves():
    (warning,) = [warning for warning in account(*solved(JOB)).warnings if "checkpoint" in warning]

    assert warning == (
        "job j: it writes a checkpoint every 15 min; one every 80.9 min would save 2.7 h of the 4.2 h of rework that are expected "
        "on spot"
    )


def test_a_short_run_is_best_without_any():
    # half an hour of work: any checkpoint costs 6 min, and the chance of a loss is 5 %
    found = told(replace(JOB, runtime_minutes=30.0))

    assert found.best_h is None


@pytest.mark.parametrize(
    ("changes", "rate"), [({"checkpoint_cost_minutes": 0.0}, 0.1), ({}, 0.0)], ids=["costs nothing", "no interruptions"]
)
def test_without_costs_or_losses_no_interval_is_best(changes, rate):
    assert told(replace(JOB, **changes), replace(SPOT, interruptions_per_hour=rate)) is None
