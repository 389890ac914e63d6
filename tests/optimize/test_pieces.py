"""Jobs in pieces where the model is too large to be solved whole: the plan is one, and none in one piece is better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.best_effort import parse_best_effort
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import Plan
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.workload import Job, JobKind, Service, WorkerShape
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid

HOURS = 16


def crowded() -> Problem:
    """Three nodes of four devices; a service that needs 3 to 10 of them; six jobs of research and four of others."""
    research = [(1, 240), (1, 300), (2, 240), (2, 180), (4, 240), (1, 360)]
    jobs = [
        Job(
            f"r{number}",
            kind=JobKind.BATCH,
            shape=WorkerShape(gpus=float(gpus)),
            runtime_minutes=float(minutes),
            checkpoint_minutes=15.0,
            checkpoint_cost_minutes=2.0,
            restart_minutes=5.0,
        )
        for number, (gpus, minutes) in enumerate(research)
    ]
    jobs += [
        Job(
            f"t{number}",
            kind=JobKind.TRAINING,
            priority=1,
            submit_s=number * 7200,
            shape=WorkerShape(gpus=2.0),
            runtime_minutes=120.0,
        )
        for number in range(4)
    ]
    chat = Service("chat", slo_ms=500, service_ms=100, concurrency=10, shape=WorkerShape(gpus=1.0))
    # a replica carries some 90 requests/s
    rps = np.array([250.0 if hour % 8 < 4 else 850.0 for hour in range(HOURS)])
    return Problem(
        "crowded",
        TimeGrid.regular(0, 60, HOURS),
        Cluster((Pool("n", count=3, min_count=3, max_count=3, gpus=4),)),
        tuple(jobs),
        (chat,),
        (Demand("chat", rps, rps),),
        limits=Limits(max_utilization=0.9),
    )


@pytest.fixture(scope="module")
def plans() -> tuple[Problem, Plan, Plan]:
    """The problem with best effort, its plan by dives and boxes, and the plan with every job in one piece."""
    whole = crowded()
    problem = replace(whole, best_effort=(parse_best_effort("kind=batch"),))
    small = SolveOptions(whole_columns=200, node_columns=500, pool_boxes=6, node_boxes=2)
    return problem, optimize(problem, small), optimize(whole, SolveOptions())


def test_it_is_a_plan_and_no_worse_than_in_one_piece(plans: tuple[Problem, Plan, Plan]) -> None:
    problem, plan, whole = plans

    assert () == violations(problem, plan.decisions)
    assert "the same with all jobs in one piece" in plan.proof.route
    assert plan.proof.objective is not None
    assert whole.proof.objective is not None
    assert plan.proof.objective <= whole.proof.objective + 1e-9


def test_its_bound_lies_below_it(plans: tuple[Problem, Plan, Plan]) -> None:
    _, plan, _ = plans

    assert plan.proof.bound is not None
    assert plan.proof.objective is not None
    assert plan.proof.bound <= plan.proof.objective
