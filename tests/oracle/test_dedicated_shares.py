"""Shares of devices that a dedicated service lets nobody join, against trying every device for everything in one slot."""

from __future__ import annotations

import random
from itertools import product

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem

SLICES = 4
INSTANCES, CHUNK = 100, 25


def instance(seed: int) -> Problem:
    """One slot, up to three devices of four slices, a dedicated service of shares, jobs of shares and whole devices."""
    source = random.Random(f"dedicated {seed}")
    nodes = [
        {"name": f"n{idx}", "gpus": gpus, "slices_per_gpu": SLICES}
        for idx, gpus in enumerate(source.choice(([1], [2], [1, 1], [2, 1])))
    ]
    jobs = [{"name": f"j{idx}", "gpus": source.choice((0.25, 0.5, 0.75, 1))} for idx in range(source.randint(1, 3))]
    service = {"name": "s", "slo_ms": 500, "service_ms": 100, "concurrency": 10, "dedicated": source.random() < 0.8}
    share = {"gpus": source.choice((0.25, 0.5, 0.75)), "min_replicas": source.randint(1, 4)}
    return problem(
        {
            "slots": 1,
            "objective": {"latency": 0, "utilization": 0, "cost": 1},
            "nodes": nodes,
            "jobs": jobs,
            "services": [{**service, **share}],
            "demand": [{"service": "s", "rps": [10]}],
        }
    )


def least_left_out(given: Problem) -> float | None:
    """The devices of the jobs that have to be left out, by trying every place of everything; None where the service has none."""
    devices = range(sum(pool.gpus for pool in given.cluster.pools))
    (service,) = given.services
    slices = round(service.shape.gpus * SLICES)
    best = None
    for stands in {tuple(sorted(places)) for places in product(devices, repeat=service.min_replicas)}:
        taken = [slices * stands.count(device) for device in devices]
        if max(taken) > SLICES:
            continue
        free = [0 if service.dedicated and held else SLICES - held for held in taken]
        for places in product((None, *devices), repeat=len(given.jobs)):
            asked = [
                sum(round(job.shape.gpus * SLICES) for job, at in zip(given.jobs, places, strict=True) if at == device)
                for device in devices
            ]
            left = sum(job.shape.gpus for job, at in zip(given.jobs, places, strict=True) if at is None)
            if all(one <= room for one, room in zip(asked, free, strict=True)) and (best is None or left < best):
                best = left
    return best


def fault_of(given: Problem, plan: Plan) -> str | None:
    expected = least_left_out(given)
    if plan.proof.status is PlanStatus.INFEASIBLE:
        return None if expected is None else "called infeasible, and is not"
    placed = {part.job for part in plan.decisions.parts}
    left = sum(job.shape.gpus for job in given.jobs if job.name not in placed)
    if violations(given, plan.decisions):
        return "refused by the check"
    return None if expected is not None and left == pytest.approx(expected) else f"leaves out {left} where {expected} would do"


@pytest.mark.parametrize("first", range(0, INSTANCES, CHUNK))
def test_shares_of_a_dedicated_service_are_placed_as_well_as_trying_everything_does(first: int) -> None:
    plans = ((seed, instance(seed)) for seed in range(first, first + CHUNK))
    faults = [(seed, fault) for seed, given in plans if (fault := fault_of(given, optimize(given))) is not None]

    assert [] == faults
