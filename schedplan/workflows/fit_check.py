"""Whether jobs of one file fit beside what runs in a snapshot of a cluster: an answer by a verified plan, and no reservation.

What waits in the snapshot is not put in front of them, services have no replicas in it, and nothing is held for them afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.check.place import Place, Places
from schedplan.check.rules import Level
from schedplan.check.verdict import Verdict, VerdictItem
from schedplan.config.settings import Settings
from schedplan.errors import InputError
from schedplan.model.plan import Placement, Plan, Unplaced
from schedplan.model.workload import Job, JobState
from schedplan.report.document import Document, Facts, FactValue, Kind, Quantity
from schedplan.report.figures import counted, duration_text, written_money
from schedplan.report.verdict_document import verdict_document
from schedplan.tables.artefact_context import relative_path
from schedplan.tables.convert import Content, content
from schedplan.tables.sources import Source, read_sources
from schedplan.timegrid import format_instant, format_local
from schedplan.workflows.check import Checked
from schedplan.workflows.horizon import horizon, newest_time
from schedplan.workflows.optimize import plan_project, solve_options
from schedplan.workflows.project import Project

DOES_NOT_FIT, TOO_OLD = "SP5006", "SP5008"
NODES_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Snapshot:
    """taken_s: the newest instant that its tables state, None where they state none; age_s: how long ago that was."""

    taken_s: int | None
    age_s: int | None
    n_running: int
    n_waiting: int


@dataclass(frozen=True)
class _Asked:
    """The jobs in question beside what runs."""

    project: Project
    jobs: tuple[Job, ...]
    snapshot: Snapshot


def check_fit(
    job_file: Path, snapshot: Project, *, now_s: int, max_age_s: int | None = None, runtime_minutes: float | None = None
) -> Checked:
    """Return whether the jobs of a file fit into a snapshot, each with its place or with the rule that keeps it out.

    now_s: the instant that the age of the snapshot is counted to. max_age_s: above it the verdict is no. Raises InputError for a
    file without a job, or a job that the snapshot knows already.
    """
    asked = _asked(job_file, snapshot, now_s)
    plan = plan_project(asked.project, solve_options(snapshot.settings), runtime_minutes).plan
    settings = snapshot.settings
    told = _Told(settings.project.timezone, settings.project.currency)
    rows = {row.name: row for row in plan.unplaced}
    items = [_item(job, _placements(plan, job), rows.get(job.name), told) for job in asked.jobs]
    if max_age_s is not None:
        items.append(_age_item(asked.snapshot, max_age_s))
    verdict = Verdict(tuple(items))
    document = _document(verdict, asked, plan, settings)
    return Checked(verdict, document, Places(Place(relative_path(job_file, Path()))))


def _asked(job_file: Path, snapshot: Project, now_s: int) -> _Asked:
    settings = snapshot.settings
    files = read_sources((Source(job_file, "jobs", named_by="--job"),), ZoneInfo(settings.project.timezone))
    jobs = content(files).jobs
    if not jobs:
        raise InputError(f"{job_file}: there is no job in it", code="SP1001")
    known = {job.name for job in snapshot.content.jobs}
    rival = next((job.name for job in jobs if job.name in known), None)
    if rival is not None:
        raise InputError(
            f"{job_file}: a job {rival} is in the snapshot already", code="SP1010", hint="Give the job in question another name."
        )
    running = tuple(job for job in snapshot.content.jobs if job.state is JobState.RUNNING)
    waiting = sum(job.state is JobState.PENDING for job in snapshot.content.jobs)
    taken_s = newest_time(snapshot.content)
    grid, _ = horizon(settings.horizon, snapshot.content, settings.project.timezone)
    at_once = tuple(replace(job, state=JobState.PENDING, required=False, submit_s=None) for job in jobs)
    beside = _only_jobs(snapshot.content, (*running, *at_once))
    pinned = replace(settings, horizon=replace(settings.horizon, start_s=grid.start_s))
    project = Project(pinned, snapshot.root, (*snapshot.files, *files), beside)
    age_s = None if taken_s is None else now_s - taken_s
    return _Asked(project, at_once, Snapshot(taken_s, age_s, len(running), waiting))


def _only_jobs(snapshot: Content, jobs: tuple[Job, ...]) -> Content:
    """Return a snapshot with these jobs by name and no services, whose replicas it does not place."""
    ordered = tuple(sorted(jobs, key=lambda job: job.name))
    return replace(snapshot, jobs=ordered, services=(), series=(), forecasts=(), latency_samples=(), pins=())


@dataclass(frozen=True, slots=True)
class _Told:
    timezone: str
    currency: str

    def instant(self, instant_s: int) -> str:
        return format_local(instant_s, ZoneInfo(self.timezone))


def _placements(plan: Plan, job: Job) -> tuple[Placement, ...]:
    return tuple(row for row in plan.placements if row.job == job.name)


def _item(job: Job, placements: tuple[Placement, ...], row: Unplaced | None, told: _Told) -> VerdictItem:
    fits = bool(placements)
    if fits:
        nodes = list(dict.fromkeys(one.node for one in placements))
        more = f" and {len(nodes) - NODES_SHOWN} more" if len(nodes) > NODES_SHOWN else ""
        start = told.instant(min(one.start_s for one in placements))
        message = f"feasible, not reserved: it could start at {start} on {', '.join(nodes[:NODES_SHOWN])}{more}"
    else:
        message = f"does not fit: {row.rule}: {row.evidence}" if row else "does not fit"
    cost = "" if row is None or row.repair_cost is None else f", {written_money(row.repair_cost)} {told.currency}"
    hint = f"What would help: {row.repair}{cost}." if row and row.repair else ""
    return VerdictItem(
        rule=f"job {job.name} fits",
        level=Level.DENY,
        passed=fits,
        measure="fits",
        labels=(),
        value=float(fits),
        limit=1.0,
        upper=None,
        unit="",
        margin=None,
        message=message,
        code=None if fits else DOES_NOT_FIT,
        hint=hint,
    )


def _age_item(snapshot: Snapshot, max_age_s: int) -> VerdictItem:
    age_s = snapshot.age_s
    is_fresh = age_s is not None and age_s <= max_age_s
    known = "states no time, so its age is not known" if age_s is None else f"is {_age_words(age_s)}"
    return VerdictItem(
        rule=f"snapshot no older than {duration_text(max_age_s)}",
        level=Level.DENY,
        passed=is_fresh,
        measure="snapshot_age_s",
        labels=(),
        value=None if age_s is None else float(age_s),
        limit=float(max_age_s),
        upper=None,
        unit="s",
        margin=None if age_s is None else float(max_age_s - age_s),
        message=f"the snapshot {known}",
        code=None if is_fresh else TOO_OLD,
        hint="" if is_fresh else "Take a fresh snapshot with `schedplan ingest`.",
    )


def _age_words(age_s: int) -> str:
    return f"{duration_text(age_s)} old" if age_s >= 0 else f"{duration_text(-age_s)} ahead of the clock"


def _document(verdict: Verdict, asked: _Asked, plan: Plan, settings: Settings) -> Document:
    document = verdict_document(
        verdict, title="Does it fit?", timezone=settings.project.timezone, notes=_notes(asked.snapshot, settings)
    )
    rows = {row.name: row for row in plan.unplaced}
    jobs: tuple[FactValue, ...] = tuple(_job_facts(job, _placements(plan, job), rows.get(job.name)) for job in asked.jobs)
    snapshot = Facts(
        (
            ("taken", _instant(asked.snapshot.taken_s)),
            ("age_s", asked.snapshot.age_s),
            ("running", asked.snapshot.n_running),
            ("waiting", asked.snapshot.n_waiting),
        )
    )
    return replace(document, facts=Facts((*document.facts.items, ("jobs", jobs), ("reserved", False), ("snapshot", snapshot))))


def _notes(snapshot: Snapshot, settings: Settings) -> tuple[str, ...]:
    age = "states no time, so how old it is is not known"
    if snapshot.taken_s is not None and snapshot.age_s is not None:
        age = f"is of {format_local(snapshot.taken_s, ZoneInfo(settings.project.timezone))}, {_age_words(snapshot.age_s)}"
    waiting = f"{counted(snapshot.n_waiting, 'job')} that {'waits' if snapshot.n_waiting == 1 else 'wait'} in it"
    return (
        f"The snapshot {age}. {counted(snapshot.n_running, 'job')} in it {'runs' if snapshot.n_running == 1 else 'run'}.",
        f"Nothing is reserved. Not counted: {waiting}, services and their replicas, and what starts after the snapshot.",
    )


def _job_facts(job: Job, placements: tuple[Placement, ...], row: Unplaced | None) -> Facts:
    return Facts(
        (
            ("job", job.name),
            ("feasible", bool(placements)),
            ("start", _instant(min((one.start_s for one in placements), default=None))),
            ("end", _instant(max((one.end_s for one in placements), default=None))),
            ("nodes", tuple(dict.fromkeys(one.node for one in placements))),
            ("rule", None if row is None else row.rule),
            ("evidence", None if row is None else row.evidence),
            ("repair", None if row is None else row.repair),
            ("repair_cost", None if row is None or row.repair_cost is None else Quantity(row.repair_cost, Kind.MONEY)),
        )
    )


def _instant(instant_s: int | None) -> str | None:
    return None if instant_s is None else format_instant(instant_s)
