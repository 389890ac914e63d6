"""Histograms of latency that a server counts, as measured quantiles: the table `latency_samples`. It reads no file.

Between two samples the buckets gained requests: their sum is the rate, their shape gives quantiles as histogram_quantile does,
linear within a bucket. Metrics: vLLM (`vllm:*_seconds_bucket`), TF Serving (`:tensorflow:serving:request_latency_bucket`, in
microseconds), and any `_bucket` whose name states its unit (prometheus.io/docs/practices/histograms, 2026-11).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from schedplan.ingest.draft import Draft
from schedplan.ingest.element import shape_error

BUCKET_LABEL, BUCKET_END = "le", "_bucket"
QUANTILES = ("0.5", "0.95", "0.99")
_SERVICE_LABELS = ("model_name", "model", "service", "job")
_REPLICA_LABELS = ("instance", "pod")
_UNITS_MS = (
    ("_milliseconds", 1.0),
    ("_ms", 1.0),
    ("_microseconds", 0.001),
    ("_us", 0.001),
    ("_seconds", 1000.0),
    (":tensorflow:serving:request_latency", 0.001),
)
_LIMITS = {"+Inf": float("inf"), "Inf": float("inf")}


@dataclass(frozen=True, slots=True)
class BucketSeries:
    """One bucket of one replica: its upper limit, and cumulative counts by time in seconds."""

    row: int
    metric: str
    labels: Mapping[str, str]
    counts: Mapping[int, float]


def is_bucket(metric: str, labels: Mapping[str, str]) -> bool:
    """Return whether a series is a bucket of a histogram."""
    return BUCKET_LABEL in labels and (metric.endswith(BUCKET_END) or not metric)


def add_samples(draft: Draft, series: list[BucketSeries]) -> None:
    """Add quantiles of every service and step to a draft of `latency_samples`; FieldError where a unit or a limit can't be told."""
    services: dict[str, list[BucketSeries]] = defaultdict(list)
    for one in series:
        services[_service(one)].append(one)
    counts: Counter[str] = Counter()
    for service in sorted(services):
        _add_service(draft, service, services[service], counts)
    draft.rows_used = len(series)
    draft.note(counts["steps"], f"{counts['steps']} steps between samples, each with quantiles {', '.join(QUANTILES)}")
    draft.note(counts["idle"], f"{counts['idle']} steps without a request tell no latency")
    draft.note(counts["beyond"], f"{counts['beyond']} quantiles lie beyond the largest bucket and are left out")
    draft.note(counts["resets"], f"{counts['resets']} buckets began anew; what they reached since counts")
    draft.note(len(series), "replicas are those that were scraped; the answer does not state their device")


def unit_ms(metric: str) -> float | None:
    """Return the milliseconds of one unit of a metric's buckets, None where its name states none."""
    name = metric.removesuffix(BUCKET_END)
    return next((factor for end, factor in _UNITS_MS if name.endswith(end)), None)


def quantile_of(buckets: list[tuple[float, float]], quantile: float) -> float | None:
    """Return the quantile of cumulative (upper limit, count) by limit; None beyond the last finite limit, or without requests.

    Within a bucket requests are taken as spread evenly; the first begins at 0.
    """
    total = buckets[-1][1] if buckets else 0.0
    if not total > 0:
        return None
    rank, below, begin = quantile * total, 0.0, 0.0
    for limit, count in buckets:
        if count >= rank:
            if limit == float("inf"):
                return None
            inside = count - below
            return begin + (limit - begin) * ((rank - below) / inside if inside > 0 else 1.0)
        below, begin = count, limit
    return None


def _service(one: BucketSeries) -> str:
    return next((one.labels[name] for name in _SERVICE_LABELS if one.labels.get(name)), one.metric.removesuffix(BUCKET_END))


def _add_service(draft: Draft, service: str, series: list[BucketSeries], counts: Counter[str]) -> None:
    factor = _unit_of(series)
    replicas: dict[str, list[tuple[float, BucketSeries]]] = defaultdict(list)
    for one in series:
        replica = next((one.labels[name] for name in _REPLICA_LABELS if one.labels.get(name)), "")
        replicas[replica].append((_limit(one), one))
    if any(max(limit for limit, _ in buckets) != float("inf") for buckets in replicas.values()):
        raise shape_error(f"metric.{BUCKET_LABEL}", "no +Inf", "a bucket +Inf of every replica, which counts all requests")
    times = sorted({at for one in series for at in one.counts})
    for begin, end in pairwise(times):
        gained: dict[float, float] = defaultdict(float)
        n_replicas = 0
        for buckets in replicas.values():
            if all(begin in one.counts and end in one.counts for _, one in buckets):
                n_replicas += 1
                for limit, one in buckets:
                    gained[limit] += _gain(one, begin, end, counts)
        if n_replicas:
            _add_step(draft, series[0].row, service, sorted(gained.items()), n_replicas, end - begin, factor, counts)


def _unit_of(series: list[BucketSeries]) -> float:
    metrics = sorted({one.metric for one in series})
    if len(metrics) > 1:
        raise shape_error("metric", ", ".join(metrics), "one histogram of a service; ask for the latency of whole requests alone")
    factor = unit_ms(metrics[0])
    if factor is None:
        raise shape_error("metric", metrics[0] or "(no name)", "a histogram whose name states its unit, such as _seconds_bucket")
    return factor


def _add_step(
    draft: Draft,
    row: int,
    service: str,
    buckets: list[tuple[float, float]],
    replicas: int,
    seconds: int,
    factor: float,
    counts: Counter[str],
) -> None:
    total = buckets[-1][1]
    counts["steps" if total > 0 else "idle"] += 1
    for quantile in QUANTILES if total > 0 else ():
        found = quantile_of(buckets, float(quantile))
        counts["beyond"] += found is None
        if found is not None and found > 0:
            draft.add(
                row,
                {
                    "service": service,
                    "rate": total / seconds,
                    "replicas": replicas,
                    "quantile": quantile,
                    "latency_ms": found * factor,
                },
            )


def _gain(one: BucketSeries, begin: int, end: int, counts: Counter[str]) -> float:
    before, after = one.counts[begin], one.counts[end]
    counts["resets"] += after < before
    return after - before if after >= before else after


def _limit(one: BucketSeries) -> float:
    text = one.labels[BUCKET_LABEL]
    try:
        return _LIMITS[text] if text in _LIMITS else float(text)
    except ValueError:
        raise shape_error(f"metric.{BUCKET_LABEL}", text, "a limit such as 0.5 or +Inf") from None
