"""Rows of `jobs` and `services` as the model's jobs and services."""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.cluster import Market
from schedplan.model.slices import share_of
from schedplan.model.workload import DeadlineKind, Job, JobKind, JobState, Placed, Service, Toleration, Topology, WorkerShape
from schedplan.tables.cells import alternatives_of, amounts_of, keys_of, placed_of, quantile_of, spread_of, tolerations_of
from schedplan.tables.faults import Code
from schedplan.tables.table_rows import TableRows
from schedplan.units import SLICE_TOLERANCE


def jobs(rows: TableRows) -> tuple[Job, ...]:
    """Return the jobs by name; contradictions within a row are noted in `rows.faults`.

    runtime_minutes stays None where the file has none: an estimate needs more than this row.
    """
    columns = zip(
        rows.names("job"),
        [JobKind(text) for text in rows.names("kind")],
        rows.names("tenant"),
        rows.texts("user"),
        rows.integers("priority"),
        rows.flags("preemptible"),
        rows.flags("required"),
        rows.instants("submit_time"),
        rows.instants("start_time"),
        rows.instants("end_time"),
        [JobState(text) for text in rows.names("state")],
        [tuple(Placed(*parts) for parts in placed_of(text)) for text in rows.texts("placement")],
        rows.integers("workers"),
        rows.integers_or_none("min_workers"),
        rows.texts("gang"),
        [keys_of(text) for text in rows.texts("after")],
        _shapes(rows, "worker"),
        rows.floats_or_none("runtime_minutes"),
        rows.floats_or_none("time_limit_minutes"),
        rows.instants("earliest_start"),
        rows.instants("deadline"),
        [DeadlineKind(text) for text in rows.names("deadline_kind")],
        rows.flags("spot_ok"),
        rows.floats_or_none("checkpoint_minutes"),
        rows.floats("checkpoint_cost_minutes"),
        rows.floats("restart_minutes"),
        [Topology(text) for text in rows.names("topology")],
        rows.texts("affinity"),
        rows.floats("load_minutes"),
        strict=True,
    )
    found = [Job(*row) for row in columns]
    for idx, job in enumerate(found):
        _refuse_job(rows, idx, job)
    return tuple(sorted(found, key=lambda job: job.name))


def services(rows: TableRows) -> tuple[Service, ...]:
    """Return the services by name; contradictions within a row are noted in `rows.faults`."""
    names = rows.names("service")
    columns = zip(
        names,
        rows.floats("slo_ms"),
        rows.floats("service_ms"),
        [series or name for series, name in zip(rows.texts("series"), names, strict=True)],
        rows.names("tenant"),
        rows.integers("priority"),
        [quantile_of(text) for text in rows.names("slo_quantile")],
        rows.floats("service_cv"),
        rows.integers("concurrency"),
        _shapes(rows, "replica"),
        rows.integers("min_replicas"),
        rows.integers_or_none("max_replicas"),
        rows.floats("min_hold_minutes"),
        [_markets(text) for text in rows.names("markets")],
        rows.flags("dedicated"),
        rows.floats("startup_minutes"),
        rows.texts("affinity"),
        rows.floats("load_minutes"),
        [spread_of(text) for text in rows.texts("spread")],
        rows.floats("cache_hit_ratio"),
        strict=True,
    )
    found = [Service(*row) for row in columns]
    for idx, service in enumerate(found):
        if service.max_replicas is not None and service.max_replicas < service.min_replicas:
            rows.fault(
                idx,
                Code.CONTRADICTION,
                "max_replicas is below min_replicas",
                column="max_replicas",
                seen=service.max_replicas,
                expected=f"at least {service.min_replicas}",
            )
    return tuple(sorted(found, key=lambda service: service.name))


def _shapes(rows: TableRows, per: str) -> list[WorkerShape]:
    columns = zip(
        rows.floats(f"gpus_per_{per}"),
        rows.floats(f"cpus_per_{per}"),
        rows.floats(f"memory_gib_per_{per}"),
        [amounts_of(text) for text in rows.texts(f"resources_per_{per}")],
        rows.floats_or_none("gpu_memory_gib"),
        [alternatives_of(text) for text in rows.texts("accelerators")],
        rows.texts("slice_profile"),
        rows.integers_or_none("max_per_node"),
        [tuple(Toleration(*parts) for parts in tolerations_of(text)) for text in rows.texts("tolerations")],
        strict=True,
    )
    return [_with_profile(rows, idx, WorkerShape(*row), per) for idx, row in enumerate(columns)]


def _with_profile(rows: TableRows, idx: int, shape: WorkerShape, per: str) -> WorkerShape:
    """Return a shape whose share of a device is that of its profile, where it has one; a share that says otherwise is a fault."""
    share = None if shape.slice_profile is None else share_of(shape.slice_profile)
    if share is None:
        return shape
    if shape.gpus and abs(shape.gpus - share) > SLICE_TOLERANCE / 7:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            f"gpus_per_{per} is not the share of a device that the profile {shape.slice_profile} has",
            column=f"gpus_per_{per}",
            seen=shape.gpus,
            expected=f"{share:.4g}, or nothing",
        )
    return replace(shape, gpus=share)


def _markets(text: str) -> tuple[Market, ...]:
    allowed = text.split("|")
    return tuple(market for market in Market if market.value in allowed)


def _refuse_job(rows: TableRows, idx: int, job: Job) -> None:
    if job.min_workers is not None and job.min_workers > job.workers:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "min_workers is above workers",
            column="min_workers",
            seen=job.min_workers,
            expected=f"at most {job.workers}",
        )
    placed = sum(part.workers for part in job.placement)
    if job.placement and placed > job.workers:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "more workers are placed than there are",
            column="placement",
            seen=placed,
            expected=f"at most {job.workers}",
        )
    for early, late, early_name, late_name in (
        (job.start_s, job.end_s, "start_time", "end_time"),
        (job.earliest_start_s, job.deadline_s, "earliest_start", "deadline"),
    ):
        if early is not None and late is not None and late < early:
            rows.fault(idx, Code.CONTRADICTION, f"{late_name} is before {early_name}", column=late_name)
    if job.name in job.after:
        rows.fault(idx, Code.CONTRADICTION, "the job waits for itself", column="after", seen=job.name)
