"""The relaxation of a horizon at given prices: what it proves, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.objective import Normalisation, Scale
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.problem import Objective, Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.optimize.lagrangian.relaxation import Prices, Relaxation
from schedplan.optimize.nodes.rates import Rates
from schedplan.timegrid import TimeGrid


def test_room_that_is_asked_for_twice_is_worth_its_price() -> None:
    # One owned node with 8 devices, price 0; two gangs of 8 devices for an hour in one slot of an hour. F counts waiting alone, an
    # hour of one device as 1/16: left out, a gang waits its hour, 8/16 = 0.5, and what is left out costs nothing else.
    # At a price of 1/32 a device the hour costs a gang 0.25, and the node sells 8 devices for 0.25: 0.25 + 0.25 - 0.25 = 0.25.
    # The best plan leaves one gang out, 0.5; at 1/16 each gang costs 0.5 and the node sells 0.5: 0.5.
    problem = replace(
        _one_node(_job("a", 60), _job("b", 60), hours=1), objective=Objective(latency=1, utilization=0, cost=0, unplaced=0)
    )
    scale = Scale(16.0, 0.0)
    relaxation = Relaxation(problem, Rates.of(problem, Normalisation(scale, scale, scale, scale)))

    def bound(price: float) -> float:
        return relaxation.bought(Prices(np.array([[price]]), np.zeros((0, 1)))).bound

    assert [bound(0.0), bound(1 / 32), bound(1 / 16)] == pytest.approx([0.0, 0.25, 0.5], abs=1e-4)


def _one_node(*jobs: Job, hours: int) -> Problem:
    pool = Pool("n", accelerator="A100", gpus=8)
    return Problem("p", TimeGrid.regular(0, 60, hours), Cluster((pool,)), jobs=jobs)


def _job(name: str, minutes: float) -> Job:
    return Job(name, shape=WorkerShape(gpus=8), runtime_minutes=minutes)
