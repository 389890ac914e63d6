"""A long span in parts, and the answers to them as the one that a server would give without its limit. It asks nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence

# prometheus.io/docs/prometheus/latest/querying/api: a query_range of more points a series is refused (2026-11).
MOST_POINTS = 11_000
# Our choice: a million values a series are five years of every three minutes.
MOST_PARTS = 100


class PartError(ValueError):
    """An answer that is no matrix of series."""


def parts(begin_s: int, end_s: int, step_s: int) -> tuple[tuple[int, int], ...]:
    """Return (begin, end) of spans that hold the same instants as the whole, each at most MOST_POINTS of them, none twice."""
    n_points = (end_s - begin_s) // step_s + 1
    firsts = range(0, n_points, MOST_POINTS)
    return tuple((begin_s + first * step_s, min(end_s, begin_s + (first + MOST_POINTS - 1) * step_s)) for first in firsts)


def joined(contents: Sequence[bytes]) -> bytes:
    """Return the matrix of all answers, in turn, as one: of each set of labels the values one after another.

    The first answer alone is returned as it stands. Raises PartError where one of several is no matrix.
    """
    if len(contents) == 1:
        return contents[0]
    series: dict[str, dict[str, object]] = {}
    values: dict[str, list[object]] = {}
    for content in contents:
        for metric, points in _series(content):
            key = json.dumps(metric, sort_keys=True)
            series.setdefault(key, metric)
            values.setdefault(key, []).extend(points)
    result = [{"metric": series[key], "values": values[key]} for key in sorted(series)]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()


def _series(content: bytes) -> list[tuple[dict[str, object], list[object]]]:
    """Return (labels, values) of each series of an answer."""
    try:
        data = json.loads(content)["data"]
        found = [(one["metric"], one["values"]) for one in data["result"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PartError from None
    if data.get("resultType") != "matrix" or not all(isinstance(one, dict) and isinstance(two, list) for one, two in found):
        raise PartError
    return found
