"""The running jobs of a project as their table has them: what they ask of nodes once they are stopped and wait."""

from __future__ import annotations

from dataclasses import replace

from schedplan.measures.forbidding import with_rules
from schedplan.measures.stops import with_stopped
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.workflows.project import Project


def waiting_rows(project: Project, problem: Problem) -> dict[str, Job]:
    """Return the rows of running jobs, with the rules that would concern them as waiting ones, by name."""
    running = {job.name for job in problem.jobs if job.state is JobState.RUNNING}
    rows = tuple(_waits(job) for job in project.calibrated.jobs if job.name in running)
    ruled = with_rules(Problem(problem.name, problem.grid, problem.cluster, rows, forbid=problem.forbid))
    return {job.name: job for job in ruled.jobs}


def with_recorded_stops(project: Project, problem: Problem, names: tuple[str, ...]) -> Problem:
    """Return a problem with the jobs stopped that a plan records."""
    rows = waiting_rows(project, problem)
    return with_stopped(problem, tuple(rows[name] for name in names if name in rows))


def _waits(job: Job) -> Job:
    return replace(job, state=JobState.PENDING)
