"""What a measure was over several replications, and how two policies differ on the same ones. It computes nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """Mean of a measure over replications in which it has a value, and the 95 % band of that mean by bootstrap."""

    name: str
    labels: tuple[tuple[str, str], ...]
    unit: str
    mean: float
    low: float
    high: float
    replications: int


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean over replications of a measure under `policy` less that under `base` on the same ones, with its 95 % band."""

    policy: str
    base: str
    name: str
    unit: str
    mean: float
    low: float
    high: float

    @property
    def is_tie(self) -> bool:
        """Whether the band holds 0: these replications do not tell the two apart."""
        return self.low <= 0.0 <= self.high
