"""Rows of `latency_samples` as the model's. It judges no sample."""

from __future__ import annotations

from schedplan.model.latency_sample import LatencySample
from schedplan.tables.cells import quantile_of
from schedplan.tables.table_rows import TableRows


def latency_samples(rows: TableRows) -> tuple[LatencySample, ...]:
    """Return the samples in the order of their content, so that neither files nor the order of rows matter."""
    columns = zip(
        rows.names("service"),
        rows.texts("accelerator"),
        rows.floats("rate"),
        rows.integers("replicas"),
        [quantile_of(text) for text in rows.names("quantile")],
        rows.floats("latency_ms"),
        strict=True,
    )
    return tuple(sorted((LatencySample(*row) for row in columns), key=_content))


def _content(sample: LatencySample) -> tuple[str, str, float, float, int, float]:
    quantile = 0.0 if sample.quantile is None else sample.quantile
    return (sample.service, sample.accelerator or "", quantile, sample.rate_rps, sample.replicas, sample.latency_ms)
