"""The devices of one node over the slots, and the search that gives them away to claims.

The first try is greedy: replicas, then jobs by name, whole devices by lowest number, shares on the fullest device that fits; where
that fails the same is tried in a few other orders, and then the choices are searched, up to a fixed number of steps: largest first
where all claims share one span of slots, else in the order of the first try. A profile holds memory slices in a row from one of
its legal starts on, the same for its whole run; of several starts the one that keeps most of use comes first. Devices that hold
the same in every slot are tried once. It knows nothing of cores or memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.device_claims import Claim, orders
from schedplan.measures.share_packing import SEARCH_STEPS, packed_shares
from schedplan.model.cluster import Pool

Place: TypeAlias = tuple[int, int]
"""A device, and the memory slice at which a profile starts there; 0 where there is none."""


class DeviceBoard:
    """The devices of one node over the slots, and the search that gives them away.

    free int64 [device, slot]: slices left; owner int64 [device, slot]: the dedicated service there, 0 = none; occupied int64
    [device, slot]: memory slices that profiles hold, as bits.
    """

    def __init__(self, pool: Pool, n_slots: int) -> None:
        self.slices = pool.slices_per_gpu
        self.group_size = max(pool.gpus // pool.device_groups, 1)
        self.free = np.full((pool.gpus, n_slots), self.slices, dtype=np.int64)
        self.owner = np.zeros((pool.gpus, n_slots), dtype=np.int64)
        self.occupied = np.zeros((pool.gpus, n_slots), dtype=np.int64)
        self.geometry = pool.geometry
        self.has_groups = False

    def fill(self, claims: list[Claim]) -> list[tuple[Place, ...]] | str:
        """Return the devices of each claim, or why there is no assignment."""
        slot = self.overloaded_slot(claims)
        if slot is not None:
            return f"{self._wanted(claims)[slot] / self.slices:g} devices are held, the node has {len(self.free)}"
        self.has_groups = any(claim.grouped for claim in claims)
        if _is_plain(claims):
            return self._fill_at_once(claims)
        for order in orders(claims):
            found = self._first_come(claims, order)
            if found is not None:
                return found
        chosen: list[tuple[Place, ...]] = []
        taken: dict[tuple[str, int, int], tuple[Place, ...]] = {}
        branches: list[Iterator[tuple[Place, ...]]] = []
        for _ in range(SEARCH_STEPS + 2 * len(claims)):
            if len(chosen) == len(claims):
                return chosen
            if len(branches) == len(chosen):
                branches.append(iter(self._choices(claims[len(chosen)], taken)))
            places = next(branches[-1], None)
            if places is not None:
                self._hold(claims[len(chosen)], places, taken)
                chosen.append(places)
                continue
            branches.pop()
            if not chosen:
                return "the workers do not fit on single devices"
            self._release(claims[len(chosen) - 1], chosen.pop(), taken)
        return chosen if len(chosen) == len(claims) else f"no assignment to single devices in {SEARCH_STEPS} steps"

    def _first_come(self, claims: list[Claim], order: list[int]) -> list[tuple[Place, ...]] | None:
        """Return the first choice of each claim, taken in an order; None, and nothing held, where one finds no place."""
        taken: dict[tuple[str, int, int], tuple[Place, ...]] = {}
        chosen: dict[int, tuple[Place, ...]] = {}
        for idx in order:
            places = next(self._choices(claims[idx], taken), None)
            if places is None:
                for done, held in chosen.items():
                    self._release(claims[done], held, taken)
                return None
            self._hold(claims[idx], places, taken)
            chosen[idx] = places
        return [chosen[idx] for idx in range(len(claims))]

    def _fill_at_once(self, claims: list[Claim]) -> list[tuple[Place, ...]] | str:
        """The same where all claims stand over one span of slots, shared by all and in no group."""
        chosen = self._first_try(claims)
        if chosen is None:
            found = packed_shares(
                tuple(claim.slices for claim in claims if not claim.whole), self._devices_for_shares(claims), self.slices
            )
            if found is None:
                return f"no assignment to single devices in {SEARCH_STEPS} steps"
            if not found:
                return "the workers do not fit on single devices"
            chosen = self._with_shares_packed(claims, found)
        taken: dict[tuple[str, int, int], tuple[Place, ...]] = {}
        placed: list[tuple[Place, ...]] = [tuple((device, 0) for device in devices) for devices in chosen]
        for claim, places in zip(claims, placed, strict=True):
            self._hold(claim, places, taken)
        return placed

    def _first_try(self, claims: list[Claim]) -> list[tuple[int, ...]] | None:
        free = [self.slices] * len(self.free)
        chosen: list[tuple[int, ...]] = []
        for claim in claims:
            need = self.slices if claim.whole else claim.slices
            fitting = [device for device, left in enumerate(free) if left >= need]
            if len(fitting) < max(claim.whole, 1):
                return None
            devices = tuple(fitting[: claim.whole]) if claim.whole else (min(fitting, key=lambda device: (free[device], device)),)
            for device in devices:
                free[device] -= need
            chosen.append(devices)
        return chosen

    def _devices_for_shares(self, claims: list[Claim]) -> int:
        return len(self.free) - sum(claim.whole for claim in claims)

    def _with_shares_packed(self, claims: list[Claim], packed: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Whole devices by lowest number, shares on those behind them as packed."""
        n_whole = len(self.free) - self._devices_for_shares(claims)
        of_shares, next_whole = iter(packed), 0
        chosen: list[tuple[int, ...]] = []
        for claim in claims:
            if claim.whole:
                chosen.append(tuple(range(next_whole, next_whole + claim.whole)))
                next_whole += claim.whole
            else:
                chosen.append((n_whole + next(of_shares),))
        return chosen

    def overloaded_slot(self, claims: list[Claim]) -> int | None:
        """Return the first slot in which more slices are wanted than the node has."""
        over = np.flatnonzero(self._wanted(claims) > len(self.free) * self.slices)
        return int(over[0]) if len(over) else None

    def free_now(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return (whole devices free, widest share free) per slot."""
        if not len(self.free):
            return np.zeros(self.free.shape[1], dtype=np.int64), np.zeros(self.free.shape[1])
        widest = self.free.copy()
        for device, slot in zip(*np.nonzero(self.occupied), strict=True):
            widest[device, slot] = self._largest_place(int(self.occupied[device, slot]), int(self.free[device, slot]))
        return (self.free == self.slices).sum(axis=0), widest.max(axis=0) / self.slices

    def _largest_place(self, held: int, left: int) -> int:
        """Return the compute slices of the largest profile that still has a legal start beside memory slices `held` (bits)."""
        return 0 if self.geometry is None else self.geometry.free_rank(held, left)[1]

    def free_by_sums(self, claims: list[Claim]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the same where no assignment is known: what the sums leave, whole devices only."""
        left = np.maximum(len(self.free) * self.slices - self._wanted(claims), 0) // self.slices
        return left, np.minimum(left, 1).astype(np.float64)

    def _wanted(self, claims: list[Claim]) -> NDArray[np.int64]:
        wanted = np.zeros(self.free.shape[1], dtype=np.int64)
        for claim in claims:
            wanted[claim.first : claim.stop] += claim.whole * self.slices + claim.slices
        return wanted

    def _choices(self, claim: Claim, taken: dict[tuple[str, int, int], tuple[Place, ...]]) -> Iterator[tuple[Place, ...]]:
        """Ways to serve an claim, the preferred first; of devices that hold the same in every slot only the first."""
        kept = () if claim.is_job else taken.get((*claim.key, claim.first - 1), ())
        fitting = self._fitting(claim)
        if claim.grouped:
            yield from self._grouped_choices(claim, fitting, taken)
            return
        if kept and all(self._has_place(claim, place, fitting) for place in kept):
            yield kept
        yield from (places for places in self._ways(claim, fitting) if places != kept)

    def _grouped_choices(
        self, claim: Claim, fitting: list[int], taken: dict[tuple[str, int, int], tuple[Place, ...]]
    ) -> Iterator[tuple[Place, ...]]:
        first_worker = taken.get((claim.key[0], 0, claim.first))
        groups = sorted({device // self.group_size for device in fitting})
        if first_worker is not None:
            groups = [first_worker[0][0] // self.group_size]
        for group in groups:
            yield from self._ways(claim, [device for device in fitting if device // self.group_size == group])

    def _ways(self, claim: Claim, fitting: list[int]) -> Iterator[tuple[Place, ...]]:
        """Give the places of an claim on fitting devices: whole ones by number, a share where least room is left."""
        if claim.whole:
            seen: set[tuple[bytes, ...]] = set()
            for devices in combinations(fitting, claim.whole):
                state = tuple(self._state(device) for device in devices)
                if state not in seen:
                    seen.add(state)
                    yield tuple((device, 0) for device in devices)
            return
        span = self.free[:, claim.first : claim.stop]
        room = span.sum(axis=1) if claim.profile is None else span.min(axis=1)
        tried: set[bytes] = set()
        for device in sorted(fitting, key=lambda device: (room[device], device)):
            if self._state(device) in tried:
                continue
            tried.add(self._state(device))
            yield from (((device, start),) for start in self._starts(claim, device))

    def _state(self, device: int) -> bytes:
        """Return what makes one device unlike another for whatever comes: what it holds, and where groups matter its group."""
        group = device // self.group_size if self.has_groups else 0
        return b"".join((self.free[device].tobytes(), self.owner[device].tobytes(), self.occupied[device].tobytes(), b"%d" % group))

    def _starts(self, claim: Claim, device: int) -> list[int]:
        """Return the legal starts that a profile still has on a device, the one that keeps most of use first; [0] without one."""
        if claim.profile is None or self.geometry is None:
            return [0]
        held = int(np.bitwise_or.reduce(self.occupied[device, claim.first : claim.stop]))
        left = int(self.free[device, claim.first : claim.stop].min())
        return self.geometry.starts_by_use(claim.profile, held, left)

    def _has_place(self, claim: Claim, place: Place, fitting: list[int]) -> bool:
        return place[0] in fitting and place[1] in self._starts(claim, place[0])

    def _fitting(self, claim: Claim) -> list[int]:
        span = slice(claim.first, claim.stop)
        enough = (self.free[:, span] >= claim.need(self.slices)).all(axis=1)
        if claim.owner:
            untouched = (self.free[:, span] == self.slices).all(axis=1)
            enough &= untouched | (self.owner[:, span] == claim.owner).all(axis=1)
        else:
            enough &= (self.owner[:, span] == 0).all(axis=1)
        return [int(device) for device in np.flatnonzero(enough)]

    def _hold(self, claim: Claim, places: tuple[Place, ...], taken: dict[tuple[str, int, int], tuple[Place, ...]]) -> None:
        for device, start in places:
            self.free[device, claim.first : claim.stop] -= claim.need(self.slices)
            if claim.profile is not None:
                self.occupied[device, claim.first : claim.stop] |= claim.profile.mask(start)
            if claim.owner:
                self.owner[device, claim.first : claim.stop] = claim.owner
        taken[*claim.key, claim.first] = places

    def _release(self, claim: Claim, places: tuple[Place, ...], taken: dict[tuple[str, int, int], tuple[Place, ...]]) -> None:
        for device, start in places:
            span = self.free[device, claim.first : claim.stop]
            span += claim.need(self.slices)
            if claim.profile is not None:
                self.occupied[device, claim.first : claim.stop] &= ~claim.profile.mask(start)
            if claim.owner:
                self.owner[device, claim.first : claim.stop][span == self.slices] = 0
        del taken[*claim.key, claim.first]


def _is_plain(claims: list[Claim]) -> bool:
    """Whether all claims stand over one span of slots, and none is dedicated, bound to a device group or a profile."""
    return all(
        (claim.first, claim.stop) == (claims[0].first, claims[0].stop) and not (claim.owner or claim.grouped or claim.profile)
        for claim in claims
    )
