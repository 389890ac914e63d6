"""From when to when each job of a log held what it asked for. It knows no grid, no node and no unit of what is held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import Job, JobState

_OPEN_END = -1


@dataclass(frozen=True)
class Holdings:
    """One entry per job whose interval is known, in the order of the jobs given.

    start_s, end_s: int64 [n], seconds, end >= start. from_submission: how many of them state no start, so that they are taken
    to have started when submitted. without_interval: how many jobs are left out, for they state no time or no length.
    """

    jobs: tuple[Job, ...]
    start_s: NDArray[np.int64]
    end_s: NDArray[np.int64]
    from_submission: int
    without_interval: int

    @property
    def seconds(self) -> NDArray[np.int64]:
        """Return how long each holds; int64 [n]."""
        return self.end_s - self.start_s


def holdings(jobs: tuple[Job, ...]) -> Holdings:
    """Return when jobs held what they ask for, each from its start, else its submission, to its end, else as long as it runs.

    A running job without an end holds up to the newest instant that any of `jobs` states. Run times are rounded to seconds.
    """
    intervals = [_interval(job) for job in jobs]
    known = [idx for idx, interval in enumerate(intervals) if interval is not None]
    start_s, end_s = np.array([intervals[idx] for idx in known], dtype=np.int64).reshape(-1, 2).T
    newest_s = max(
        (instant for job in jobs for instant in (job.submit_s, job.start_s, job.end_s) if instant is not None), default=0
    )
    return Holdings(
        tuple(jobs[idx] for idx in known),
        start_s,
        np.maximum(np.where(end_s == _OPEN_END, newest_s, end_s), start_s),
        sum(jobs[idx].start_s is None for idx in known),
        len(jobs) - len(known),
    )


def _interval(job: Job) -> tuple[int, int] | None:
    """Return (start, end) in seconds, the end _OPEN_END where the job runs on; None where one of them can't be told."""
    runtime_s = None if job.runtime_minutes is None else round(job.runtime_minutes * 60)
    if job.start_s is not None:
        if job.end_s is not None:
            return job.start_s, job.end_s
        if runtime_s is not None:
            return job.start_s, job.start_s + runtime_s
        return (job.start_s, _OPEN_END) if job.state is JobState.RUNNING else None
    if job.submit_s is None:
        return None
    if runtime_s is not None:
        return job.submit_s, job.submit_s + runtime_s
    return None if job.end_s is None else (job.submit_s, job.end_s)
