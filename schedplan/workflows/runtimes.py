"""Estimate how long the open jobs of a project run, from those that ended, and judge such estimates on the past."""

from __future__ import annotations

from schedplan.errors import InputError
from schedplan.forecast.job_demand import NO_DEMAND
from schedplan.forecast.runtime_backtest import LEVELS, judge_runtimes
from schedplan.forecast.runtime_estimates import open_estimates
from schedplan.report.document import Document
from schedplan.report.runtimes_document import runtimes_document
from schedplan.workflows.project import Project


def estimate_runtimes(project: Project) -> Document:
    """Return what is expected of every open job without run time, and the backtest. Raises InputError where there are no jobs."""
    jobs = project.content.jobs
    if not jobs:
        raise InputError("there are no jobs to estimate", code=NO_DEMAND, hint="Give jobs.csv with jobs that ran.")
    settings = project.settings
    quantile = settings.forecast.runtime_quantile
    used = (
        "plans take the limit of jobs without run time; [forecast] runtime_quantile = 0.8 makes them take these estimates"
        if quantile is None
        else f"plans and replays take the P{quantile * 100:.4g} of these estimates for jobs without run time"
    )
    return runtimes_document(
        judge_runtimes(jobs),
        open_estimates(jobs, LEVELS, settings.horizon.start_s),
        title=f"Run times of {settings.project.name}",
        timezone=settings.project.timezone,
        notes=(used,),
    )
