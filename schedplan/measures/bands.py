"""Bands of measures over replications, by bootstrap of the mean; differences on the same replications, paired.

Percentile bootstrap (Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13.3): RESAMPLES means of as many values drawn
with replacement; the band lies between their 2.5 and 97.5 percentiles. Of few replications it is somewhat narrow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedplan.model.band import Band, PairedDifference
from schedplan.model.findings import Measure

RESAMPLES = 4000
PERCENTS = (2.5, 97.5)
COMPARED = ("wait_s_mean", "bounded_slowdown_mean", "utilization", "allocation", "makespan_s", "slo_attainment")
"""What policies are compared by, where it has a value."""


def bands(replications: Sequence[Sequence[Measure]], seed: int) -> tuple[Band, ...]:
    """Return the band of every measure that has a value in at least two replications, in the order of the first."""
    found = []
    for one in replications[0] if replications else ():
        values = _values(replications, one.name, one.labels)
        values = values[~np.isnan(values)]
        if len(values) >= 2:
            low, high = interval(values, seed)
            found.append(Band(one.name, one.labels, one.unit, float(values.mean()), low, high, len(values)))
    return tuple(found)


def differences(
    policy: str, replications: Sequence[Sequence[Measure]], base: str, of_base: Sequence[Sequence[Measure]], seed: int
) -> tuple[PairedDifference, ...]:
    """Return how a policy differs from another in COMPARED, replication by replication."""
    found = []
    unit_of = {one.name: one.unit for one in replications[0]}
    for name in COMPARED:
        paired = _values(replications, name, ()) - _values(of_base, name, ())
        paired = paired[~np.isnan(paired)]
        if len(paired) >= 2:
            low, high = interval(paired, seed)
            found.append(PairedDifference(policy, base, name, unit_of[name], float(paired.mean()), low, high))
    return tuple(found)


def interval(values: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Return the 95 % band of the mean of values, float64 [n], n >= 2."""
    chosen = np.random.default_rng(seed).integers(0, len(values), size=(RESAMPLES, len(values)))
    low, high = np.percentile(values[chosen].mean(axis=1), PERCENTS)
    return float(low), float(high)


def _values(replications: Sequence[Sequence[Measure]], name: str, labels: tuple[tuple[str, str], ...]) -> NDArray[np.float64]:
    """Return a measure per replication, NaN where it has no value."""
    found = []
    for measures in replications:
        value = next((one.value for one in measures if one.name == name and one.labels == labels), None)
        found.append(np.nan if value is None else value)
    return np.array(found, dtype=np.float64)
