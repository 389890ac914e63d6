"""window: start at or after the release; booked end by the hard deadline and the horizon."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.workload import DeadlineKind, JobState


def window(case: Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job, subject = case.problem.job_by_name[name], f"job {name}"
        start_s = case.problem.grid.slot_start_s(min(part.start_slot for part in parts))
        if job.release_s is not None and job.state is not JobState.RUNNING and start_s < job.release_s:
            yield broken("window", subject, f"starts at {case.at(start_s)}, before its release at {case.at(job.release_s)}")
        edges = [case.end_edge(part) for part in parts]
        known = [edge for edge in edges if edge is not None]
        if len(known) < len(edges):
            yield broken("window", subject, f"begun at {case.at(start_s)} it is not over when the horizon ends")
            continue
        end_s = case.problem.grid.edges_s[max(known)]
        if job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD and end_s > job.deadline_s:
            late = f"its booked end {case.at(end_s)} is after its deadline {case.at(job.deadline_s)}"
            yield broken("window", subject, late)
