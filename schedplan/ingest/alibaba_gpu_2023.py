"""Reader `alibaba-gpu-2023`: the node and pod lists of Alibaba's GPU cluster trace of 2023.

Source: github.com/alibaba/clusterdata, cluster-trace-gpu-v2023, csv/openb_node_list_*.csv and csv/openb_pod_list_*.csv (2026-11).
The trace states no date, no run time and no price; none is made up but the date that its seconds are counted from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_file import SourceRows, as_table, header, missing_columns, read_source
from schedplan.ingest.undated import EPOCH
from schedplan.tables.arrow_form import INSTANT
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

SLICES_PER_GPU = 1000
_MILLI, _MIB_PER_GIB = 1000.0, 1024.0
_MOST = 1_000_000_000_000
_MOST_SECONDS = 5_000_000_000

NODE_LIST = Dictionary(
    name="alibaba-gpu-2023 nodes",
    title="openb_node_list: one row per node",
    key=("sn",),
    columns=(
        Column("sn", Kind.TEXT, "node", required=True, forbidden="/"),
        Column("cpu_milli", Kind.INTEGER, "thousandths of a core", required=True, at_least=0, at_most=_MOST),
        Column("memory_mib", Kind.INTEGER, "memory", "MiB", required=True, at_least=0, at_most=_MOST),
        Column("gpu", Kind.INTEGER, "devices", required=True, at_least=0, at_most=100_000),
        Column("model", Kind.TEXT, "device model, a code of the trace", required=True, null_ok=True),
    ),
)
POD_LIST = Dictionary(
    name="alibaba-gpu-2023 pods",
    title="openb_pod_list: one row per pod",
    key=("name",),
    columns=(
        Column("name", Kind.TEXT, "pod", required=True),
        Column("cpu_milli", Kind.INTEGER, "thousandths of a core", required=True, at_least=0, at_most=_MOST),
        Column("memory_mib", Kind.INTEGER, "memory", "MiB", required=True, at_least=0, at_most=_MOST),
        Column("num_gpu", Kind.INTEGER, "devices", required=True, at_least=0, at_most=100_000),
        Column("gpu_milli", Kind.INTEGER, "thousandths of each device", required=True, at_least=0, at_most=1000),
        Column("gpu_spec", Kind.ALTERNATIVES, "device models"),
        Column("qos", Kind.TEXT, "class of service"),
        Column("pod_phase", Kind.CHOICE, "phase", required=True, choices=("Pending", "Running", "Succeeded", "Failed")),
        Column(
            "creation_time", Kind.INTEGER, "since the start of the trace", "s", required=True, at_least=0, at_most=_MOST_SECONDS
        ),
        Column("deletion_time", Kind.INTEGER, "since the start of the trace", "s", at_least=0, at_most=_MOST_SECONDS),
        Column("scheduled_time", Kind.INTEGER, "since the start of the trace", "s", at_least=0, at_most=_MOST_SECONDS),
    ),
)
_STATES = {"Pending": "pending", "Running": "running", "Succeeded": "completed", "Failed": "failed"}


@dataclass(frozen=True, slots=True)
class AlibabaGpu2023:
    """Node lists become `nodes`, pod lists `jobs`; which of the two a file is, its columns say."""

    name: str = "alibaba-gpu-2023"
    description: str = "Alibaba GPU cluster trace 2023: openb_node_list*.csv and openb_pod_list*.csv, also gzipped"
    tables: tuple[str, ...] = ("nodes", "jobs")
    recognised_by: str = f"columns {', '.join(NODE_LIST.required_names)}; or {', '.join(POD_LIST.required_names)}"

    def sniff(self, path: Path) -> bool:
        """Return whether the file has the columns of a node list or of a pod list."""
        names = header(path)
        return not (missing_columns(names, NODE_LIST) and missing_columns(names, POD_LIST))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the one table in the file; InputError with all its faults. Of the two lists it is the one it lacks less of."""
        names = header(path)
        if missing_columns(names, NODE_LIST) < missing_columns(names, POD_LIST):
            return (_nodes(read_source(path, NODE_LIST, options)),)
        return (_pods(read_source(path, POD_LIST, options)),)


def _nodes(rows: SourceRows) -> TableFile:
    devices = rows.integers("gpu")
    columns = {
        "node": rows.column("sn"),
        "accelerator": rows.column("model"),
        "gpus": pa.array(devices),
        "slices_per_gpu": pa.array(np.where(devices > 0, SLICES_PER_GPU, 1)),
        "cpus": pa.array(rows.integers("cpu_milli") / _MILLI),
        "memory_gib": pa.array(rows.integers("memory_mib") / _MIB_PER_GIB),
    }
    return as_table(rows, "nodes", columns, _node_notes(rows, devices))


def _node_notes(rows: SourceRows, devices: NDArray[np.int64]) -> tuple[str, ...]:
    models = Counter(model for model in rows.column("model").to_pylist() if model is not None)
    told = ", ".join(f"{model} {models[model]}" for model in sorted(models))
    without = int(np.count_nonzero(devices == 0))
    unnamed = int(np.count_nonzero((devices > 0) & rows.is_empty("model")))
    notes = [
        f"{rows.n_rows} nodes with {int(devices.sum())} devices, {without} of the nodes without any",
        f"device models are the codes of the trace, some of them undisclosed; nodes with each: {told or 'none'}",
        f"devices are shared in thousandths, so slices_per_gpu is {SLICES_PER_GPU} where there is a device",
        "cpu_milli and memory_mib are taken as what is left to work; what the system keeps is not stated",
    ]
    if unnamed:
        notes.append(f"{unnamed} nodes have devices of a model that is not stated")
    return tuple(notes)


def _pods(rows: SourceRows) -> TableFile:
    number, milli = rows.integers("num_gpu"), rows.integers("gpu_milli")
    _refuse_shares(rows, number, milli)
    is_scheduled, is_deleted = ~rows.is_empty("scheduled_time"), ~rows.is_empty("deletion_time")
    ends_early = is_scheduled & is_deleted & (rows.integers("deletion_time") < rows.integers("scheduled_time"))
    rows.refuse(ends_early, "the pod was deleted before it was scheduled", "deletion_time", "scheduled_time or later")
    columns = {
        "job": rows.column("name"),
        "submit_time": _instants(rows, "creation_time"),
        "start_time": _instants(rows, "scheduled_time"),
        "end_time": _instants(rows, "deletion_time", is_scheduled),
        "state": pa.array([_STATES.get(phase) for phase in rows.column("pod_phase").to_pylist()], pa.string()),
        "gpus_per_worker": pa.array(np.where(number == 1, milli / _MILLI, number)),
        "cpus_per_worker": pa.array(rows.integers("cpu_milli") / _MILLI),
        "memory_gib_per_worker": pa.array(rows.integers("memory_mib") / _MIB_PER_GIB),
        "accelerators": rows.column("gpu_spec"),
    }
    return as_table(rows, "jobs", columns, _pod_notes(rows, number, milli), left_aside=("qos",))


def _refuse_shares(rows: SourceRows, number: NDArray[np.int64], milli: NDArray[np.int64]) -> None:
    """Note every row whose devices and share of a device contradict each other."""
    rows.refuse((number == 0) & (milli > 0), "the pod asks for a share, but for no device", "gpu_milli", "0, as num_gpu is 0")
    rows.refuse((number == 1) & (milli == 0), "the pod asks for a device, but for no share of it", "gpu_milli", "1 to 1000")
    rows.refuse((number > 1) & (milli < _MILLI), "a share of more than one device", "gpu_milli", "1000, as num_gpu is above 1")


def _instants(rows: SourceRows, name: str, where: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return seconds since the start of the trace as times; null where empty, or outside `where`."""
    is_null = rows.is_empty(name) if where is None else rows.is_empty(name) | ~where
    return pa.array(rows.integers(name) + int(EPOCH.timestamp()), mask=is_null).cast(INSTANT)


def _pod_notes(rows: SourceRows, number: NDArray[np.int64], milli: NDArray[np.int64]) -> tuple[str, ...]:
    is_share = (number == 1) & (milli < _MILLI)
    shares, without = int(np.count_nonzero(is_share)), int(np.count_nonzero(number == 0))
    least = f" ({milli[is_share].min() / _MILLI:g} of it at least)" if shares else ""
    phases = np.array(rows.column("pod_phase").to_pylist(), dtype=object)
    unscheduled = int(np.count_nonzero(rows.is_empty("scheduled_time")))
    deleted_running = int(np.count_nonzero((phases == "Running") & ~rows.is_empty("deletion_time")))
    any_model = int(np.count_nonzero(rows.is_empty("gpu_spec")))
    no_memory = int(np.count_nonzero(rows.integers("memory_mib") == 0))
    notes = (
        (
            rows.n_rows,
            f"{rows.n_rows} pods, each a job of one worker; {shares} ask for a share of one device{least}, {without} for no device",
        ),
        (unscheduled, f"{unscheduled} pods were never scheduled, so they have no start_time and no end_time"),
        (
            rows.n_rows,
            "times are seconds from a start of the trace that it does not date; they are counted from"
            f" {EPOCH:%Y-%m-%dT%H:%M:%SZ} (our choice)",
        ),
        (
            rows.n_rows,
            "there is no run time, so runtime_minutes stays empty: creation to deletion includes the wait. end_time is the"
            " deletion; a pod may have ended its work before",
        ),
        (deleted_running, f"{deleted_running} pods were deleted, yet their phase is Running; their state is running, as stated"),
        (any_model, f"gpu_spec is empty in {any_model} of {rows.n_rows} rows, which may have any device model"),
        (no_memory, f"memory_mib is 0 in {no_memory} of {rows.n_rows} rows and is kept as 0"),
        (rows.n_rows, f"qos is a class of service and no priority, so it is left aside: {_qos(rows)}"),
    )
    return tuple(note for count, note in notes if count)


def _qos(rows: SourceRows) -> str:
    counts = Counter(qos or "none" for qos in rows.column("qos").to_pylist())
    return ", ".join(f"{qos} {counts[qos]}" for qos in sorted(counts))
