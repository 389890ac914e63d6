"""All rules, in the order of their codes, and the text behind every code that reading or validating can give."""

from __future__ import annotations

from difflib import get_close_matches

from schedplan.errors import Fault, InputError, UsageError
from schedplan.measures.calibration import Calibration
from schedplan.model.findings import Finding, Severity
from schedplan.model.quota import Quota
from schedplan.tables.convert import Content
from schedplan.tables.faults import READING_TEXTS
from schedplan.timegrid import TimeGrid
from schedplan.validate import latency, plausible, quota_room, references, room, windows
from schedplan.validate.rule import Rule
from schedplan.validate.subject import Subject

RULES: tuple[Rule, ...] = references.RULES + room.RULES + quota_room.RULES + windows.RULES + latency.RULES + plausible.RULES
_OF_PLANS = frozenset({"SP1208", "SP1215", "SP1224"})
_OF_NAMES = frozenset({"SP1206", "SP1209"})
_NEEDED = frozenset({"SP1202", "SP1217"})
_TEXTS = {code.value: text for code, text in READING_TEXTS} | {rule.code: rule.text for rule in RULES}


def validate(subject: Subject, rules: tuple[Rule, ...] = RULES) -> tuple[Finding, ...]:
    """Return the findings of rules, by code and then by subject."""
    found = [finding for rule in rules for finding in rule.check(subject)]
    return tuple(sorted(found, key=lambda finding: (finding.code, finding.subject)))


def cautions(subject: Subject) -> tuple[str, ...]:
    """Return what a plan must warn of, as sentences: work that gets another place than its owner may think, or none."""
    return _sentences(subject, _OF_PLANS)


def notes(subject: Subject) -> tuple[str, ...]:
    """Return what a plan is to note, as sentences: rows of quotas and latency samples that speak of nothing there is."""
    return _sentences(subject, _OF_NAMES)


def _sentences(subject: Subject, codes: frozenset[str]) -> tuple[str, ...]:
    found = validate(subject, tuple(rule for rule in RULES if rule.code in codes))
    return tuple(f"{finding.subject}: {finding.message}. {finding.hint or ''}".rstrip() for finding in found)


def refuse_senseless(subject: Subject) -> None:
    """Raise InputError with every finding without whose mending a plan of these tables would mean nothing."""
    found = validate(subject, tuple(rule for rule in RULES if rule.code in _NEEDED))
    faults = tuple(
        Fault(one.code, f"{one.subject}: {one.message}", column=one.column, hint=one.hint)
        for one in found
        if one.severity is Severity.ERROR
    )
    if faults:
        raise InputError.of_faults(faults)


def subject_of(
    content: Content, quotas: tuple[Quota, ...], grid: TimeGrid | None = None, calibrations: tuple[Calibration, ...] = ()
) -> Subject:
    """Return what is validated of tables that were read. quotas: of the tables and of the project file; grid: the planned slots;
    calibrations: what the latency samples among them say."""
    forecast_ids = tuple(forecast.unique_id for forecast in content.forecasts)
    return Subject(
        content.cluster,
        content.jobs,
        content.services,
        content.series,
        forecast_ids,
        quotas,
        content.slips,
        grid,
        content.latency_samples,
        calibrations,
        tuple((change.pool, change.price_per_hour) for change in content.price_changes),
    )


def documented_codes() -> tuple[str, ...]:
    """Return every code that `rule_text` knows, in order."""
    return tuple(sorted(_TEXTS))


def rule_text(code: str) -> str:
    """Return what a code means and what to do about it; UsageError with the nearest code for an unknown one."""
    text = _TEXTS.get(code.upper())
    if text is None:
        near = get_close_matches(code.upper(), _TEXTS, n=1)
        raise UsageError(f"there is no rule with the code {code}", hint=f"Did you mean {near[0]}?" if near else None)
    return text
