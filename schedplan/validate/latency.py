"""Latency: whether a service can meet its target, and whether its demand moves faster than nodes start."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

import numpy as np

from schedplan.measures.eligibility import service_refusal, workers_per_node
from schedplan.measures.latency import latency_ms, least_replicas
from schedplan.model.cluster import Market, Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.forecast import Series
from schedplan.model.workload import Service
from schedplan.timegrid import format_instant
from schedplan.validate.rule import Rule
from schedplan.validate.subject import Subject

_BURST_FACTOR = 2.0


def _on_spot(subject: Subject) -> Iterator[Finding]:
    for service in subject.services:
        pools = _pools(subject, service)
        names = tuple(pool.name for pool in pools if pool.market is Market.SPOT)
        if names:
            room = sum(pool.nodes * workers_per_node(pool, service.shape) for pool in pools if pool.market is not Market.SPOT)
            fallback = f"all others hold {room} replicas at most" if room else "no other node takes it, so there is no fallback"
            message = (
                f"it answers in real time and may run on spot nodes ({', '.join(names)}), which can be taken back at any moment;"
                f" {fallback}"
            )
            hint = "Leave spot out of its markets, or keep spare replicas elsewhere."
            yield Finding("SP1230", Severity.WARNING, f"service {service.name}", message, hint, column="markets")


def _service_time(subject: Subject) -> Iterator[Finding]:
    for service in subject.services:
        times = sorted({_service_ms(subject, service, pool) for pool in _pools(subject, service)})
        if not times:
            continue
        alone_ms = latency_ms(times[0], service.service_cv, service.slo_quantile, 1, 0.0)
        if alone_ms is None or alone_ms > service.slo_ms:
            at = "the mean" if service.slo_quantile is None else f"the {service.slo_quantile:g} quantile"
            message = (
                f"without any waiting a request takes {alone_ms or 0:.0f} ms at {at} on the fastest device that takes it"
                f" (mean {times[0]:g} ms, cv {service.service_cv:g}); the target is {service.slo_ms:g} ms"
            )
            hint = "No number of replicas mends this: use a faster device, or another target."
            yield Finding("SP1231", Severity.ERROR, f"service {service.name}", message, hint, column="slo_ms")


def _demand(subject: Subject) -> Iterator[Finding]:
    """The largest load seen against all replicas that the nodes hold when empty, at the fastest device."""
    for service in subject.services:
        series = _series(subject, service)
        pools = _pools(subject, service)
        if series is None or not pools:
            continue
        peak_rps = float(np.nanmax(series.values))
        fastest_ms = min(_service_ms(subject, service, pool) for pool in pools)
        needed = least_replicas(service, fastest_ms, peak_rps, 1.0)
        room = sum(pool.nodes * workers_per_node(pool, service.shape) for pool in pools)
        limit = room if service.max_replicas is None else min(room, service.max_replicas)
        if needed is not None and needed > limit:
            why = "its max_replicas" if limit < room else "all nodes that take it, when empty"
            message = f"its largest load, {peak_rps:g} per second, needs {needed} replicas; {why}: {limit}"
            yield Finding("SP1232", Severity.WARNING, f"service {service.name}", message, "Add nodes, or price missed demand.")


def _burst(subject: Subject) -> Iterator[Finding]:
    for service in subject.services:
        series = _series(subject, service)
        lags = [pool.startup_minutes for pool in _pools(subject, service) if _is_elastic(pool)]
        steps = 0 if series is None else floor(max(lags, default=0.0) * 60 / series.step_s)
        if series is None or steps < 1 or len(series.values) < 2:
            continue
        rises = [
            (later / now, idx)
            for idx, (now, later) in enumerate(zip(series.values, _largest_within(series, steps), strict=True))
            if now > 0 and later > 0
        ]
        factor, idx = max(rises, default=(0.0, 0))
        if factor >= _BURST_FACTOR:
            at = format_instant(series.start_s + idx * series.step_s)
            message = (
                f"from {at} its load grows {factor:.1f} times within {max(lags):g} min, the time in which a node starts:"
                " nodes that are asked for when the burst is seen come too late"
            )
            yield Finding("SP1233", Severity.WARNING, f"service {service.name}", message, "Keep a warm buffer, or raise min_count.")


def _gaps(subject: Subject) -> Iterator[Finding]:
    for series in subject.series:
        missing = int(np.count_nonzero(np.isnan(series.values)))
        if missing:
            first = format_instant(series.start_s + int(np.flatnonzero(np.isnan(series.values))[0]) * series.step_s)
            message = f"{missing} of {len(series.values)} intervals have no value, the first at {first}"
            severity = Severity.WARNING if missing < len(series.values) else Severity.ERROR
            yield Finding(
                "SP1234", severity, f"load {series.unique_id}", message, "Gaps stay gaps; they are not read as 0.", column="y"
            )


def _calibration(subject: Subject) -> Iterator[Finding]:
    for calibration in subject.calibrations:
        severity = Severity.WARNING if calibration.fits_badly or not calibration.times else Severity.NOTE
        hint = (
            "Look for loads without a steady state, or a mix of requests, behind the samples." if calibration.fits_badly else None
        )
        yield Finding("SP1235", severity, f"service {calibration.service}", calibration.words, hint)


def _pools(subject: Subject, service: Service) -> list[Pool]:
    return [pool for pool in subject.cluster.pools if service_refusal(pool, service) is None]


def _series(subject: Subject, service: Service) -> Series | None:
    series = subject.series_by_id.get(service.series or service.name)
    return None if series is None or bool(np.all(np.isnan(series.values))) else series


def _service_ms(subject: Subject, service: Service, pool: Pool) -> float:
    return service.service_ms / subject.cluster.speed(pool.accelerator, service.name, "service")


def _is_elastic(pool: Pool) -> bool:
    return not pool.market.is_sunk and pool.max_count > pool.min_count


def _largest_within(series: Series, steps: int) -> list[float]:
    """Return for each interval the largest value of the `steps` intervals after it; NaN counts as nothing."""
    values = np.nan_to_num(series.values, nan=0.0)
    padded = np.concatenate([values[1:], np.zeros(steps)])
    largest: list[float] = np.lib.stride_tricks.sliding_window_view(padded, steps)[: len(values)].max(axis=1).tolist()
    return largest


RULES = (
    Rule(
        "SP1230",
        "service-on-spot",
        "A service with a latency target may run on spot nodes. When one is taken back its replicas are gone at once, in the"
        " middle of the demand they served.",
        _on_spot,
    ),
    Rule(
        "SP1231",
        "service-time",
        "The time that one request takes already misses the target when nothing waits. With a mean of 100 ms and cv 1 the 0.95"
        " quantile is 300 ms: a target of 200 ms can't be met by any number of replicas.",
        _service_time,
    ),
    Rule("SP1232", "peak-demand", "The largest load seen needs more replicas than the nodes hold or max_replicas allows.", _demand),
    Rule(
        "SP1233",
        "burst",
        "Load at least doubles in less time than a node takes to start. A plan that knows the demand asks ahead; whoever only"
        " reacts is late.",
        _burst,
    ),
    Rule("SP1234", "load-gaps", "A series has intervals without a value. They are left out of what is learnt from it.", _gaps),
    Rule(
        "SP1235",
        "calibration",
        "What measured latencies say of a service: mean service time and variation by least squares on relative errors, with the"
        " error on every fifth sample, held back from the fit, beside that of the stated values. The found values are used where"
        " they are closer. A warning where the law itself does not fit, or samples are too few.",
        _calibration,
    ),
)
