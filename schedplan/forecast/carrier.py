"""From a load to the devices that carry it: the replicas of a service, or so much per device. It forecasts nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.latency import least_replicas
from schedplan.model.workload import Service

WHOLE = 1e-9


class Carrier(Protocol):
    """How many devices a load needs; more load never needs less."""

    def devices(self, load: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least devices that carry each value of `load`, float64 of its shape; NaN stays NaN."""
        ...


@dataclass(frozen=True, slots=True)
class EvenCarrier:
    """A device carries `per_device` of the load, and devices are whole; None: the load itself is what is bought, in any amount."""

    per_device: float | None = None

    def devices(self, load: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.per_device is None:
            return load
        return np.ceil(load / self.per_device - WHOLE)


@dataclass(frozen=True, slots=True)
class ServiceCarrier:
    """The replicas that keep a service's latency target, each on so many devices; service_ms on the device model used."""

    service: Service
    service_ms: float
    max_utilization: float

    def devices(self, load: NDArray[np.float64]) -> NDArray[np.float64]:
        replicas = stepwise(self._replicas, load)
        return replicas * (self.service.shape.gpus or 1.0)

    def _replicas(self, rate_rps: float) -> float:
        least = least_replicas(self.service, self.service_ms, rate_rps, self.max_utilization)
        return np.inf if least is None else float(max(least, self.service.min_replicas))


def stepwise(count: Callable[[float], float], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return count(value) of each value, for a count that never falls with it: where both ends agree all between do."""
    known = np.unique(values[np.isfinite(values)])
    found = np.full(len(known), np.nan)

    def fill(low: int, high: int) -> None:
        if high - low < 2:
            return
        if found[low] == found[high]:
            found[low + 1 : high] = found[low]
            return
        middle = (low + high) // 2
        found[middle] = count(float(known[middle]))
        fill(low, middle)
        fill(middle, high)

    if len(known):
        found[0], found[-1] = count(float(known[0])), count(float(known[-1]))
        fill(0, len(known) - 1)
    result = np.full(values.shape, np.nan)
    seen = np.isfinite(values)
    result[seen] = found[np.searchsorted(known, values[seen])]
    return result


def steps_of(seconds: int, step_s: int) -> int:
    """Return the whole steps that cover so many seconds."""
    return ceil(seconds / step_s)
