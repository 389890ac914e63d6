"""What an explanation consists of: sentences with their rule and their numbers, and what else was possible. No presentation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Number:
    """A figure behind a sentence, by name and with its unit."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence that stands on a rule or measure of that name. Instants in it are local time of the project."""

    rule: str
    message: str
    numbers: tuple[Number, ...] = ()


class Outcome(Enum):
    """What became of a place that was not chosen."""

    POSSIBLE = "possible"
    NO_ROOM = "no room"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another place for a job: a family of pools, or one node.

    Where possible: the earliest start it could have there with all other work where it is, in seconds; `cost` as placements
    count it, with its difference to the chosen place (None where nothing is chosen); `bill_difference` is what all paid nodes
    and rework would cost more, and `objective_difference`
    what the objective would lose (None where it can't be told). Otherwise the rule that keeps it out.
    """

    place: str
    outcome: Outcome
    message: str
    rule: str | None = None
    start_s: int | None = None
    cost: float | None = None
    cost_difference: float | None = None
    bill_difference: float | None = None
    objective_difference: float | None = None


@dataclass(frozen=True, slots=True)
class Help:
    """A change under which a job would start, or start sooner, with all other work in its place.

    cost: what it adds to the bill, currency, None where it has no price; moved_devices: of other jobs that would have to move.
    """

    words: str
    cost: float | None
    moved_devices: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a job or service stands as it does. verdict: one sentence; reasons: the dominant first; next_step: what one may do.

    helps: what would let it start, or start sooner, cheapest first.
    """

    subject: str
    verdict: str
    reasons: tuple[Reason, ...]
    alternatives: tuple[Alternative, ...] = ()
    next_step: str | None = None
    helps: tuple[Help, ...] = ()
