"""How far a search is: what it tells while it runs to whoever asked to be told. It knows no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from schedplan.model.plan import Decisions


@dataclass(frozen=True, slots=True)
class Progress:
    """A phase in words, and what is known in it: F of the best plan so far, a proven bound on F, the gap between them.

    decisions: that plan, accepted by the check; None (as all else) where there is none yet.
    """

    phase: str
    objective: float | None = None
    bound: float | None = None
    gap: float | None = None
    decisions: Decisions | None = None


NOTHING = Progress("")
"""Where a search stands that has told nothing yet."""

Watch: TypeAlias = Callable[[Progress], None]
"""Is called in the thread that asked for a plan, whenever a phase begins or something gets better."""


def unwatched(progress: Progress) -> None:
    """Watch nothing."""
