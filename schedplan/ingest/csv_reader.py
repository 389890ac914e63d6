"""A reader of CSV files that are told by their columns: the forms it knows, each with its dictionary and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_file import SourceRows, header, missing_columns, read_source
from schedplan.tables.column import Dictionary
from schedplan.tables.read import TableFile


@dataclass(frozen=True, slots=True)
class Form:
    """Columns of a file, and what is made of its rows. zone: of its times whatever --tz says. is_whole: it has no other column."""

    dictionary: Dictionary
    convert: Callable[[SourceRows], tuple[TableFile, ...]]
    zone: tzinfo | None = None
    is_whole: bool = False

    def fits(self, names: tuple[str, ...]) -> bool:
        """Return whether a file with columns of these names is of this form."""
        is_alone = not self.is_whole or set(names) <= set(self.dictionary.column_names)
        return bool(names) and is_alone and not missing_columns(names, self.dictionary)


@dataclass(frozen=True, slots=True)
class CsvReader:
    """The first form that fits reads the file; a file that fits none, of the one that it lacks least of, tells what is missing."""

    name: str
    description: str
    tables: tuple[str, ...]
    forms: tuple[Form, ...]

    @property
    def recognised_by(self) -> str:
        return "columns " + "; or ".join(", ".join(form.dictionary.required_names) for form in self.forms)

    def sniff(self, path: Path) -> bool:
        """Return whether the file has the columns of a form."""
        names = header(path)
        return any(form.fits(names) for form in self.forms)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the tables in the file; InputError with all its faults."""
        renamed = dict(options.renames)
        names = tuple(renamed.get(name, name) for name in header(path))
        fitting = [form for form in self.forms if form.fits(names)]
        form = fitting[0] if fitting else min(self.forms, key=lambda one: missing_columns(names, one.dictionary))
        zone = form.zone or options.zone
        return form.convert(read_source(path, form.dictionary, replace(options, zone=zone)))


def draft_of(table: str, rows: SourceRows, used: tuple[str, ...]) -> Draft:
    """Return an empty draft of a table out of a CSV file. used: columns that go somewhere; all others are told as ignored."""
    draft = Draft(table, rows.file.path, rows.faults)
    prefix = f"{rows.file.path}: "
    draft.notes.extend(note.removeprefix(prefix) for note in rows.file.notes if "is not known and is ignored" not in note)
    draft.ignored |= {name for name in rows.file.arrow.column_names if name not in used}
    return draft


UTC_ALWAYS = UTC
