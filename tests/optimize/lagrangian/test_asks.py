"""What services ask for in every slot, in units of the counted resource."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.measures.objective import Normalisation, Scale
from schedplan.optimize.lagrangian.asks import asks
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.requirement import least_replicas_by_slot
from tests.optimize.problems import problem

SCALES = Normalisation(*(Scale(1.0, 0.0),) * 4)


def test_a_service_asks_for_its_demand_and_its_number_where_it_may_stand() -> None:
    service = {"name": "s", "slo_ms": 400, "service_ms": 100, "concurrency": 4, "gpus": 2, "min_replicas": 3}
    whole = problem(
        {
            "slots": 2,
            "nodes": [{"name": "few", "gpus": 1}, {"name": "many", "gpus": 8}],
            "services": [service],
            "demand": [{"service": "s", "rps": [40.0, 90.0]}],
        }
    )
    (ask,) = asks(whole, Rates.of(whole, SCALES))
    least = least_replicas_by_slot(whole, whole.services[0], None)

    # a replica takes two devices, so that none may stand on a node of one
    assert np.isinf(ask.by_demand[0]).all()
    assert np.isinf(ask.by_number[0]).all()
    assert [6.0, 6.0] == ask.by_number[1].tolist()
    assert [2.0 * (one or 0) for one in least] == pytest.approx(ask.by_demand[1].tolist(), rel=1e-7)
    assert least[0] != least[1]
    assert (ask.by_demand[1] <= [2.0 * (one or 0) for one in least]).all()


def test_where_demand_may_be_missed_nothing_is_asked_for() -> None:
    service = {"name": "s", "slo_ms": 400, "service_ms": 100, "gpus": 1}
    case = {"slots": 1, "nodes": [{"name": "n", "gpus": 8}], "services": [service], "demand": [{"service": "s", "rps": [9.0]}]}
    missed = problem(case | {"limits": {"missed_demand": "price"}})

    assert () == asks(missed, Rates.of(missed, SCALES))
    assert 1 == len(asks(problem(case), Rates.of(problem(case), SCALES)))
