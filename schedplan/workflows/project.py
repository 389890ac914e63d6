"""A project with its tables read: where a command finds what it works on. It plans and forecasts nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.config.project import ProjectPlace
from schedplan.config.settings import Settings
from schedplan.errors import InputError
from schedplan.measures.calibration import Calibration, calibrated, calibrations
from schedplan.tables.artefact_context import InputRecord, relative_path
from schedplan.tables.convert import Content, content
from schedplan.tables.read import TableFile
from schedplan.tables.regrid import Regrid, Together
from schedplan.tables.sources import Source, read_input, read_sources, sources_at, sources_of


@dataclass(frozen=True)
class Project:
    """Settings, the files that were read, and what they say. `root`: the folder that recorded paths are relative to."""

    settings: Settings
    root: Path
    files: tuple[TableFile, ...]
    content: Content

    @property
    def name(self) -> str:
        return self.settings.project.name

    @cached_property
    def calibrations(self) -> tuple[Calibration, ...]:
        """What latency samples say of the services; it is fitted when it is first asked for."""
        content = self.content
        return calibrations(content.cluster, content.services, content.latency_samples)

    @cached_property
    def calibrated(self) -> Content:
        """What the tables say, with calibrated service times where they are better; what was done is a note, or a warning."""
        content = self.content
        cluster, services = calibrated(content.cluster, content.services, self.calibrations)
        told = {found: f"service {found.service}: {found.words}" for found in self.calibrations}
        return replace(
            content,
            cluster=cluster,
            services=services,
            notes=(*content.notes, *(text for found, text in told.items() if not found.fits_badly)),
            warnings=(*content.warnings, *(text for found, text in told.items() if found.fits_badly)),
        )

    def inputs(self) -> tuple[InputRecord, ...]:
        """Return what was read, as a result records it."""
        return tuple(InputRecord(relative_path(file.path, self.root), file.table, file.sha256) for file in self.files)

    def paths(self) -> tuple[Path, ...]:
        """Return every file that must never be written to."""
        project_file = (self.settings.file,) if self.settings.file is not None else ()
        return (*(file.path for file in self.files), *project_file)


def open_project(place: ProjectPlace, settings: Settings, pins: Path | None = None, events: Path | None = None) -> Project:
    """Return the project at a place: the tables DATA names where it names any, else those of the project file.

    pins, events: one more file of that table.

    Raises InputError with the faults of all files, or where there is nothing to read.
    """
    sources = _sources(place, settings)
    if not sources:
        raise InputError(
            "there is nothing to read: no table was named, and no project file names one",
            hint="Name tables (schedplan optimize nodes.csv jobs.csv), or give them under [inputs] of schedplan.toml;"
            " `schedplan init DIR` makes a project to begin with.",
        )
    given = (("pins", pins, "--pin"), ("events", events, "--exog"))
    more = tuple(Source(path, table, named_by=option) for table, path, option in given if path is not None)
    return _project(settings, _root(settings), (*sources, *more))


def reopen_project(settings: Settings, root: Path, inputs: tuple[InputRecord, ...]) -> Project:
    """Return the project that a result was made from, its inputs by the paths and tables that the result records."""
    return _project(settings, root, tuple(Source(root / record.path, record.table) for record in inputs))


def _project(settings: Settings, root: Path, sources: tuple[Source, ...]) -> Project:
    files = read_sources(sources, ZoneInfo(settings.project.timezone), repeating(settings))
    return Project(settings, root, files, content(files, regrid_of(settings)))


def input_sha256(settings: Settings, path: Path, table: str) -> str:
    """Return the SHA-256 of a file's canonical content, as it is read now."""
    return read_input(path, table, ZoneInfo(settings.project.timezone), repeating=repeating(settings)).sha256


def regrid_of(settings: Settings) -> Regrid | None:
    """Return how rows of load are put together to intervals; None: they are not."""
    freq_s, agg = settings.forecast.freq_s, settings.forecast.agg
    if freq_s is None and agg is None:
        return None
    return Regrid(freq_s, Together(agg or "mean"), ZoneInfo(settings.project.timezone), may_repeat=agg is not None)


def repeating(settings: Settings) -> frozenset[str]:
    """Return the tables in which a key may stand in several rows."""
    return frozenset() if settings.forecast.agg is None else frozenset(("load",))


def _root(settings: Settings) -> Path:
    return settings.folder if settings.file is not None else Path()


def _beside(project_file: Path) -> tuple[Source, ...]:
    """Return the tables that lie beside a project file which names none; none where there are none."""
    try:
        return sources_at((project_file.parent,))
    except InputError:
        return ()


def _sources(place: ProjectPlace, settings: Settings) -> tuple[Source, ...]:
    named = (*place.folders, *place.tables)
    if named:
        return sources_at(named)
    if not settings.inputs and settings.file is not None:
        return _beside(settings.file)
    origins = {origin.key: origin.source for origin in settings.origins}
    named_by = {files.table: f"inputs.{files.table} ({origins[f'inputs.{files.table}']})" for files in settings.inputs}
    return sources_of({files.table: files.paths for files in settings.inputs}, named_by)
