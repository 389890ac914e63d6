"""Run times for jobs that state none, and what a scheduler would have guessed of each job of a log, both at one quantile.

It knows history and jobs, and no plan and no replay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.forecast.runtime_backtest import as_submitted, ended_jobs, known_at, tuned
from schedplan.forecast.runtime_history import MINUTE_S, RuntimeEstimate
from schedplan.model.workload import Job, JobState

LEVELS = (0.5, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class JobEstimate:
    """What is expected of one open job: its quantiles at the levels asked for, increasing."""

    job: Job
    estimate: RuntimeEstimate


def open_estimates(jobs: tuple[Job, ...], levels: tuple[float, ...] = LEVELS, at_s: float | None = None) -> tuple[JobEstimate, ...]:
    """Return the estimates of the open jobs without run time, from those that ended by `at_s` (None: by now).

    A job that runs already is estimated among those that ran longer than it has. Jobs of which nothing is known are left out.
    """
    wanted = tuple(job for job in jobs if job.state.is_open and job.runtime_minutes is None)
    if not wanted:
        return ()
    past = ended_jobs(jobs)
    history = known_at(past, tuned(past), at_s)
    found = []
    for job in wanted:
        has_run = 0.0
        if job.state is JobState.RUNNING and job.start_s is not None and at_s is not None:
            has_run = max(at_s - job.start_s, 0.0) / MINUTE_S
        estimate = history.estimate(job, levels, has_run)
        if estimate is not None:
            found.append(JobEstimate(job, estimate))
    return tuple(found)


def with_estimates(jobs: tuple[Job, ...], quantile: float | None, at_s: float) -> tuple[tuple[Job, ...], tuple[str, ...]]:
    """Return the jobs, with notes: those without run time have one where like jobs have ended. quantile None: all as given."""
    if quantile is None:
        return jobs, ()
    found = {each.job.name: each.estimate for each in open_estimates(jobs, (quantile,), at_s) if not each.estimate.is_limit}
    notes = tuple(
        f"job {job.name}: run time taken as {found[job.name].minutes[0]:.4g} min, {_basis(found[job.name], quantile)}"
        for job in jobs
        if job.name in found
    )
    timed = (replace(job, runtime_minutes=float(found[job.name].minutes[0])) if job.name in found else job for job in jobs)
    return tuple(timed), notes


def guesses(jobs: tuple[Job, ...], quantile: float | None) -> dict[str, float]:
    """Return the minutes that would have been guessed of each job of a log at its submission; none where nothing was known."""
    if quantile is None:
        return {}
    past = ended_jobs(jobs)
    found = {}
    for each, history, _ in as_submitted(past, tuned(past)):
        estimate = history.estimate(each.job, (quantile,))
        if estimate is not None:
            found[each.job.name] = float(estimate.minutes[0])
    return found


def _basis(estimate: RuntimeEstimate, quantile: float) -> str:
    return f"the P{quantile * 100:.4g} of {estimate.jobs:,} ended jobs by {estimate.basis}"
