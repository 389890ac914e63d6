"""A saved replay with its inputs: found by the paths it records, and refused where they have changed."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.errors import InputError, StalePlanError
from schedplan.tables.artefact_context import InputRecord
from schedplan.tables.artefact_simulation import SimulationRecord, read_simulation
from schedplan.tables.sources import read_input


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
