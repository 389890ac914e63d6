"""Which project a command speaks of: from its DATA arguments, from --config, or the nearest one upward.

It looks at names of files only; what is inside a table or a project file is read elsewhere.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from schedplan.config.document import FILE_NAME, PYPROJECT, holds_settings
from schedplan.errors import UsageError


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """file: the project file, None without one. folders, tables: what DATA names besides; where there are any, they are
    the inputs, in place of those the project file names.
    """

    file: Path | None
    folders: tuple[Path, ...]
    tables: tuple[Path, ...]


def locate_project(data: tuple[Path, ...], config: Path | None, start: Path) -> ProjectPlace:
    """Return what `data` and `config` speak of, seen from the folder `start`; UsageError for absent or rival ones."""
    projects: list[Path] = []
    folders: list[Path] = []
    tables: list[Path] = []
    for path in data:
        if not path.exists():
            raise UsageError(
                f"{path} is not there", hint="DATA is a project folder, a schedplan.toml, a folder of tables, or tables"
            )
        inside = project_file_in(path) if path.is_dir() else None
        if inside is not None or path.suffix == ".toml":
            projects.append(inside or path)
        else:
            (folders if path.is_dir() else tables).append(path)
    if config is not None:
        projects.append((project_file_in(config) or config / FILE_NAME) if config.is_dir() else config)
    distinct = {path.resolve(): path for path in projects}
    if len(distinct) > 1:
        raise UsageError(f"two projects are named: {' and '.join(str(path) for path in distinct.values())}", hint="keep one")
    file = projects[0] if projects else nearest_project(start)
    return ProjectPlace(file, tuple(folders), tuple(tables))


def nearest_project(start: Path) -> Path | None:
    """Return the project file of `start` or of the nearest folder above it, written relative to `start`; None without."""
    folder = start.resolve()
    for place in (folder, *folder.parents):
        file = project_file_in(place)
        if file is not None:
            return start / os.path.relpath(file, folder)
    return None


def project_file_in(folder: Path) -> Path | None:
    """Return schedplan.toml of a folder, else its pyproject.toml where that has [tool.schedplan], else None."""
    return next((folder / name for name in (FILE_NAME, PYPROJECT) if holds_settings(folder / name)), None)
