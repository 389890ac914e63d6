"""Slurm's names of jobs: `57`, `16_7`, `62_[4-29%4]`, `32+1`, and of steps, `57.batch`. It knows nothing else of a job."""

from __future__ import annotations

import re
from dataclasses import dataclass

from schedplan.ingest.slurm.hostlist import HostlistError, task_numbers

_JOB_ID = re.compile(
    r"(?P<job>\d{1,12})?(?:_(?P<task>\d{1,9})|_\[(?P<tasks>[\d,:\-]+)(?:%(?P<most>\d{1,9}))?(?P<cut>\.\.\.)?\]|\+(?P<part>\d{1,6}))?"
    r"(?P<step>\.[\w+\-]+)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class JobId:
    """names: of the job, or of every task of an array that waits. gang: of a heterogeneous job, its number; else None.

    most_running: how many tasks of the array may run at once, None where it is not limited.
    """

    names: tuple[str, ...]
    is_step: bool
    gang: str | None = None
    most_running: int | None = None


def parse_job_id(text: str) -> JobId:
    """Return what a JobID names; HostlistError where it is none."""
    match = _JOB_ID.fullmatch(text.strip())
    if match is None or match.group("job") is None:
        raise HostlistError("this is no job id such as 57, 16_7, 62_[4-29%4], 32+1 or 57.batch")
    job, part = match.group("job"), match.group("part")
    is_step = match.group("step") is not None
    if match.group("cut"):
        raise HostlistError("the list of tasks is cut; run the command with -r or --array, or with SLURM_BITSTR_LEN=0")
    if match.group("tasks"):
        numbers = task_numbers(match.group("tasks"))
        most = match.group("most")
        return JobId(tuple(f"{job}_{number}" for number in numbers), is_step, None, int(most) if most else None)
    if match.group("task"):
        return JobId((f"{job}_{int(match.group('task'))}",), is_step)
    if part is not None:
        return JobId((f"{job}+{int(part)}",), is_step, job)
    return JobId((job,), is_step)
