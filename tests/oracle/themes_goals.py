"""Themes of goals: emissions of regions that change from slot to slot, and goals that are held at values."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from schedplan.model.problem import AtMost, Intensity, Problem
from tests.oracle.drawing import a_pool, a_problem, device_pools, some_jobs, with_services


def _carbon(source: random.Random) -> Problem:
    """Two regions, one now and then without a figure; power that differs by pool, some unknown; perhaps a service."""
    sizes = enumerate(source.choice(([2, 1], [1, 1, 1], [2, 2])))
    pools = [a_pool(source, f"p{idx}", nodes, source.choice((1, 2, 2))) for idx, nodes in sizes]
    problem = a_problem(source, pools, some_jobs(source, source.randint(2, 4)), n_slots=4)
    return with_emissions(source, with_services(source, problem, 1) if source.random() < 0.4 else problem)


def with_emissions(source: random.Random, problem: Problem) -> Problem:
    """Give power to every pool, or to most, intensities to both regions, or to one, and carbon a weight."""
    pools = []
    for pool in problem.cluster.pools:
        idle = source.choice((0.0, 100.0, 300.0))
        power = (None, None) if source.random() < 0.1 else (idle, idle + source.choice((0.0, 200.0, 900.0)))
        region, pue = source.choice(("north", "south", "south")), source.choice((1.0, 1.3))
        pools.append(replace(pool, region=region, power_idle_w=power[0], power_max_w=power[1], pue=pue))
    regions = ("north", "south") if source.random() < 0.8 else ("south",)
    grams = [np.array([float(source.choice((20, 100, 400, 700))) for _ in range(problem.grid.n_slots)]) for _ in regions]
    return replace(
        problem,
        cluster=replace(problem.cluster, pools=tuple(pools)),
        intensities=tuple(Intensity(region, of_slots) for region, of_slots in zip(regions, grams, strict=True)),
        objective=replace(problem.objective, carbon=source.choice((0.2, 1.0, 5.0))),
    )


def _at_most(source: random.Random) -> Problem:
    """One or two goals held at a value, now and then lower than any plan can have it. No service."""
    problem = a_problem(source, device_pools(source), some_jobs(source, source.randint(2, 4)), n_slots=source.choice((3, 4)))
    return with_held_goals(source, with_emissions(source, problem) if source.random() < 0.3 else problem)


def with_held_goals(source: random.Random, problem: Problem) -> Problem:
    """Hold one or two goals at a value that a plan may or may not reach."""
    everything = sum(pool.price_per_hour * pool.max_count for pool in problem.cluster.pools) * problem.grid.n_slots
    most = {
        "latency": source.choice((0.0, 0.5, 2.0, 6.0, 15.0)),
        "utilization": source.choice((0.0, 2.0, 5.0, 10.0)),
        "cost": source.choice((0.2, 0.4, 0.6, 0.8, 1.0)) * everything,
        "unplaced": source.choice((0.0, 0.0, 0.2, 0.5)),
    }
    if problem.intensities:
        most["carbon"] = source.choice((200.0, 500.0, 1500.0))
    held = source.sample(sorted(most), source.choice((1, 1, 2)))
    return replace(problem, objective=replace(problem.objective, at_most=tuple(AtMost(goal, most[goal]) for goal in held)))


THEMES = {"carbon": _carbon, "at_most": _at_most}
