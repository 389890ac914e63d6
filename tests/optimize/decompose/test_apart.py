"""Parts that share nothing, solved one by one: their plans and bounds together are those of the whole."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, WorkerShape
from schedplan.optimize.decompose.apart import parts_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid
from tests.oracle.instances import THEMES, instance

APART = SolveOptions(apart_columns=0)
IN_PARTS = [theme for theme in THEMES if len(parts_of(instance(theme, 3))) > 1]


@pytest.mark.parametrize("seed", range(6))
def test_plans_and_bounds_of_parts_add_up_to_those_of_the_whole(seed: int) -> None:
    problem = _two_models(seed)
    whole, apart = optimize(problem), optimize(problem, APART)

    assert "2 parts that share nothing" in apart.proof.route
    assert (whole.proof.status, apart.proof.status) == (PlanStatus.OPTIMAL, PlanStatus.OPTIMAL)
    assert apart.proof.objective == pytest.approx(whole.proof.objective, abs=1e-9)
    assert violations(problem, apart.decisions) == ()


def test_a_quota_that_counts_work_of_both_ties_them() -> None:
    problem = _two_models(0)

    assert len(parts_of(problem)) == 2
    assert len(parts_of(replace(problem, quotas=(Quota("default", 4.0),)))) == 1


def test_a_job_that_waits_for_one_of_another_part_ties_them() -> None:
    problem = _two_models(0)
    first, second = problem.jobs[0], problem.jobs[1]

    assert {first.shape.accelerators, second.shape.accelerators} == {("A100",), ("H100",)}
    tied = (first, replace(second, after=(first.name,)), *problem.jobs[2:])
    assert len(parts_of(replace(problem, jobs=tied))) == 1


@pytest.mark.parametrize("theme", IN_PARTS)
def test_what_has_parts_is_worth_the_same_apart(theme: str) -> None:
    problem = instance(theme, 3)
    whole, apart = optimize(problem), optimize(problem, APART)

    assert apart.proof.status == whole.proof.status
    assert apart.proof.objective == pytest.approx(whole.proof.objective, abs=1e-9)


def _two_models(seed: int) -> Problem:
    """Return six jobs in turns on nodes of either model, none of which may stand on both."""
    source = random.Random(seed)
    pools = (
        Pool("a", accelerator="A100", gpus=4, price_per_hour=2.0),
        Pool(
            "b",
            accelerator="H100",
            gpus=4,
            market=Market.ON_DEMAND,
            price_per_hour=5.0,
            max_count=2,
            count=2,
            min_count=source.randint(0, 1),
        ),
    )
    jobs = tuple(
        Job(
            f"j{number}",
            priority=source.choice((0, 1, 2)),
            shape=WorkerShape(gpus=source.choice((1, 2, 4)), accelerators=(("A100", "H100")[number % 2],)),
            runtime_minutes=60.0 * source.randint(1, 3),
        )
        for number in range(6)
    )
    return Problem("two models", TimeGrid.regular(0, 60, 5), Cluster(pools), jobs=jobs)
