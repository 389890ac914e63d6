"""Windows: whether the time that a job has is enough for its run, and what spot nodes add to that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import ceil, exp

from schedplan.measures.costs import job_rework_h
from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.spot import gang_rate
from schedplan.model.cluster import Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.workload import DeadlineKind, Job, JobState
from schedplan.timegrid import format_instant
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
        window = _window_minutes(subject, job)
        if window is None:
            continue
        shortest = subject.shortest_minutes(job)
        if window < 0:
            message = f"its deadline, {_told(job.deadline_s)}, is before its release, {_told(job.release_s)}"
            hint = "Mend submit_time, earliest_start or deadline."
            yield Finding("SP1221", must_or_should(job.required), f"job {job.name}", message, hint, column="deadline")
        elif shortest is not None and shortest > window + _FORGIVEN_MINUTES:
            message = f"it runs {shortest:g} min on the fastest node that takes it; its window is {window:g} min"
            hint = "Move earliest_start or deadline, or make the deadline soft."
            yield Finding("SP1221", must_or_should(job.required), f"job {job.name}", message, hint, column="deadline")


def _spot_slack(subject: Subject) -> Iterator[Finding]:
    for job in _with_hard_deadline(subject):
        window = _window_minutes(subject, job)
        for pool in subject.spot_pools_for(job):
            if window is None or pool.interruptions_per_hour <= 0:
                continue
            slack_h = (window - _minutes(subject, job, pool)) / 60
            work_h = _minutes(subject, job, pool) / 60
            per_node = workers_per_node(pool, job.shape)
            if slack_h < 0 or per_node < 1:
                continue
            nodes = ceil(job.workers / per_node)
            rate = gang_rate(pool, nodes)
            lost_h = job_rework_h(job, work_h, rate)
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


def _zero_slack(subject: Subject) -> Iterator[Finding]:
    """Jobs that interruptions may delay are told by SP1222."""
    for job in _with_hard_deadline(subject):
        window, shortest = _window_minutes(subject, job), subject.shortest_minutes(job)
        if window is None or shortest is None or any(pool.interruptions_per_hour > 0 for pool in subject.spot_pools_for(job)):
            continue
        if abs(window - shortest) <= _FORGIVEN_MINUTES:
            message = f"it has zero slack before its deadline: {shortest:g} min of work in a window of {window:g} min"
            hint = "Open the window, or make the deadline soft if lateness has a price and no more."
            yield Finding("SP1225", Severity.WARNING, f"job {job.name}", message, hint, column="deadline")


def _longer_than_horizon(subject: Subject) -> Iterator[Finding]:
    if subject.grid is None:
        return
    horizon_minutes = (subject.grid.end_s - subject.grid.start_s) / 60
    found: dict[tuple[float, bool], list[Job]] = defaultdict(list)
    for job in subject.open_jobs:
        shortest = None if job.state is JobState.RUNNING else subject.shortest_minutes(job)
        if shortest is not None and shortest > horizon_minutes + _FORGIVEN_MINUTES:
            found[shortest, job.required].append(job)
    for (shortest, is_required), jobs in found.items():
        message = f"it runs {shortest:g} min on the fastest node that takes it; the whole horizon is {horizon_minutes:g} min"
        hint = "Lengthen it: [horizon] hours, or --set horizon.hours=N."
        yield Finding("SP1223", must_or_should(is_required), about_jobs(jobs), message, hint, column="runtime_minutes")


def _before_horizon(subject: Subject) -> Iterator[Finding]:
    """One finding per severity, however many jobs: a log of long ago has many."""
    if subject.grid is None:
        return
    late = [job for job in _waiting_with_hard_deadline(subject) if (job.deadline_s or 0) <= subject.grid.start_s]
    for is_required in (True, False):
        jobs = tuple(job for job in late if job.required is is_required)
        if jobs:
            latest = _told(max(job.deadline_s or 0 for job in jobs)) + (" at the latest" if len(jobs) > 1 else "")
            begins = format_instant(subject.grid.start_s)
            message = f"the hard deadline, {latest}, is not after the beginning of the plan, {begins}: it can't be placed"
            hint = "Set [horizon] start earlier, or mend the deadline."
            yield Finding("SP1224", must_or_should(is_required), about_jobs(jobs), message, hint, column="deadline")


def _waiting_with_hard_deadline(subject: Subject) -> Iterator[Job]:
    return (
        job
        for job in subject.open_jobs
        if job.state is not JobState.RUNNING and job.deadline_kind is DeadlineKind.HARD and job.deadline_s is not None
    )


def _with_hard_deadline(subject: Subject) -> Iterator[Job]:
    return (job for job in _waiting_with_hard_deadline(subject) if _known_minutes(job) is not None)


def _window_minutes(subject: Subject, job: Job) -> float | None:
    """Return the minutes from release, or the beginning of the plan where that is later, to deadline; None where one is not known.

    Below 0 where the deadline is before the release; None also where it is before the plan, which is told apart.
    """
    start_s = None if subject.grid is None else subject.grid.start_s
    if job.deadline_s is None or (start_s is not None and job.deadline_s <= start_s):
        return None
    begins = [instant for instant in (job.release_s, start_s) if instant is not None]
    return (job.deadline_s - max(begins)) / 60 if begins else None


def _known_minutes(job: Job) -> float | None:
    return job.runtime_minutes or job.time_limit_minutes


def _minutes(subject: Subject, job: Job, pool: Pool) -> float:
    return (_known_minutes(job) or 0.0) / subject.cluster.speed(pool.accelerator, job.name, job.kind.value)


def _told(instant_s: int | None) -> str:
    return "unknown" if instant_s is None else format_instant(instant_s)


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
        "Between its release (the latest of submit_time, earliest_start and the beginning of the plan) and its hard deadline a"
        " job has less time than it runs on the fastest node that takes it. No plan can place it.",
        _window,
    ),
    Rule(
        "SP1222",
        "spot-slack",
        "A gang on spot nodes loses its run when any of its nodes is taken back. Its window leaves less time than interruptions are"
        " expected to take, so that it may well miss its deadline; the chance that no node is lost is told.",
        _spot_slack,
    ),
    Rule(
        "SP1223",
        "longer-than-horizon",
        "A job has to end within the horizon (24 hours unless the project says otherwise). This one runs longer than that on the"
        " fastest node that takes it, so no plan of this length can place it.",
        _longer_than_horizon,
    ),
    Rule(
        "SP1224",
        "deadline-before-plan",
        "The hard deadline of a waiting job is not after the beginning of the plan, so no plan that begins there can place it."
        " Without [horizon] start a plan begins at the first slot after the newest time of the inputs.",
        _before_horizon,
    ),
    Rule(
        "SP1225",
        "zero-slack",
        "Between its release and its hard deadline a job has its run time and nothing more: it starts at one instant or misses its"
        " deadline, so that any delay, any error of the estimate, or another job in its way decides.",
        _zero_slack,
    ),
)
