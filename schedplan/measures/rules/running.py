"""running: what runs stays where it runs."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.plan import JobPart
from schedplan.model.workload import Job, JobState


def running(case: Case) -> Iterator[Finding]:
    for job in case.problem.jobs:
        if job.state is not JobState.RUNNING:
            continue
        parts = case.parts_of.get(job.name, [])
        if not parts:
            yield broken("running", f"job {job.name}", "runs already and is left out")
            continue
        if any(part.start_slot != 0 for part in parts):
            yield broken("running", f"job {job.name}", f"runs already; the plan starts it at {case.when(parts[0].start_slot)}")
        yield from _moved(case, job, parts)


def _moved(case: Case, job: Job, parts: list[JobPart]) -> Iterator[Finding]:
    """Workers against the placement they run in, which names nodes, or pools for any of their nodes."""
    left = {placed.node: 0 for placed in job.placement}
    for placed in job.placement:
        left[placed.node] += placed.workers
    if not left:
        return
    for part in parts:
        for name in dict.fromkeys((part.node, case.pool(part.node).name)):
            moved = min(left.get(name, 0), part.workers)
            if name in left and moved == part.workers:
                left[name] -= moved
                break
        else:
            stands = ", ".join(f"{placed.node}*{placed.workers}" for placed in job.placement)
            message = f"{part.workers} workers stand on {part.node}; the job runs on {stands}"
            yield broken("running", f"job {job.name}", message)
