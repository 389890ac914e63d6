"""Published and hand-derived values of queueing and of interrupted work; none of them comes from our own code."""

from math import cos, exp, pi

import pytest

from schedplan.measures.latency import erlang_c, latency_ms, least_replicas
from schedplan.measures.spot import expected_run_h, rework_h
from schedplan.model.workload import Service

# Erlang's delay formula, worked by hand from 1/C = 1 + (1 - a/c) c!/a^c sum_{k<c} a^k/k!, e.g. c = 2, a = 1:
# (1 - 1/2) x 2 x (1 + 1) = 2, C = 1/3; the two large ones by exact rational arithmetic.
DELAY = [(1, 0.5, 0.5), (2, 1.0, 1 / 3), (3, 2.0, 4 / 9), (10, 8.0, 0.409180), (64, 60.0, 0.506866)]


@pytest.mark.parametrize(("servers", "load", "expected"), DELAY)
def test_probability_of_waiting(servers, load, expected):
    assert erlang_c(servers, load) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(("servers", "load", "waiting"), DELAY)
def test_mean_wait_is_the_delay_over_the_free_servers(servers, load, waiting):
    # exponential service of 1 s: mean latency = C / (c - a) + 1
    expected = 1000 * (waiting / (servers - load) + 1)

    assert latency_ms(1000.0, 1.0, None, servers, load) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.95])
def test_one_server_is_exponential_in_all_of_its_latency(load):
    # M/M/1: P(latency > x) = exp(-(1 - a) x / s), so q95 = s ln 20 / (1 - a)
    expected = 100 * 2.995732273553991 / (1 - load)

    assert latency_ms(100.0, 1.0, 0.95, 1, load * 10) == pytest.approx(expected, abs=0.1)


def test_constant_service_on_one_server_waits_half_as_long():
    # M/D/1 (Pollaczek and Khinchine): mean wait = a s / (2 (1 - a)) = 0.8 x 100 / 0.4 = 200
    assert latency_ms(100.0, 0.0, None, 1, 8.0) == pytest.approx(300.0)


def test_a_fixed_utilization_is_no_rule_for_fleets_of_all_sizes():
    # 100 ms, exponential, one request at a time, at 80 %: one replica for 8/s, ten for 80/s; two for 8/s are at 40 %
    one, ten, two = (latency_ms(100.0, 1.0, None, servers, rate) for servers, rate in ((1, 8.0), (10, 80.0), (2, 8.0)))

    # 100 / (1 - 0.8); 100 (0.40918 / 2 + 1); 100 (C(2, 0.8) / 1.2 + 1) with C = 2 B / (2 - 0.8 (1 - B)), B = 0.32 / 2.12
    assert one == pytest.approx(500.0)
    assert ten == pytest.approx(120.459, abs=1e-3)
    assert two == pytest.approx(119.048, abs=1e-3)


def test_ninety_five_per_cent_of_exponential_service_take_three_times_the_mean():
    # no queue at all: -ln(0.05) x 100
    assert latency_ms(100.0, 1.0, 0.95, 1000, 0.001) == pytest.approx(299.573, abs=0.1)


def test_full_load_has_no_steady_state():
    assert latency_ms(100.0, 1.0, 0.95, 2, 20.0) is None


def recommender():
    return Service("recommender", slo_ms=200, service_ms=96, service_cv=0.3, concurrency=150)


@pytest.mark.parametrize(("ceiling", "expected"), [(0.9, 107), (0.8, 115)])
def test_device_hours_of_the_bare_sine_of_the_ecommerce_day(ceiling, expected):
    # one replica takes ceiling x 150 / 0.096 s = 1,406 (1,250) requests/s; the sum of the rounded-up quotients over
    # 5,500 - 4,500 cos(2 pi (h - 3) / 24), counted by hand, e.g. 10,000 / 1,406.25 = 7.1 -> 8 at the peak
    load = [5500 - 4500 * cos(2 * pi * (hour - 3) / 24) for hour in range(24)]

    assert sum(least_replicas(recommender(), 96.0, rate, ceiling) or 0 for rate in load) == expected


def test_work_that_restarts_from_zero():
    # (e^(lambda W) - 1) / lambda, W = 4 h at 0.5 per hour: (e^2 - 1) / 0.5
    assert expected_run_h(4.0, 0.5, None, 0.0, 0.0) == pytest.approx((exp(2) - 1) / 0.5)


def test_work_with_checkpoints_loses_intervals_only():
    # ten nodes at 1 % per hour, 4 h, every half hour: 10 (e^0.05 - 1) x 4 / 0.5 = 4.1016877 h
    assert rework_h(4.0, 0.1, 0.5, 0.0, 0.0) == pytest.approx(0.1016877, abs=1e-7)


def test_checkpoint_cost_and_restart_lengthen_every_interval():
    # M = 10 h, R = 6 min, C = 3 min: 10 e^0.01 (e^0.055 - 1) x 4 / 0.5
    expected = 10 * exp(0.01) * (exp(0.055) - 1) * 8

    assert expected_run_h(4.0, 0.1, 0.5, 0.05, 0.1) == pytest.approx(expected)


def test_the_cheapest_interval_is_near_youngs():
    # sqrt(2 C M) = sqrt(2 x 0.05 x 10) = 1 h; half and double of it cost more
    half, best, double = (expected_run_h(4.0, 0.1, interval, 0.05, 0.0) for interval in (0.5, 1.0, 2.0))

    assert best < half
    assert best < double
