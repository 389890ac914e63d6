"""A verdict as a code quality report of GitLab: one JSON array of the broken rules, within the fields that GitLab reads.

Format: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format (2026-12-01). A path is relative to the
repository and must not begin with `./`.
"""

from __future__ import annotations

from pathlib import PurePath

from schedplan.report.gate_results import GateResult
from schedplan.report.json import Json, serialized

MARK = '"check_name": "schedplan '
EMPTY = "[]\n"


def gitlab_text(results: tuple[GateResult, ...], *, is_error: bool = False) -> str:
    """Return the results as JSON with a newline at its end. is_error: there was no verdict, and why."""
    issues: list[Json] = [_issue(result, is_error) for result in results]
    return serialized(issues)


def _issue(result: GateResult, is_error: bool) -> Json:
    severity = "blocker" if is_error else "major" if result.is_denied else "minor"
    return {
        "check_name": f"schedplan {result.code}",
        "description": result.words,
        "fingerprint": result.fingerprint,
        "location": {"lines": {"begin": result.place.line or 1}, "path": PurePath(result.place.file).as_posix()},
        "severity": severity,
    }
