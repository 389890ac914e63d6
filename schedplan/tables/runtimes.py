"""Run times of open jobs that their rows don't give. It takes the limit their owner asked for, and estimates nothing."""

from __future__ import annotations

from dataclasses import replace

from schedplan.errors import Fault
from schedplan.model.workload import Job
from schedplan.tables.faults import Code, raise_faults


def with_runtimes(jobs: tuple[Job, ...], otherwise_minutes: float | None = None) -> tuple[tuple[Job, ...], tuple[str, ...]]:
    """Return (the open jobs, each with a run time; notes on what was taken).

    A missing run time is the job's time limit, else `otherwise_minutes`. Raises InputError with every job that has none of them.
    """
    found: list[Job] = []
    notes: list[str] = []
    faults: list[Fault] = []
    for job in jobs:
        if not job.state.is_open:
            continue
        minutes = job.runtime_minutes or job.time_limit_minutes or otherwise_minutes
        if minutes is None:
            hint = (
                "Give runtime_minutes or time_limit_minutes, --runtime MINUTES for all of them, or plan without time by --static."
            )
            faults.append(Fault(Code.EMPTY_CELL.value, f"job {job.name} has no run time", column="runtime_minutes", hint=hint))
            continue
        if job.runtime_minutes is None:
            source = "its time limit" if job.time_limit_minutes else "as asked for all jobs without one"
            notes.append(f"job {job.name}: run time taken as {minutes:g} min, {source}")
        found.append(replace(job, runtime_minutes=minutes))
    raise_faults(faults)
    return tuple(found), tuple(notes)
