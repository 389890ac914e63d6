"""Rules: `[stat(]measure[{label="v",...}][)] OP number[unit] [warn|deny]`, read once from left to right.

It knows the words of a rule and the names of the measures there are; it does not know their values.
`delta(x)` and `delta%(x)` around a measure stand for its change against a baseline, in its own unit and in percent.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from schedplan.check.vocabulary import KNOWN_MEASURES, MEASURES, STATS, Dimension, dimension_of, factor_of, known_units
from schedplan.errors import ConfigError, Fault
from schedplan.units import QuantityError, parse_number

LONGEST_RULE = 1000
LONGEST_QUOTE = 60
CURRENCY_LETTERS = 3

_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _NAME_START | frozenset("0123456789")
_LABEL_NAME = _NAME | frozenset("-./")
_NUMBER = frozenset("0123456789+-.eE")
_UNIT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%_/")
_OPERATORS = ("<=", "==", ">=", "<", ">")

SYNTAX, UNKNOWN_MEASURE, WRONG_UNIT = "SP2201", "SP2202", "SP2203"


class Operator(Enum):
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "=="
    AT_LEAST = ">="
    GREATER = ">"
    WITHIN = "in"


class Change(Enum):
    """Whether a rule is about a measure itself or about its change against the baseline."""

    NONE = ""
    ABSOLUTE = "delta"
    PERCENT = "delta%"


class Level(Enum):
    """What a broken rule does: deny fails the gate, warn is said."""

    DENY = "deny"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `limit` (and `upper` for a range) in the unit of the measure, or in percent for a relative change.

    measure: full name, statistic included (`wait_s_p95`). currency: the code the limit was written with, None if with none.
    labels in the order of their names.
    """

    text: str
    measure: str
    labels: tuple[tuple[str, str], ...]
    change: Change
    operator: Operator
    limit: float
    upper: float | None = None
    currency: str | None = None
    level: Level = Level.DENY


class _RuleError(Exception):
    """What is wrong with a rule at a position, counted from 0."""

    def __init__(self, message: str, position: int, code: str = SYNTAX, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.position, self.code, self.hint = message, position, code, hint


@dataclass(frozen=True, slots=True)
class _Subject:
    measure: str
    labels: tuple[tuple[str, str], ...]
    change: Change
    position: int


@dataclass(frozen=True, slots=True)
class _Limit:
    number: float
    unit: str
    position: int


def parse_rule(text: str, more_measures: tuple[str, ...] = ()) -> Rule:
    """Return the rule that `text` spells; ConfigError with the position of the first fault otherwise.

    `more_measures`: names beyond the built-in ones that may stand in a rule.
    """
    try:
        return _parse(text, more_measures)
    except _RuleError as problem:
        raise ConfigError(_sentence(text, problem), code=problem.code, hint=problem.hint) from None


def parse_rules(texts: tuple[str, ...], more_measures: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """Return all rules in their order; one ConfigError that tells the faults of all of them otherwise."""
    rules: list[Rule] = []
    faults: list[Fault] = []
    for number, text in enumerate(texts, start=1):
        try:
            rules.append(_parse(text, more_measures))
        except _RuleError as problem:
            message = f"rule {number}: {_sentence(text, problem)}"
            faults.append(Fault(problem.code, message, column="check.rules", hint=problem.hint))
    if faults:
        lines = [f"{fault.message}. {fault.hint}" if fault.hint else fault.message for fault in faults]
        raise ConfigError("\n".join(lines), code=faults[0].code, faults=tuple(faults))
    return tuple(rules)


def _sentence(text: str, problem: _RuleError) -> str:
    return f"{_quote(text)}, position {problem.position + 1}: {problem.message}"


def _quote(text: str) -> str:
    return repr(text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "...")


def _parse(text: str, more_measures: tuple[str, ...]) -> Rule:
    if len(text) > LONGEST_RULE:
        raise _RuleError(f"a rule of {len(text)} characters; at most {LONGEST_RULE} are read", LONGEST_RULE)
    reader = _Reader(text)
    subject = _read_subject(reader)
    _check_measure(subject, more_measures)
    operator = _read_operator(reader)
    first = _read_limit(reader)
    second = _read_upper(reader) if operator is Operator.WITHIN else None
    level = _read_level(reader)
    limit, currency = _in_unit_of(subject, first)
    upper, upper_currency = _in_unit_of(subject, second) if second else (None, None)
    if second and upper is not None and upper < limit:
        raise _RuleError("the range ends below its start", second.position)
    return Rule(
        text.strip(), subject.measure, subject.labels, subject.change, operator, limit, upper, currency or upper_currency, level
    )


def _read_subject(reader: _Reader) -> _Subject:
    change = _read_change(reader)
    position = reader.position
    name = reader.word(_NAME_START, _NAME, "the name of a measure")
    statistic = None
    if reader.take("("):
        if name not in STATS:
            raise _RuleError(f"{_quote(name)} is no statistic", position, hint=f"Known: {', '.join(STATS)}, delta, delta%.")
        statistic = name
        position = reader.position
        name = reader.word(_NAME_START, _NAME, "the name of a measure")
    labels = _read_labels(reader)
    if statistic is not None:
        reader.expect(")")
        name = f"{name}_{statistic}"
    if change is not Change.NONE:
        reader.expect(")")
    return _Subject(name, labels, change, position)


def _read_change(reader: _Reader) -> Change:
    for change in (Change.PERCENT, Change.ABSOLUTE):
        if reader.take(change.value + "("):
            return change
    return Change.NONE


def _read_labels(reader: _Reader) -> tuple[tuple[str, str], ...]:
    if not reader.take("{"):
        return ()
    labels: dict[str, str] = {}
    while not reader.take("}"):
        if labels:
            reader.expect(",")
        position = reader.position
        name = reader.word(_NAME_START, _LABEL_NAME, "the name of a label")
        reader.expect("=")
        if name in labels:
            raise _RuleError(f"the label {name} occurs twice", position)
        labels[name] = reader.quoted()
    return tuple(sorted(labels.items()))


def _read_operator(reader: _Reader) -> Operator:
    if reader.take_word("in"):
        return Operator.WITHIN
    for sign in _OPERATORS:
        if reader.take(sign):
            return Operator(sign)
    hint = "For equality write ==." if reader.rest().startswith("=") else None
    raise _RuleError("expected one of < <= == >= > or in", reader.position, hint=hint)


def _read_limit(reader: _Reader) -> _Limit:
    position = reader.position
    number = reader.span(_NUMBER, until="..")
    unit_position = reader.position_now()
    unit = reader.span(_UNIT)
    if not number:
        raise _RuleError("expected a number", position)
    if number[-1] in "eE":  # an exponent without digits is the start of a unit such as EUR
        number, unit, unit_position = number[:-1], number[-1] + unit, unit_position - 1
    if not unit:
        unit_position = reader.position
        unit = "" if reader.at_word("warn", "deny") else reader.span(_UNIT)
    try:
        return _Limit(parse_number(number), unit, position if not unit else unit_position)
    except QuantityError as problem:
        raise _RuleError(f"{_quote(number)} is not {problem}", position) from None


def _read_upper(reader: _Reader) -> _Limit:
    reader.expect("..")
    return _read_limit(reader)


def _read_level(reader: _Reader) -> Level:
    for level in Level:
        if reader.take_word(level.value):
            reader.end()
            return level
    reader.end()
    return Level.DENY


def _check_measure(subject: _Subject, more_measures: tuple[str, ...]) -> None:
    known = KNOWN_MEASURES + more_measures
    if subject.measure in known:
        return
    near = difflib.get_close_matches(subject.measure, known, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(MEASURES)}."
    raise _RuleError(f"no measure is called {_quote(subject.measure)}", subject.position, UNKNOWN_MEASURE, hint)


def _in_unit_of(subject: _Subject, limit: _Limit) -> tuple[float, str | None]:
    """Return the limit in the unit of its measure, and the currency it was written with."""
    dimension = Dimension.PERCENT if subject.change is Change.PERCENT else dimension_of(subject.measure)
    if not limit.unit:
        return limit.number, None
    if dimension is Dimension.MONEY and _is_currency(limit.unit):
        return limit.number, limit.unit
    factor = factor_of(dimension, limit.unit)
    if factor is None:
        raise _RuleError(
            f"{_quote(limit.unit)} is no unit of {subject.measure}", limit.position, WRONG_UNIT, _unit_hint(dimension, limit.unit)
        )
    return float(Fraction(limit.number) * factor), None


def _unit_hint(dimension: Dimension, unit: str) -> str:
    near = difflib.get_close_matches(unit, [level.value for level in Level], n=1)
    if near:
        return f"Did you mean {near[0]}?"
    units = known_units(dimension)
    return f"It takes {', '.join(units)} or none." if units else "Leave the unit out."


def _is_currency(unit: str) -> bool:
    return len(unit) == CURRENCY_LETTERS and unit.isascii() and unit.isalpha() and unit.isupper()


class _Reader:
    """A text and how far it has been read; each character is looked at a bounded number of times."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = 0

    @property
    def position(self) -> int:
        """Skip blanks and return where the next token begins."""
        while self._next < len(self._text) and self._text[self._next] in " \t\r\n":
            self._next += 1
        return self._next

    def position_now(self) -> int:
        return self._next

    def rest(self) -> str:
        return self._text[self.position :]

    def take(self, token: str) -> bool:
        """Step over `token` if it comes next."""
        if not self._text.startswith(token, self.position):
            return False
        self._next += len(token)
        return True

    def at_word(self, *words: str) -> bool:
        start = self.position
        return any(
            self._text.startswith(word, start)
            and (start + len(word) >= len(self._text) or self._text[start + len(word)] not in _NAME)
            for word in words
        )

    def take_word(self, word: str) -> bool:
        if not self.at_word(word):
            return False
        self._next += len(word)
        return True

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise _RuleError(f"expected {token!r}", self.position)

    def span(self, allowed: frozenset[str], until: str | None = None) -> str:
        """Return the characters of `allowed` that come next, up to `until`; the caller has skipped the blanks."""
        start = self._next
        while self._next < len(self._text) and self._text[self._next] in allowed:
            if until is not None and self._text.startswith(until, self._next):
                break
            self._next += 1
        return self._text[start : self._next]

    def word(self, first: frozenset[str], following: frozenset[str], expected: str) -> str:
        start = self.position
        if start >= len(self._text) or self._text[start] not in first:
            raise _RuleError(f"expected {expected}", start)
        return self.span(following)

    def quoted(self) -> str:
        """Return the text between double quotes; a backslash keeps the character after it."""
        start = self.position
        self.expect('"')
        characters: list[str] = []
        while self._next < len(self._text):
            character = self._text[self._next]
            self._next += 1
            if character == '"':
                return "".join(characters)
            if character == "\\" and self._next < len(self._text):
                character = self._text[self._next]
                self._next += 1
            characters.append(character)
        raise _RuleError("this quote is never closed", start)

    def end(self) -> None:
        if self.position < len(self._text):
            raise _RuleError("expected warn, deny or the end", self.position)
