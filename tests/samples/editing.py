"""Edits of a repair, written into the tables of a project folder and into settings, as a person would."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from schedplan.config.override import Override
from schedplan.model.plan import Edit

KEYS = {"nodes": "node", "jobs": "job", "services": "service", "quotas": "tenant"}


def write_edits(folder: Path, edits: Iterable[Edit]) -> tuple[Override, ...]:
    """Write the edits of tables; return those of settings as what `--set` would give."""
    settings = []
    for edit in edits:
        if edit.row:
            change_cell(folder / f"{edit.table}.csv", KEYS[edit.table], edit.row, edit.column, edit.value)
        else:
            settings.append(Override(f"{edit.table}.{edit.column}", edit.value, "the repair"))
    return tuple(settings)


def change_cell(path: Path, key: str, row_name: str, column: str, value: str) -> None:
    """Write one cell of a CSV file, with a new column where there is none."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.setdefault(column, "")
        if row[key] == row_name:
            row[column] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
