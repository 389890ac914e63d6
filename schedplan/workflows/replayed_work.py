"""Replayed work: which jobs of a project a replay takes, on which nodes, from when on, and under which quotas.

It chooses no policy and measures nothing. Every command that replays takes its work from here, so that equal rows are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from schedplan.engines.policy import Policy
from schedplan.errors import InputError, UsageError
from schedplan.forecast.runtime_estimates import guesses, with_estimates
from schedplan.measures.work import placed_workers, stretch
from schedplan.model.cluster import Cluster
from schedplan.model.outage import Outage
from schedplan.model.plan import Plan
from schedplan.model.problem import Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, JobState
from schedplan.simulate.fleet import FleetWork
from schedplan.simulate.follow import FollowedPlan, followed
from schedplan.simulate.guide import Guide
from schedplan.simulate.options import EventOrder, ReplayOptions
from schedplan.simulate.replay import Replay, replay
from schedplan.tables.convert import Content
from schedplan.tables.machine import Machine, machine_pool
from schedplan.tables.quotas import joined
from schedplan.workflows.guide import guide_of
from schedplan.workflows.horizon import horizon
from schedplan.workflows.project import Project
from schedplan.workflows.replayed_services import logged_services, open_services


@dataclass(frozen=True)
class ReplayedWork:
    """What is replayed. start_s: the start of the horizon, None for a log; plan: the one that the policy `plan` follows.

    expected: jobs like those that a guide keeps places for. guessed_minutes: how long a policy expects jobs to run, by name, where
    [forecast] runtime_quantile asks for guesses.
    """

    cluster: Cluster
    jobs: tuple[Job, ...]
    start_s: int | None = None
    quotas: tuple[Quota, ...] = ()
    outages: tuple[Outage, ...] = ()
    plan: FollowedPlan | None = None
    notes: tuple[str, ...] = ()
    guessed_minutes: Mapping[str, float] = field(default_factory=dict)
    services: FleetWork | None = None
    expected: tuple[Job, ...] = ()


def log_work(project: Project) -> ReplayedWork:
    """Return all jobs of a project, each from its submission."""
    content = project.content
    guessed = guesses(content.jobs, project.settings.forecast.runtime_quantile)
    quotas = joined(content.quotas, project.settings.quotas)
    return ReplayedWork(content.cluster, content.jobs, quotas=quotas, guessed_minutes=guessed, expected=content.jobs)


def open_work(project: Project) -> ReplayedWork:
    """Return the open jobs of a project from the start of its horizon on; InputError where it has none."""
    content, settings = project.content, project.settings
    grid, said = horizon(settings.horizon, content, settings.project.timezone)
    known, guessed = with_estimates(content.jobs, settings.forecast.runtime_quantile, grid.start_s)
    jobs = tuple(_from_start(job, grid.start_s) for job in known if job.state.is_open)
    quotas = joined(content.quotas, settings.quotas)
    ended = tuple(job for job in content.jobs if not job.state.is_open)
    return ReplayedWork(
        content.cluster,
        jobs,
        grid.start_s,
        quotas,
        content.outages,
        notes=(*said, *guessed, *_history_notes(content)),
        expected=ended or jobs,
    )


def with_services(work: ReplayedWork, project: Project, policy: Policy) -> ReplayedWork:
    """Return work with the services of a project beside it: on the horizon, or for a log over the rows of their load.

    A log under a rule that asks for a forecast has none: UsageError.
    """
    if work.start_s is None:
        if project.content.services and policy.scaling.kind.asks_for_a_forecast:
            raise UsageError("scaling by forecast needs a horizon, and a log of ended jobs has none", hint="Choose scaling slo.")
        services, said = logged_services(project)
    else:
        grid, _ = horizon(project.settings.horizon, project.content, project.settings.project.timezone)
        services, said = open_services(project, grid, policy.scaling)
    return replace(work, services=services, notes=(*work.notes, *said))


def planned_work(problem: Problem, plan: Plan) -> ReplayedWork:
    """Return the jobs of a problem from the start of its slots on, with its plan to follow."""
    start_s, workers = problem.grid.start_s, placed_workers(plan.decisions.parts)
    jobs = tuple(_from_start(_with_workers(job, workers.get(job.name, job.workers)), start_s) for job in problem.jobs)
    return ReplayedWork(problem.cluster, jobs, start_s, problem.quotas, plan=followed(problem, plan))


def _with_workers(job: Job, workers: int) -> Job:
    """Return an elastic gang as one of so many workers, with the run time that they make of it; any other job as it is."""
    if not job.is_elastic or job.runtime_minutes is None:
        return job
    minutes = job.runtime_minutes * stretch(job, workers)
    return replace(job, workers=workers, min_workers=None, runtime_minutes=minutes)


def replay_work(
    work: ReplayedWork,
    policy: Policy,
    seed: int,
    order: EventOrder = EventOrder.SUBMISSIONS_FIRST,
    otherwise_minutes: float | None = None,
) -> Replay:
    """Return what happens to work under a policy. otherwise_minutes: run time of jobs that state neither it nor a limit."""
    options = ReplayOptions(
        order,
        seed,
        default_submit_s=work.start_s,
        otherwise_minutes=otherwise_minutes,
        loses_spot=work.plan is None,
        guessed_minutes=work.guessed_minutes,
    )
    guide = guide_of(work.cluster, work.expected, seed) if policy.nodes.is_guided else None
    found = replay(work.cluster, work.jobs, policy, options, work.plan, work.quotas, work.outages, work.services, guide)
    return found if guide is None else replace(found, notes=(*found.notes, _guide_words(work, guide)))


def _guide_words(work: ReplayedWork, guide: Guide) -> str:
    whose = "the jobs that are replayed" if work.expected == work.jobs else "the jobs that ended"
    of = f"{guide.multiple:.4g} times the {guide.expected:,} workers of {whose}"
    return f"places kept for expected work: {len(guide.places):,}, {of}"


def on_machine(project: Project, machine: Machine | None) -> Project:
    """Return a project with the nodes of a machine where one is given; InputError where there are none at all."""
    content = project.content
    if machine is not None:
        pool, said = machine_pool(machine, content.jobs)
        cluster = replace(content.cluster, pools=(pool,))
        return replace(project, content=replace(content, cluster=cluster, notes=(*content.notes, said)))
    if not content.cluster.pools:
        raise InputError(
            "there are no nodes to run the jobs on",
            code="SP1210",
            hint="Give nodes.csv, or the machine, such as --machine 40x8gpu.",
        )
    return project


def read_warnings(project: Project) -> tuple[str, ...]:
    """Return what settings and tables seem to get wrong: settings without effect, columns that look misspelt."""
    return (*project.settings.warnings, *(slip.sentence for slip in project.content.slips))


def _from_start(job: Job, start_s: int) -> Job:
    """Return an open job as it stands at the start: waiting since then at the latest, one that runs with what remains of it."""
    released_s = max(job.release_s if job.release_s is not None else start_s, start_s)
    waiting = replace(job, submit_s=released_s, earliest_start_s=None)
    if job.state is not JobState.RUNNING or job.start_s is None or job.runtime_minutes is None:
        return waiting
    has_run = max(start_s - job.start_s, 0) / 60.0
    limit = None if job.time_limit_minutes is None else max(job.time_limit_minutes - has_run, 1 / 60)
    return replace(waiting, submit_s=start_s, runtime_minutes=max(job.runtime_minutes - has_run, 1 / 60), time_limit_minutes=limit)


def _history_notes(content: Content) -> tuple[str, ...]:
    ended = sum(not job.state.is_open for job in content.jobs)
    running = sum(job.state is JobState.RUNNING for job in content.jobs)
    found = []
    if ended:
        found.append(f"jobs that ended, which are history and not replayed: {ended:,}")
    if running:
        found.append(f"running jobs, which join the queue at the start with what remains of their run time: {running:,}")
    return tuple(found)
