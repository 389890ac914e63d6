"""A measured latency: how many requests reached how many replicas, and how long they took. It knows no model of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LatencySample:
    """One row of the table `latency_samples`. rate_rps: requests per second before cache hits; quantile None: the mean.

    accelerator None: on nodes without a device.
    """

    service: str
    accelerator: str | None
    rate_rps: float
    replicas: int
    quantile: float | None
    latency_ms: float
