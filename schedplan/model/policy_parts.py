"""The parts of a policy that a user chooses by name. Which names there are is not known here."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Choices:
    """Parts by name that take the place of a policy's own; None keeps its own.

    depth and compression are of the backfill rule, half_life_hours of the share, grace_minutes of the preemption,
    scaling_target of the scaling, period_seconds of the cycle.
    """

    order: str | None = None
    share: str | None = None
    half_life_hours: float | None = None
    blocking: str | None = None
    backfill: str | None = None
    depth: int | None = None
    compression: str | None = None
    gang: str | None = None
    nodes: str | None = None
    tie: str | None = None
    preemption: str | None = None
    grace_minutes: float | None = None
    scaling: str | None = None
    scaling_target: float | None = None
    cycle: str | None = None
    period_seconds: int | None = None

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """Return what was chosen as (part, name), in the order of the parts."""
        found = ((field.name, getattr(self, field.name)) for field in fields(self))
        return tuple((name, f"{value:g}" if isinstance(value, float) else str(value)) for name, value in found if value is not None)
