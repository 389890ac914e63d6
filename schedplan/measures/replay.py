"""Measures of a replay, each defined once. paid = counted resource of the whole machine from the first submission to the last end.

    wait_s               first start - submission, over jobs that ran to their end; {tenant} mean
    response_s           end - submission, likewise
    bounded_slowdown     max(1, response / max(run, 10 s)), likewise; run: all runs of a job together
    makespan_s           last end - first submission
    utilization          counted resource x time that jobs run and replicas are kept busy / paid
    allocation           the same from when a worker takes its place, running or not / paid
    queue_length         jobs that wait, over time
    gang_start_rate      gangs that ran, and none of whose workers was bound before the last could be / gangs. Places that are only
                         reserved while the rest is sought bind nothing
    phantom_admitted_device_h   counted resource x time from when a job is given quota until its workers have nodes; None where
                         quota isn't given before nodes are
    decision_latency_s   start - the last instant at which something changed for it: its submission, or room that was given back.
                         What the engine's own pace adds at the least, over jobs that started
    wait_largest_decile_s   mean wait of the largest tenth of gangs, at least one (by devices, then submission), those that started
    fragmentation        largest gang of the largest worker in the log that fits at once / free devices; mean over the time in which
                         something is free. 1 = nothing is lost to fragments
    stranded_devices     free on nodes where, by the counted resource alone, neither the smallest waiting nor the average worker
                         fits; mean over time
    unplaced             jobs that never started, and those larger than the machine
    deadline_hits        jobs with a deadline that ended by it / all of them
    jain_tenants         Jain's index of the tenants' mean bounded slowdown: 1 = all alike
    preemptions          stops for another job; {cause} all stops
    lost_device_h        counted resource x time of runs that were stopped which no checkpoint kept; {cause} by cause
    cost, cost_paid      price of all nodes x (last end - first submission); None where no node has a price

Services count into utilization, allocation, fragmentation and stranded_devices; measures of their own: measures/service_replay.
The replay then lasts from their start, where that is first, to the end of their load at least.

A gang is a job of more than one worker or device. Percentiles by nearest rank; those of the queue by time. A measure that has no
value here is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.service_replay import busy_amount_s, held_amount_s, service_measures
from schedplan.model.findings import Measure
from schedplan.model.timeline import CAUSES, PREEMPTIONS, DropReason, Timeline

SHORTEST_S = 10.0
LARGEST_SHARE = 10
PERCENTS = (50, 95, 99)
FORGIVEN = 1e-6


def replay_measures(timeline: Timeline, currency: str = "USD") -> tuple[Measure, ...]:
    """Return all measures of a replay, by name, then labels."""
    parts = (_waits, _use, _queue, _gangs, _pace, _room, _outcomes)
    of_services = () if timeline.services is None else service_measures(timeline.services)
    found = [*(measure for part in parts for measure in part(timeline)), *of_services, *_money(timeline, currency)]
    return tuple(sorted(found, key=lambda measure: (measure.name, measure.labels)))


def waits_s(timeline: Timeline) -> NDArray[np.float64]:
    """Return the wait of every job that started, float64 [n_started]."""
    started = timeline.started
    return (timeline.start_s[started] - timeline.submit_s[started]).astype(np.float64)


def bounded_slowdowns(timeline: Timeline) -> NDArray[np.float64]:
    """Return the bounded slowdown of every job that started, float64 [n_started]."""
    run_s = timeline.run_s[timeline.started].astype(np.float64)
    return np.maximum(1.0, _responses_s(timeline) / np.maximum(run_s, SHORTEST_S))


def _responses_s(timeline: Timeline) -> NDArray[np.float64]:
    started = timeline.started
    return (timeline.end_s[started] - timeline.submit_s[started]).astype(np.float64)


def _waits(timeline: Timeline) -> Iterator[Measure]:
    waits = waits_s(timeline)
    responses = _responses_s(timeline)
    slowdowns = bounded_slowdowns(timeline)
    yield from _distribution("wait_s", waits, "s")
    yield from _distribution("response_s", responses, "s")
    yield from _distribution("bounded_slowdown", slowdowns, "ratio")
    tenant = timeline.tenant[timeline.started]
    means = []
    for idx, name in enumerate(timeline.tenants):
        if not (timeline.tenant == idx).any():
            continue  # a tenant of services alone
        of_tenant = tenant == idx
        yield Measure("wait_s_mean", _mean(waits[of_tenant]), "s", (("tenant", name),))
        if of_tenant.any():
            means.append(float(slowdowns[of_tenant].mean()))
    yield Measure("jain_tenants", jain(means), "share")


def jain(values: list[float]) -> float | None:
    """Return (sum x)^2 / (n sum x^2); None without values. Source: Jain, Chiu, Hawe 1984, DEC-TR-301."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares > 0 else None


def _use(timeline: Timeline) -> Iterator[Measure]:
    span_s = timeline.last_s - timeline.first_s
    paid = timeline.total * span_s
    busy = float((timeline.amount * timeline.run_s)[timeline.started].sum())
    held = float((timeline.parts.amount * (_part_ends_s(timeline) - timeline.parts.taken_s)).sum())
    if timeline.services is not None:
        busy += busy_amount_s(timeline.services)
        held += held_amount_s(timeline.services)
    yield Measure("makespan_s", float(span_s) if timeline.started.any() else None, "s")
    yield Measure("utilization", busy / paid if paid > 0 else None, "share")
    yield Measure("allocation", held / paid if paid > 0 else None, "share")


def _part_ends_s(timeline: Timeline) -> NDArray[np.int64]:
    """Return when each part was given back: with the end of its job, for one that never ran with that of the replay."""
    job = timeline.parts.job
    if not len(job):
        return np.zeros(0, dtype=np.int64)
    return timeline.parts.gone_s(np.where(timeline.started[job], timeline.end_s[job], timeline.last_s))


def _queue(timeline: Timeline) -> Iterator[Measure]:
    started = timeline.started
    instants = np.concatenate([timeline.submit_s, timeline.start_s[started], [timeline.last_s]])
    steps = np.concatenate([np.ones(len(timeline.jobs)), -np.ones(int(started.sum())), [0.0]])
    times, inverse = np.unique(instants, return_inverse=True)
    changes = np.zeros(len(times))
    np.add.at(changes, inverse, steps)
    length, lasts_s = np.cumsum(changes)[:-1], np.diff(times)
    if not lasts_s.sum():
        length, lasts_s = np.zeros(0), np.zeros(0)
    yield Measure("queue_length_mean", float(length @ lasts_s / lasts_s.sum()) if len(length) else None, "jobs")
    order = np.argsort(length, kind="stable")
    reached = np.cumsum(lasts_s[order])
    for percent in PERCENTS:
        at = int(np.searchsorted(reached, reached[-1] * percent / 100)) if len(length) else 0
        yield Measure(f"queue_length_p{percent}", float(length[order][at]) if len(length) else None, "jobs")
    yield Measure("queue_length_max", float(length.max()) if len(length) else None, "jobs")


def _gangs(timeline: Timeline) -> Iterator[Measure]:
    gangs = np.flatnonzero(timeline.is_gang)
    whole = timeline.started if timeline.in_parts is None else timeline.started & ~timeline.in_parts
    yield Measure("gang_start_rate", float(whole[gangs].mean()) if len(gangs) else None, "share")
    by_size = gangs[np.argsort(-timeline.amount[gangs], kind="stable")]
    largest = by_size[: ceil(len(gangs) / LARGEST_SHARE)]
    largest = largest[timeline.started[largest]]
    yield Measure("wait_largest_decile_s", _mean((timeline.start_s - timeline.submit_s)[largest].astype(np.float64)), "s")


def _pace(timeline: Timeline) -> Iterator[Measure]:
    started = timeline.started
    start_s = timeline.start_s[started]
    given_back_s = np.unique(_part_ends_s(timeline))
    before = np.searchsorted(given_back_s, start_s, side="right") - 1
    last_s = np.where(before >= 0, given_back_s[before], timeline.first_s) if len(given_back_s) else start_s
    changed_s = np.maximum(timeline.submit_s[started], last_s)
    yield from _distribution("decision_latency_s", (start_s - changed_s).astype(np.float64), "s")
    yield Measure("phantom_admitted_device_h", _phantom_h(timeline), f"{timeline.unit}-h")


def _phantom_h(timeline: Timeline) -> float | None:
    """Return what jobs were given of quota while they had no nodes for it."""
    if timeline.admitted_s is None:
        return None
    admitted = timeline.admitted_s >= 0
    last_s = np.where(timeline.started, timeline.start_s, timeline.last_s)
    asked = timeline.amount * np.maximum(last_s - timeline.admitted_s, 0)
    parts, job = timeline.parts, timeline.parts.job
    since_s = np.maximum(parts.taken_s, timeline.admitted_s[job]) if len(job) else parts.taken_s
    placed = parts.amount * np.maximum(np.minimum(_part_ends_s(timeline), last_s[job]) - since_s, 0)
    return float(asked[admitted].sum() - placed[admitted[job]].sum()) / 3600.0


def _room(timeline: Timeline) -> Iterator[Measure]:
    fragmentation, stranded = _fragments(timeline) if timeline.nodes and len(timeline.parts.job) else (None, None)
    yield Measure("fragmentation", fragmentation, "share")
    yield Measure("stranded_devices", stranded, f"{timeline.unit}s")


def _fragments(timeline: Timeline) -> tuple[float | None, float | None]:
    """Return (fragmentation, stranded): one walk over what is taken and given back, node by node."""
    counts = timeline.amount > 0
    if not counts.any():
        return None, None
    largest = float(timeline.worker_amount.max())
    average = float(timeline.amount[counts].sum() / timeline.workers[counts].sum())
    average = average if average <= 1 else float(ceil(average - FORGIVEN))
    walk = _Walk(timeline, largest, average)
    return walk.measured()


class _Walk:
    """Free amounts per node over time, with the sums that change with them."""

    def __init__(self, timeline: Timeline, largest: float, average: float) -> None:
        self._largest, self._average = largest, average
        self._free = [float(amount) for amount in timeline.capacity]
        self._nodes_with: dict[float, int] = {}
        for amount in self._free:
            self._nodes_with[amount] = self._nodes_with.get(amount, 0) + 1
        self._total = sum(self._free)
        self._in_gangs = sum(self._fitting(amount) for amount in self._free)
        self._waiting: dict[float, int] = {}
        self._events = _events(timeline)

    def measured(self) -> tuple[float | None, float | None]:
        share_s = free_s = stranded_s = span_s = 0.0
        before_s, stranded, is_known = None, 0.0, False
        for at_s, kind, which, amount in self._events:
            if before_s is not None and at_s > before_s:
                lasts_s = at_s - before_s
                if self._total > FORGIVEN:
                    share_s += lasts_s * self._in_gangs / self._total
                    free_s += lasts_s
                if not is_known:
                    stranded, is_known = self._stranded(), True
                stranded_s += lasts_s * stranded
                span_s += lasts_s
            before_s, is_known = at_s, False
            if kind == _NODE:
                self._change(which, amount)
            else:
                self._waiting[amount] = self._waiting.get(amount, 0) + which
        return (share_s / free_s if free_s else None), (stranded_s / span_s if span_s else None)

    def _change(self, node: int, amount: float) -> None:
        before = self._free[node]
        after = round(before + amount, 9)
        self._free[node] = after
        self._nodes_with[before] -= 1
        if not self._nodes_with[before]:
            del self._nodes_with[before]
        self._nodes_with[after] = self._nodes_with.get(after, 0) + 1
        self._total += after - before
        self._in_gangs += self._fitting(after) - self._fitting(before)

    def _fitting(self, free: float) -> float:
        return floor(free / self._largest + FORGIVEN) * self._largest

    def _stranded(self) -> float:
        smallest = min((amount for amount, count in self._waiting.items() if count), default=self._average)
        needed = min(smallest, self._average) - FORGIVEN
        return sum(free * count for free, count in self._nodes_with.items() if free < needed)


_NODE, _QUEUE = 0, 1


def _events(timeline: Timeline) -> list[tuple[int, int, int, float]]:
    """Return (instant, kind, node or +1 / -1, amount) by instant: takings and givings back of nodes, arrivals and leavings."""
    parts = timeline.parts
    events = list(zip(parts.taken_s.tolist(), [_NODE] * len(parts.job), parts.node.tolist(), (-parts.amount).tolist(), strict=True))
    events += zip(
        _part_ends_s(timeline).tolist(), [_NODE] * len(parts.job), parts.node.tolist(), parts.amount.tolist(), strict=True
    )
    for replica in () if timeline.services is None else timeline.services.replicas:
        events += [(replica.taken_s, _NODE, replica.node, -replica.amount), (replica.gone_s, _NODE, replica.node, replica.amount)]
    sized = timeline.amount > 0
    for instants, step, which in ((timeline.submit_s, 1, sized), (timeline.start_s, -1, sized & timeline.started)):
        events += [
            (at_s, _QUEUE, step, amount)
            for at_s, amount in zip(instants[which].tolist(), timeline.worker_amount[which].tolist(), strict=True)
        ]
    return sorted(events)


def _outcomes(timeline: Timeline) -> Iterator[Measure]:
    never = len(timeline.jobs) - int(timeline.started.sum())
    yield Measure("unplaced", float(never + timeline.count_dropped(DropReason.TOO_LARGE)), "jobs")
    due = timeline.has_deadline
    kept = due & timeline.started & (timeline.end_s <= timeline.deadline_s)
    yield Measure("deadline_hits", float(kept.sum() / due.sum()) if due.any() else None, "share")
    yield from _stops(timeline)


def _stops(timeline: Timeline) -> Iterator[Measure]:
    counts, lost = Counter(stop.cause for stop in timeline.stops), dict.fromkeys(CAUSES, 0.0)
    for stop in timeline.stops:
        lost[stop.cause] += stop.lost_s / 3600.0 * float(timeline.amount[stop.job])
    yield Measure("preemptions", float(sum(counts[cause] for cause in PREEMPTIONS)), "preemptions")
    yield Measure("lost_device_h", sum(lost.values()), f"{timeline.unit}-h")
    for cause in (cause for cause in CAUSES if counts[cause]):
        labels = (("cause", cause.name.lower()),)
        yield Measure("preemptions", float(counts[cause]), "preemptions", labels)
        yield Measure("lost_device_h", lost[cause], f"{timeline.unit}-h", labels)


def _money(timeline: Timeline, currency: str) -> Iterator[Measure]:
    paid = timeline.price_per_h * (timeline.last_s - timeline.first_s) / 3600.0
    for name in ("cost", "cost_paid"):
        yield Measure(name, paid if timeline.price_per_h > 0 else None, currency)


def _distribution(name: str, values: NDArray[np.float64], unit: str) -> Iterator[Measure]:
    ranked = np.sort(values)
    yield Measure(f"{name}_mean", _mean(values), unit)
    for percent in PERCENTS:
        yield Measure(f"{name}_p{percent}", float(ranked[ceil(percent * len(ranked) / 100) - 1]) if len(ranked) else None, unit)
    yield Measure(f"{name}_max", float(ranked[-1]) if len(ranked) else None, unit)


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None
