"""What the kernel asks of a machine, whether it keeps every node or one sum. Asks are meant by their index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

Spots = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What workers of one job hold of one node. devices: bits of its whole devices; shares: (device, slices) of shared ones."""

    node: int
    workers: int
    devices: int = 0
    shares: tuple[tuple[int, int], ...] = ()

    def device_numbers(self) -> tuple[int, ...]:
        """Return the numbers of all devices of which anything is held."""
        whole = [device for device in range(self.devices.bit_length()) if self.devices >> device & 1]
        return tuple(sorted({*whole, *(device for device, _ in self.shares)}))


Release = tuple[int, int, tuple[Held, ...]]
"""(instant, ask, parts) of what will be given back."""


class Reservation(Protocol):
    """Room kept for one blocked job from an instant on."""

    @property
    def time_s(self) -> int:
        """Return the instant from which on the room is kept."""

    def passes_by(self, ask: int, parts: tuple[Held, ...]) -> None:
        """Take note of parts, already placed, that will be gone by the reservation."""

    def spares(self, ask: int, parts: tuple[Held, ...]) -> bool:
        """Whether parts, already placed, that stay beyond the reservation leave the head enough; if so they are noted."""


class Profile(Protocol):
    """What will be free over time, by the estimates. Spots: (node, workers), by node."""

    def earliest(self, ask: int, lasts_s: int, now_s: int) -> int | None:
        """Return the first instant from now on from which a job fits for as long as it lasts; None for never."""

    def spots(self, ask: int, start_s: int, lasts_s: int, preferred: Iterable[int] | None) -> Spots:
        """Return where a job that fits from an instant on is to stand; preferred: nodes in the order in which they are filled."""

    def hold(self, releases: Iterable[Release], now_s: int) -> None:
        """Let an empty profile hold what runs: from its beginning until it is released, at the earliest now + 1; in order."""

    def occupy(self, ask: int, parts: Iterable[Held]) -> None:
        """Let parts be taken for ever."""

    def change(self, ask: int, spots: Spots, start_s: int, end_s: int, sign: int) -> None:
        """Let spots be taken (sign 1) or given back (-1) from start_s until end_s."""

    def forget_before(self, now_s: int) -> None:
        """Let go of what was free before an instant."""


class Capacity(Protocol):
    """A machine with what is held of it."""

    def holds_when_empty(self, ask: int) -> bool:
        """Whether a whole job fits where nothing else runs."""

    def fits(self, ask: int) -> bool:
        """Whether a whole job fits now."""

    def fitting(self, asks: Sequence[int]) -> list[int]:
        """Return the places in `asks` of those of which a whole job fits now."""

    def workers_fit(self, ask: int) -> int:
        """Return how many workers of one job fit now, at most all of them."""

    def place(self, ask: int, job: int, workers: int, first: int) -> tuple[Held, ...]:
        """Take room for `workers` of a job, the `first`-th on, that are known to fit."""

    def place_on(self, ask: int, spots: Spots) -> tuple[Held, ...]:
        """Take room on named nodes that are known to hold it."""

    def holds_on(self, ask: int, spots: Spots) -> bool:
        """Whether named nodes hold so many workers now."""

    def nodes_by_score(self, ask: int) -> list[int]:
        """Return the nodes that hold a worker now, the best first, equal ones by name."""

    def profile(self, now_s: int) -> Profile:
        """Return the profile of the empty machine from an instant on."""

    def release(self, ask: int, parts: Iterable[Held]) -> None:
        """Give back what parts hold."""

    def reserve(self, ask: int, now_s: int, releases: Iterable[Release]) -> Reservation | None:
        """Return the earliest room for a job that does not fit now, given (instant, ask, parts) of what will be released, in order.

        Releases at or before now count as now + 1. None where it never fits.
        """

    def check_empty(self) -> None:
        """Raise AssertionError unless the machine is as it began."""
