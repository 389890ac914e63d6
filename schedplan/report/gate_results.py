"""What a gate found, as programs of others take it: every broken rule with its place and a fingerprint that stays.

A fingerprint is made of the code, the rule and the labels that were judged; neither the line of the rule nor the value that
was found goes into it, so that one finding stays one when a file is edited above it or a number moves.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from schedplan.check.place import Place, Places
from schedplan.check.rules import Level
from schedplan.check.verdict import Verdict, VerdictItem
from schedplan.report.verbatim import visible


@dataclass(frozen=True, slots=True)
class GateResult:
    """A broken rule. is_denied: it fails the gate, else it is a warning. message: one line that holds no control characters."""

    code: str
    is_denied: bool
    rule: str
    message: str
    hint: str
    place: Place
    fingerprint: str

    @property
    def words(self) -> str:
        """Return the rule, what was found and the next step, in one line."""
        return f"{self.rule}: {self.message}. {self.hint}".strip() if self.hint else f"{self.rule}: {self.message}"


def gate_results(verdict: Verdict, places: Places) -> tuple[GateResult, ...]:
    """Return the broken rules of a verdict: those that deny, then those that warn."""
    return tuple(_result(item, places) for item in (*verdict.denials, *verdict.warnings))


def error_result(message: str, code: str, hint: str | None, place: Place) -> GateResult:
    """Return why there is no verdict, as a finding of its own."""
    return GateResult(
        code, True, "schedplan check", visible(message), visible(hint or ""), place, _fingerprint(code, "schedplan check", ())
    )


def _result(item: VerdictItem, places: Places) -> GateResult:
    code = item.code or ""
    place = places.of(item.rule)
    return GateResult(
        code=code,
        is_denied=item.level is Level.DENY,
        rule=visible(item.rule),
        message=visible(item.message),
        hint=visible(item.hint),
        place=Place(visible(place.file), place.line),
        fingerprint=_fingerprint(code, item.rule, item.labels),
    )


def _fingerprint(code: str, rule: str, labels: tuple[tuple[str, str], ...]) -> str:
    """Return 32 hexadecimal digits."""
    told = json.dumps([code, rule, labels], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(told.encode("ascii")).hexdigest()[:32]
