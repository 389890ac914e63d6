"""How many devices a load needs."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.carrier import EvenCarrier, ServiceCarrier, stepwise
from schedplan.measures.latency import least_replicas
from schedplan.model.workload import Service, WorkerShape


def test_devices_are_whole_where_one_carries_so_much():
    # 0.1 * 3 / 0.1 is a bit above 3 in binary: still three devices
    loads = np.array([0.0, 0.05, 0.1, 0.1 * 3, 0.31, np.nan])

    assert [0, 1, 1, 3, 4] == EvenCarrier(0.1).devices(loads)[:-1].tolist()
    assert np.isnan(EvenCarrier(0.1).devices(loads)[-1])


def test_without_a_rate_the_load_is_what_is_bought():
    assert [1.5, 0.0] == EvenCarrier().devices(np.array([1.5, 0.0])).tolist()


def test_a_service_needs_the_replicas_of_its_latency_target():
    service = Service(
        "web", slo_ms=200.0, service_ms=100.0, service_cv=0.3, concurrency=4, shape=WorkerShape(gpus=2.0), min_replicas=1
    )
    loads = np.random.default_rng(0).uniform(0, 500, 200)
    least = [2.0 * max(least_replicas(service, 100.0, float(load), 0.9), 1) for load in loads]

    assert least == ServiceCarrier(service, 100.0, 0.9).devices(loads).tolist()
    # no request: still the least number of replicas
    assert [2.0] == ServiceCarrier(service, 100.0, 0.9).devices(np.zeros(1)).tolist()


def test_a_count_is_asked_only_where_it_may_change():
    asked: list[float] = []

    def count(value: float) -> float:
        asked.append(value)
        return float(value >= 70)

    values = np.arange(100.0)

    assert (values >= 70).astype(float).tolist() == stepwise(count, values).tolist()
    # both ends, then the middle of what is left, about log2(100) times
    assert len(asked) < 12


def test_a_target_that_no_number_meets_is_never_met():
    slow = Service("web", slo_ms=50.0, service_ms=100.0)

    assert [pytest.approx(np.inf)] == ServiceCarrier(slow, 100.0, 0.9).devices(np.array([1.0])).tolist()
