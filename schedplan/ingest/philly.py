"""Reader `philly`: jobs of Microsoft's Philly clusters in the flattened form that simulators read.

Source: github.com/siasosp23/artifacts, sia-simulator/traces/philly.csv, made of github.com/msr-fiddle/philly-traces (2026-11).
Only jobs that ran are listed: no id, no user, no status, no wait, no node.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_file import SourceRows, as_table, header, missing_columns, read_source
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

ID_DIGITS = 6
_REPEATS_SHOWN = 5
_PRODUCT_TOLERANCE = 1e-6

JOB_LIST = Dictionary(
    name="philly jobs",
    title="philly.csv: one row per job that ran",
    columns=(
        Column("timestamp", Kind.TIMESTAMP, "submission or start", required=True),
        Column("duration", Kind.FLOAT, "run time", "s", required=True, at_least=0),
        Column("num_gpus", Kind.INTEGER, "devices of the whole job", required=True, at_least=0, at_most=1_000_000),
        Column("gpu_time", Kind.FLOAT, "duration x num_gpus", "device-seconds", required=True, null_ok=True),
        Column("cluster", Kind.TEXT, "virtual cluster", required=True),
    ),
)


@dataclass(frozen=True, slots=True)
class Philly:
    """Every row becomes a finished training job named after its place in the file."""

    name: str = "philly"
    description: str = "Microsoft Philly jobs of 2017 in the form timestamp,duration,num_gpus,gpu_time,cluster, also gzipped"
    tables: tuple[str, ...] = ("jobs",)
    recognised_by: str = f"columns {', '.join(JOB_LIST.required_names)}"

    def sniff(self, path: Path) -> bool:
        """Return whether the file has the five columns."""
        return not missing_columns(header(path), JOB_LIST)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the jobs in the file; InputError with all its faults."""
        rows = read_source(path, JOB_LIST, options)
        devices, duration_s = rows.integers("num_gpus"), rows.floats("duration")
        repeats = _repeats(rows)
        columns = {
            "job": pa.array(_names(rows.n_rows), pa.string()),
            "kind": _constant("training", rows.n_rows),
            "tenant": rows.column("cluster"),
            "submit_time": rows.column("timestamp"),
            "state": _constant("completed", rows.n_rows),
            "workers": pa.array(np.maximum(devices, 1)),
            "gpus_per_worker": pa.array(np.minimum(devices, 1)),
            "runtime_minutes": pa.array(duration_s / 60.0, mask=~(duration_s > 0)),
        }
        notes = _notes(rows, devices, duration_s, repeats)
        return (as_table(rows, "jobs", columns, notes, left_aside=("gpu_time",), repeats=repeats),)


def _names(n_rows: int) -> list[str]:
    """Return philly-000001, ... by the place of a row among the jobs of its file, so that a name outlives sorting."""
    return [f"philly-{number:0{ID_DIGITS}d}" for number in range(1, n_rows + 1)]


def _constant(text: str, n_rows: int) -> pa.Array:
    return pa.array([text] * n_rows, pa.string())


def _repeats(rows: SourceRows) -> tuple[tuple[int, int], ...]:
    """Return (row, the first row with the same five values) for each later one."""
    values = zip(*(rows.column(name).to_pylist() for name in JOB_LIST.column_names), strict=True)
    first: dict[tuple[object, ...], int] = {}
    found = []
    for row, key in zip(rows.file.rows.tolist(), values, strict=True):
        earlier = first.setdefault(key, row)
        if earlier != row:
            found.append((row, earlier))
    return tuple(found)


def _notes(
    rows: SourceRows, devices: NDArray[np.int64], duration_s: NDArray[np.float64], repeats: tuple[tuple[int, int], ...]
) -> tuple[str, ...]:
    names = _names(rows.n_rows)
    begun_s = rows.integers("timestamp")
    unsorted = int(np.count_nonzero(np.diff(begun_s) < 0))
    instant = int(np.count_nonzero(duration_s == 0))
    many = int(np.count_nonzero(devices > 1))
    notes = (
        (
            rows.n_rows,
            f"{rows.n_rows} jobs without ids, named {names[0]} to {names[-1]} by their place in the file" if names else "",
        ),
        (unsorted, f"the rows are not in time order: {unsorted} begin before the row above them"),
        (len(repeats), _repeats_note(repeats)),
        (rows.n_rows, "timestamp is taken as submit_time; the file does not say whether a job was submitted or started then"),
        (rows.n_rows, "only jobs that ran are listed, without status, so all have the state completed and the kind training"),
        (rows.n_rows, "cluster is a virtual cluster, which is a queue, so it becomes the tenant"),
        (
            many,
            f"{many} jobs have several devices (up to {int(devices.max(initial=0))}); how many workers they had is not stated, so a"
            " job of n devices is n workers of one device that start together",
        ),
        (instant, f"{instant} jobs lasted 0 s; their runtime_minutes stays empty"),
        (rows.n_rows, _gpu_time_note(rows, devices, duration_s)),
    )
    return tuple(note for count, note in notes if count)


def _repeats_note(repeats: tuple[tuple[int, int], ...]) -> str:
    shown = ", ".join(f"row {row} = row {earlier}" for row, earlier in repeats[:_REPEATS_SHOWN])
    more = f" and {len(repeats) - _REPEATS_SHOWN} more, all named in ingest.json" if len(repeats) > _REPEATS_SHOWN else ""
    return f"{len(repeats)} rows repeat an earlier row in every column; each is kept as a job of its own: {shown}{more}"


def _gpu_time_note(rows: SourceRows, devices: NDArray[np.int64], duration_s: NDArray[np.float64]) -> str:
    stated, product = rows.floats("gpu_time"), duration_s * devices
    off = int(np.count_nonzero(np.abs(stated - product) > _PRODUCT_TOLERANCE * np.maximum(product, 1.0)))
    if off:
        return f"gpu_time is not duration x num_gpus in {off} rows; duration and num_gpus are believed, gpu_time is left aside"
    return "gpu_time is duration x num_gpus wherever it is stated, so it is left aside"
