"""Against an oracle that tries every placement: at most 3 nodes and 5 jobs, with shares of devices, gangs and priorities."""

from __future__ import annotations

import random

import pytest

from schedplan.measures.feasibility import violations
from schedplan.measures.work import importance
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.workload import Topology
from schedplan.optimize.static.at_one_instant import optimize_static
from schedplan.optimize.static.certificate import SIZE_AT_MOST, proven_objective
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.recipe import assemble
from schedplan.optimize.static.standing import decisions_of
from tests.optimize_static.problems import most_weight, node, pod, static

SHARES = (0.15, 0.3, 0.34, 0.46, 0.5, 0.55, 0.66, 0.81)


def drawn(seed: int) -> Problem:
    """Return a small problem whose devices, cores and memory are all scarce."""
    rng = random.Random(seed)
    models = ("A", "A", "B")
    pools = tuple(
        node(
            f"n{idx}",
            gpus=rng.choice((0, 1, 1, 2)),
            cpus=rng.choice((None, 4.0, 8.0)),
            memory_gib=rng.choice((None, 16.0)),
            slices=rng.choice((1, 7, 100)),
            accelerator=rng.choice(models),
        )
        for idx in range(rng.randint(1, 3))
    )
    jobs = []
    for idx in range(rng.randint(2, 5)):
        workers = rng.choice((1, 1, 1, 2))
        jobs.append(
            pod(
                f"j{idx}",
                gpus=rng.choice((0.0, 1.0, 1.0, 2.0, *SHARES)),
                cpus=rng.choice((0.0, 1.0, 2.0, 5.0)),
                memory_gib=rng.choice((0.0, 4.0, 9.0)),
                priority=rng.choice((0, 0, 5)),
                workers=workers,
                topology=rng.choice((Topology.CLUSTER, Topology.NODE)) if workers > 1 else Topology.CLUSTER,
            )
        )
    return static(pools, tuple(jobs))


def placed_weight(problem: Problem, names: set[str]) -> float:
    return sum(importance(problem, job) for job in problem.jobs if job.name in names)


@pytest.mark.parametrize("block", range(12))
def test_plan_places_as_much_as_any_placement(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        problem = drawn(seed)
        best = most_weight(problem)
        plan = optimize_static(problem)
        placed = placed_weight(problem, {part.job for part in plan.decisions.parts})
        work = dict(plan.proof.work)

        assert not violations(problem, plan.decisions), seed
        assert best == pytest.approx(placed, abs=1e-9), seed
        assert work[SIZE_AT_MOST] >= best - 1e-9, seed
        assert plan.proof.bound is not None
        assert plan.proof.objective is not None
        assert plan.proof.bound <= plan.proof.objective, seed


@pytest.mark.parametrize("block", range(4))
def test_recipe_for_many_nodes_is_sound_on_few(block: int) -> None:
    for seed in range(1000 + block * 25, 1025 + block * 25):
        problem = drawn(seed)
        assembly, _ = assemble(problem, instance(problem), ())
        decisions = decisions_of(problem, assembly, ())
        placed = placed_weight(problem, {part.job for part in decisions.parts})

        assert not violations(problem, decisions), seed
        assert placed <= most_weight(problem) + 1e-9, seed
        assert placed == pytest.approx(assembly.weight()), seed


def test_bound_of_prices_never_exceeds_what_a_plan_reaches() -> None:
    # The least objective that prices leave is below that of the best placement, whoever made the prices.
    for seed in range(60):
        problem = drawn(seed)
        plan = optimize_static(problem)
        best = most_weight(problem)
        everything = sum(importance(problem, job) for job in problem.jobs)
        reached = 1 - best / everything

        assert proven_objective(problem, plan.proof.prices) <= reached + 1e-9, seed


def test_most_small_plans_are_proven_optimal() -> None:
    plans = [optimize_static(drawn(seed)) for seed in range(100)]
    optimal = sum(plan.proof.status is PlanStatus.OPTIMAL for plan in plans)

    assert optimal >= 85
