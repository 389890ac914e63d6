"""Random numbers by counting: a hash of (seed, purpose, entity, occurrence), so that no draw depends on another."""

from __future__ import annotations

_MASK = (1 << 64) - 1
TIE, RECLAIM, JITTER, BLOCK, RESAMPLE = 1, 2, 3, 4, 5


def drawn(seed: int, purpose: int, entity: int, occurrence: int) -> int:
    """Return 64 bits for the `occurrence`-th draw of an entity. SplitMix64 steps (Steele, Lea, Flood 2014)."""
    state = 0
    for value in (seed, purpose, entity, occurrence):
        state = _mixed((state + value * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & _MASK)
    return state


def _mixed(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
