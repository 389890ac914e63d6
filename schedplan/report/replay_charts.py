"""A replay over time as charts: devices in use, jobs that wait, and how long jobs waited. It reads events and decides nothing.

However long a replay is, its curves have 240 points: means over equal spans, so that nothing between two points is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.report.charts import ChartPoint, Line, LineChart, LineRole, PointChart
from schedplan.report.document import Section, SectionRole

MOST_SPANS = 240
S_PER_H = 3600.0


@dataclass(frozen=True)
class ReplayEvents:
    """What a replay did. Instants int64 seconds, UTC.

    taken_s, taken: instants at which devices were taken (+) or given back (-), and how many; float64. submit_s: of every job.
    start_s: of those that started; wait_s: theirs.
    """

    taken_s: NDArray[np.int64]
    taken: NDArray[np.float64]
    submit_s: NDArray[np.int64]
    start_s: NDArray[np.int64]
    wait_s: NDArray[np.int64]


def replay_section(events: ReplayEvents) -> Section:
    """Return the charts of a replay; no block where nothing happened."""
    if not len(events.submit_s):
        return Section("over-time", "Over time", ())
    edges_s = _edges(events)
    waiting_s = np.concatenate([events.submit_s, events.start_s])
    waiting = np.concatenate([np.ones(len(events.submit_s)), -np.ones(len(events.start_s))])
    charts = (
        _curve("devices", "Devices in use", "devices", edges_s, events.taken_s, events.taken),
        _curve("queue", "Jobs waiting for their start", "jobs", edges_s, waiting_s, waiting),
        *((_waits(events.wait_s),) if len(events.wait_s) else ()),
    )
    return Section("over-time", "Over time", charts, SectionRole.PLAIN)


def _edges(events: ReplayEvents) -> NDArray[np.int64]:
    """Return the borders of equal spans of whole seconds; int64 [n + 1], n <= 240."""
    first = int(events.submit_s.min())
    last = max(int(events.submit_s.max()), *(int(found.max()) for found in (events.taken_s, events.start_s) if len(found)))
    step = max(-(-(last - first) // MOST_SPANS), 1)
    return first + step * np.arange(max(-(-(last - first) // step), 1) + 1, dtype=np.int64)


def _curve(
    block_id: str, title: str, unit: str, edges_s: NDArray[np.int64], at_s: NDArray[np.int64], change: NDArray[np.float64]
) -> LineChart:
    means = span_means(edges_s, at_s, change)
    instants = tuple(int(edge) for edge in edges_s)
    line = Line("mean", LineRole.EXPECTED, instants, (*(float(mean) for mean in means), None), is_step=True)
    hours = (instants[1] - instants[0]) / S_PER_H
    return LineChart(block_id, title, f"{title}: the mean over spans of {hours:,.3g} h each.", unit, (line,))


def span_means(edges_s: NDArray[np.int64], at_s: NDArray[np.int64], change: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of a step function over each span, float64 [n]: 0 at first, changed by `change` at `at_s`."""
    # The area up to an edge is the sum of change x (edge - instant) over the changes before it.
    order = np.argsort(at_s, kind="stable")
    since = at_s[order] - edges_s[0]
    level, moment = (np.concatenate([[0.0], np.cumsum(values)]) for values in (change[order], change[order] * since))
    seen = np.searchsorted(at_s[order], edges_s, side="right")
    area = level[seen] * (edges_s - edges_s[0]) - moment[seen]
    means: NDArray[np.float64] = np.round(np.diff(area) / np.diff(edges_s), 9)
    return np.maximum(means, 0.0)


def _waits(wait_s: NDArray[np.int64]) -> PointChart:
    hours = np.quantile(wait_s / S_PER_H, np.arange(101) / 100.0)
    points = tuple(
        ChartPoint(float(share), float(wait), f"{share} of 100 jobs wait {wait:,.4g} h or less") for share, wait in enumerate(hours)
    )
    caption = "How long jobs wait, sorted: so many of 100 jobs wait so long or less. Jobs that never started are left out."
    return PointChart("waits", "Waits", caption, "jobs of 100", "hours", "wait", points)
