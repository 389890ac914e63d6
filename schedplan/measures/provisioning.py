"""What it took to keep up with a load: device-hours paid for, demand missed, slack. It knows no forecast and no price.

A device that serves at s was started at s - startup, and is paid for from then on. So what is paid for at t is

    paid(t) = max over s in [t, t + startup] of serving(s)

which is the least that any order of starts and stops can do: a device that serves at s > t either was on at t already, or is
starting. With what was needed in place of what served it is the least that perfect foresight would have paid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HOUR_S = 3600
SLACK_PERCENTILE = 95
# Counts of devices are whole where a device is; elsewhere a need is met up to the rounding of a division.
FORGIVEN = 1e-9


@dataclass(frozen=True, slots=True)
class Provisioned:
    """What an order of devices cost and missed, over the intervals whose need is known.

    paid_device_h: start-up included. missed_intervals: share of intervals with less than they needed. slo_attainment: share of the
    load that came in the others; None without load. missed_device_h: what was lacking. slack_mean: share of the devices that
    served of which none was needed; slack_p95: of each interval, at the 95th percentile; None where nothing served.
    """

    paid_device_h: float
    missed_intervals: float
    slo_attainment: float | None
    missed_device_h: float
    slack_mean: float | None
    slack_p95: float | None


def provisioned(
    serving: NDArray[np.float64], needed: NDArray[np.float64], load: NDArray[np.float64], step_s: int, startup_s: int
) -> Provisioned:
    """Return what `serving` devices did for a load that needed `needed`; float64 [n] each, one entry per interval of `step_s`.

    An interval whose need is NaN is left out of everything. ValueError where none is known.
    """
    known = np.isfinite(needed)
    if not known.any():
        raise ValueError("no interval whose need is known")
    served = np.where(known, serving, 0.0)
    lacking = np.maximum(np.where(known, needed, 0.0) - served, 0.0)
    missed = lacking > FORGIVEN * np.maximum(served, 1.0)
    total = float(np.sum(load[known]))
    spare = np.maximum(served - np.where(known, needed, 0.0), 0.0)
    on = served > 0
    return Provisioned(
        paid_device_h=float(np.sum(paid(served, step_s, startup_s))) * step_s / HOUR_S,
        missed_intervals=float(np.mean(missed[known])),
        slo_attainment=float(np.sum(load[known & ~missed])) / total if total > 0 else None,
        missed_device_h=float(np.sum(lacking[missed])) * step_s / HOUR_S,
        slack_mean=float(np.sum(spare) / np.sum(served)) if on.any() else None,
        slack_p95=float(np.percentile(spare[on] / served[on], SLACK_PERCENTILE)) if on.any() else None,
    )


def paid(serving: NDArray[np.float64], step_s: int, startup_s: int) -> NDArray[np.float64]:
    """Return the mean number of devices paid for in each interval, float64 [n]: those that serve and those that start.

    Of a start-up of 1.25 intervals, a quarter of each interval looks two intervals ahead and the rest one. What would serve after
    the last interval is not known and starts nothing.
    """
    whole, part_s = divmod(startup_s, step_s)
    near = _most_ahead(serving, whole)
    if not part_s:
        return near
    share = part_s / step_s
    return np.asarray((1 - share) * near + share * _most_ahead(serving, whole + 1))


def _most_ahead(serving: NDArray[np.float64], ahead: int) -> NDArray[np.float64]:
    """Return the largest of each value and the `ahead` ones after it."""
    padded = np.concatenate((serving, np.full(ahead, -np.inf)))
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, ahead + 1).max(axis=1))
