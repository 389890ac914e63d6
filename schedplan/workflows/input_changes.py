"""What is different in the inputs of two projects: tables by rows and columns, settings by section. It plans nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from schedplan.config.settings import Settings
from schedplan.report.figures import counted
from schedplan.tables.catalog import dictionary
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile
from schedplan.workflows.project import Project, regrid_of

SECTIONS = ("project", "horizon", "forecast", "objective", "limits", "quotas", "rules", "solver")
_NAMES_SHOWN = 3

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class ChangedInput:
    """A table, or a section of the settings as `[objective]`, and what is different in it, in words."""

    name: str
    what: tuple[str, ...]

    @property
    def is_section(self) -> bool:
        return self.name.startswith("[")

    def put_into(self, before: Project, after: Project) -> Project:
        """Return the project `before` with this one input as `after` has it."""
        if self.is_section:
            return replace(before, settings=_with_section(before.settings, after.settings, self.name[1:-1]))
        files = (
            *(file for file in before.files if file.table != self.name),
            *(file for file in after.files if file.table == self.name),
        )
        return replace(before, files=files, content=content(files, regrid_of(before.settings)))


def changed_inputs(before: Project, after: Project) -> tuple[ChangedInput, ...]:
    """Return the inputs that differ, tables by name, then sections in their order; times in the zone of the second project."""
    zone = ZoneInfo(after.settings.project.timezone)
    tables = sorted({file.table for file in (*before.files, *after.files)})
    found = [ChangedInput(table, what) for table in tables if (what := _table_changes(table, before.files, after.files, zone))]
    old, new = _values(before.settings), _values(after.settings)
    for section in SECTIONS:
        keys = [key for key in sorted({*old, *new}) if key.partition(".")[0] == section and old.get(key) != new.get(key)]
        if keys:
            what = tuple(f"{key} {_said(old.get(key), zone)} -> {_said(new.get(key), zone)}" for key in keys)
            found.append(ChangedInput(f"[{section}]", what))
    return tuple(found)


def _table_changes(table: str, before: tuple[TableFile, ...], after: tuple[TableFile, ...], zone: tzinfo) -> tuple[str, ...]:
    """Return the rows that came, went and changed, with the columns; empty where both say the same."""
    hashes = [sorted(file.sha256 for file in files if file.table == table) for files in (before, after)]
    if hashes[0] == hashes[1]:
        return ()
    key = dictionary(table).key
    old, new = (_rows([file for file in files if file.table == table], key, zone) for files in (before, after))
    added, gone = [name for name in new if name not in old], [name for name in old if name not in new]
    said = [*_listed(added, "added"), *_listed(gone, "gone")]
    columns: dict[str, list[str]] = {}
    for name in old:
        for column in sorted({*old[name], *new.get(name, old[name])}):
            if name in new and old[name].get(column) != new[name].get(column):
                columns.setdefault(column, []).append(
                    f"{name} {_said(old[name].get(column), zone)} -> {_said(new[name].get(column), zone)}"
                )
    said += [f"column {column}: {_shown(changes)}" for column, changes in sorted(columns.items())]
    return tuple(said) or ("the same rows, written otherwise",)


def _rows(files: list[TableFile], key: tuple[str, ...], zone: tzinfo) -> dict[str, Row]:
    """Return the rows of a table by their key, or by all of their values where it has none."""
    found: dict[str, Row] = {}
    for file in files:
        for row in file.arrow.to_pylist():
            parts = [row.get(column) for column in key] if key else list(row.values())
            found["/".join(_said(part, zone) for part in parts if part is not None)] = row
    return found


def _listed(names: list[str], what: str) -> list[str]:
    return [f"{counted(len(names), 'row')} {what}: {_shown(names)}"] if names else []


def _shown(texts: list[str]) -> str:
    more = len(texts) - _NAMES_SHOWN
    return ", ".join(texts[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _said(value: object, zone: tzinfo) -> str:
    if value is None or value == "":
        return "empty"
    if isinstance(value, tuple | list):
        return f"[{', '.join(_item(one, zone) for one in value)}]"
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(zone).isoformat(" ", "seconds" if value.second else "minutes")
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _item(value: object, zone: tzinfo) -> str:
    return f'"{value}"' if isinstance(value, str) else _said(value, zone)


def _values(settings: Settings) -> dict[str, object]:
    return {origin.key: origin.value for origin in settings.origins if not origin.key.startswith("inputs.")}


def _with_section(settings: Settings, other: Settings, section: str) -> Settings:
    """Return settings with one section of others."""
    sections: dict[str, Iterable[str]] = {"rules": ("forbid", "best_effort")}
    names = sections.get(section, (section,))
    return replace(settings, **{name: getattr(other, name) for name in names})
