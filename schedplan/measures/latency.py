"""Latency of a service by queueing theory: waiting plus service, and the least replicas that keep a target.

    c servers (replicas x concurrency), rate lambda per second, service time gamma with mean s and coefficient of variation v,
    load a = lambda s.  P(wait > x) = C(c, a) exp(-theta x),  theta = 2 (c - a) / ((1 + v^2) s)

C is the Erlang C probability of waiting: exact for v = 1 and Poisson arrivals; for other v the mean wait is scaled by
(1 + v^2)/2 (Allen and Cunneen; https://en.wikipedia.org/wiki/M/G/k_queue). It knows one steady state at a time: no bursts inside
an interval, no retries, no start-up. A load at or above the servers has no steady state and gets no number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, lgamma, log, log1p

from scipy.special import gammainc, gammaincc, hyp1f1

from schedplan.model.workload import Service

LAW = (
    "latencies are those of one steady state per slot, by Erlang C with the correction of Allen and Cunneen and gamma service"
    " times; bursts within a slot and retries are not in them"
)
"""The model and its validity, as one sentence that goes with every latency figure."""
FORGIVEN = 1e-12
LEAST_CV = 1e-6
MOST_REPLICAS = 1 << 40


def erlang_c(servers: int, load: float) -> float:
    """Return the probability that an arrival waits: `load` (Erlang, 0 <= load < servers) on `servers` >= 1.

    By the ratio of blocking 1/B = 1 + c/a + c(c-1)/a^2 + ..., all terms positive; what is below 1e-300 is 0. ValueError at or
    above full load.
    """
    if not 0 <= load < servers:
        raise ValueError(f"no steady state: load {load:g} on {servers} servers")
    if load == 0:
        return 0.0
    inverse_blocking, term = 1.0, 1.0
    for left in range(servers, 0, -1):
        term *= left / load
        inverse_blocking += term
        if inverse_blocking > 1e300:
            return 0.0
        if term < 1e-17 * inverse_blocking:
            break
    blocking = 1.0 / inverse_blocking
    return servers * blocking / (servers - load * (1.0 - blocking))


@lru_cache(maxsize=1 << 16)
def latency_ms(service_ms: float, cv: float, quantile: float | None, servers: int, rate_rps: float) -> float | None:
    """Return latency in ms at `quantile` of the requests (None: the mean); None where there is no steady state.

    The quantile is found to a millionth of a ms; rate_rps is what reaches the servers.
    """
    load = rate_rps * service_ms / 1000.0
    if load >= servers:
        return None
    waiting = erlang_c(servers, load)
    if quantile is None:
        return waiting * service_ms * (1.0 + cv * cv) / (2.0 * (servers - load)) + service_ms
    return _quantile_ms(service_ms, cv, quantile, waiting, _decay_per_ms(service_ms, cv, servers, load))


def fleet_latency_ms(service: Service, fleet: Sequence[tuple[float, int]], rate_rps: float) -> float | None:
    """Return the latency of a mixed fleet, pairs of (service_ms, replicas); `rate_rps` before cache hits.

    Requests go to replicas in proportion to their speed, so the mean service time is the replicas' harmonic mean; our choice.
    """
    replicas = sum(count for _, count in fleet)
    if replicas == 0:
        return None
    mean_ms = fleet[0][0] if len(fleet) == 1 else replicas / sum(count / speed_ms for speed_ms, count in fleet)
    return latency_ms(
        mean_ms, service.service_cv, service.slo_quantile, replicas * service.concurrency, reaching_rps(service, rate_rps)
    )


def reaching_rps(service: Service, rate_rps: float) -> float:
    """Return the rate that the cache lets through to the replicas, requests per second."""
    return rate_rps * (1.0 - service.cache_hit_ratio)


def offered_replicas(service: Service, service_ms: float, rate_rps: float) -> float:
    """Return how many replicas `rate_rps` (before cache hits) would keep busy in full."""
    return reaching_rps(service, rate_rps) * service_ms / 1000.0 / service.concurrency


def least_replicas(service: Service, service_ms: float, rate_rps: float, max_utilization: float) -> int | None:
    """Return the least replicas that meet the SLO and `max_utilization` at `rate_rps` (before cache hits).

    0 where there are no requests, whatever min_replicas says; None where no number meets the SLO.
    """
    reaching = reaching_rps(service, rate_rps)
    if reaching <= 0:
        return 0
    return _least_replicas(
        service_ms, service.service_cv, service.slo_quantile, service.slo_ms, service.concurrency, reaching, max_utilization
    )


@lru_cache(maxsize=1 << 16)
def _least_replicas(
    service_ms: float, cv: float, quantile: float | None, slo_ms: float, concurrency: int, rate_rps: float, max_utilization: float
) -> int | None:
    if not _service_alone_meets(service_ms, cv, quantile, slo_ms):
        return None

    def meets(replicas: int) -> bool:
        if rate_rps * service_ms / 1000.0 > replicas * concurrency * max_utilization + FORGIVEN * replicas * concurrency:
            return False
        found_ms = latency_ms(service_ms, cv, quantile, replicas * concurrency, rate_rps)
        return found_ms is not None and found_ms <= slo_ms

    enough = 1
    while not meets(enough):
        enough *= 2
        if enough > MOST_REPLICAS:
            return None
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if meets(middle) else (middle, enough)
    while enough > 1 and meets(enough - 1):
        enough -= 1
    return enough


def _service_alone_meets(service_ms: float, cv: float, quantile: float | None, slo_ms: float) -> bool:
    """Whether a request that never waits is fast enough: what no number of replicas can mend."""
    alone_ms = latency_ms(service_ms, cv, quantile, 1, 0.0)
    return alone_ms is not None and alone_ms <= slo_ms


def _decay_per_ms(service_ms: float, cv: float, servers: int, load: float) -> float:
    return 2.0 * (servers - load) / ((1.0 + cv * cv) * service_ms)


def _quantile_ms(service_ms: float, cv: float, quantile: float, waiting: float, decay: float) -> float:
    """Root of P(latency > x) = 1 - quantile by halving: the tail falls in x."""
    beyond = 1.0 - quantile
    if cv < LEAST_CV:
        return service_ms + (max(log(waiting / beyond) / decay, 0.0) if waiting > 0 else 0.0)
    low, high = 0.0, service_ms
    while _tail(high, service_ms, cv, waiting, decay) > beyond:
        low, high = high, 2.0 * high
    while high - low > 1e-6:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if _tail(middle, service_ms, cv, waiting, decay) > beyond else (low, middle)
    return high


def _tail(x_ms: float, service_ms: float, cv: float, waiting: float, decay: float) -> float:
    """P(wait + service > x): P(service > x) + C * integral of the service density f(u) exp(-decay (x - u)) over u in 0..x."""
    shape = 1.0 / (cv * cv)
    scaled = x_ms * shape / service_ms
    return float(gammaincc(shape, scaled)) + waiting * _held_back(scaled, shape, decay * service_ms / shape)


def _held_back(scaled: float, shape: float, ratio: float) -> float:
    """The integral of `_tail` for a gamma density of `shape` in units of its scale; ratio = decay x scale.

    Below ratio 1 the product is again a gamma density; from 1 on it is Kummer's function, which is stable at negative argument.
    """
    if scaled <= 0:
        return 0.0
    if ratio < 1.0:
        return exp(-ratio * scaled - shape * log1p(-ratio)) * float(gammainc(shape, (1.0 - ratio) * scaled))
    front = exp(shape * log(scaled) - scaled - lgamma(shape + 1.0))
    return front * float(hyp1f1(1.0, shape + 1.0, -(ratio - 1.0) * scaled))
