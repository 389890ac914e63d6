"""Slices of single devices: which named profiles a device model has, how many slices each takes, and where on it each may start.

The facts stand in slice_profiles.toml, each with its source and the day it was read. A profile takes a run of neighbouring memory
slices from one of its starts on, and some compute slices; what holds a profile holds its place for as long as it runs. It knows
nothing of nodes or of work.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

_FACTS = Path(__file__).with_name("slice_profiles.toml")
_WORDS = re.compile(r"[A-Z]+[0-9]+[A-Z]*|[0-9]+(?=G)")
# Nominal memory and what a tool reports for it differ by less than this (80 GB are listed as 79.2 GiB, 180 GB as 183 or 192).
_NEAR = 0.075


@dataclass(frozen=True, slots=True)
class SliceProfile:
    """A named profile: compute slices, memory slices in a row, and the memory slices at which it may start."""

    name: str
    compute: int
    memory: int
    starts: tuple[int, ...]

    def mask(self, start: int) -> int:
        """Return the memory slices held from a start on, as bits."""
        return ((1 << self.memory) - 1) << start


@dataclass(frozen=True)
class Geometry:
    """How a device model may be split: slices of either kind and profiles. source and checked_on: where and when that was read."""

    name: str
    models: tuple[str, ...]
    memory_gb: float
    compute_slices: int
    memory_slices: int
    profiles: tuple[SliceProfile, ...]
    source: str
    placements_source: str
    starts_from: str
    checked_on: str

    @cached_property
    def by_name(self) -> dict[str, SliceProfile]:
        return {profile.name: profile for profile in self.profiles}

    @cached_property
    def known(self) -> str:
        """The profiles in words."""
        return ", ".join(profile.name for profile in self.profiles)

    @cached_property
    def mixes(self) -> frozenset[tuple[int, ...]]:
        """Every mix of profiles that one device holds at once, as counts in the order of `profiles`."""
        empty = (0,) * len(self.profiles)
        found = {(empty, 0)}
        waiting = [(empty, 0)]
        while waiting:
            counts, held = waiting.pop()
            for idx, start in ((idx, start) for idx, profile in enumerate(self.profiles) for start in profile.starts):
                if held & self.profiles[idx].mask(start):
                    continue
                grown = (*counts[:idx], counts[idx] + 1, *counts[idx + 1 :])
                after = (grown, held | self.profiles[idx].mask(start))
                if self.compute_of(grown) <= self.compute_slices and after not in found:
                    found.add(after)
                    waiting.append(after)
        return frozenset(counts for counts, _ in found)

    def compute_of(self, counts: tuple[int, ...]) -> int:
        """Return the compute slices of a mix."""
        return sum(count * profile.compute for count, profile in zip(counts, self.profiles, strict=True))

    def most(self, names: frozenset[str]) -> int:
        """Return how many units of the named profiles, in any mix, one empty device holds."""
        chosen = [idx for idx, profile in enumerate(self.profiles) if profile.name in names]
        return max((sum(counts[idx] for idx in chosen) for counts in self.mixes), default=0)

    def free_rank(self, held: int, compute_left: int) -> tuple[int, int, int]:
        """Return how much of use is left where memory slices `held` (bits) are taken, larger is more.

        Memory and compute of the largest profile that still fits, then the number of places that all profiles still have.
        """
        open_places = [
            (profile.memory, profile.compute)
            for profile in self.profiles
            for start in profile.starts
            if profile.compute <= compute_left and not held & profile.mask(start)
        ]
        return (*max(open_places, default=(0, 0)), len(open_places))

    def starts_by_use(self, profile: SliceProfile, held: int, compute_left: int) -> list[int]:
        """Return the legal starts of a profile beside memory slices `held` (bits), the one that keeps most of use first.

        Kept is first the largest profile that can still be placed, then the number of places open to all profiles; the lowest start
        comes first of equals.
        """
        return sorted(
            (start for start in profile.starts if not held & profile.mask(start)),
            key=lambda start: (self.free_rank(held | profile.mask(start), compute_left - profile.compute), -start),
            reverse=True,
        )


@cache
def geometries() -> tuple[Geometry, ...]:
    """Return what is known of every device model, in the order of the file."""
    found = tomllib.loads(_FACTS.read_text("utf-8"))["geometry"]
    return tuple(
        Geometry(
            name=row["name"],
            models=tuple(row["models"]),
            memory_gb=float(row["memory_gb"]),
            compute_slices=row["compute_slices"],
            memory_slices=row["memory_slices"],
            profiles=tuple(
                SliceProfile(one["name"], one["compute"], one["memory"], tuple(one["starts"])) for one in row["profiles"]
            ),
            source=row["source"],
            placements_source=row["placements_source"],
            starts_from=row["starts_from"],
            checked_on=row["checked_on"].isoformat(),
        )
        for row in found
    )


@cache
def geometry_of(accelerator: str | None, memory_gib: float | None) -> Geometry | None:
    """Return how a device model may be split; None where that is not known, or the memory leaves several models possible."""
    words = set(_WORDS.findall((accelerator or "").upper()))
    of_model = [one for one in geometries() if words & set(one.models)]
    sizes = [float(word) for word in words if word.isdigit()]
    known = memory_gib if memory_gib is not None else next(iter(sizes), None)
    if known is not None:
        of_model = sorted(
            (one for one in of_model if abs(one.memory_gb - known) <= _NEAR * one.memory_gb),
            key=lambda one: abs(one.memory_gb - known),
        )[:1]
    return of_model[0] if len(of_model) == 1 else None


def share_of(profile: str) -> float | None:
    """Return the share of a device's compute slices that a profile of this name stands for; None where no model has it."""
    named = ((one, one.by_name[profile]) for one in geometries() if profile in one.by_name)
    return next((found.compute / one.compute_slices for one, found in named), None)
