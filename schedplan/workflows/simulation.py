"""A saved replay with its inputs: found by the paths it records, and refused where they have changed."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schedplan.errors import InputError, StalePlanError
from schedplan.report.replay_charts import ReplayEvents
from schedplan.tables.artefact_columns import seconds_of
from schedplan.tables.artefact_context import InputRecord
from schedplan.tables.artefact_simulation import SimulationRecord, read_simulation
from schedplan.tables.sources import read_input

SUBMITTED, GIVING_BACK = "submit", ("end", "limit", "stop")
"""Events of a timeline that take no device, and those that give devices back; all others take."""


def open_simulation(folder: Path, data: Path | None = None) -> SimulationRecord:
    """Return what a saved replay tells of itself.

    data: the project's folder, looked at first; then every folder above the replay, and the working directory. Raises InputError
    where there is no replay or its inputs are not found, StalePlanError where they say something else than when it was made.
    """
    record = read_simulation(folder)
    root = _root(folder, record.inputs, data)
    zone = ZoneInfo(record.timezone)
    changed = [one.path for one in record.inputs if _sha256(root / one.path, one.table, zone) != one.sha256]
    if changed:
        are = "has" if len(changed) == 1 else "have"
        raise StalePlanError(
            f"the replay is stale: {', '.join(changed)} {are} changed since it was made",
            hint="Make it again with `schedplan simulate`, or restore what it was made from.",
        )
    return record


def simulation_inputs(folder: Path, record: SimulationRecord, data: Path | None = None) -> tuple[Path, ...]:
    """Return the files that a replay was made from, which nothing may be written over."""
    root = _root(folder, record.inputs, data)
    return tuple(root / one.path for one in record.inputs)


def replay_events(timeline: pa.Table, jobs: pa.Table) -> ReplayEvents:
    """Return what the tables of a replay say over time."""
    event = np.array(timeline.column("event").to_pylist())
    devices = timeline.column("devices").to_numpy()
    held = event != SUBMITTED
    given_back = np.isin(event, GIVING_BACK)
    started = jobs.filter(pc.is_valid(jobs.column("start")))
    return ReplayEvents(
        taken_s=_seconds(timeline.column("time"))[held],
        taken=np.where(given_back, -devices, devices)[held],
        submit_s=_seconds(jobs.column("submit")),
        start_s=_seconds(started.column("start")),
        wait_s=started.column("wait_s").to_numpy().astype(np.int64),
    )


def _seconds(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.array(seconds_of(column), dtype=np.int64)


def _root(folder: Path, inputs: tuple[InputRecord, ...], data: Path | None) -> Path:
    """Return the first folder in which all inputs are found."""
    named: tuple[Path, ...] = () if data is None else (data,)
    for root in (*named, *folder.resolve().parents, Path()):
        if all((root / one.path).is_file() for one in inputs):
            return root
    missing = next((one.path for one in inputs if not (Path() / one.path).is_file()), inputs[0].path if inputs else "")
    raise InputError(
        f"{folder}: the inputs of this replay are not found; {missing} is in no folder above it",
        code="SP1114",
        hint="Name the project's folder with --data.",
    )


def _sha256(path: Path, table: str, zone: ZoneInfo) -> str | None:
    try:
        return read_input(path, table, zone, repeating=frozenset(("load",))).sha256
    except (InputError, OSError):
        return None
