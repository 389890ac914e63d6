"""Lint: what is odd in the tables of a project, as measures that rules of `check` may ask for.

lint_errors      findings of `validate` that are errors; {code} of each code that found something
lint_warnings    those that are warnings; {code}
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.check.rules import Rule
from schedplan.check.verdict import VerdictItem
from schedplan.model.findings import Finding, Measure, Severity
from schedplan.workflows.project import Project
from schedplan.workflows.validate import validate_project

_SEVERITIES = {"lint_errors": Severity.ERROR, "lint_warnings": Severity.WARNING}


@dataclass(frozen=True, slots=True)
class Lint:
    """The findings of `validate`; None where no rule asks for them."""

    findings: tuple[Finding, ...] | None

    @classmethod
    def of(cls, project: Project, rules: tuple[Rule, ...]) -> Lint:
        """Return the findings on the tables of a project, if any of the rules is about them."""
        is_asked = any(rule.measure in _SEVERITIES for rule in rules)
        return cls(validate_project(project) if is_asked else None)

    def measures(self) -> tuple[Measure, ...]:
        """Return how many errors and warnings there are: of all rules, and {code} of each that found something."""
        if self.findings is None:
            return ()
        found: list[Measure] = []
        for name, severity in _SEVERITIES.items():
            codes = [finding.code for finding in self.findings if finding.severity is severity]
            found.append(Measure(name, float(len(codes)), "findings"))
            found += [Measure(name, float(codes.count(code)), "findings", (("code", code),)) for code in sorted(set(codes))]
        return tuple(found)

    def told(self, item: VerdictItem) -> VerdictItem:
        """Say the first finding where a rule about them is broken."""
        severity = _SEVERITIES.get(item.measure)
        if item.passed or severity is None or self.findings is None:
            return item
        code = dict(item.labels).get("code")
        first = next((one for one in self.findings if one.severity is severity and code in (None, one.code)), None)
        if first is None:
            return item
        next_step = f" {first.hint}" if first.hint else ""
        return replace(item, hint=f"First: {first.code} {first.subject}: {first.message}.{next_step}")
