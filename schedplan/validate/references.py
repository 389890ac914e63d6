"""References: names in one table that must stand in another."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from schedplan.model.findings import Finding, Severity
from schedplan.model.sequence import circle
from schedplan.model.workload import JobState
from schedplan.validate.rule import Rule, about_jobs, listed
from schedplan.validate.subject import Subject

RING_SHOWN = 10
_CIRCLE_HINT = "Take one of these names out of the column after; rows of one gang start together and wait for the same jobs."
_PLACEMENT_HINT = "Give placement as node*workers;node*workers, so that what it holds is known."


def _load_of_service(subject: Subject) -> Iterator[Finding]:
    known = (*subject.series_by_id, *subject.forecast_ids)
    for service in subject.services:
        name = service.series or service.name
        if name not in known:
            hint = _nearest(name, known) or "Add its rows to load, or name its series in the column series."
            message = f"no load has the unique_id {name}, so its demand is not known"
            yield Finding("SP1201", Severity.ERROR, f"service {service.name}", message, hint, column="series")


def _after(subject: Subject) -> Iterator[Finding]:
    known = {job.name for job in subject.jobs}
    for job in subject.open_jobs:
        unknown = tuple(name for name in job.after if name not in known)
        if unknown:
            message = f"it waits for {listed(unknown)}, which no row of jobs holds"
            hint = _nearest(unknown[0], tuple(known)) or "Add its row, as history where it has ended, or take the name out."
            yield Finding("SP1202", Severity.ERROR, f"job {job.name}", message, hint, column="after")
    waiting = circle(subject.open_jobs)
    if waiting:
        message = f"they wait for one another in a circle, so that none can start: {_ring(waiting)}"
        jobs = tuple(job for job in subject.open_jobs if job.name in waiting)
        yield Finding("SP1202", Severity.ERROR, about_jobs(jobs), message, _CIRCLE_HINT, column="after")


def _ring(waiting: tuple[str, ...]) -> str:
    """Return a circle in words, a long one by its first jobs."""
    shown = waiting[:RING_SHOWN]
    more = (f"{len(waiting) - len(shown)} more",) if len(waiting) > len(shown) else ()
    return " after ".join((*shown, *more, waiting[0]))


def _placement(subject: Subject) -> Iterator[Finding]:
    known = {*subject.cluster.by_name, *subject.cluster.pool_of_node}
    for job in subject.open_jobs:
        if job.state is not JobState.RUNNING:
            continue
        unknown = tuple(part.node for part in job.placement if part.node not in known)
        placed = sum(part.workers for part in job.placement)
        if unknown:
            message = f"it runs on {listed(unknown)}, which no row of nodes holds"
            yield Finding(
                "SP1203", Severity.ERROR, f"job {job.name}", message, _nearest(unknown[0], tuple(known)), column="placement"
            )
        elif job.placement and placed < job.least_workers:
            message = f"it is running, and {placed} of its {job.workers} workers have a place"
            yield Finding("SP1203", Severity.ERROR, f"job {job.name}", message, _PLACEMENT_HINT, column="placement")
    nowhere = tuple(job for job in subject.open_jobs if job.state is JobState.RUNNING and not job.placement)
    if nowhere:
        message = "running, without a word on where"
        yield Finding("SP1203", Severity.WARNING, about_jobs(nowhere), message, _PLACEMENT_HINT, column="placement")


def _speeds_of_unknown(subject: Subject) -> Iterator[Finding]:
    unknown = tuple(sorted({row.accelerator for row in subject.cluster.speeds} - set(subject.accelerators)))
    if unknown:
        message = f"speeds speak of {listed(unknown)}, which no node has"
        yield Finding(
            "SP1204", Severity.WARNING, "speeds", message, _nearest(unknown[0], subject.accelerators), column="accelerator"
        )


def _missing_speeds(subject: Subject) -> Iterator[Finding]:
    kinds = sorted({job.kind.value for job in subject.open_jobs if job.shape.gpus} | ({"service"} if subject.services else set()))
    given = {(row.accelerator, row.kind) for row in subject.cluster.speeds}
    missing = tuple(f"{model}/{kind}" for model in subject.accelerators for kind in kinds if (model, kind) not in given)
    if missing and len(subject.accelerators) > 1:
        of = "of device model and kind"
        pairs = f"1 pair {of} has no speed and runs" if len(missing) == 1 else f"{len(missing)} pairs {of} have no speed and run"
        message = f"{pairs} at 1: {listed(missing)}"
        yield Finding("SP1205", Severity.NOTE, "speeds", message, "Give speeds where the models differ.")


def _quotas_of_unknown(subject: Subject) -> Iterator[Finding]:
    parents = {quota.parent for quota in subject.quotas}
    tenants = tuple(sorted({job.tenant for job in subject.jobs} | {service.tenant for service in subject.services}))
    for tenant in dict.fromkeys(quota.tenant for quota in subject.quotas):
        if tenant not in tenants and tenant not in parents:
            message = "no job or service is of this tenant, so its quota counts nothing"
            yield Finding("SP1206", Severity.WARNING, f"tenant {tenant}", message, _nearest(tenant, tenants), column="tenant")
    models = dict.fromkeys(quota.accelerator for quota in subject.quotas if quota.accelerator is not None)
    unknown = tuple(model for model in models if model not in subject.accelerators)
    if unknown:
        message = f"quotas speak of {listed(unknown)}, which no node has"
        hint = _nearest(unknown[0], subject.accelerators)
        yield Finding("SP1206", Severity.WARNING, "quotas", message, hint, column="accelerator")


def _misspelt_columns(subject: Subject) -> Iterator[Finding]:
    for slip in subject.slips:
        hint = f"Rename it to {slip.meant}, or take it out."
        yield Finding("SP1207", Severity.WARNING, f"column {slip.column}", slip.message, hint, file=slip.file, column=slip.column)


def _samples_of_unknown(subject: Subject) -> Iterator[Finding]:
    services = tuple(service.name for service in subject.services)
    models = (*subject.accelerators, None)
    for name in dict.fromkeys(sample.service for sample in subject.latency_samples if sample.service not in services):
        message = "latency samples are of this service, which no row of services holds; they calibrate nothing"
        yield Finding("SP1209", Severity.WARNING, f"service {name}", message, _nearest(name, services), column="service")
    for model in dict.fromkeys(sample.accelerator for sample in subject.latency_samples if sample.accelerator not in models):
        message = f"latency samples are of {model}, which no node has; they change no plan"
        hint = _nearest(model or "", subject.accelerators)
        yield Finding("SP1209", Severity.WARNING, "latency_samples", message, hint, column="accelerator")


def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]}?" if near else None


RULES = (
    Rule(
        "SP1201",
        "service-load",
        "Every service needs its demand: rows of load whose unique_id is the service's series (by default its own name), or a given"
        " forecast. Without demand the number of replicas can't be planned.",
        _load_of_service,
    ),
    Rule(
        "SP1202",
        "after",
        "A job may only wait for jobs that stand in the table jobs, as history where they have ended, and never for itself by way"
        " of others. Rows of one gang start together: what one of them waits for, all of them do.",
        _after,
    ),
    Rule(
        "SP1203",
        "placement",
        "A running job has to say where each of its workers runs, on nodes or pools of the table nodes: a plan keeps them there.",
        _placement,
    ),
    Rule(
        "SP1204",
        "speed-of-unknown",
        "Speeds should speak of device models that some node has; anything else is a slip.",
        _speeds_of_unknown,
    ),
    Rule(
        "SP1205",
        "speed-missing",
        "Where the cluster has several device models, a pair of model and kind without a speed is planned at speed 1. This is"
        " said once.",
        _missing_speeds,
    ),
    Rule(
        "SP1206",
        "quota-of-unknown",
        "A quota should be of a tenant that has work, or that others are below, and of a device model that some node has; anything"
        " else is a slip, and the quota never binds.",
        _quotas_of_unknown,
    ),
    Rule(
        "SP1207",
        "misspelt-column",
        "A column that no table knows is ignored. This one looks like a known column that the file lacks, in another spelling or"
        " case: what it says would be lost, and a default would stand in its place.",
        _misspelt_columns,
    ),
    Rule(
        "SP1209",
        "samples-of-unknown",
        "Latency samples should be of a service and a device model that the other tables have; anything else is a slip.",
        _samples_of_unknown,
    ),
)
