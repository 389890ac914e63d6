"""Plans on disk: a folder with plan.json and its tables, written whole or not at all, and read only if nothing in it changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from schedplan.errors import InputError
from schedplan.model.plan import Plan
from schedplan.tables.artefact_context import (
    InputRecord,
    PlanContext,
    SettingsSnapshot,
    context_of,
    refuse_stale,
    relative_path,
    running_versions,
    settings_sha256,
    stale,
)
from schedplan.tables.artefact_folder import (
    restore_interrupted,
    write_bytes_whole,
    write_folder_whole,
    write_text_whole,
)
from schedplan.tables.artefact_forecast import read_forecast, write_forecast
from schedplan.tables.artefact_plan import (
    KIND,
    OPTIONAL_FILES,
    RECORD,
    SCHEMA_VERSION,
    TABLE_FILES,
    manifest_of,
    plan_files,
    plan_of,
    record_fields,
)
from schedplan.tables.artefact_record import NOT_THIS_KIND, damaged, sealed, sha256_of
from schedplan.tables.obstacles import FolderKind

__all__ = [
    "DEFAULT_PLAN",
    "PLAN_FOLDER",
    "InputRecord",
    "PlanContext",
    "SettingsSnapshot",
    "context_of",
    "read_forecast",
    "read_plan",
    "refuse_stale",
    "relative_path",
    "running_versions",
    "settings_sha256",
    "stale",
    "write_bytes_whole",
    "write_folder_whole",
    "write_forecast",
    "write_front",
    "write_plan",
    "write_text_whole",
]

# Reports that people let be written into a plan's folder go with it: they tell of the plan that is replaced.
REPORT_FILES = ("report.html", "report.md", "report.json", "junit.xml")

DEFAULT_PLAN = Path("runs") / "plan"
"""Where the plan of a project stands unless another place is named, from the project's folder."""

PLAN_FOLDER = FolderKind(KIND, RECORD, (RECORD, *TABLE_FILES, *OPTIONAL_FILES, *REPORT_FILES))

FRONT_FOLDER = FolderKind("front", "front.json", tuple(f"{number}" for number in range(1, 100)))

_READ_ATTEMPTS = 5


def write_plan(folder: Path, plan: Plan, context: PlanContext, *, force: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Put a plan with its context at `folder`: complete, or the place is left as it was. An earlier plan there is replaced.

    `inputs` are files that must not be touched. Raises OutputError (artefact_folder tells when), and ValueError for a plan that
    contradicts itself.
    """
    write_folder_whole(folder, plan_files(plan, context), PLAN_FOLDER, force=force, inputs=inputs)


def write_front(
    folder: Path, plans: tuple[tuple[Plan, PlanContext], ...], *, force: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Put the plans of a front at `folder`, each in a folder 1, 2, ... of its own; an earlier front there is replaced whole."""
    names = [f"{number}" for number in range(1, len(plans) + 1)]
    record = sealed({"kind": FRONT_FOLDER.kind, "schema_version": SCHEMA_VERSION, "plans": list(names)})
    files = [
        (f"{name}/{file}", content)
        for name, (plan, context) in zip(names, plans, strict=True)
        for file, content in plan_files(plan, context)
    ]
    write_folder_whole(folder, (*files, (FRONT_FOLDER.record, record)), FRONT_FOLDER, force=force, inputs=inputs)


def read_plan(folder: Path) -> tuple[Plan, PlanContext]:
    """Return the plan at `folder` with its context.

    Raises InputError where there is none, it was made by another major schema version, or a byte of it is not what was written.
    """
    if not folder.exists():
        restore_interrupted(folder)
    record_bytes = _record_bytes(folder)
    for _ in range(_READ_ATTEMPTS):
        try:
            return _plan_at(folder, record_bytes)
        except InputError:
            # Another process may have put a new plan there between two reads.
            current = _record_bytes(folder)
            if current == record_bytes:
                raise
            record_bytes = current
    return _plan_at(folder, record_bytes)


def _record_bytes(folder: Path) -> bytes:
    path = folder / RECORD
    try:
        return path.read_bytes()
    except FileNotFoundError:
        where = "no such folder" if not folder.exists() else f"it has no {RECORD}"
        inside = folder / DEFAULT_PLAN
        hint = f"Its plan is {inside}." if (inside / RECORD).is_file() else "Make one with `schedplan optimize`."
        raise InputError(f"{folder}: no plan: {where}", code=NOT_THIS_KIND, hint=hint) from None
    except OSError as problem:
        raise InputError(f"{path}: can't be read: {problem.strerror}", code=NOT_THIS_KIND) from None


def _plan_at(folder: Path, record_bytes: bytes) -> tuple[Plan, PlanContext]:
    record = record_fields(record_bytes, str(folder / RECORD))
    files = {name: _verified(folder / name, sha256) for name, sha256 in manifest_of(record)}
    return plan_of(record, files, str(folder))


def _verified(path: Path, sha256: str) -> bytes:
    """Return the content of a file whose SHA-256 is known; InputError where it is another or can't be read."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: can't be read: {problem.strerror}", code=NOT_THIS_KIND) from None
    if sha256_of(content) != sha256:
        raise damaged(str(path))
    return content
