"""Grafts of jobs that wait for others, that become rows of one gang, or that may have fewer workers."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from tests.oracle.themes_order import in_sequence


def _after(source: random.Random, problem: Problem) -> Problem | None:
    """Let some jobs wait for others; what runs already may be waited for."""
    if len(problem.jobs) < 2 or any(job.after for job in problem.jobs):
        return None
    jobs = in_sequence(source, source.sample(problem.jobs, len(problem.jobs)))
    return replace(problem, jobs=tuple(sorted(jobs, key=lambda job: job.name)))


def _gang_rows(source: random.Random, problem: Problem) -> Problem | None:
    """Let two or three waiting jobs start together."""
    waiting = [job.name for job in problem.jobs if job.state is not JobState.RUNNING]
    if len(waiting) < 2 or any(job.gang for job in problem.jobs):
        return None
    rows = source.sample(waiting, min(len(waiting), source.choice((2, 2, 3))))
    return replace(problem, jobs=tuple(replace(job, gang="g") if job.name in rows else job for job in problem.jobs))


def _elastic(source: random.Random, problem: Problem) -> Problem | None:
    """Let some waiting jobs have two or three workers, or fewer of them for longer."""
    if any(job.is_elastic for job in problem.jobs):
        return None
    jobs = []
    for job in problem.jobs:
        workers = max(job.workers, source.choice((2, 2, 3)))
        is_chosen = job.state is not JobState.RUNNING and source.random() < 0.5
        jobs.append(replace(job, workers=workers, min_workers=source.randint(1, workers - 1)) if is_chosen else job)
    return None if tuple(jobs) == problem.jobs else replace(problem, jobs=tuple(jobs))


GRAFTS = {"after": _after, "gang_rows": _gang_rows, "elastic": _elastic}
