"""Against an oracle that tries every placement: at most 3 nodes and 5 jobs, with shares of devices, gangs and priorities."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from schedplan.measures.feasibility import violations
from schedplan.measures.pins import with_pins
from schedplan.measures.work import importance
from schedplan.model.pin import Pin
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Topology
from schedplan.optimize.static import ties
from schedplan.optimize.static.at_one_instant import optimize_static
from schedplan.optimize.static.certificate import SIZE_AT_MOST, SIZE_PLACED, proven_objective
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.recipe import assemble
from schedplan.optimize.static.standing import Standing, decisions_of
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


def tied(seed: int) -> Problem:
    """Return a small problem whose jobs are tied: by caps or a cohort of two tenants, by a gang of two rows, at times by a pin."""
    rng = random.Random(seed)
    problem = drawn(seed)
    gang = {job.name for job in rng.sample(problem.jobs, 2)} if rng.random() < 0.6 else set()
    jobs = tuple(
        replace(job, tenant=rng.choice(("a", "b", "c")), gang="g" if job.name in gang else None, required=False)
        for job in problem.jobs
    )
    if rng.random() < 0.5:
        quotas = tuple(Quota(name, 1.0, max=rng.choice((0.5, 1.0, 2.0))) for name in ("a", "b"))
    else:
        quotas = tuple(Quota(name, rng.choice((1.0, 1.5)), parent="team", lend=rng.choice((None, 0.0, 0.5))) for name in ("a", "b"))
    found = replace(problem, jobs=jobs, quotas=quotas)
    # a pin that can be kept alone, beside nothing else
    pins = [Pin(job.name, pool.name) for job in jobs for pool in problem.cluster.pools if job.name not in gang]
    for pin in rng.sample(pins, min(len(pins), 4)) if rng.random() < 0.5 else ():
        alone = with_pins(replace(found, jobs=(found.job_by_name[pin.work],)), (pin,))
        if most_weight(alone) > 0:
            return with_pins(found, (pin,))
    return found


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
        assembly, _ = assemble(problem, instance(problem), Standing())
        decisions = decisions_of(problem, assembly, Standing())
        placed = placed_weight(problem, {part.job for part in decisions.parts})

        assert not violations(problem, decisions), seed
        assert placed <= most_weight(problem) + 1e-9, seed
        assert placed == pytest.approx(assembly.weight()), seed


@pytest.mark.parametrize("block", range(6))
def test_tied_work_is_placed_as_well_as_by_any_placement(block: int) -> None:
    for seed in range(2000 + block * 25, 2025 + block * 25):
        problem = tied(seed)
        best = most_weight(problem)
        plan = optimize_static(problem)
        placed = placed_weight(problem, {part.job for part in plan.decisions.parts})

        assert not violations(problem, plan.decisions), seed
        assert placed == pytest.approx(best, abs=1e-9), seed


@pytest.mark.parametrize("block", range(6))
def test_tied_work_is_placed_soundly_by_the_recipe(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties, "MOST_NODES", 0)
    for seed in range(3000 + block * 25, 3025 + block * 25):
        problem = tied(seed)
        best = most_weight(problem)
        plan = optimize_static(problem)
        placed = placed_weight(problem, {part.job for part in plan.decisions.parts})
        work = dict(plan.proof.work)

        assert not violations(problem, plan.decisions), seed
        assert work[SIZE_PLACED] == pytest.approx(placed), seed
        assert placed <= best + 1e-9 <= work[SIZE_AT_MOST] + 2e-5, seed


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
