"""Measures of services in a replay, each defined once; per {service}, and whole where it says so.

slo_attainment     requests that do not miss the SLO / all requests; whole
missed_requests    requests that miss the SLO: late by the latency model, sent while more arrives than is served, or while nothing
                   serves; whole
latency_ms_mean    mean over the requests of what the SLO's quantile of them takes; those sent while nothing serves are not in it
queue_length_*     requests that wait beyond the steady state, over time
utilization        replicas kept busy x time / replicas that hold room x time, while the load lasts
scale_up_s_*       from when a replica was asked for until it served, those of the start apart
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, fsum

from schedplan.model.findings import Measure
from schedplan.model.service_run import ServiceSpan, ServicesRun

PERCENTS = (50, 95, 99)


def service_measures(run: ServicesRun) -> Iterator[Measure]:
    """Yield all measures of the services of a replay."""
    spans: list[list[ServiceSpan]] = [[] for _ in run.names]
    for span in run.spans:
        spans[span.service].append(span)
    for idx, name in enumerate(run.names):
        label = (("service", name),)
        requests, late = _requests(spans[idx]), fsum(span.late for span in spans[idx])
        yield Measure("slo_attainment", _ratio(requests - late, requests), "share", label)
        yield Measure("missed_requests", late, "requests", label)
        timed = [span for span in spans[idx] if span.latency_ms is not None]
        weighted = fsum(span.requests * (span.latency_ms or 0.0) for span in timed)
        yield Measure("latency_ms_mean", _ratio(weighted, _requests(timed)), "ms", label)
        lasts_s = sum(span.end_s - span.start_s for span in spans[idx])
        waiting = fsum((span.backlog_start + span.backlog_end) / 2.0 * (span.end_s - span.start_s) for span in spans[idx])
        yield Measure("queue_length_mean", _ratio(waiting, lasts_s), "requests", label)
        yield Measure("queue_length_max", max((span.backlog_end for span in spans[idx]), default=None), "requests", label)
        busy_s = fsum(span.busy * (span.end_s - span.start_s) for span in spans[idx])
        yield Measure("utilization", _ratio(busy_s, _held_s(run, idx)), "share", label)
        yield from _scale_up(run, idx, label)
    requests, late = _requests(run.spans), fsum(span.late for span in run.spans)
    yield Measure("slo_attainment", _ratio(requests - late, requests), "share")
    yield Measure("missed_requests", late, "requests")


def busy_amount_s(run: ServicesRun) -> float:
    """Return the counted resource x time that replicas are kept busy."""
    amounts = {replica.service: replica.amount for replica in run.replicas}
    return fsum(span.busy * amounts.get(span.service, 0.0) * (span.end_s - span.start_s) for span in run.spans)


def held_amount_s(run: ServicesRun) -> float:
    """Return the counted resource x time that replicas hold."""
    return fsum(replica.amount * (replica.gone_s - replica.taken_s) for replica in run.replicas)


def _held_s(run: ServicesRun, service: int) -> float:
    return fsum(
        min(replica.gone_s, run.end_s) - min(replica.taken_s, run.end_s) for replica in run.replicas if replica.service == service
    )


def _scale_up(run: ServicesRun, service: int, label: tuple[tuple[str, str], ...]) -> Iterator[Measure]:
    times = sorted(
        float(one.ready_s - one.asked_s)
        for one in run.replicas
        if one.service == service and one.ready_s is not None and one.asked_s > run.start_s
    )
    if not times:
        return
    yield Measure("scale_up_s_mean", fsum(times) / len(times), "s", label)
    for percent in PERCENTS:
        yield Measure(f"scale_up_s_p{percent}", times[ceil(percent * len(times) / 100) - 1], "s", label)
    yield Measure("scale_up_s_max", times[-1], "s", label)


def _requests(spans: list[ServiceSpan] | tuple[ServiceSpan, ...]) -> float:
    return fsum(span.requests for span in spans)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None
