"""A job as Slurm's commands tell it, whatever the command; and its rows of the table `jobs`. It reads no file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.slurm.job_id import JobId
from schedplan.ingest.slurm.tres import MIB_PER_GIB, Tres

STEP = "a step of a job; the row of the job counts"
EARLIER_ATTEMPT = "an earlier attempt of a job that was queued again; its last one counts"
_ENDED = frozenset({"completed", "failed", "cancelled", "timeout", "preempted"})
_MODEL_SIGN = ":"


@dataclass(frozen=True, slots=True)
class SlurmJob:
    """One record. row: its place in the file. Times in seconds since 1970, UTC; None: not stated, or `Unknown`.

    requested: what was asked for; allocated: what it was given. models_known: whether `requested` tells the models asked for.
    """

    row: int
    id: JobId
    state: str
    requested: Tres
    allocated: Tres
    user: str | None = None
    account: str | None = None
    partition: str | None = None
    submit_s: int | None = None
    eligible_s: int | None = None
    start_s: int | None = None
    end_s: int | None = None
    deadline_s: int | None = None
    limit_s: Fraction | None = None
    is_limit_of_partition: bool = False
    nodes: tuple[str, ...] = ()
    priority: int | None = None
    after: tuple[str, ...] = ()
    is_held: bool = False

    @property
    def has_begun(self) -> bool:
        return self.state != "pending" and self.start_s is not None

    @property
    def amounts(self) -> Tres:
        """Return what it holds or held where it has begun, else what it asks for."""
        given = self.allocated
        is_given = self.state != "pending" and bool(given.cpus or given.nodes or given.devices)
        return given if is_given else self.requested


def add_jobs(draft: Draft, jobs: Iterable[SlurmJob]) -> None:
    """Add every job to a draft of the table `jobs`: no steps, the last attempt of each, and what is odd as notes."""
    kept = _last_attempts(draft, jobs)
    for job, names in kept:
        for name in names:
            for row in _rows(job, name):
                draft.add(job.row, row)
    _note(draft, [job for job, _ in kept])


def _last_attempts(draft: Draft, jobs: Iterable[SlurmJob]) -> list[tuple[SlurmJob, tuple[str, ...]]]:
    """Return each job with those of its names for which it is the last attempt."""
    whole = []
    for job in jobs:
        if job.id.is_step:
            draft.drop(STEP)
        else:
            whole.append(job)
    last: dict[str, SlurmJob] = {}
    for job in whole:
        for name in job.id.names:
            earlier = last.get(name)
            if earlier is None or _attempt(job) >= _attempt(earlier):
                last[name] = job
    found = []
    for job in whole:
        names = tuple(name for name in job.id.names if last[name] is job)
        if names:
            found.append((job, names))
        else:
            draft.drop(EARLIER_ATTEMPT)
    return found


def _attempt(job: SlurmJob) -> tuple[int, bool, int, int]:
    return (job.submit_s or 0, job.start_s is None, job.start_s or 0, job.row)


def _rows(job: SlurmJob, name: str) -> list[dict[str, Value]]:
    """Return one row; for a job of several device models one per model, which are a gang."""
    amounts, models = job.amounts, job.requested.models
    shared = _shared(job, name)
    if len(models) > 1 and sum(count for _, count in models) == amounts.devices:
        gang = job.id.gang or name
        parts = [(model, count, Fraction(count, amounts.devices)) for model, count in models]
        return [
            {
                **shared,
                **_shape(amounts, job.nodes, count, share),
                "job": f"{name}{_MODEL_SIGN}{model}",
                "gang": gang,
                "accelerators": model,
            }
            for model, count, share in parts
        ]
    model = models[0][0] if len(models) == 1 and amounts.devices else None
    return [{**shared, **_shape(amounts, job.nodes, amounts.devices, Fraction(1)), "accelerators": model}]


def _shared(job: SlurmJob, name: str) -> dict[str, Value]:
    has_ended = job.state in _ENDED and job.has_begun
    seconds = job.end_s - job.start_s if has_ended and job.end_s is not None and job.start_s is not None else 0
    waits_until = job.eligible_s if job.state == "pending" and job.eligible_s and job.eligible_s > (job.submit_s or 0) else None
    return {
        "job": name,
        "tenant": job.account,
        "user": job.user,
        "partition": job.partition,
        "priority": job.priority,
        "submit_time": job.submit_s,
        "start_time": job.start_s if job.has_begun else None,
        "end_time": job.end_s if has_ended else None,
        "state": job.state,
        "gang": job.id.gang,
        "after": ";".join(job.after) if job.state == "pending" else None,
        "runtime_minutes": seconds / 60 if seconds > 0 else None,
        "time_limit_minutes": float(job.limit_s / 60) if job.limit_s else None,
        "earliest_start": waits_until,
        "deadline": job.deadline_s if job.state in ("pending", "running") else None,
    }


def _shape(amounts: Tres, names: tuple[str, ...], devices: int, share: Fraction) -> dict[str, Value]:
    """Return the worker that a job is made of: one per node; one per device where the devices do not spread evenly.

    share: the part of the cores and the memory that goes with these devices.
    """
    nodes = max(amounts.nodes or len(names) or 1, 1)
    workers = nodes if devices % nodes == 0 else devices
    placement = None
    if names and workers == len(names) == len(set(names)):
        placement = ";".join(f"{name}*1" for name in names)
    elif len(names) == 1:
        placement = f"{names[0]}*{workers}"
    return {
        "workers": workers,
        "gpus_per_worker": devices // workers,
        "cpus_per_worker": _each(amounts.cpus, workers, share),
        "memory_gib_per_worker": _each(amounts.memory_mib, workers * MIB_PER_GIB, share),
        "resources_per_worker": ";".join(f"{kind}={float(Fraction(n, workers) * share):.15g}" for kind, n in amounts.others)
        or None,
        "placement": placement,
    }


def _each(total: int | Fraction | None, parts: int, share: Fraction) -> float | None:
    return None if total is None else float(Fraction(total) * share / parts)


def _note(draft: Draft, jobs: list[SlurmJob]) -> None:
    counts = Counter(
        {
            "array": sum(len(job.id.names) > 1 for job in jobs),
            "limited": sum(job.id.most_running is not None for job in jobs),
            "het": len({job.id.gang for job in jobs if job.id.gang}),
            "models": sum(len(job.requested.models) > 1 for job in jobs),
            "more": sum(_has_more(job) for job in jobs),
            "partition": sum(job.is_limit_of_partition for job in jobs),
            "held": sum(job.is_held for job in jobs),
            "uneven": sum(bool(job.amounts.devices % max(job.amounts.nodes or 1, 1)) for job in jobs),
        }
    )
    draft.note(
        counts["array"], f"{counts['array']} records name several tasks of an array that wait; each becomes a job of its own"
    )
    draft.caution(
        counts["limited"],
        f"{counts['limited']} arrays may run only so many tasks at once (%N), which no column says; a plan may run more of them",
    )
    draft.note(counts["het"], f"{counts['het']} heterogeneous jobs; their parts start together, so each is a gang")
    draft.note(counts["models"], f"{counts['models']} jobs ask for several device models; each model is a row of one gang")
    draft.note(
        counts["more"],
        f"{counts['more']} jobs were given more than they asked for (whole nodes, or other nodes); what they held is what counts",
    )
    draft.note(counts["partition"], f"{counts['partition']} jobs have the limit of their partition, which the file does not tell")
    draft.caution(
        counts["held"], f"{counts['held']} jobs are held by someone and would not start in Slurm; a plan takes them as waiting"
    )
    draft.note(
        counts["uneven"], f"{counts['uneven']} jobs have devices that do not spread evenly over their nodes; one worker per device"
    )
    draft.note(len(jobs), "a worker is what a job holds on one node; names of jobs need not be unique, so a job is named by its id")


def _has_more(job: SlurmJob) -> bool:
    asked, given = job.requested, job.allocated
    pairs = ((asked.devices, given.devices), (asked.nodes or 0, given.nodes or 0), (asked.cpus or 0, given.cpus or 0))
    return job.has_begun and any(had > wanted for wanted, had in pairs if wanted and had)
