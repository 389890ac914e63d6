from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.baselines import WATERFALL_FROM, baselines, waterfall
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid


def costs(problem, decisions):
    return {baseline.name: baseline.cost for baseline in baselines(problem, decisions)}


def test_the_day_has_its_five_named_baselines(day, day_plan):
    # 24 x (10 x 300 + 10 x 100); 24 x 10 x 300 + 10 x 4 x 300; 24 x 20 x 300; 24 x 8 x 300 + 12,000; the same with 10 x 4 x 100.
    assert costs(day, day_plan) == {
        "whole pool always on": 96_000,
        "on-demand pool always on, jobs on further on-demand nodes": 84_000,
        "all nodes on-demand, always on": 144_000,
        "peak-sized, jobs on-demand": 69_600,
        "peak-sized, jobs where planned": 61_600,
    }


def test_every_baseline_says_what_it_is_made_of(day, day_plan):
    assert [baseline.description for baseline in baselines(day, day_plan)] == [
        "10 nodes of od (on_demand), 10 nodes of spot (spot), in every slot",
        "10 nodes of od (on_demand) in every slot; 1 job on further on-demand nodes",
        "20 nodes at the on-demand price, in every slot",
        "8 nodes for the services' peak in every slot; 1 job on on-demand nodes",
        "8 nodes for the services' peak in every slot; 1 job where the plan has them",
    ]


def test_the_waterfall_leads_from_84000_to_the_plan(day, day_plan):
    # 10 -> 8 nodes: -14,400; 192 -> 107 node-hours: -25,500; 40 h at 100 for 300: -8,000; rework 101.69.
    steps = waterfall(day, day_plan)
    start = costs(day, day_plan)[WATERFALL_FROM]
    plan = account(day, day_plan).goals.cost

    assert [(step.name, step.amount) for step in steps[:3]] == [("right-size", -14_400), ("elasticity", -25_500), ("spot", -8_000)]
    assert [step.name for step in steps[3:]] == ["rework"]
    assert start + sum(step.amount for step in steps) == pytest.approx(plan, abs=1e-6)


def test_what_the_steps_do_not_explain_is_told_as_other(day, day_plan):
    # One more on-demand node on without work for an hour.
    on = day_plan.on.copy()
    on[9, 0] = True
    decisions = replace(day_plan, on=on)
    steps = waterfall(day, decisions)

    assert (steps[-1].name, steps[-1].amount) == ("other", pytest.approx(300))
    assert costs(day, decisions)[WATERFALL_FROM] + sum(step.amount for step in steps) == pytest.approx(
        account(day, decisions).goals.cost
    )


def one_job(pool, *others):
    """A problem of a job of half a node for two of four hours on the first pool."""
    job = Job("j", workers=2, shape=WorkerShape(gpus=1), runtime_minutes=120.0, spot_ok=True)
    pools = tuple(sorted((pool, *others), key=lambda pool: pool.name))
    problem = Problem("p", TimeGrid.regular(0, 60, 4), Cluster(pools), (job,))
    on = np.array([[row.market.is_sunk or row.name == pool.name] * 4 for row in pools])
    return problem, Decisions((JobPart("j", pool.name, 0, 2),), (), on)


def test_without_rented_nodes_there_is_nothing_to_compare():
    found = one_job(Pool("own", gpus=4, price_per_hour=2.0))

    assert baselines(*found) == ()
    assert waterfall(*found) == ()


def test_without_an_on_demand_pool_only_the_whole_pool_is_left():
    found = one_job(Pool("spot", gpus=4, market=Market.SPOT, min_count=0, price_per_hour=2.0))

    assert costs(*found) == {"whole pool always on": 8.0}
    assert waterfall(*found) == ()


def test_sunk_nodes_are_in_every_baseline_and_jobs_on_them_stay():
    # 4 x 5 for the owned node, 4 x 8 for the on-demand one; the job adds nothing.
    od = Pool("od", gpus=4, market=Market.ON_DEMAND, min_count=0, price_per_hour=8.0)
    found = one_job(Pool("own", gpus=4, price_per_hour=5.0), od)

    assert costs(*found) == {"whole pool always on": 52.0, "on-demand pool always on, jobs on further on-demand nodes": 52.0}


def test_words_name_every_node_that_the_sum_counts():
    # 4 h x (5 + 8): the owned node is paid for too; nothing serves, so the waterfall rents none for it
    od = Pool("od", gpus=4, market=Market.ON_DEMAND, min_count=0, price_per_hour=8.0)
    found = one_job(Pool("own", gpus=4, price_per_hour=5.0), od)

    assert [one.description for one in baselines(*found)] == [
        "1 node of od (on_demand), in every slot; with 1 node of own (owned)",
        "1 node of od (on_demand) in every slot; 0 jobs on further on-demand nodes; with 1 node of own (owned)",
    ]
    assert waterfall(*found)[0].description == "no rented nodes for services, all day"


def test_nodes_kept_on_are_named():
    found = one_job(Pool("own", gpus=4, price_per_hour=5.0), Pool("od", gpus=4, market=Market.ON_DEMAND, price_per_hour=8.0))

    assert waterfall(*found)[0].description == "1 node that `min_count` keeps on, all day"


def test_a_job_pays_for_the_share_of_a_node_that_it_fills():
    # On-demand 4 x 8 = 32 and half a node for 2 h = 8; all on-demand 32 + 32; no services, so no peak.
    od = Pool("od", gpus=4, market=Market.ON_DEMAND, min_count=0, price_per_hour=8.0)
    found = one_job(Pool("spot", gpus=4, market=Market.SPOT, min_count=0, price_per_hour=2.0), od)

    assert costs(*found) == {
        "whole pool always on": 40.0,
        "on-demand pool always on, jobs on further on-demand nodes": 40.0,
        "all nodes on-demand, always on": 64.0,
    }


def test_a_job_that_no_on_demand_pool_can_hold_leaves_those_baselines_out():
    od = Pool("od", gpus=0, market=Market.ON_DEMAND, min_count=0, price_per_hour=8.0)
    found = one_job(Pool("spot", gpus=4, market=Market.SPOT, min_count=0, price_per_hour=2.0), od)

    assert costs(*found) == {"whole pool always on": 40.0}
