"""From a mean and its standard error to quantiles: half a normal distribution, half the errors seen. It knows no models.

Load is noisier in its busy hours, and a plan is made for those; so the spread is first scaled by phase of the season. The
blend is our choice: errors alone cover too little after a short history, a normal distribution alone is too wide in the tail.
The normal distribution is as wide as the errors seen: what a model believes of its own error shapes it over the steps ahead only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.gaussian import standard_quantiles

LEAST_POOL = 50
NORMAL_SHARE = 0.5
LEAST_ERRORS_BY_PHASE = 7
PRIOR_ERRORS = 24.0
QUIETEST_SHARE = 1e-4
TAMED_MADS = 20.0
UPPER_TAIL = 0.9


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which quantiles, and the share of the normal distribution in them (0 = the errors seen alone)."""

    levels: tuple[float, ...]
    normal_share: float = NORMAL_SHARE


@dataclass(frozen=True, slots=True)
class Spread:
    """How far quantiles lie from the mean, in standard errors.

    by_phase: float64 [season], factor of the standard error at each phase of the season (1 where unknown);
    offsets: float64 [levels], of each quantile, in scaled standard errors; pool: errors they were taken from.
    """

    by_phase: NDArray[np.float64]
    offsets: NDArray[np.float64]
    pool: int


def spread(
    errors: NDArray[np.float64],
    se: NDArray[np.float64],
    phase: NDArray[np.int64],
    season: int,
    recipe: Recipe,
) -> Spread:
    """Return the spread that signed errors (actual - mean) of past origins show.

    errors, phase: [origins, h], NaN = not known yet; se: float64 [h]. With less than 50 errors it is the normal one.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = np.where(se > 0, errors / se, np.nan)
    known = np.isfinite(standardised)
    normal = standard_quantiles(recipe.levels)
    if np.count_nonzero(known) < LEAST_POOL:
        return Spread(np.ones(season), normal, int(np.count_nonzero(known)))
    by_phase = _by_phase(standardised[known], phase[known], season)
    pool = standardised[known] / by_phase[phase[known]]
    width = float(np.sqrt(np.mean(_tamed(pool) ** 2)))
    offsets = recipe.normal_share * width * normal + (1 - recipe.normal_share) * np.quantile(pool, recipe.levels)
    return Spread(by_phase, offsets, len(pool))


def quantiles(
    mean: NDArray[np.float64], se: NDArray[np.float64], phase: NDArray[np.int64], shape: Spread, recipe: Recipe
) -> NDArray[np.float64]:
    """Return float64 [levels, h]: never negative, never falling with the level, from 90 % on never below the mean."""
    rows = mean + shape.offsets[:, None] * (se * shape.by_phase[phase])
    upper = np.array(recipe.levels) >= UPPER_TAIL
    rows[upper] = np.maximum(rows[upper], mean)
    return np.maximum.accumulate(np.clip(rows, 0.0, None), axis=0)


def mean_within(mean: NDArray[np.float64], quantiles: NDArray[np.float64], levels: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the mean, never negative and never below the least that a load with these quantiles can have.

    mean: float64 [h], quantiles: float64 [levels, h]. A load that is never negative and above its P80 a fifth of the time has at
    least a fifth of the P80 as its mean: the sum over levels of quantile times share up to the next level. The last value of a
    bursty load, mostly a trough, is less than that.
    """
    shares = np.diff((*levels, 1.0))
    return np.asarray(np.maximum(np.clip(mean, 0.0, None), np.einsum("l,lh->h", shares, quantiles)))


def _by_phase(standardised: NDArray[np.float64], phase: NDArray[np.int64], season: int) -> NDArray[np.float64]:
    """Return the root mean square error of each phase and its neighbours (a twelfth of a season in all) over that of all.

    Drawn towards 1, by ratio, with the weight of 24 errors. Phases with less than seven errors each are not told apart.
    """
    count = np.bincount(phase, minlength=season).astype(np.float64)
    if season == 1 or count.min() < LEAST_ERRORS_BY_PHASE:
        return np.ones(season)
    square = np.bincount(phase, weights=_tamed(standardised) ** 2, minlength=season).astype(np.float64)
    overall = square.sum() / count.sum()
    if not overall > 0:
        return np.ones(season)
    near_count = _neighbourhood(count)
    ratio = np.maximum(_neighbourhood(square) / near_count / overall, QUIETEST_SHARE)
    return np.asarray(ratio ** (0.5 * near_count / (near_count + PRIOR_ERRORS)))


def _tamed(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the size of each error, twenty times the median at most: one freak does not make its hour a wild one."""
    size = np.abs(errors)
    usual = float(np.median(size)) or float(np.mean(size))
    return np.asarray(np.minimum(size, TAMED_MADS * usual))


def _neighbourhood(by_phase: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over each phase and those next to it, a twelfth of a season in all, around the turn of the season too."""
    reach = max(1, len(by_phase) // 24)
    around = np.concatenate((by_phase[-reach:], by_phase, by_phase[:reach]))
    return np.asarray(np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1).sum(axis=1))
