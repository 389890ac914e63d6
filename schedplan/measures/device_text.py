"""Device slots as text: `0,1` for whole devices, `0:0-2` for slices of device 0. It chooses no device, only which slices of one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.device_board import Place
from schedplan.measures.device_claims import Claim


def device_texts(
    claims: list[Claim], chosen: list[tuple[Place, ...]], slices_per_gpu: int, n_slots: int
) -> dict[tuple[str, int], str]:
    """device_slots per job and the slot from which it holds them: its devices in order, shares with the slices they hold, profiles
    with their memory slices."""
    held: dict[tuple[str, int], list[tuple[Place, str]]] = {}
    open_slices: dict[int, NDArray[np.bool_]] = {}
    for claim, places in zip(claims, chosen, strict=True):
        if not claim.is_job:
            continue
        for device, start in places:
            if claim.whole:
                held.setdefault((claim.key[0], claim.first), []).append(((device, 0), str(device)))
                continue
            if claim.profile is not None:
                ranges = [(start, start + claim.profile.memory - 1)]
            else:
                is_open = open_slices.setdefault(device, np.ones((slices_per_gpu, n_slots), dtype=np.bool_))
                ranges = _take_slices(is_open, claim)
            key = (claim.key[0], claim.first)
            held.setdefault(key, []).extend(((device, first), f"{device}:{first}-{last}") for first, last in ranges)
    return {key: ",".join(text for _, text in sorted(texts, key=lambda text: text[0])) for key, texts in held.items()}


def _take_slices(is_open: NDArray[np.bool_], claim: Claim) -> list[tuple[int, int]]:
    """Take the first run of neighbouring free slices that is long enough, else the lowest free ones; as (first, last) ranges.

    By start, so the slices suffice wherever their number does.
    """
    free = np.flatnonzero(is_open[:, claim.first : claim.stop].all(axis=1))
    spans = free[claim.slices - 1 :] - free[: max(len(free) - claim.slices + 1, 0)]
    runs = np.flatnonzero(spans == claim.slices - 1)
    at = int(runs[0]) if len(runs) else 0
    together = free[at : at + claim.slices]
    is_open[together, claim.first : claim.stop] = False
    breaks = np.flatnonzero(np.diff(together) > 1)
    firsts, lasts = together[np.concatenate(([0], breaks + 1))], together[np.concatenate((breaks, [len(together) - 1]))]
    return [(int(first), int(last)) for first, last in zip(firsts, lasts, strict=True)]
