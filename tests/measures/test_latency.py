from math import exp, log

import pytest
from scipy.integrate import quad
from scipy.stats import gamma

from schedplan.measures.latency import erlang_c, fleet_latency_ms, latency_ms, least_replicas, offered_replicas
from schedplan.model.workload import Service

RECOMMENDER = Service("recommender", slo_ms=200, service_ms=96, service_cv=0.3, concurrency=150)
RISK_CONTROL = Service("risk-control", slo_ms=200, service_ms=100, slo_quantile=None)


@pytest.mark.parametrize(
    ("servers", "load", "waits", "mean_wait"),
    [
        (1, 0.5, 0.5, 1.0),
        (2, 1, 0.333333, 0.333333),
        (3, 2, 0.444444, 0.444444),
        (10, 8, 0.409180, 0.204590),
        (64, 60, 0.506866, 0.126717),
    ],
)
def test_erlang_c_gives_the_published_values(servers, load, waits, mean_wait):
    found = erlang_c(servers, load)

    assert waits == pytest.approx(found, abs=1e-6)
    assert mean_wait == pytest.approx(found / (servers - load), abs=1e-6)


def test_erlang_c_without_load_and_far_below_full_load_is_zero():
    # 100,000 servers for a load of 10: 1/B alone is above 10^300.
    found = (erlang_c(5, 0.0), erlang_c(100_000, 10.0))

    assert (0.0, 0.0) == found


def test_erlang_c_has_no_answer_at_full_load():
    with pytest.raises(ValueError, match="no steady state: load 2 on 2 servers"):
        erlang_c(2, 2.0)


def test_load_at_the_servers_has_no_latency():
    # 20 requests/s of 100 ms keep exactly two servers busy.
    found = latency_ms(100, 1, 0.95, 2, 20.0)

    assert found is None


def test_exponential_service_on_one_server_has_an_exponential_response():
    # M/M/1 at load 0.8: the response is exponential with mean s/(1 - 0.8) = 500 ms, so q95 = 500 ln 20.
    found = latency_ms(100, 1, 0.95, 1, 8.0)

    assert 500 * log(20) == pytest.approx(found, abs=1e-4)


def test_exponential_service_on_three_servers_matches_the_closed_tail():
    # M/M/c: P(T > x) = e^(-x) + C (e^(-x) - e^(-theta x)) / (theta - 1) in service times, theta = c - a = 1.5.
    x = latency_ms(1, 1, 0.9, 3, 1500.0)
    waits = erlang_c(3, 1.5)
    tail = exp(-x) + waits * (exp(-x) - exp(-1.5 * x)) / 0.5

    assert pytest.approx(tail, abs=1e-6) == 0.1


def test_constant_service_adds_the_quantile_of_the_wait():
    # theta = 2 (c - a)/s = 2 x 0.2 / 100 ms; C(1, 0.8) = 0.8; wait q95 = ln(0.8 / 0.05)/theta = 693.1 ms, plus 100 ms of service.
    found = latency_ms(100, 0, 0.95, 1, 8.0)

    assert 100 + log(16) / 0.004 == pytest.approx(found, abs=1e-6)


def test_almost_constant_service_is_near_the_constant_one():
    found = latency_ms(100, 0.001, 0.95, 1, 8.0)

    assert latency_ms(100, 0, 0.95, 1, 8.0) == pytest.approx(found, abs=0.1)


def test_without_waiting_the_quantile_is_that_of_the_service_time():
    # Exponential with mean 100 ms: q95 = 100 ln 20 = 299.57 ms.
    found = latency_ms(100, 1, 0.95, 1000, 8.0)

    assert 299.5732 == pytest.approx(found, abs=1e-3)


def test_mean_of_constant_service_is_half_the_exponential_wait():
    # M/D/1 at load 0.5: wait = 0.5 x M/M/1 wait of 100 ms = 50 ms; plus 100 ms.
    found = latency_ms(100, 0, None, 1, 5.0)

    assert 150.0 == pytest.approx(found)


@pytest.mark.parametrize(("replicas", "rate", "mean_ms"), [(1, 8, 500), (10, 80, 120), (2, 8, 119)])
def test_small_fleets_are_slower_at_the_same_utilisation(replicas, rate, mean_ms):
    found = fleet_latency_ms(RISK_CONTROL, ((100, replicas),), rate)

    assert mean_ms == round(found)


def test_cache_hits_never_reach_the_replicas():
    # Half of 16/s is served by the cache: the same as 8/s without one.
    cached = Service("cached", slo_ms=200, service_ms=100, slo_quantile=None, cache_hit_ratio=0.5)

    assert 500 == pytest.approx(fleet_latency_ms(cached, ((100, 1),), 16.0))
    assert 0.8 == pytest.approx(offered_replicas(cached, 100, 16.0))


@pytest.mark.parametrize(("rate", "replicas"), [(0, 0), (1, 1), (1406.25, 1), (1406.26, 2), (10_000, 8), (11_250, 8), (11_251, 9)])
def test_utilization_of_90_percent_allows_1406_requests_a_replica(rate, replicas):
    # 150 at once / 0.096 s = 1562.5 requests/s; 90 % of it = 1406.25.
    found = least_replicas(RECOMMENDER, 96, rate, 0.9)

    assert replicas == found


def test_the_latency_target_asks_for_more_than_the_load():
    # Load 0.8: one replica takes 500 ms on the mean, two take 119 ms (see above).
    found = least_replicas(RISK_CONTROL, 100, 8.0, 1.0)

    assert found == 2


def test_no_number_of_replicas_mends_a_service_time_above_the_target():
    # Exponential with mean 100 ms has q95 = 299.6 ms.
    slow, fast = (Service("s", slo_ms=target, service_ms=100) for target in (299, 300))

    assert least_replicas(slow, 100, 10.0, 1.0) is None
    assert least_replicas(fast, 100, 10.0, 1.0) is not None


def test_the_least_number_is_the_first_that_meets_the_target():
    service = Service("s", slo_ms=350, service_ms=100)
    found = least_replicas(service, 100, 100.0, 1.0)

    assert fleet_latency_ms(service, ((100, found),), 100.0) <= 350
    assert fleet_latency_ms(service, ((100, found - 1),), 100.0) > 350


def test_a_mixed_fleet_serves_at_the_harmonic_mean_of_its_replicas():
    # One replica at 100 ms and one at 50 ms: 10/s + 20/s, so two servers of 66.67 ms.
    mixed = fleet_latency_ms(RISK_CONTROL, ((50.0, 1), (100.0, 1)), 10.0)

    assert latency_ms(2 / (1 / 50 + 1 / 100), 1.0, None, 2, 10.0) == pytest.approx(mixed)
    assert fleet_latency_ms(RISK_CONTROL, (), 10.0) is None


@pytest.mark.parametrize(("cv", "servers", "load"), [(0.3, 2, 1.9), (0.3, 150, 148), (2.0, 1, 0.7), (0.8, 3, 2.97), (1.5, 8, 4.0)])
def test_the_quantile_solves_the_convolution(cv, servers, load):
    # P(T > x) = P(S > x) + C int_0^x f_S(u) e^(-theta (x - u)) du, integrated numerically, in units of s = 1 ms.
    x = latency_ms(1.0, cv, 0.95, servers, 1000.0 * load)
    service = gamma(1 / cv**2, scale=cv**2)
    theta = 2 * (servers - load) / (1 + cv**2)
    held, _ = quad(lambda p: exp(-theta * (x - service.ppf(p))), 0, service.cdf(x), epsabs=1e-11, limit=400)
    tail = service.sf(x) + erlang_c(servers, load) * held

    assert pytest.approx(tail, abs=1e-6) == 0.05
