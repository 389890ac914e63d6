"""The same work as it might have come: submissions moved by seconds, days of a long log drawn anew. It replays nothing.

Every draw is a hash of (seed, purpose, job or position, replication), so that all policies see the same.
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.workload import Job
from schedplan.simulate.draw import BLOCK, JITTER, drawn

JITTER_S = 60
BLOCK_S, FEWEST_BLOCKS = 86_400, 7
"""Submissions move by at most a minute either way; logs of at least a week are drawn by days. Our choice: the first alone moved
mean waits by as much as policies differ."""


def resampled(jobs: tuple[Job, ...], seed: int, replication: int, first_s: int | None) -> tuple[Job, ...]:
    """Return jobs as of one replication; the first (0) is what was given.

    first_s: before which nothing is submitted, None for a log, of which days are drawn with replacement where it has at least a
    week.
    """
    if replication == 0:
        return jobs
    drawn_days = _by_days(jobs, seed, replication) if first_s is None else jobs
    return tuple(_moved(job, idx, seed, replication, first_s) for idx, job in enumerate(drawn_days))


def says(jobs: tuple[Job, ...], first_s: int | None) -> str:
    """Return what changes between replications, in words."""
    moved = f"submissions moved by up to {JITTER_S} s"
    has_days = first_s is None and _blocks(jobs)[1] >= FEWEST_BLOCKS
    return f"{moved}, whole days of the log drawn with replacement" if has_days else moved


def _blocks(jobs: tuple[Job, ...]) -> tuple[int, int]:
    """Return (start of the first day of 24 h from the first submission on, number of whole days)."""
    known = [job.release_s for job in jobs if job.release_s is not None]
    return (min(known), (max(known) - min(known)) // BLOCK_S + 1) if known else (0, 0)


def _by_days(jobs: tuple[Job, ...], seed: int, replication: int) -> tuple[Job, ...]:
    start_s, days = _blocks(jobs)
    if days < FEWEST_BLOCKS:
        return jobs
    of_day: list[list[Job]] = [[] for _ in range(days)]
    for job in jobs:
        if job.release_s is not None:
            of_day[(job.release_s - start_s) // BLOCK_S].append(job)
    found = [job for job in jobs if job.release_s is None]
    for day in range(days):
        chosen = drawn(seed, BLOCK, day, replication) % days
        found += [_shifted(job, (day - chosen) * BLOCK_S, f"{job.name}@{day}") for job in of_day[chosen]]
    return tuple(found)


def _moved(job: Job, idx: int, seed: int, replication: int, first_s: int | None) -> Job:
    if job.release_s is None or (first_s is not None and job.release_s <= first_s):
        return job
    by_s = drawn(seed, JITTER, idx, replication) % (2 * JITTER_S + 1) - JITTER_S
    if first_s is not None:
        by_s = max(by_s, first_s - job.release_s)
    return _shifted(job, by_s, job.name)


def _shifted(job: Job, by_s: int, name: str) -> Job:
    """Return a job with all its instants moved."""

    def moved(instant_s: int | None) -> int | None:
        return None if instant_s is None else instant_s + by_s

    return replace(
        job,
        name=name,
        after=tuple(f"{one}{name.removeprefix(job.name)}" for one in job.after),
        submit_s=moved(job.submit_s),
        earliest_start_s=moved(job.earliest_start_s),
        deadline_s=moved(job.deadline_s),
        start_s=moved(job.start_s),
        end_s=moved(job.end_s),
    )
