"""What a plan was made from: inputs, settings, versions, slots, demand. It knows neither the plan nor how to write it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePath

from schedplan import __version__
from schedplan.errors import InputError, StalePlanError
from schedplan.model.forecast import Forecast, Quality
from schedplan.model.problem import Demand, Problem
from schedplan.timegrid import TimeGrid

WITHOUT_A_SAY = ("check", "limits", "report")

HashOf = Callable[[Path, str], str]


@dataclass(frozen=True, slots=True)
class InputRecord:
    """One file that was read: path relative to the project, with `/`; its table; SHA-256 of its canonical content."""

    path: str
    table: str
    sha256: str


@dataclass(frozen=True, slots=True)
class SettingsSnapshot:
    """The settings in force. path and sha256 of the project file (None without one); values: (section.key, JSON text)."""

    path: str | None = None
    sha256: str | None = None
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PlanContext:
    """All that a plan needs to be read, checked and explained later, beside its own decisions and numbers.

    nodes: the names of the rows of the plan's [node, slot] arrays. demands and forecasts: as the plan used them.
    """

    project: str
    grid: TimeGrid
    nodes: tuple[str, ...]
    currency: str = "USD"
    timezone: str = "UTC"
    quantile: float = 0.95
    inputs: tuple[InputRecord, ...] = ()
    settings: SettingsSnapshot = SettingsSnapshot()
    versions: tuple[tuple[str, str], ...] = ()
    assumptions: tuple[str, ...] = ()
    demands: tuple[Demand, ...] = ()
    forecasts: tuple[Forecast, ...] = ()
    quality: tuple[Quality, ...] = ()


def context_of(
    problem: Problem,
    *,
    inputs: tuple[InputRecord, ...] = (),
    settings: SettingsSnapshot | None = None,
    forecasts: tuple[Forecast, ...] = (),
    quality: tuple[Quality, ...] = (),
) -> PlanContext:
    """Return the context of a plan for `problem`, with the versions that run now; inputs by path."""
    return PlanContext(
        project=problem.name,
        grid=problem.grid,
        nodes=problem.cluster.nodes,
        currency=problem.currency,
        timezone=problem.timezone,
        quantile=problem.quantile,
        inputs=tuple(sorted(inputs, key=lambda record: (record.path, record.table))),
        settings=settings or SettingsSnapshot(),
        versions=running_versions(),
        assumptions=problem.assumptions,
        demands=problem.demands,
        forecasts=forecasts,
        quality=quality,
    )


def running_versions() -> tuple[tuple[str, str], ...]:
    """Return (name, version) of ortools, python (without the patch) and schedplan, by name."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (("ortools", metadata.version("ortools")), ("python", python), ("schedplan", __version__))


def relative_path(path: Path, project_root: Path) -> str:
    """Return a path as a plan records it: relative to the project, with `/`, above it by `..`."""
    return PurePath(os.path.relpath(path, project_root)).as_posix()


def settings_sha256(path: Path, leave_out: tuple[str, ...] = WITHOUT_A_SAY) -> str:
    """Return the SHA-256 of what a project file says, without its comments, order and the sections that no plan depends on.

    Raises InputError where the file can't be read as TOML.
    """
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as problem:
        raise InputError(f"{path}: can't be read: {problem.strerror}") from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path}: not a TOML file: {problem}") from None
    kept = {key: value for key, value in document.items() if key not in leave_out}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode("utf-8")).hexdigest()


def stale(context: PlanContext, project_root: Path, hash_of: HashOf) -> tuple[str, ...]:
    """Return the paths of the inputs that are no longer what the plan was made from, in the order of the context.

    `hash_of(path, table)` gives the canonical SHA-256 of a file; where it raises InputError or OSError the file counts as changed.
    The project file counts, but for its sections without a say in a plan.
    """
    changed = [
        record.path for record in context.inputs if _hash_now(hash_of, project_root / record.path, record.table) != record.sha256
    ]
    settings = context.settings
    if settings.path is not None and _settings_now(project_root / settings.path) != settings.sha256:
        changed.append(settings.path)
    return tuple(dict.fromkeys(changed))


def refuse_stale(context: PlanContext, project_root: Path, hash_of: HashOf) -> None:
    """Raise StalePlanError, naming them, where inputs of a plan have changed since it was made."""
    changed = stale(context, project_root, hash_of)
    if changed:
        are = "has" if len(changed) == 1 else "have"
        raise StalePlanError(
            f"the plan is stale: {', '.join(changed)} {are} changed since it was made",
            hint="Make it again with `schedplan optimize`, or restore what it was made from.",
        )


def _hash_now(hash_of: HashOf, path: Path, table: str) -> str | None:
    try:
        return hash_of(path, table)
    except (InputError, OSError):
        return None


def _settings_now(path: Path) -> str | None:
    try:
        return settings_sha256(path)
    except InputError:
        return None
