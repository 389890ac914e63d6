"""Simulate: replay the jobs of a project, or of a plan, under a policy; measure it; save it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from schedplan.engines.policy import Blocking, Policy
from schedplan.engines.policy_table import policy as policy_of
from schedplan.errors import InputError, UsageError
from schedplan.measures.replay import replay_measures
from schedplan.model.cluster import Cluster
from schedplan.model.quota import Quota
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, JobState
from schedplan.report.document import Document
from schedplan.report.simulation_document import ESTIMATES, simulation_document
from schedplan.simulate.follow import FollowedPlan, followed
from schedplan.simulate.options import EventOrder, ReplayOptions
from schedplan.simulate.replay import Replay, replay
from schedplan.tables.artefact_simulation import SimulationRecord, write_simulation
from schedplan.tables.convert import Content
from schedplan.tables.machine import Machine, machine_pool, parse_machine
from schedplan.tables.quotas import joined
from schedplan.workflows.horizon import horizon
from schedplan.workflows.plan import open_plan
from schedplan.workflows.project import Project
from schedplan.workflows.version import versions

DEFAULT_FOLDER = Path("runs") / "simulation"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SimulateOptions:
    """What was asked. machine None: the nodes that the tables have; plan: folder of the plan that the policy `plan` follows."""

    policy: Policy
    order: EventOrder = EventOrder.SUBMISSIONS_FIRST
    machine: Machine | None = None
    plan: Path | None = None
    runtime_minutes: float | None = None


@dataclass(frozen=True)
class Simulated:
    """A replay with its record and its document."""

    timeline: Timeline
    record: SimulationRecord
    document: Document


def simulate_options(
    policy: str | None = None,
    order: str = EventOrder.SUBMISSIONS_FIRST.value,
    machine: str | None = None,
    plan: Path | None = None,
    runtime_minutes: float | None = None,
) -> SimulateOptions:
    """Return what the texts of the options say: without --policy, the plan is followed where one is given, else fcfs.

    Raises UsageError for an unknown policy or machine, and for a plan without the policy that follows it or the reverse.
    """
    chosen = policy_of(policy or ("fcfs" if plan is None else "plan"))
    if (chosen.blocking is Blocking.PLAN) != (plan is not None):
        what = "follows a plan, and none is given" if plan is None else "follows no plan"
        raise UsageError(f"the policy {chosen.name} {what}", hint="schedplan simulate --policy plan --plan runs/plan")
    if plan is not None and machine is not None:
        raise UsageError("--machine with --plan: a plan is followed on the nodes it was made for")
    if runtime_minutes is not None and not 0 < runtime_minutes < float("inf"):
        raise UsageError(f"--runtime {runtime_minutes:g} is no positive number of minutes")
    return SimulateOptions(chosen, EventOrder(order), None if machine is None else parse_machine(machine), plan, runtime_minutes)


def simulate_project(project: Project, asked: SimulateOptions, tell: Tell | None = None) -> Simulated:
    """Return the replay of a project's jobs.

    Where jobs are open, those are replayed from the start of the horizon on; else all jobs of the log from their submission.
    Raises InputError where there is no job or no node, and what opening a plan raises.
    """
    say = tell or _silent
    task = _planned_task(asked.plan, project) if asked.plan is not None else _task(project, asked)
    say("replay")
    seed = project.settings.solver.seed
    options = ReplayOptions(asked.order, seed, default_submit_s=task.start_s, otherwise_minutes=asked.runtime_minutes)
    found = replay(task.cluster, task.jobs, asked.policy, options, task.plan, task.quotas)
    say("measure")
    record = _record(project, asked, task, found)
    return Simulated(found.timeline, record, simulation_document(record, len(found.timeline.jobs), _machine_words(found.timeline)))


def save(simulated: Simulated, project: Project, folder: Path, *, force: bool = False) -> None:
    """Write a replay to its folder, whole or not at all."""
    write_simulation(folder, simulated.record, simulated.timeline, force=force, inputs=project.paths())


def default_folder(project: Project) -> Path:
    """Return where the replay of a project is saved unless another place is named."""
    return project.root / DEFAULT_FOLDER


@dataclass(frozen=True)
class _Task:
    """What is replayed; start_s: the start of the horizon, None for a log."""

    cluster: Cluster
    jobs: tuple[Job, ...]
    start_s: int | None
    plan: FollowedPlan | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    quotas: tuple[Quota, ...] = ()


def _task(project: Project, asked: SimulateOptions) -> _Task:
    content, notes = project.content, project.content.notes
    if not content.jobs:
        raise InputError(
            "there is no job to replay", code="SP1019", hint="Give jobs.csv, or a log that `schedplan ingest` has read."
        )
    cluster = content.cluster
    if asked.machine is not None:
        pool, said = machine_pool(asked.machine, content.jobs)
        cluster, notes = replace(cluster, pools=(pool,)), (*notes, said)
    if not cluster.pools:
        raise InputError(
            "there are no nodes to replay the jobs on",
            code="SP1210",
            hint="Give nodes.csv, or the machine, such as --machine 40x8gpu.",
        )
    warnings = (*project.settings.warnings, *(slip.sentence for slip in content.slips), *_services_left_out(content))
    quotas = joined(content.quotas, project.settings.quotas)
    is_open = any(job.state.is_open for job in content.jobs)
    if not is_open:
        return _Task(cluster, content.jobs, None, None, notes, warnings, quotas)
    grid, said_of_time = horizon(project.settings.horizon, content, project.settings.project.timezone)
    jobs = tuple(_from_start(job, grid.start_s) for job in content.jobs if job.state.is_open)
    return _Task(cluster, jobs, grid.start_s, None, (*notes, *said_of_time, *_history_note(content)), warnings, quotas)


def _planned_task(folder: Path, project: Project) -> _Task:
    saved = open_plan(folder, project.root if project.settings.file is not None else None)
    problem = saved.problem
    start_s = problem.grid.start_s
    jobs = tuple(_from_start(job, start_s) for job in problem.jobs)
    held = () if not problem.services else (f"services, which hold what the plan gives their replicas: {len(problem.services)}",)
    return _Task(problem.cluster, jobs, start_s, followed(problem, saved.plan), (*problem.assumptions, *held), (), problem.quotas)


def _from_start(job: Job, start_s: int) -> Job:
    """Return an open job as it stands at the start: waiting since then at the latest, one that runs with what remains of it."""
    released_s = max(job.release_s if job.release_s is not None else start_s, start_s)
    waiting = replace(job, submit_s=released_s, earliest_start_s=None)
    if job.state is not JobState.RUNNING or job.start_s is None or job.runtime_minutes is None:
        return waiting
    has_run = max(start_s - job.start_s, 0) / 60.0
    limit = None if job.time_limit_minutes is None else max(job.time_limit_minutes - has_run, 1 / 60)
    return replace(waiting, submit_s=start_s, runtime_minutes=max(job.runtime_minutes - has_run, 1 / 60), time_limit_minutes=limit)


def _services_left_out(content: Content) -> tuple[str, ...]:
    if not content.services:
        return ()
    return (f"services are not replayed, the jobs have all nodes to themselves: {len(content.services)}",)


def _history_note(content: Content) -> tuple[str, ...]:
    ended = sum(not job.state.is_open for job in content.jobs)
    running = sum(job.state is JobState.RUNNING for job in content.jobs)
    found = []
    if ended:
        found.append(f"jobs that ended, which are history and not replayed: {ended:,}")
    if running:
        found.append(f"running jobs, which join the queue at the start with what remains of their run time: {running:,}")
    return tuple(found)


def _record(project: Project, asked: SimulateOptions, task: _Task, found: Replay) -> SimulationRecord:
    settings = project.settings.project
    return SimulationRecord(
        project=settings.name,
        policy=asked.policy.name,
        rules=(*asked.policy.rules(), ("events of one instant", _order_words(asked.order))),
        settings=(("event order", asked.order.value), (ESTIMATES, _estimate_words(asked.policy, task.jobs))),
        measures=replay_measures(found.timeline, settings.currency),
        dropped=tuple((reason.value, number) for reason, number in found.timeline.dropped),
        notes=(*task.notes, *found.notes),
        warnings=(*task.warnings, *found.warnings),
        counts=found.counts,
        inputs=project.inputs(),
        versions=versions(),
        timezone=settings.timezone,
        currency=settings.currency,
        seed=project.settings.solver.seed,
    )


def _estimate_words(policy: Policy, jobs: tuple[Job, ...]) -> str:
    limited = sum(job.time_limit_minutes is not None for job in jobs)
    return f"{policy.estimate}; {limited:,} of {len(jobs):,} jobs state a limit"


def _order_words(order: EventOrder) -> str:
    first = order is EventOrder.SUBMISSIONS_FIRST
    return "submissions, then ends, then the decision" if first else "ends, then submissions, then the decision"


def _machine_words(timeline: Timeline) -> str:
    nodes = f"{len(timeline.nodes):,} nodes with " if timeline.nodes else ""
    return f"{nodes}{timeline.total:,.10g} {timeline.unit}s"


def _silent(_: str) -> None:
    return None
