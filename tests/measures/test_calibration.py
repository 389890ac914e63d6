"""Calibration against samples whose parameters are known, and against samples of another law."""

from dataclasses import replace

import pytest

from schedplan.measures.calibration import BADLY, LEAST_SAMPLES, calibrated, calibrations
from schedplan.measures.latency import latency_ms
from schedplan.model.cluster import Cluster, Speed
from schedplan.model.latency_sample import LatencySample
from schedplan.model.workload import Service

SERVICE = Service("web", slo_ms=300, service_ms=100, service_cv=1.0, concurrency=4)
CLUSTER = Cluster((), (Speed("H100", "service", 2.0),))
QUANTILES = (None, 0.5, 0.95, 0.99)
LOADS = (0.2, 0.5, 0.8, 0.9, 0.95)


def samples(service_ms, cv, accelerator="A100", factors=(1.0,)):
    """60 latencies of the model itself, at 5 loads x 3 fleets x 4 quantiles, times each of `factors` in turn."""
    rows = [(load, replicas, quantile) for load in LOADS for replicas in (1, 2, 5) for quantile in QUANTILES]
    return [
        LatencySample("web", accelerator, rate, replicas, quantile, told * factors[idx % len(factors)])
        for idx, (load, replicas, quantile) in enumerate(rows)
        for rate in [load * replicas * 4 * 1000 / service_ms]
        if (told := latency_ms(service_ms, cv, quantile, replicas * 4, rate)) is not None
    ]


def only(found):
    assert len(found) == 1
    return found[0]


def test_the_parameters_that_made_the_samples_come_back():
    found = only(calibrations(CLUSTER, (SERVICE,), samples(80.0, 0.4)))

    # Latency grows at least in proportion to the service time, so a residual of e leaves an error of e at most in it; of the
    # variation some quantiles depend with a third of its relative change, so three times as much. The fit ends at residuals
    # below 1e-4.
    assert [(time.accelerator, time.stated_ms, time.rows) for time in found.times] == [("A100", 100.0, 60)]
    assert found.times[0].found_ms == pytest.approx(80.0, rel=1e-4)
    assert found.found_cv == pytest.approx(0.4, rel=3e-4)
    assert found.held_back == 12
    assert found.found.p90 < 1e-4
    assert found.is_used
    assert not found.fits_badly


def test_two_device_models_have_their_own_time_and_one_variation():
    found = only(calibrations(CLUSTER, (SERVICE,), samples(80.0, 0.4) + samples(37.0, 0.4, "H100")))

    # stated on H100: 100 ms at speed 2
    assert [(time.accelerator, time.stated_ms) for time in found.times] == [("A100", 100.0), ("H100", 50.0)]
    assert [time.found_ms for time in found.times] == pytest.approx([80.0, 37.0], rel=1e-4)
    assert found.found_cv == pytest.approx(0.4, rel=3e-4)


def test_noise_of_five_percent_shows_in_the_error_and_hardly_in_the_parameters():
    found = only(calibrations(CLUSTER, (SERVICE,), samples(80.0, 0.4, factors=(0.95, 1.05, 1.0))))

    # factors of mean 1 cancel out: the time is off by less than the noise. Held-back rows carry the noise: 0, or about
    # 1/0.95 - 1 = 5.3 % or 1 - 1/1.05 = 4.8 %.
    assert found.times[0].found_ms == pytest.approx(80.0, rel=0.05)
    assert 0.03 < found.found.p90 < 0.08
    assert abs(found.found.bias) < 0.05
    assert found.is_used


def test_stated_values_that_are_right_stay():
    found = only(calibrations(CLUSTER, (SERVICE,), samples(100.0, 1.0)))

    # nothing is closer than an error of 0
    assert found.stated.median == 0
    assert not found.is_used
    assert calibrated(CLUSTER, (SERVICE,), (found,)) == (CLUSTER, (SERVICE,))
    assert "; not used" in found.words


def test_samples_of_another_law_are_said_to_fit_badly():
    # latency that falls with the load, by a factor of 20, as no queue has it
    rows = samples(80.0, 0.4)
    strange = [replace(row, latency_ms=2000 / (1 + idx)) for idx, row in enumerate(sorted(rows, key=lambda row: row.rate_rps))]
    found = only(calibrations(CLUSTER, (SERVICE,), strange))

    assert found.is_at_bound or found.found.median > BADLY
    assert found.fits_badly
    assert "the law fits these samples badly" in found.words


def test_a_time_at_its_bound_is_no_estimate():
    # measured a hundred times slower than stated: beyond the factor of 50
    found = only(calibrations(CLUSTER, (SERVICE,), samples(10_000.0, 0.4)))

    assert found.is_at_bound
    assert found.fits_badly
    assert not found.is_used


def test_too_few_samples_calibrate_nothing():
    few = samples(80.0, 0.4)[: LEAST_SAMPLES - 1]
    found = only(calibrations(CLUSTER, (SERVICE,), few))

    assert found.times == ()
    assert not found.is_used
    assert found.words == "9 latency samples are of a device model with fewer than 10 and are left aside"
    assert calibrations(CLUSTER, (SERVICE,), ()) == ()
    assert calibrations(CLUSTER, (SERVICE,), [replace(row, service="other") for row in few]) == ()


def test_found_values_become_speeds_of_the_service_and_its_variation():
    found = calibrations(CLUSTER, (SERVICE,), samples(80.0, 0.4))
    cluster, (service,) = calibrated(CLUSTER, (SERVICE,), found)

    # 100 ms at reference speed, 80 ms found: speed 1.25; other models and other work keep theirs
    assert cluster.speed("A100", "web", "service") == pytest.approx(1.25, rel=1e-4)
    assert cluster.speed("A100", "other", "service") == 1.0
    assert cluster.speed("H100", "web", "service") == 2.0
    assert service.service_cv == pytest.approx(0.4, rel=3e-4)
    assert service.service_ms == 100


def test_the_same_samples_give_the_same_numbers():
    rows = samples(80.0, 0.4, factors=(0.9, 1.1, 1.02))

    assert calibrations(CLUSTER, (SERVICE,), rows) == calibrations(CLUSTER, (SERVICE,), rows)


def test_a_cache_keeps_requests_from_the_replicas():
    cached = replace(SERVICE, cache_hit_ratio=0.5)
    doubled = [replace(row, rate_rps=2 * row.rate_rps) for row in samples(80.0, 0.4)]
    found = only(calibrations(CLUSTER, (cached,), doubled))

    # twice the rate, half of which the cache answers: the replicas see what they saw
    assert found.times[0].found_ms == pytest.approx(80.0, rel=1e-4)
