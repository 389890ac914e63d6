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
    n_cycles = -(-len(filled) // season)
    table = np.full(n_cycles * season, np.nan)
    table[: len(filled)] = filled
    ahead = [_shifted(table, -cycles * season) for cycles in range(1, NEIGHBOUR_SEASONS + 1)]
    behind = [_shifted(table, cycles * season) for cycles in range(1, 2 * NEIGHBOUR_SEASONS + 1)]
    steps = np.arange(len(filled))
    for cycles, later in enumerate(ahead, start=1):
        later[: len(filled)][steps + cycles * season >= known] = np.nan
    around = np.array(ahead + behind[:NEIGHBOUR_SEASONS])[:, : len(filled)]
    before = np.array(behind)[:, : len(filled)]
    references = np.where(steps < known, around, before)
    usual = filled.copy()
    measured = ~np.isnan(references).all(axis=0)
    usual[measured] = np.nanmedian(references[:, measured], axis=0)
    return usual


def _shifted(table: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    """Return the values `steps` earlier (later where negative), NaN outside."""
    moved = np.full_like(table, np.nan)
    if abs(steps) < len(table):
        if steps >= 0:
            moved[steps:] = table[: len(table) - steps]
        else:
            moved[:steps] = table[-steps:]
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
    """Keep runs of at most `longest`. A run that may still go on after `known` counts as one up to `longest`."""
    kept = far.copy()
    run_begin = 0
    for step in range(1, len(far) + 1):
        if step < len(far) and far[step] == far[run_begin]:
            continue
        if far[run_begin] and step - run_begin > longest:
            kept[run_begin:step] = False
            kept[max(run_begin, known) : min(step, max(run_begin, known) + longest)] = run_begin >= known
        run_begin = step
    return kept
