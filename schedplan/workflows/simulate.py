"""Simulate: replay the jobs of a project, or of a plan, under a policy; measure it; save it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from schedplan.config.settings import PolicySettings
from schedplan.engines.part import Blocking
from schedplan.engines.policy import Policy
from schedplan.engines.policy_table import policy as policy_of
from schedplan.errors import InputError, UsageError
from schedplan.export.prometheus_text import prometheus_text
from schedplan.measures.hindsight import hindsight_measures, offered_load
from schedplan.measures.recorded_waits import recorded_waits
from schedplan.measures.replay import replay_measures
from schedplan.model.plan import Plan, jobs_in_pieces
from schedplan.model.timeline import Timeline
from schedplan.report.document import Document
from schedplan.report.figures import counted, duration_text
from schedplan.report.simulation_document import ESTIMATES, MACHINE, simulation_document
from schedplan.simulate.options import EventOrder
from schedplan.simulate.replay import Replay
from schedplan.simulate.resample import says
from schedplan.tables.artefact_simulation import SimulationRecord, write_simulation
from schedplan.tables.convert import Content
from schedplan.tables.machine import Machine, parse_machine
from schedplan.workflows.export import watched_measures
from schedplan.workflows.plan import open_plan
from schedplan.workflows.policies import chosen_policy
from schedplan.workflows.project import Project
from schedplan.workflows.replayed_work import (
    ReplayedWork,
    log_work,
    on_machine,
    open_work,
    planned_work,
    read_warnings,
    replay_work,
    with_services,
)
from schedplan.workflows.replications import PolicyChoice, Replicated, Trials, replicated
from schedplan.workflows.version import versions

FEWEST_COMPARED = 2
FCFS = PolicyChoice("fcfs")
DEFAULT_FOLDER = Path("runs") / "simulation"
Tell = Callable[[str], None]
NOTHING_CHOSEN = PolicySettings()


@dataclass(frozen=True, slots=True)
class SimulateOptions:
    """What was asked. machine None: the nodes that the tables have; plan: folder of the plan that the policy `plan` follows.

    replications: how often; choice: the policy by name; against: policies that are held against it on the same replications.
    """

    policy: Policy
    order: EventOrder = EventOrder.SUBMISSIONS_FIRST
    machine: Machine | None = None
    plan: Path | None = None
    runtime_minutes: float | None = None
    replications: int = 1
    choice: PolicyChoice = FCFS
    against: tuple[str, ...] = ()


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
    settings: PolicySettings = NOTHING_CHOSEN,
    replications: int = 1,
    against: tuple[str, ...] = (),
) -> SimulateOptions:
    """Return what the texts of the options and [policy] say: with neither, the plan is followed where one is given, else fcfs.

    Raises UsageError for an unknown policy or machine, and for a plan without the policy that follows it or the reverse.
    """
    chosen = chosen_policy(policy, settings, "fcfs") if plan is None else policy_of(policy or "plan")
    if (chosen.blocking is Blocking.PLAN) != (plan is not None):
        what = "follows a plan, and none is given" if plan is None else "follows no plan"
        raise UsageError(f"the policy {chosen.name} {what}", hint="schedplan simulate --policy plan --plan runs/plan")
    if plan is not None and machine is not None:
        raise UsageError("--machine with --plan: a plan is followed on the nodes it was made for")
    if runtime_minutes is not None and not 0 < runtime_minutes < float("inf"):
        raise UsageError(f"--runtime {runtime_minutes:g} is no positive number of minutes")
    if replications < 1 or (against and replications < FEWEST_COMPARED):
        raise UsageError(
            f"--replications {replications}: at least {FEWEST_COMPARED if against else 1} are needed"
            + (" to hold policies against one another" if against else ""),
            hint="Ten or more tell a difference from chance.",
        )
    if chosen.blocking is Blocking.PLAN and replications > 1:
        raise UsageError("--replications with --plan: a plan is followed once, on the work it was made for")
    for name in against:
        if policy_of(name).blocking is Blocking.PLAN:
            raise UsageError(f"--against {name}: it follows a plan, and none is given")
    return SimulateOptions(
        chosen,
        EventOrder(order),
        None if machine is None else parse_machine(machine),
        plan,
        runtime_minutes,
        replications,
        PolicyChoice(policy or settings.name or "fcfs", settings.parts),
        against,
    )


def simulate_project(project: Project, asked: SimulateOptions, tell: Tell | None = None) -> Simulated:
    """Return the replay of a project's jobs.

    Where jobs are open, those are replayed from the start of the horizon on; else all jobs of the log from their submission.
    Raises InputError where there is no job or no node, and what opening a plan raises.
    """
    say = tell or _silent
    task = _planned_task(asked.plan, project) if asked.plan is not None else _task(project, asked)
    say("replay")
    seed = project.settings.solver.seed
    found = replay_work(task.work, asked.policy, seed, asked.order, asked.runtime_minutes)
    bands = None
    if asked.replications > 1:
        say(f"replay {asked.replications} times")
        trials = Trials(asked.replications, seed, asked.order, asked.runtime_minutes, project.settings.project.currency)
        bands = replicated(task.work, (asked.choice, *(PolicyChoice(name) for name in asked.against)), trials)
    say("measure")
    record = _record(project, asked, task, found, bands)
    return Simulated(found.timeline, record, simulation_document(record, len(found.timeline.jobs), _machine_words(found.timeline)))


def save(simulated: Simulated, project: Project, folder: Path, *, force: bool = False) -> None:
    """Write a replay to its folder, whole or not at all."""
    record, timeline = simulated.record, simulated.timeline
    metrics = prometheus_text(watched_measures(record.project, record.measures, timeline.last_s))
    write_simulation(folder, record, timeline, metrics, force=force, inputs=project.paths())


def default_folder(project: Project) -> Path:
    """Return where the replay of a project is saved unless another place is named."""
    return project.root / DEFAULT_FOLDER


@dataclass(frozen=True)
class _Task:
    """What is replayed, what was assumed for it, and what must be known of it."""

    work: ReplayedWork
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    is_log: bool = False


def _task(project: Project, asked: SimulateOptions) -> _Task:
    if not project.content.jobs and not project.content.services:
        raise InputError(
            "there is no job and no service to replay",
            code="SP1019",
            hint="Give jobs.csv, services.csv with load.csv, or a log that `schedplan ingest` has read.",
        )
    project = on_machine(project, asked.machine)
    content = project.content
    is_open = not content.jobs or any(job.state.is_open for job in content.jobs)
    work = with_services(open_work(project) if is_open else log_work(project), project, asked.policy)
    warnings = (*read_warnings(project), *_history_left_out(content))
    return _Task(work, (*content.notes, *work.notes), warnings, is_log=not is_open)


def _planned_task(folder: Path, project: Project) -> _Task:
    saved = open_plan(folder, project.root if project.settings.file is not None else None)
    problem = saved.problem
    _refuse_pieces(folder, saved.plan)
    held = () if not problem.services else (f"services, which hold what the plan gives their replicas: {len(problem.services)}",)
    return _Task(planned_work(problem, saved.plan), (*problem.assumptions, *held))


def _refuse_pieces(folder: Path, plan: Plan) -> None:
    names = sorted(jobs_in_pieces(plan.placements))
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise InputError(
            f"{folder}: it runs job {names[0]}{more} in pieces, and a replay runs every job without a break",
            code="SP1116",
            hint="Plan again with --set 'rules.best_effort=[]', or leave --plan out.",
        )


def _history_left_out(content: Content) -> tuple[str, ...]:
    """Return a warning where jobs that ended stand beside open ones, for whoever expects the whole log to be replayed."""
    ended = sum(not job.state.is_open for job in content.jobs)
    if ended in (0, len(content.jobs)):
        return ()
    return (
        f"jobs that ended are history and not replayed, for others wait or run: {ended:,} of {len(content.jobs):,}; give a table"
        " of ended jobs alone to replay them from their submission",
    )


def _record(
    project: Project, asked: SimulateOptions, task: _Task, found: Replay, replications: Replicated | None
) -> SimulationRecord:
    settings = project.settings.project
    return SimulationRecord(
        project=settings.name,
        policy=asked.policy.name,
        rules=(*asked.policy.rules(), ("events of one instant", _order_words(asked.order))),
        settings=(
            (MACHINE, _machine_words(found.timeline)),
            ("event order", asked.order.value),
            (ESTIMATES, _estimate_words(project, asked.policy, task.work)),
        ),
        measures=tuple(
            sorted(
                (*replay_measures(found.timeline, settings.currency), *hindsight_measures(found.timeline)),
                key=lambda one: (one.name, one.labels),
            )
        ),
        dropped=tuple((reason.value, number) for reason, number in found.timeline.dropped),
        notes=(
            *task.notes,
            *found.notes,
            *_recorded_words(task, found.timeline),
            *(() if replications is None else _replication_words(task, replications)),
        ),
        warnings=(*task.warnings, *found.warnings, *(_overload(found.timeline) if replications is not None else ())),
        counts=found.counts,
        inputs=project.inputs(),
        versions=versions(),
        timezone=settings.timezone,
        currency=settings.currency,
        seed=project.settings.solver.seed,
        replications=asked.replications,
        bands=() if replications is None else replications.bands,
        differences=() if replications is None else replications.differences,
    )


def _overload(timeline: Timeline) -> tuple[str, ...]:
    """Return a warning where more work comes than the machine does: waits then tell how long the log is."""
    offered = offered_load(timeline)
    if offered is None or offered <= 1:
        return ()
    return (f"the jobs ask for {offered:.2f} times what the machine does while they come: waits then tell how long the log is",)


def _recorded_words(task: _Task, timeline: Timeline) -> tuple[str, ...]:
    """Return how the waits of a log were recorded and are replayed, and what the difference may come from."""
    found = recorded_waits(task.work.jobs, timeline) if task.is_log else None
    if found is None:
        return ()
    same = found.jobs - found.earlier - found.later
    words = (
        f"waits of the {counted(found.jobs, 'job')} whose start is recorded: mean {duration_text(found.recorded_mean_s)} recorded,"
        f" {duration_text(found.replayed_mean_s)} replayed; P95 {duration_text(found.recorded_p95_s)} and"
        f" {duration_text(found.replayed_p95_s)}; replayed to start earlier {found.earlier:,}, later {found.later:,}, in the same"
        f" second {same:,}"
    )
    if same == found.jobs:
        return (words,)
    shorter = found.replayed_mean_s <= found.recorded_mean_s
    why = (
        "a machine or policy of the replay that gives more than the real one gave, and from limits of users, holds, reserved or"
        " failed nodes and work that the log does not tell of"
        if shorter
        else "a policy or a machine of the replay that gives less than the real one gave"
    )
    return (words, f"replayed waits are {'shorter' if shorter else 'longer'} on average, which may come from {why}")


def _replication_words(task: _Task, replications: Replicated) -> tuple[str, ...]:
    """Return what the replications changed, and from which seeds."""
    seeds = replications.seeds
    changed = says(task.work.jobs, task.work.start_s)
    return (f"replications with seeds {seeds[0]} to {seeds[-1]}, the same for all policies: {changed}; the first is as given",)


def _estimate_words(project: Project, policy: Policy, work: ReplayedWork) -> str:
    limited = sum(job.time_limit_minutes is not None for job in work.jobs)
    words = f"{policy.estimate}; {limited:,} of {len(work.jobs):,} jobs state a limit"
    if not work.guessed_minutes:
        return words
    level = project.settings.forecast.runtime_quantile or 0.0
    return f"{words}; for {len(work.guessed_minutes):,} the P{level * 100:.4g} of like jobs that had ended, where that is less"


def _order_words(order: EventOrder) -> str:
    first = order is EventOrder.SUBMISSIONS_FIRST
    return "submissions, then ends, then the decision" if first else "ends, then submissions, then the decision"


def _machine_words(timeline: Timeline) -> str:
    nodes = f"{counted(len(timeline.nodes), 'node')} with " if timeline.nodes else ""
    return f"{nodes}{timeline.total:,.10g} {timeline.unit if timeline.total == 1 else timeline.unit + 's'}"


def _silent(_: str) -> None:
    return None
