"""Facts: what one engine can do, each with where it was read and when. It judges nothing.

An engine is what one person would install and name; where it needs something above or below it, its facts say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cached_property


class Value(Enum):
    """Whether an engine has an atom. NOT_APPLICABLE: the question is put to the wrong kind of program; it is no zero."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"
    NOT_APPLICABLE = "not-applicable"
    NOT_VERIFIED = "not-verified"


class Confidence(Enum):
    """What a fact rests on.

    CITED: the page, file or measurement that `source` names says so. DOCUMENTED: the engine's documentation or repository as a
    whole was read for it, `source` is its door. DERIVED: follows from other facts of the same file or from what the engine is.
    UNVERIFIED: general knowledge, looked up nowhere.
    """

    CITED = "cited"
    DOCUMENTED = "documented"
    DERIVED = "derived"
    UNVERIFIED = "unverified"


class Role(Enum):
    """What part of a stack an engine is."""

    PLACER = "placer"
    ADMISSION = "admission"
    MANAGED_SERVICE = "managed-service"
    WORKLOAD_CONTROLLER = "workload-controller"

    @property
    def is_scheduler(self) -> bool:
        """Whether it decides which work runs; a controller of workloads leaves that to a scheduler below it."""
        return self is not Role.WORKLOAD_CONTROLLER


@dataclass(frozen=True, slots=True)
class Fact:
    """An engine's answer on one atom. version: of the engine it was read for. source: an https address. checked_on: the day of
    the last reading, or the earliest it can have been. note: a sentence."""

    engine: str
    atom: str
    value: Value
    note: str
    version: str
    source: str
    checked_on: date
    confidence: Confidence

    @property
    def is_verified(self) -> bool:
        return self.value is not Value.NOT_VERIFIED and self.confidence is not Confidence.UNVERIFIED


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """A size beyond which the engine's makers promise nothing. measure: nodes or queues."""

    measure: str
    most: int
    note: str
    source: str
    checked_on: date


@dataclass(frozen=True)
class Engine:
    """One engine with its facts, in the order of the atoms."""

    name: str
    title: str
    role: Role
    summary: str
    licence: str
    governance: str
    version: str
    api_versions: tuple[str, ...]
    source: str
    checked_on: date
    facts: tuple[Fact, ...]
    size_limits: tuple[SizeLimit, ...] = ()

    @cached_property
    def fact_of(self) -> dict[str, Fact]:
        return {fact.atom: fact for fact in self.facts}

    @property
    def is_scheduler(self) -> bool:
        return self.role.is_scheduler
