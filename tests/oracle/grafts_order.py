"""Grafts of what hangs on other work: jobs that wait for others, jobs that become rows of one gang."""

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


GRAFTS = {"after": _after, "gang_rows": _gang_rows}
