"""What no policy could do better, had it known everything beforehand: bounds beside the measures of a replay, {bound hindsight}.

Sets: jobs j with submission r_j, run time p_j, counted resource a_j; M, that of the whole machine. In any schedule
    makespan_s        >= max over j of r_j + p_j, and over j of r_j + (sum of a_i p_i over r_i >= r_j) / M, less the first r
    response_s_mean   >= the mean of p_j; the mean response under shortest remaining work first of jobs of a_j p_j / M on one
                         machine that may interrupt (Schrage 1968, doi.org/10.1287/opre.16.3.687: best there, and any schedule
                         here is one there in which no job ends later)
    wait_s_mean       >= that less the mean of p_j
    utilization       <= sum of a_j p_j / (M x least makespan)

None where nodes run jobs at other speeds, or a job was stopped: the work is then not known beforehand. Services are left out, which
only loosens a bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from schedplan.model.findings import Measure
from schedplan.model.timeline import Timeline

LABELS = (("bound", "hindsight"),)


def hindsight_measures(timeline: Timeline) -> Iterator[Measure]:
    """Yield the bounds of a replay all of whose jobs ran, none where one did not."""
    if not len(timeline.jobs) or timeline.stops or not timeline.started.all() or timeline.total <= 0:
        return
    submit_s, run_s = timeline.submit_s.astype(np.float64), timeline.run_s.astype(np.float64)
    work_s = timeline.amount * run_s / timeline.total
    order = np.argsort(submit_s, kind="stable")
    submit_s, run_s, work_s = submit_s[order], run_s[order], work_s[order]
    last_s = max(float((submit_s + run_s).max()), float((submit_s + work_s[::-1].cumsum()[::-1]).max()))
    makespan_s = last_s - float(submit_s[0])
    response_s = max(float(run_s.mean()), _mean_response_s(submit_s, work_s))
    yield Measure("makespan_s", makespan_s, "s", LABELS)
    yield Measure("response_s_mean", response_s, "s", LABELS)
    yield Measure("wait_s_mean", max(response_s - float(run_s.mean()), 0.0), "s", LABELS)
    if timeline.services is None and makespan_s > 0:
        yield Measure("utilization", min(float(work_s.sum()) / makespan_s, 1.0), "share", LABELS)


def _mean_response_s(submit_s: NDArray[np.float64], work_s: NDArray[np.float64]) -> float:
    """Return the mean response on one machine by shortest remaining work first; both by submission, float64 [n]."""
    waiting: list[float] = []
    arrivals: list[float] = submit_s.tolist()
    total, now_s = 0.0, arrivals[0]
    for at_s, work in zip(arrivals, work_s.tolist(), strict=True):
        while waiting and now_s + waiting[0] <= at_s:
            now_s += heappop(waiting)
            total += now_s
        if waiting:
            heappush(waiting, heappop(waiting) - (at_s - now_s))
        now_s = at_s
        heappush(waiting, work)
    while waiting:
        now_s += heappop(waiting)
        total += now_s
    return (total - sum(arrivals)) / len(arrivals)


def offered_load(timeline: Timeline) -> float | None:
    """Return the work of all jobs over what the machine does from the first to the last submission; None where that is no time."""
    if len(timeline.jobs) < 2:
        return None
    span_s = float(timeline.submit_s.max() - timeline.submit_s.min())
    return float((timeline.amount * timeline.run_s).sum()) / (timeline.total * span_s) if span_s * timeline.total > 0 else None
