"""A history made fit for fitting: gaps filled, spikes clipped, unit scale. What is scored stays as it was seen.

Everything after the first `known` values is treated by what came before it alone, so a backtest sees no future.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SPIKE_MADS = 6.0
NEIGHBOUR_SEASONS = 3
SPARSE_SHARE = 0.8
FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Regular:
    """One history, float64 [n] each. y = values * scale + centre, but for clipped spikes.

    values: filled, clipped and scaled (what forecasters see); filled: only filled, in the unit of the series.
    """

    values: NDArray[np.float64]
    filled: NDArray[np.float64]
    centre: float
    scale: float
    clipped: int


def usable_from(values: NDArray[np.float64], season: int) -> int:
    """Return where the history begins that has no gap longer than one season; 0 where there is none such.

    `values` ends with a value. Without a season (1) every gap is bridged.
    """
    if season == 1:
        return int(np.argmax(~np.isnan(values)))
    begin, gap = 0, 0
    for step, missing in enumerate(np.isnan(values)):
        gap = gap + 1 if missing else 0
        if gap > season or gap == step + 1:
            begin = step + 1
    return begin


def is_flat(values: NDArray[np.float64]) -> bool:
    """Say whether all values (NaN aside) are one and the same, up to rounding."""
    return bool(np.nanmax(values) - np.nanmin(values) <= FLAT * np.nanmax(np.abs(values)))


def is_sparse(values: NDArray[np.float64]) -> bool:
    """Say whether more than four fifths of the values (NaN aside) are zero."""
    return bool(np.mean(values[~np.isnan(values)] == 0.0) > SPARSE_SHARE)


def regularise(values: NDArray[np.float64], season: int, known: int) -> Regular:
    """Return `values` (float64 [n], NaN = gap, first one seen) ready for fitting on the first `known`.

    season: steps, 1 = none. Spikes are isolated values more than 6 MAD of the residual of their phase away from it.
    """
    filled = _fill(values, season, known)
    cleaned = filled if is_sparse(values[:known]) else _clip(filled, season, known)
    centre, scale = float(np.mean(cleaned[:known])), float(np.std(cleaned[:known]))
    if not scale > FLAT * abs(centre):
        scale = abs(centre) or 1.0
    return Regular((cleaned - centre) / scale, filled, centre, scale, int(np.count_nonzero(cleaned != filled)))


def _fill(values: NDArray[np.float64], season: int, known: int) -> NDArray[np.float64]:
    """Fill a gap by its phase: the mean of the seasons before and after where both are known, else the one that is."""
    filled = values.copy()
    for step in np.flatnonzero(np.isnan(values)):
        before = filled[step - season] if step >= season else np.nan
        after = values[step + season] if step + season < known else np.nan
        if np.isnan(before) and np.isnan(after):
            filled[step] = filled[step - 1]
        else:
            filled[step] = np.nanmean([before, after])
    return filled


def _clip(filled: NDArray[np.float64], season: int, known: int) -> NDArray[np.float64]:
    usual = _usual(filled, season, known)
    residual = filled - usual
    limit = _limit(residual[:known], season)[np.arange(len(filled)) % season]
    spikes = _isolated(np.abs(residual) > limit, max(2, season // 12), known)
    return np.where(spikes, usual + np.clip(residual, -limit, limit), filled)


def _usual(filled: NDArray[np.float64], season: int, known: int) -> NDArray[np.float64]:
    """Return what is usual for the phase: the median of three seasons to either side if known, else of six before.

    A value has no say in what it is measured by, or the residuals, and with them the limit, come out too small.
    """
    seen = np.where(np.arange(len(filled)) < known, filled, np.nan)
    ahead = [_lagged(seen, -cycles * season) for cycles in range(1, NEIGHBOUR_SEASONS + 1)]
    behind = [_lagged(filled, cycles * season) for cycles in range(1, 2 * NEIGHBOUR_SEASONS + 1)]
    around = np.array(ahead + behind[:NEIGHBOUR_SEASONS])
    references = np.where(np.arange(len(filled)) < known, around, np.array(behind))
    usual = filled.copy()
    measured = ~np.isnan(references).all(axis=0)
    usual[measured] = np.nanmedian(references[:, measured], axis=0)
    return usual


def _lagged(values: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    """Return the values `steps` earlier (later where negative), NaN outside."""
    moved = np.full_like(values, np.nan)
    if abs(steps) < len(values):
        if steps > 0:
            moved[steps:] = values[:-steps]
        else:
            moved[:steps] = values[-steps:]
    return moved


def _limit(residual: NDArray[np.float64], season: int) -> NDArray[np.float64]:
    """Return the distance from the usual beyond which a value is a spike, per phase; float64 [season].

    A phase's MAD counts its neighbours too; it is at least that of all phases, so that a quiet hour is not all spikes.
    """
    size = np.abs(residual)
    overall = float(np.median(size)) or float(np.mean(size))
    phase = np.arange(len(residual)) % season
    by_phase = [size[phase == each] for each in range(season)]
    limits = np.full(season, overall)
    for each in range(season):
        near = np.concatenate([by_phase[(each + offset) % season] for offset in (-1, 0, 1)])
        if near.size:
            limits[each] = max(overall, float(np.median(near)))
    return SPIKE_MADS * limits


def _isolated(far: NDArray[np.bool_], longest: int, known: int) -> NDArray[np.bool_]:
    """Keep what looks like a spike: of the first `known`, runs of at most `longest`; later, the first `longest` of a run."""
    kept = far.copy()
    run = 0
    for step in range(len(far)):
        run = run + 1 if far[step] else 0
        if run > longest:
            begin = step - run + 1 if step < known else step
            kept[begin : step + 1] = False
    return kept
