"""Stopping running jobs for more urgent ones: which may be, what is left of them to run, and for which jobs they gave way.

A job keeps what its last checkpoint holds, nothing without checkpoints; what is left is work for one more run, longer by
`restart_minutes`, that may stand anywhere from the first slot on, or be left out.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor

from schedplan.measures.work import has_run_minutes, run_minutes, stretch
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.stop import Stop
from schedplan.model.workload import Job, JobState


def stoppable(problem: Problem) -> tuple[Job, ...]:
    """Return the running jobs that may be stopped: preemptible, and of a priority below that of some waiting job; lowest first."""
    most = max((job.priority for job in problem.jobs if job.state is not JobState.RUNNING), default=None)
    found = [job for job in problem.jobs if _may_be_stopped(problem, job)]
    urgent = [job for job in found if most is not None and job.priority < most]
    return tuple(sorted(urgent, key=lambda job: (job.priority, job.name)))


def with_stopped(problem: Problem, rows: tuple[Job, ...]) -> Problem:
    """Return a problem in which running jobs are stopped; rows: the jobs as their table has them, with what they ask of nodes."""
    forms = {row.name: _waiting(problem, problem.job_by_name[row.name], row) for row in rows}
    stops = tuple(_stop(problem, problem.job_by_name[name], form) for name, form in sorted(forms.items()))
    jobs = tuple(forms.get(job.name, job) for job in problem.jobs)
    return replace(problem, jobs=jobs, stops=stops, base=problem) if rows else problem


def in_favour_of(problem: Problem, decisions: Decisions, stop: Stop) -> tuple[str, ...]:
    """Return the jobs of a higher priority that stand, while a stopped job would have run, on a node on which it ran."""
    grid = problem.grid
    found = [
        part.job
        for part in decisions.parts
        if part.node in stop.nodes
        and problem.job_by_name[part.job].priority > stop.priority
        and problem.job_by_name[part.job].state is not JobState.RUNNING
        and grid.slot_start_s(part.start_slot) < stop.until_s
    ]
    return tuple(sorted(set(found)))


def stop_told(problem: Problem, decisions: Decisions, stop: Stop) -> str:
    """Return what a stop cost, and for what, in words."""
    names = in_favour_of(problem, decisions, stop)
    whom = ", ".join(f"{name} (priority {problem.job_by_name[name].priority} above {stop.priority})" for name in names)
    return f"stopped on {', '.join(stop.nodes)} in favour of {whom or 'nothing'}; {stop.lost_minutes:g} min of its run are lost"


def _may_be_stopped(problem: Problem, job: Job) -> bool:
    return job.state is JobState.RUNNING and job.preemptible and bool(job.placement) and job.name not in problem.pin_of_job


def _saved_minutes(problem: Problem, job: Job) -> float:
    """Return the minutes of the run so far, on its nodes, that the last checkpoint holds."""
    if not job.checkpoint_minutes:
        return 0.0
    return floor(has_run_minutes(problem, job) / job.checkpoint_minutes + 1e-9) * job.checkpoint_minutes


def _waiting(problem: Problem, job: Job, row: Job) -> Job:
    """Return a running job as one that waits for the rest of its run."""
    pool = problem.cluster.pool_of_node[job.placement[0].node]
    speed = problem.cluster.speed(pool.accelerator, job.name, job.kind.value)
    saved = _saved_minutes(problem, job) * speed / stretch(job, sum(placed.workers for placed in job.placement))
    return replace(
        row,
        state=JobState.PENDING,
        runtime_minutes=job.runtime_minutes,
        saved_minutes=min(saved, job.runtime_minutes or 0.0),
        earliest_start_s=problem.grid.start_s,
        start_s=None,
        placement=(),
        after=(),
        gang=None,
    )


def _stop(problem: Problem, job: Job, form: Job) -> Stop:
    grid, pool = problem.grid, problem.cluster.pool_of_node[job.placement[0].node]
    end_edge = grid.end_edge(0, run_minutes(problem, job, pool))
    until_s = grid.end_s if end_edge is None else grid.edges_s[end_edge]
    lost_minutes = has_run_minutes(problem, job) - _saved_minutes(problem, job)
    return Stop(job.name, tuple(sorted({placed.node for placed in job.placement})), until_s, form.priority, lost_minutes)
