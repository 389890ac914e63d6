"""A graft of best effort: jobs of a problem drawn for something else may run in pieces."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from tests.oracle.themes_pieces import EVERY


def _best_effort(source: random.Random, problem: Problem) -> Problem | None:
    """Let one or two waiting jobs write checkpoints and run in pieces, with a restart or without."""
    waiting = [job.name for job in problem.jobs if job.state is JobState.PENDING]
    if problem.best_effort or not waiting:
        return None
    chosen = source.sample(waiting, min(len(waiting), 2))
    jobs = tuple(
        replace(job, checkpoint_minutes=20.0, restart_minutes=source.choice((0.0, 10.0)))
        if job.name in chosen
        else replace(job, preemptible=job.preemptible and job.state is not JobState.PENDING)
        for job in problem.jobs
    )
    return replace(problem, jobs=jobs, best_effort=(EVERY,))


GRAFTS = {"best_effort": _best_effort}
