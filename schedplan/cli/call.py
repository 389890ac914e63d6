"""A call: what every command was told besides its own options, and the doors to settings, results and talk."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedplan.cli.options import Color, LogForm, OutputForm, ProgressForm
from schedplan.cli.talk import Talk
from schedplan.config.override import Override, overrides_of, parse_set

if TYPE_CHECKING:
    from schedplan.cli.progress import Progress
    from schedplan.config.project import ProjectPlace
    from schedplan.config.settings import Settings
    from schedplan.report.document import Document


@dataclass(frozen=True, slots=True)
class Call:
    """The options every command takes. config, out: None where not given; assignments: the texts of --set in order."""

    config: Path | None = None
    output: OutputForm = OutputForm.TABLE
    out: Path | None = None
    force: bool = False
    quiet: bool = False
    verbosity: int = 0
    color: Color = Color.AUTO
    progress_form: ProgressForm = ProgressForm.AUTO
    log_form: LogForm = LogForm.TEXT
    seed: str | None = None
    threads: str | None = None
    assignments: tuple[str, ...] = ()

    def overrides(self) -> tuple[Override, ...]:
        """Return what flags say about keys of the project file; UsageError for a --set that can't be read."""
        assigned = tuple(parse_set(text) for text in self.assignments)
        return (
            *assigned,
            *overrides_of("solver.seed", self.seed, "--seed"),
            *overrides_of("solver.threads", self.threads, "--threads"),
        )

    def place(self, data: list[Path] | None = None) -> ProjectPlace:
        """Return the project and the tables that DATA and --config speak of, seen from the working directory."""
        from schedplan.config.project import locate_project

        return locate_project(tuple(data or ()), self.config, Path())

    def settings(self, place: ProjectPlace, extra: tuple[Override, ...] = ()) -> Settings:
        """Return the settings of a project; `extra`: a command's own flags. Their warnings are said."""
        from schedplan.config.load import load_settings

        settings = load_settings(place.file, (*self.overrides(), *extra), os.environ)
        for warning in settings.warnings:
            self.talk().warn(warning)
        return settings

    def plan_folder(self, named: Path | None, project: Path | None = None) -> Path:
        """Return the folder of the plan that a call speaks of: the one named, else runs/plan of the project, or of the nearest."""
        if named is not None:
            return named
        file = self.place([] if project is None else [project]).file
        return (Path() if file is None else file.parent) / "runs" / "plan"

    def talk(self) -> Talk:
        """Return the voice on standard error that this call asked for."""
        return Talk(is_json=self.log_form is LogForm.JSON, is_quiet=self.quiet, color=self.color.value)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Give the teller of progress for the length of a `with`."""
        from schedplan.cli.progress import Progress

        with Progress(self.talk(), self.progress_form.value) as progress:
            yield progress

    def line(self, *words: str | Path) -> str:
        """Return a command line that a person can copy, every word quoted that needs it."""
        return shlex.join(("schedplan", *(str(word) for word in words)))

    def present(self, document: Document) -> None:
        """Write a result to standard output in the form that was asked for."""
        from schedplan.cli.output import present

        present(document, self.output, self.color)
