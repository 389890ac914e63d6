"""Reader `alibaba-dlrm-2025`: instances of recommendation services in Alibaba's disaggregated clusters.

Source: alibaba/clusterdata, cluster-trace-gpu-v2025, disaggregated_DLRM_trace.csv (2026-11).
"""

from __future__ import annotations

from schedplan.ingest.csv_reader import CsvReader, Form, draft_of
from schedplan.ingest.source_file import SourceRows
from schedplan.ingest.undated import EPOCH_S, SAID
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

_MOST, _MOST_S = 1_000_000, 5_000_000_000


def _amount(name: str, description: str, unit: str = "") -> Column:
    return Column(name, Kind.FLOAT, description, unit, required=True, at_least=0, at_most=_MOST)


def _moment(name: str, description: str) -> Column:
    return Column(name, Kind.FLOAT, description, "s", required=True, null_ok=True, at_least=0, at_most=_MOST_S)


INSTANCES = Dictionary(
    name="alibaba-dlrm-2025 instances",
    title="one row per instance of a service",
    key=("instance_sn",),
    columns=(
        Column("instance_sn", Kind.TEXT, "instance", required=True),
        Column("role", Kind.CHOICE, "CPU node or GPU node", required=True, choices=("CN", "HN")),
        Column("app_name", Kind.TEXT, "service", required=True),
        _amount("cpu_request", "cores"),
        Column("gpu_request", Kind.INTEGER, "devices", required=True, at_least=0, at_most=100),
        _amount("rdma_request", "share of a network card", "percent"),
        _amount("memory_request", "memory", "GiB"),
        _amount("disk_request", "disk", "GiB"),
        Column("max_instance_per_node", Kind.INTEGER, "most of a service on a node, -1: any", required=True, at_least=-1),
        _moment("creation_time", "since the start of the trace"),
        _moment("scheduled_time", "since the start of the trace"),
        _moment("deletion_time", "since the start of the trace"),
    ),
)


def _instances(rows: SourceRows) -> tuple[TableFile, ...]:
    draft = draft_of("jobs", rows, INSTANCES.column_names)
    columns = zip(rows.file.rows.tolist(), *(rows.column(name).to_pylist() for name in INSTANCES.column_names), strict=True)
    before = after = limited = instant = 0
    longest = 0.0
    for number, name, _, app, cpus, gpus, rdma, memory, disk, most, created, scheduled, deleted in columns:
        before += created is None
        after += deleted is None
        limited += most > 0
        longest = max(longest, (scheduled or 0) - (created or 0) if created is not None and scheduled is not None else 0)
        seconds = deleted - scheduled if deleted is not None and scheduled is not None else 0
        instant += deleted is not None and created is not None and deleted == created
        extra = [f"{key}={amount:.15g}" for key, amount in (("disk_gib", disk), ("rdma_percent", rdma)) if amount]
        draft.add(
            number,
            {
                "job": name,
                "kind": "other",
                "tenant": app,
                "submit_time": _at(created),
                "start_time": _at(scheduled),
                "end_time": _at(deleted) if scheduled is not None else None,
                "state": "running" if deleted is None else "completed",
                "gpus_per_worker": gpus,
                "cpus_per_worker": cpus,
                "memory_gib_per_worker": memory,
                "resources_per_worker": ";".join(extra) or None,
                "runtime_minutes": seconds / 60 if seconds > 0 else None,
            },
        )
    draft.note(len(draft.rows), SAID)
    draft.note(before, f"{before} instances have no creation_time: they stood before the trace began")
    draft.note(after, f"{after} instances have no deletion_time: they outlive the trace, so they are running")
    draft.note(instant, f"{instant} instances were deleted in the second in which they were created")
    draft.note(longest > 0, f"the longest wait is {longest:g} s")
    draft.caution(
        limited,
        f"{limited} instances limit how many of their service a node may hold (max_instance_per_node); no column says it",
    )
    return (draft.file(),)


def _at(seconds: float | None) -> int | None:
    return None if seconds is None else EPOCH_S + int(seconds)


ALIBABA_DLRM_2025 = CsvReader(
    "alibaba-dlrm-2025",
    "Alibaba GPU cluster trace 2025: disaggregated_DLRM_trace.csv, instances of recommendation services",
    ("jobs",),
    (Form(INSTANCES, _instances),),
)
