"""Validate: what is odd in the tables of a project, before anything is planned."""

from __future__ import annotations

from schedplan.model.findings import Finding, Severity
from schedplan.report.document import Document
from schedplan.report.findings_document import findings_document
from schedplan.tables.quotas import joined
from schedplan.validate.registry import subject_of, validate
from schedplan.workflows.horizon import horizon
from schedplan.workflows.project import Project


def validate_project(project: Project) -> tuple[Finding, ...]:
    """Return the findings of all rules on the tables of a project."""
    quotas = joined(project.content.quotas, project.settings.quotas)
    settings = project.settings
    grid, _ = horizon(settings.horizon, project.content, settings.project.timezone)
    return validate(subject_of(project.calibrated, quotas, grid, project.calibrations))


def fails(findings: tuple[Finding, ...], fail_on: str) -> bool:
    """Whether a severity of `fail_on` (error, warning, never) or above was found."""
    failing = {"error": (Severity.ERROR,), "warning": (Severity.ERROR, Severity.WARNING), "never": ()}[fail_on]
    return any(finding.severity in failing for finding in findings)


def validation_document(findings: tuple[Finding, ...]) -> Document:
    """Return the findings as a document."""
    return findings_document(findings, kind="validation", title="Validation", all_clear="Nothing is odd in these tables.")
