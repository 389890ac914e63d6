"""The loss of a whole spot pool: who misses a deadline at the worst instant, and whom other pools take."""

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.costs import Prices
from schedplan.measures.pool_loss import loss_at, pool_losses
from schedplan.measures.runs import fleets_of, runs_of
from schedplan.measures.usage import usage_of
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600
SPOT = Pool("spot", accelerator="A", gpus=2, market=Market.SPOT, min_count=0, price_per_hour=1.0, interruptions_per_hour=0.05)
OD = Pool("od", accelerator="A", gpus=1, market=Market.ON_DEMAND, min_count=0, price_per_hour=3.0)


def a_job(name, deadline_h, **fields):
    given = {"shape": WorkerShape(gpus=1), "runtime_minutes": 120.0, "spot_ok": True, "checkpoint_minutes": 60.0}
    return Job(name, deadline_s=T0 + round(deadline_h * H), **(given | fields))


def lost(jobs, starts, od=OD):
    """(hours until the worst instant, who misses, who goes where) of the spot pool."""
    problem = Problem("p", TimeGrid.regular(T0, 60, 6), Cluster((od, SPOT)), tuple(jobs))
    parts = tuple(JobPart(job.name, "spot", start, 1) for job, start in zip(jobs, starts, strict=True))
    decisions = Decisions(parts, (), np.ones((2, 6), dtype=np.bool_))
    runs = runs_of(problem, decisions)
    (found,) = pool_losses(problem, runs, usage_of(problem, runs, fleets_of(problem, decisions)), Prices.of(problem))
    return (found.instant_s - T0) / H, found.missed, found.covered


def test_one_device_elsewhere_saves_one_of_two_jobs():
    # both lose an hour at most and have an hour of slack; od has one device, which the earlier deadline gets
    assert lost([a_job("a", 4), a_job("b", 3)], [0, 0]) == (1.0, ("a",), (("b", "od"),))


def test_slack_below_a_checkpoint_interval_is_lost_just_before_the_checkpoint():
    # half an hour of slack: at 01:00, before the checkpoint is written, two hours of work are left and 1.5 h of time
    assert lost([a_job("a", 2.5)], [0]) == (1.0, ("a",), ())


def test_with_slack_for_an_interval_nothing_is_missed():
    assert lost([a_job("a", 3)], [0])[1:] == ((), (("a", "od"),))


@pytest.mark.parametrize(("startup", "covered"), [(60.0, (("a", "od"), ("b", "od"))), (61.0, (("b", "od"),))])
def test_a_job_that_has_not_begun_starts_elsewhere(startup, covered):
    # b runs for the first hour and has time enough; a starts at 02:00 without slack. Lost at 01:00, od must be up an hour later
    od = replace(OD, startup_minutes=startup, max_count=2, count=2)
    jobs = (a_job("a", 4), a_job("b", 6, runtime_minutes=60.0, checkpoint_minutes=None))
    problem = Problem("p", TimeGrid.regular(T0, 60, 6), Cluster((od, SPOT)), jobs)
    decisions = Decisions((JobPart("a", "spot", 2, 1), JobPart("b", "spot", 0, 1)), (), np.ones((3, 6), dtype=np.bool_))
    runs = runs_of(problem, decisions)
    found = loss_at(problem, SPOT, runs, usage_of(problem, runs, fleets_of(problem, decisions)), Prices.of(problem), T0 + H)

    assert covered == found.covered


def test_the_measure_counts_who_misses():
    problem = Problem("p", TimeGrid.regular(T0, 60, 6), Cluster((OD, SPOT)), (a_job("a", 4), a_job("b", 3)))
    parts = (JobPart("a", "spot", 0, 1), JobPart("b", "spot", 0, 1))
    found = account(problem, Decisions(parts, (), np.ones((2, 6), dtype=np.bool_)))
    values = {measure.labels: measure.value for measure in found.measures if measure.name == "pool_loss_missed"}

    assert values == {(): 1.0, (("pool", "spot"),): 1.0}
