"""place and required: no job twice, no worker too many; a required job is placed."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def place(case: Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        nodes = [part.node for part in parts]
        if len(set(nodes)) < len(nodes):
            yield broken("place", f"job {name}", f"has two parts on one node: {', '.join(nodes)}")
        placed = sum(part.workers for part in parts)
        if placed > job.workers:
            yield broken("place", f"job {name}", f"{placed} workers are placed; the job has {job.workers}")
    for name, by_slot in case.replicas_of.items():
        for slot, stands in by_slot.items():
            nodes = [stand.node for stand in stands]
            if len(set(nodes)) < len(nodes):
                yield broken("place", f"service {name}", f"has two parts on one node at {case.when(slot)}: {', '.join(nodes)}")


def required(case: Case) -> Iterator[Finding]:
    for job in case.problem.jobs:
        if job.required and job.name not in case.parts_of:
            yield broken("required", f"job {job.name}", "is required and left out")
