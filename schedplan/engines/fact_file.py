"""A file of facts, read strictly: one TOML file is one engine, and every fault of it is told at once.

A fact without source or date is refused, and so is an atom that is missing, unknown or answered twice.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from enum import Enum
from typing import TypeVar

from schedplan.engines.atom import ATOM_NAMES
from schedplan.engines.fact import Confidence, Engine, Fact, Role, SizeLimit, Value
from schedplan.errors import Fault, InputError

FAULT_CODE = "SP1301"
SIZE_MEASURES = ("nodes", "queues")

_ENGINE_KEYS = (
    "name",
    "title",
    "role",
    "summary",
    "licence",
    "governance",
    "version",
    "api_versions",
    "source",
    "checked_on",
    "size_limit",
    "fact",
)
_FACT_KEYS = ("atom", "value", "note", "version", "source", "checked_on", "confidence")
_LIMIT_KEYS = ("measure", "most", "note", "source", "checked_on")
_ADDRESS = re.compile(r"https://[a-z0-9.-]+\.[a-z]{2,}(/\S*)?")
_UNKNOWN_DAY = date(1970, 1, 1)

Choice = TypeVar("Choice", bound=Enum)


def engine_of(text: str, file: str) -> Engine:
    """Return the engine that a text describes. Raises InputError with every fault; `file` is its name in them."""
    faults: list[Fault] = []
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InputError.of_faults((Fault(FAULT_CODE, f"no TOML: {problem}", file),)) from problem
    engine = _engine(_Record(found, file, "", faults))
    if faults:
        raise InputError.of_faults(tuple(faults))
    return engine


def _engine(record: _Record) -> Engine:
    record.refuse_others(_ENGINE_KEYS)
    name = record.text("name")
    facts = tuple(_fact(one, name) for one in record.records("fact"))
    _refuse_gaps(facts, record)
    return Engine(
        name=name,
        title=record.text("title"),
        role=record.choice("role", Role),
        summary=record.text("summary"),
        licence=record.text("licence"),
        governance=record.text("governance"),
        version=record.text("version"),
        api_versions=record.texts("api_versions"),
        source=record.address("source"),
        checked_on=record.day("checked_on"),
        facts=tuple(sorted(facts, key=_atom_position)),
        size_limits=tuple(_size_limit(one) for one in record.records("size_limit")),
    )


def _fact(record: _Record, engine: str) -> Fact:
    record.refuse_others(_FACT_KEYS)
    fact = Fact(
        engine=engine,
        atom=record.one_of("atom", ATOM_NAMES),
        value=record.choice("value", Value),
        note=record.text("note"),
        version=record.text("version"),
        source=record.address("source"),
        checked_on=record.day("checked_on"),
        confidence=record.choice("confidence", Confidence),
    )
    if (fact.value is Value.NOT_VERIFIED) != (fact.confidence is Confidence.UNVERIFIED):
        record.fault("confidence", "a value is not-verified exactly where its confidence is unverified")
    return fact


def _size_limit(record: _Record) -> SizeLimit:
    record.refuse_others(_LIMIT_KEYS)
    return SizeLimit(
        measure=record.one_of("measure", SIZE_MEASURES),
        most=record.count("most"),
        note=record.text("note"),
        source=record.address("source"),
        checked_on=record.day("checked_on"),
    )


def _refuse_gaps(facts: tuple[Fact, ...], record: _Record) -> None:
    seen = [fact.atom for fact in facts]
    for name in ATOM_NAMES:
        if seen.count(name) != 1:
            record.fault("fact", f"the atom {name} is answered {seen.count(name)} times", expected="once")


def _atom_position(fact: Fact) -> int:
    return ATOM_NAMES.index(fact.atom) if fact.atom in ATOM_NAMES else len(ATOM_NAMES)


@dataclass(frozen=True, slots=True)
class _Record:
    """A table of the file, read key by key; what is off is noted in `faults`, and something harmless stands in for it."""

    found: dict[str, object]
    file: str
    place: str
    faults: list[Fault] = field(repr=False)

    def fault(self, key: str, message: str, *, seen: object = None, expected: str | None = None, hint: str | None = None) -> None:
        column = f"{self.place}{key}"
        self.faults.append(Fault(FAULT_CODE, message, self.file, None, column, None if seen is None else str(seen), expected, hint))

    def refuse_others(self, known: tuple[str, ...]) -> None:
        for key in self.found:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                self.fault(key, "is no known key", hint=f"Did you mean {near[0]}?" if near else None)

    def text(self, key: str) -> str:
        value = self.found.get(key)
        if isinstance(value, str) and value.strip() and value == " ".join(value.split()):
            return value
        self.fault(key, "is missing" if value is None else "is no line of text", seen=value)
        return ""

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.found.get(key, [])
        if isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value):
            return tuple(value)
        self.fault(key, "is no list of texts", seen=value)
        return ()

    def address(self, key: str) -> str:
        text = self.text(key)
        if text and _ADDRESS.fullmatch(text) is None:
            self.fault(key, "is no https address", seen=text)
        return text

    def day(self, key: str) -> date:
        value = self.found.get(key)
        if type(value) is date:
            return value
        self.fault(key, "is missing" if value is None else "is no date", seen=value, expected="a date such as 2026-11-30")
        return _UNKNOWN_DAY

    def count(self, key: str) -> int:
        value = self.found.get(key)
        if type(value) is int and value > 0:
            return value
        self.fault(key, "is no positive whole number", seen=value)
        return 0

    def one_of(self, key: str, known: tuple[str, ...]) -> str:
        value = self.text(key)
        if value and value not in known:
            near = get_close_matches(value, known, n=1)
            self.fault(key, "is not known", seen=value, hint=f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}.")
        return value

    def choice(self, key: str, choices: type[Choice]) -> Choice:
        values = {str(choice.value): choice for choice in choices}
        name = self.one_of(key, tuple(values))
        return values.get(name, next(iter(choices)))

    def records(self, key: str) -> Iterator[_Record]:
        value = self.found.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.fault(key, "is no list of tables")
            return
        for idx, one in enumerate(value, start=1):
            name = one.get("atom") or one.get("measure")
            yield _Record(one, self.file, f"{key} {idx}{f' ({name})' if name else ''}: ", self.faults)
