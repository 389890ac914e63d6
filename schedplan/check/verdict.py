"""The verdict: every rule held against the measures. It computes no measure and decides no exit status.

A measure that isn't there, or has no value here, breaks its rule: silence is never a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from schedplan.check.rules import Change, Level, Operator, Rule
from schedplan.model.findings import Measure

BROKEN, NO_VALUE, NO_SUCH_LABEL, NO_BASELINE, OTHER_CURRENCY = "SP5001", "SP5002", "SP5003", "SP5004", "SP5005"
TOLERANCE = 1e-9
LABELS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class VerdictItem:
    """One rule held against one measure.

    value, limit, upper: in `unit`, None = not known. margin: how far the value is inside its limit, negative when outside.
    code: None where the rule holds. labels: those of the measure that was judged. hint: the next step, empty where none is known.
    """

    rule: str
    level: Level
    passed: bool
    measure: str
    labels: tuple[tuple[str, str], ...]
    value: float | None
    limit: float
    upper: float | None
    unit: str
    margin: float | None
    message: str
    code: str | None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Items in the order of their rules."""

    items: tuple[VerdictItem, ...]

    @property
    def passed(self) -> bool:
        """Whether no rule that denies is broken."""
        return not self.denials

    @property
    def denials(self) -> tuple[VerdictItem, ...]:
        return tuple(item for item in self.items if not item.passed and item.level is Level.DENY)

    @property
    def warnings(self) -> tuple[VerdictItem, ...]:
        return tuple(item for item in self.items if not item.passed and item.level is Level.WARN)


def judge(rules: tuple[Rule, ...], measures: tuple[Measure, ...], baseline: tuple[Measure, ...] | None = None) -> Verdict:
    """Return the verdict on `measures`; `baseline` holds those of the earlier plan that changes are counted from.

    A rule without labels is about the whole. One with labels is about the measure that has exactly them, else about every
    measure that has them and more. Limits that include equality forgive a billionth of their size.
    """
    return Verdict(tuple(item for rule in rules for item in _items(rule, measures, baseline)))


def _items(rule: Rule, measures: tuple[Measure, ...], baseline: tuple[Measure, ...] | None) -> tuple[VerdictItem, ...]:
    chosen = _chosen(rule, measures)
    if not chosen:
        return (_missing(rule, measures),)
    return tuple(_judged(rule, measure, baseline) for measure in chosen)


def _chosen(rule: Rule, measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    named = tuple(measure for measure in measures if measure.name == rule.measure)
    exact = tuple(measure for measure in named if measure.labels == rule.labels)
    if exact or not rule.labels:
        return exact
    return tuple(measure for measure in named if set(rule.labels) <= set(measure.labels))


def _missing(rule: Rule, measures: tuple[Measure, ...]) -> VerdictItem:
    others = tuple(measure.labels for measure in measures if measure.name == rule.measure)
    if not others:
        return _unanswered(rule, rule.labels, "", f"{rule.measure} has no value here", NO_VALUE)
    shown = "; ".join(_label_text(labels) or "the whole" for labels in others[:LABELS_SHOWN])
    more = f" and {len(others) - LABELS_SHOWN} more" if len(others) > LABELS_SHOWN else ""
    asked = _label_text(rule.labels) or "the whole"
    return _unanswered(rule, rule.labels, "", f"{rule.measure} is not known for {asked}, only for {shown}{more}", NO_SUCH_LABEL)


def _judged(rule: Rule, measure: Measure, baseline: tuple[Measure, ...] | None) -> VerdictItem:
    unit = "%" if rule.change is Change.PERCENT else measure.unit
    try:
        value = _own_value(rule, measure)
        if rule.change is not Change.NONE:
            value = _change(rule, measure, value, baseline)
    except _NoAnswerError as problem:
        return _unanswered(rule, measure.labels, unit, problem.message, problem.code)
    return _compared(rule, measure.labels, unit, value)


class _NoAnswerError(Exception):
    """Why a measure can't be held against its rule."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.message, self.code = message, code


def _own_value(rule: Rule, measure: Measure) -> float:
    subject = _subject_text(rule, measure.labels)
    if measure.value is None or not isfinite(measure.value):
        raise _NoAnswerError(f"{subject} has no value here", NO_VALUE)
    if rule.currency and rule.currency != measure.unit.split("/", maxsplit=1)[0]:
        message = f"{subject} is in {measure.unit or 'no unit'}, the limit in {rule.currency}; write it in the project's currency"
        raise _NoAnswerError(message, OTHER_CURRENCY)
    return measure.value


def _change(rule: Rule, measure: Measure, value: float, baseline: tuple[Measure, ...] | None) -> float:
    subject = _subject_text(rule, measure.labels)
    if baseline is None:
        raise _NoAnswerError(f"{subject} needs a baseline; give one with --baseline", NO_BASELINE)
    before = next((old.value for old in baseline if (old.name, old.labels) == (measure.name, measure.labels)), None)
    if before is None or not isfinite(before):
        raise _NoAnswerError(f"{subject}: the baseline has no such value", NO_BASELINE)
    if rule.change is Change.ABSOLUTE:
        return value - before
    change_percent = _change_percent(value, before)
    if change_percent is None:
        raise _NoAnswerError(f"{subject}: the baseline is 0, so no percentage exists", NO_BASELINE)
    return change_percent


def _change_percent(value: float, before: float) -> float | None:
    if before == 0:
        return 0.0 if value == 0 else None
    return 100.0 * (value - before) / abs(before)


def _compared(rule: Rule, labels: tuple[tuple[str, str], ...], unit: str, value: float) -> VerdictItem:
    margin = _margin(rule, value)
    forgiven = TOLERANCE * max(1.0, abs(rule.limit), abs(rule.upper or 0.0))
    is_strict = rule.operator in (Operator.LESS, Operator.GREATER)
    passed = margin > 0 if is_strict else margin >= -forgiven
    relation = "holds" if passed else "is broken"
    message = f"{_subject_text(rule, labels)} = {_number_text(value, unit)}; {_limit_text(rule, unit)} {relation}"
    code = None if passed else BROKEN
    return VerdictItem(
        rule.text, rule.level, passed, rule.measure, labels, value, rule.limit, rule.upper, unit, margin, message, code
    )


def _margin(rule: Rule, value: float) -> float:
    if rule.operator in (Operator.LESS, Operator.AT_MOST):
        return rule.limit - value
    if rule.operator in (Operator.GREATER, Operator.AT_LEAST):
        return value - rule.limit
    upper = rule.limit if rule.upper is None else rule.upper
    return min(value - rule.limit, upper - value)


def _unanswered(rule: Rule, labels: tuple[tuple[str, str], ...], unit: str, message: str, code: str) -> VerdictItem:
    return VerdictItem(rule.text, rule.level, False, rule.measure, labels, None, rule.limit, rule.upper, unit, None, message, code)


def _subject_text(rule: Rule, labels: tuple[tuple[str, str], ...]) -> str:
    subject = rule.measure + _label_text(labels)
    return subject if rule.change is Change.NONE else f"{rule.change.value}({subject})"


def _label_text(labels: tuple[tuple[str, str], ...]) -> str:
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""


def _limit_text(rule: Rule, unit: str) -> str:
    if rule.upper is not None:
        return f"in {_number_text(rule.limit, '')}..{_number_text(rule.upper, unit)}"
    return f"{rule.operator.value} {_number_text(rule.limit, unit)}"


def _number_text(value: float, unit: str) -> str:
    number = f"{value:.12g}"
    return f"{number} {unit}" if unit else number
