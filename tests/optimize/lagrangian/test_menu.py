"""The menu: what each job may choose from, as arrays."""

from __future__ import annotations

import numpy as np

from schedplan.measures.objective import Normalisation, Scale
from schedplan.optimize.lagrangian.menu import menu
from schedplan.optimize.nodes.rates import Rates
from tests.optimize.problems import problem

SCALES = Normalisation(*(Scale(1.0, 0.0),) * 4)


def test_jobs_of_one_run_time_are_a_course() -> None:
    jobs = [
        {"name": "a", "gpus": 2, "runtime_minutes": 120.0},
        {"name": "b", "gpus": 1, "workers": 3, "runtime_minutes": 120.0, "earliest_start": 1},
        {"name": "c", "gpus": 4, "runtime_minutes": 60.0, "required": True},
        {"name": "d", "gpus": 9, "runtime_minutes": 60.0},
    ]
    whole = problem({"slots": 4, "nodes": [{"name": "n", "gpus": 8}], "jobs": jobs})
    rates = Rates.of(whole, SCALES)
    offered = menu(whole, rates, ())
    short, long = offered.courses

    # two hours of four: starts with slots 0, 1 and 2 end at edges 2, 3 and 4
    assert [2, 3, 4] == long.ends.tolist()
    assert ([0, 1], [2.0, 3.0], [0, 1], [2, 2]) == tuple(part.tolist() for part in (long.job, long.held, long.release, long.last))
    assert ([1, 2, 3, 4], [2], [4.0], [3]) == tuple(part.tolist() for part in (short.ends, short.job, short.held, short.last))
    # nine devices fit nowhere, so that d is in no course; c must be placed
    assert [rates.left_out(whole.jobs[0]), rates.left_out(whole.jobs[1]), np.inf] == offered.left_out[:3].tolist()
    assert rates.left_out(whole.jobs[3]) == offered.left_out[3]
