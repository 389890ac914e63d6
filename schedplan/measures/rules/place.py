"""place and required: no worker too many; a required job is placed."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def place(case: Case) -> Iterator[Finding]:
    for name, pieces in case.pieces_of.items():
        job = case.problem.job_by_name[name]
        placed = max(sum(part.workers for part in piece) for piece in pieces)
        if placed > job.workers:
            yield broken("place", f"job {name}", f"{placed} workers are placed; the job has {job.workers}")


def required(case: Case) -> Iterator[Finding]:
    for job in case.problem.jobs:
        if job.required and job.name not in case.parts_of:
            yield broken("required", f"job {job.name}", "is required and left out")
