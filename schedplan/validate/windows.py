"""Windows: whether the time that a job has is enough for its run, and what spot nodes add to that."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, exp

from schedplan.measures.eligibility import job_refusal, workers_per_node
from schedplan.measures.spot import gang_rate, rework_h
from schedplan.model.cluster import Market, Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.workload import DeadlineKind, Job, JobState
from schedplan.validate.rule import Rule, about_jobs, must_or_should
from schedplan.validate.subject import Subject

_FORGIVEN_MINUTES = 1e-6


def _run_time(subject: Subject) -> Iterator[Finding]:
    jobs = tuple(job for job in subject.open_jobs if job.runtime_minutes is None and job.time_limit_minutes is None)
    if jobs:
        hint = "Give runtime_minutes or time_limit_minutes, or optimize with --runtime MINUTES or --static."
        message = "the run time is not known, and there is no time limit to take instead"
        yield Finding("SP1220", Severity.ERROR, about_jobs(jobs), message, hint, column="runtime_minutes")


def _window(subject: Subject) -> Iterator[Finding]:
    for job in _with_hard_deadline(subject):
        window = _window_minutes(job)
        if window is None:
            continue
        shortest = min((_minutes(subject, job, pool) for pool in _pools(subject, job)), default=None)
        if shortest is not None and shortest > window + _FORGIVEN_MINUTES:
            message = f"it runs {shortest:g} min on the fastest node that takes it; its window is {window:g} min"
            hint = "Move earliest_start or deadline, or make the deadline soft."
            yield Finding("SP1221", must_or_should(job.required), f"job {job.name}", message, hint, column="deadline")


def _spot_slack(subject: Subject) -> Iterator[Finding]:
    for job in _with_hard_deadline(subject):
        window = _window_minutes(job)
        for pool in _pools(subject, job):
            if window is None or pool.market is not Market.SPOT or pool.interruptions_per_hour <= 0:
                continue
            slack_h = (window - _minutes(subject, job, pool)) / 60
            work_h = _minutes(subject, job, pool) / 60
            per_node = workers_per_node(pool, job.shape)
            if slack_h < 0 or per_node < 1:
                continue
            nodes = ceil(job.workers / per_node)
            rate = gang_rate(pool, nodes)
            checkpoint_h = None if job.checkpoint_minutes is None else job.checkpoint_minutes / 60
            lost_h = rework_h(work_h, rate, checkpoint_h, job.checkpoint_cost_minutes / 60, job.restart_minutes / 60)
            if slack_h < lost_h:
                untouched = exp(-rate * work_h)
                slack = "zero slack" if slack_h == 0 else f"{slack_h * 60:.0f} min of slack"
                message = (
                    f"on spot nodes of {pool.name} it has {slack} before its deadline, and interruptions are expected to take"
                    f" {lost_h * 60:.0f} min; {nodes} nodes at {pool.interruptions_per_hour:g} per hour stay whole for"
                    f" {work_h:g} h with {untouched:.1%}"
                )
                hint = "Open the window, keep a fallback on another market free, or write checkpoints more often."
                yield Finding("SP1222", Severity.WARNING, f"job {job.name}", message, hint, column="deadline")


def _with_hard_deadline(subject: Subject) -> Iterator[Job]:
    return (
        job
        for job in subject.open_jobs
        if job.state is not JobState.RUNNING and job.deadline_kind is DeadlineKind.HARD and _known_minutes(job) is not None
    )


def _window_minutes(job: Job) -> float | None:
    """Return the minutes between release and deadline, below 0 where the deadline is first; None where one is not given."""
    if job.deadline_s is None or job.release_s is None:
        return None
    return (job.deadline_s - job.release_s) / 60


def _known_minutes(job: Job) -> float | None:
    return job.runtime_minutes or job.time_limit_minutes


def _minutes(subject: Subject, job: Job, pool: Pool) -> float:
    return (_known_minutes(job) or 0.0) / subject.cluster.speed(pool.accelerator, job.name, job.kind.value)


def _pools(subject: Subject, job: Job) -> list[Pool]:
    return [pool for pool in subject.cluster.pools if job_refusal(pool, job) is None]


RULES = (
    Rule(
        "SP1220",
        "run-time",
        "A job that is planned in time needs a run time, or at least the limit that its owner asked for.",
        _run_time,
    ),
    Rule(
        "SP1221",
        "window-too-short",
        "Between its release (the later of submit_time and earliest_start) and its hard deadline a job has less time than it runs"
        " on the fastest node that takes it. No plan can place it.",
        _window,
    ),
    Rule(
        "SP1222",
        "spot-slack",
        "A gang on spot nodes loses its run when any of its nodes is taken back. Its window leaves less time than interruptions are"
        " expected to take, so that it may well miss its deadline; the chance that no node is lost is told.",
        _spot_slack,
    ),
)
