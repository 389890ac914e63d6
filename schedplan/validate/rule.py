"""A rule: its code, the check that yields findings, and the text that documents it. It holds no rule itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from schedplan.model.findings import Finding, Severity
from schedplan.model.workload import Job
from schedplan.validate.subject import Subject


@dataclass(frozen=True, slots=True)
class Rule:
    """code: stable, SP12xx. name: one word per idea. text: what is checked, why, and what to do, in whole sentences."""

    code: str
    name: str
    text: str
    check: Callable[[Subject], Iterator[Finding]]


def must_or_should(is_required: bool) -> Severity:
    """Return ERROR for work without which there is no plan, WARNING for work that a plan may leave out."""
    return Severity.ERROR if is_required else Severity.WARNING


def about_jobs(jobs: Sequence[Job]) -> str:
    """Return what a finding about one or more jobs is about: `job a`, or `3 jobs: a, b, c`."""
    return f"job {jobs[0].name}" if len(jobs) == 1 else f"{len(jobs)} jobs: {listed(tuple(job.name for job in jobs), 3)}"


def listed(names: tuple[str, ...], most: int = 5) -> str:
    """Return `a, b, c and 4 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
