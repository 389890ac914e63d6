"""Themes of goals: emissions of regions that change from slot to slot."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from schedplan.model.problem import Intensity, Objective, Problem
from tests.oracle.drawing import a_pool, a_problem, some_jobs, with_services


def _carbon(source: random.Random) -> Problem:
    """Two regions, one now and then without a figure; power that differs by pool, some unknown; perhaps a service."""
    pools = []
    for idx, nodes in enumerate(source.choice(([2, 1], [1, 1, 1], [2, 2]))):
        idle = source.choice((0.0, 100.0, 300.0))
        power = (None, None) if source.random() < 0.1 else (idle, idle + source.choice((0.0, 200.0, 900.0)))
        pools.append(
            replace(
                a_pool(source, f"p{idx}", nodes, source.choice((1, 2, 2))),
                region=source.choice(("north", "south", "south")),
                power_idle_w=power[0],
                power_max_w=power[1],
                pue=source.choice((1.0, 1.3)),
            )
        )
    problem = a_problem(source, pools, some_jobs(source, source.randint(2, 4)), n_slots=4)
    if source.random() < 0.4:
        problem = with_services(source, problem, 1)
    regions = ("north", "south") if source.random() < 0.8 else ("south",)
    return replace(
        problem,
        intensities=tuple(
            Intensity(region, np.array([float(source.choice((20, 100, 400, 700))) for _ in range(4)])) for region in regions
        ),
        objective=Objective(carbon=source.choice((0.2, 1.0, 5.0))),
    )


THEMES = {"carbon": _carbon}
