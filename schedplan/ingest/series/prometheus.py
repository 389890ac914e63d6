"""Reader `prometheus`: saved answers of `query_range` and `query`, as the tables `load` and `latency_samples`.

Source: prometheus.io/docs/prometheus/latest/querying/api, github.com/NVIDIA/dcgm-exporter (2026-11). A counter becomes its rate,
with resets; NaN and Inf become gaps; every set of labels is a series.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path

from schedplan.ingest.document import json_document, sniffed_document
from schedplan.ingest.draft import Draft
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.series.histogram import BucketSeries, add_samples, is_bucket
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile

NAME_LABEL = "__name__"
_COUNTER_ENDS = ("_total", "_count", "_sum", "_bucket")
_SPECIAL = {"NaN", "+Inf", "-Inf", "Inf"}
# Metric -> (factor, unit): dcgm-exporter tells utilisation in percent of a device and memory in MiB.
_UNITS = {
    "DCGM_FI_DEV_GPU_UTIL": (0.01, "devices"),
    "DCGM_FI_DEV_FB_USED": (1 / 1024, "GiB"),
    "DCGM_FI_DEV_FB_FREE": (1 / 1024, "GiB"),
    "DCGM_FI_DEV_POWER_USAGE": (1.0, "W"),
}
_ENDS = (
    ("_devices", "devices"),
    ("_cores", "cores"),
    ("_requests_per_second", "requests/s"),
    ("_bytes", "bytes"),
    ("_seconds", "s"),
    ("_watts", "W"),
    ("_celsius", "Celsius"),
)
_MOST_S = 1e12
Point = tuple[float, float | None]


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Every series of an answer becomes one of `load`, named by its metric and labels; a histogram becomes `latency_samples`."""

    name: str = "prometheus"
    description: str = "answers of the Prometheus HTTP API (query_range, query) saved as JSON"
    tables: tuple[str, ...] = ("load", "latency_samples")
    recognised_by: str = "a JSON mapping with status success or error, and data.resultType"

    def sniff(self, path: Path) -> bool:
        """Return whether the file is an answer of the API."""
        document = sniffed_document(path)
        status = document.get("status").value
        return (status == "success" and document.get("data").has("resultType")) or (status == "error" and document.has("errorType"))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the series in the file; InputError with all its faults. Times are seconds, so no zone is needed."""
        del options
        draft = Draft.of("load", path)
        document = json_document(path)
        if document.get("status").text() != "success":
            told = f"{document.get('errorType').text()}: {document.get('error').text()}"
            draft.refuse_file(f"Prometheus answered with an error: {told}", "Mend the query and save its answer again.")
        kind, results = document.get("data", "resultType").text(), document.get("data", "result")
        if kind not in ("matrix", "vector"):
            draft.refuse_file(f"the answer is a {kind}, which is no series", "Ask for a series, best with query_range and a step.")
        if not results.items():
            draft.refuse_file("the answer holds no series: the query matched nothing", "Check names, labels and the range of time.")
        counts: Counter[str] = Counter()
        begins: list[int] = []
        buckets: list[BucketSeries] = []
        for number, item in enumerate(results.items(), start=1):
            try:
                _add_series(draft, number, item, counts, begins, buckets)
            except FieldError as problem:
                draft.refuse(number, problem)
        samples = Draft("latency_samples", path, draft.faults)
        try:
            add_samples(samples, buckets)
        except FieldError as problem:
            draft.refuse(buckets[0].row, problem)
        _tell(draft, counts, kind)
        files = [one.file() for one in (draft, samples) if one.rows or one.faults.faults]
        return tuple(files) or (draft.file(),)


def _add_series(
    draft: Draft, number: int, item: Element, counts: Counter[str], begins: list[int], buckets: list[BucketSeries]
) -> None:
    labels = {name: value.text() or "" for name, value in item.get("metric").fields()}
    metric = labels.get(NAME_LABEL, "")
    raw = [_point(pair, counts) for pair in (item.get("values").items() if item.has("values") else (item.get("value"),))]
    if is_bucket(metric, labels):
        buckets.append(BucketSeries(number, metric, labels, {int(at): value for at, value in raw if value is not None}))
        return
    is_counter = metric.endswith(_COUNTER_ENDS) and len(raw) > 1
    points = _rates(raw, counts) if is_counter else raw
    factor, unit = _UNITS.get(metric, (1.0, next((unit for end, unit in _ENDS if metric.endswith(end)), None)))
    counts.update({"series": 1, "counters": int(is_counter), "unknown": int(unit is None and not is_counter)})
    own = {name: value for name, value in labels.items() if name != NAME_LABEL}
    told = ",".join(f"{name}={own[name]}" for name in sorted(own))
    begin = metric or plain_name(draft.path).rsplit(".", 1)[0]
    unique_id = f"{begin}{{{told}}}" if told else begin
    seconds = [int(at) for at, _ in points]
    counts["fractions"] += any(at != int(at) for at, _ in points)
    counts["same"] += len(seconds) - len(set(seconds))
    for at, value in dict(zip(seconds, (value for _, value in points), strict=True)).items():
        y = None if value is None else value * factor
        draft.add(number, {"unique_id": unique_id, "ds": at, "y": y, "unit": f"{unit or '1'}/s" if is_counter else unit})
    counts["gaps"] += _missing(seconds)
    if seconds:
        counts["later"] += bool(begins) and min(seconds) > min(begins)
        begins.append(min(seconds))


def _point(pair: Element, counts: Counter[str]) -> Point:
    values = pair.items()
    if len(values) != 2 or not isinstance(values[0].value, int | float) or not abs(values[0].value) < _MOST_S:
        raise shape_error(pair.place, pair.value, "a time in seconds and a value as a text")
    text = values[1].text() or ""
    counts["samples"] += 1
    if text in _SPECIAL:
        counts["not_finite"] += 1
        return float(values[0].value), None
    try:
        value = float(text) if text.isascii() and "_" not in text else float("nan")
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise shape_error(values[1].place, text, "a number as a text")
    return float(values[0].value), value


def _rates(points: list[Point], counts: Counter[str]) -> list[Point]:
    """Return what a counter gained per second between a sample and the next; one that fell began anew at 0."""
    found: list[Point] = []
    for (begin, before), (end, after) in pairwise(points):
        if before is None or after is None or end <= begin:
            found.append((begin, None))
            continue
        counts["resets"] += after < before
        found.append((begin, (after - before if after >= before else after) / (end - begin)))
    return found


def _missing(seconds: list[int]) -> int:
    """Return how many steps are longer than the commonest."""
    steps = [after - before for before, after in pairwise(seconds)]
    if not steps:
        return 0
    usual = Counter(steps).most_common(1)[0][0]
    return sum(step > usual for step in steps)


def _tell(draft: Draft, counts: Counter[str], kind: str) -> None:
    draft.note(counts["series"], f"{counts['series']} series with {counts['samples']} samples")
    draft.note(counts["not_finite"], f"{counts['not_finite']} samples are NaN or infinite and are gaps")
    draft.note(counts["gaps"], f"{counts['gaps']} steps are longer than the usual one; what is missing there is a gap, not 0")
    draft.note(counts["later"], f"{counts['later']} series begin later than an earlier one; what is before is unknown, not 0")
    draft.note(counts["counters"], f"{counts['counters']} series are counters and become rates, with {counts['resets']} resets")
    draft.note(counts["fractions"], "fractions of a second are cut off")
    draft.note(counts["same"], f"{counts['same']} samples share the second of another; the last counts")
    draft.caution(
        counts["unknown"], f"the answer does not state the unit of {counts['unknown']} series; y is the value as it stands"
    )
    draft.caution(kind == "vector", "an instant answer has one sample a series, which is no demand over time; ask query_range")
