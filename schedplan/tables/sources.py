"""Where tables come from: the paths that a call names, resolved to files. It opens none but to read it as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from difflib import get_close_matches
from pathlib import Path

from schedplan.errors import Fault, InputError
from schedplan.tables.catalog import INPUT_TABLES, dictionary
from schedplan.tables.faults import Code, raise_faults
from schedplan.tables.raw_file import reason_of
from schedplan.tables.read import TableFile, read_table
from schedplan.tables.recognise import by_name, has_table_suffix, stem_of


@dataclass(frozen=True, slots=True)
class Source:
    """One file. table None: recognised when it is read. zone None: that of the project. named_by: words for who names the file."""

    path: Path
    table: str | None = None
    zone: tzinfo | None = None
    named_by: str = ""


def sources_at(paths: tuple[Path, ...]) -> tuple[Source, ...]:
    """Return the sources that paths name: table files, and folders of files named after tables.

    Raises InputError with every path that names nothing.
    """
    faults: list[Fault] = []
    found = tuple(source for path in paths for source in _sources_at(path, faults))
    raise_faults(faults)
    return found


def sources_of(inputs: Mapping[str, tuple[Path, ...]], named_by: Mapping[str, str] | None = None) -> tuple[Source, ...]:
    """Return the sources of a mapping table -> paths, in the order of the dictionaries; a folder stands for its files.

    named_by: table -> words for who names its files, told where one is not there.

    Raises InputError with every path that names nothing.
    """
    faults: list[Fault] = []
    order = [table.name for table in INPUT_TABLES if table.name in inputs]
    words = named_by or {}
    found = [
        Source(source.path, name, named_by=words.get(name, ""))
        for name in order
        for path in inputs[name]
        for source in _sources_at(path, faults, name)
    ]
    raise_faults(faults)
    return tuple(found)


def read_sources(sources: tuple[Source, ...], zone: tzinfo = UTC, repeating: frozenset[str] = frozenset()) -> tuple[TableFile, ...]:
    """Return the tables of all sources, in their order; repeating: those in which a key may stand in several rows.

    Raises InputError with the faults of all files.
    """
    files: list[TableFile] = []
    faults: list[Fault] = []
    for source in sources:
        if not source.path.exists():
            faults.append(_absent(source))
            continue
        try:
            files.append(read_input(source.path, source.table, source.zone or zone, repeating=repeating))
        except InputError as problem:
            faults.extend(problem.faults)
    raise_faults(faults)
    return tuple(files)


def read_input(
    path: Path,
    table: str | None = None,
    zone: tzinfo = UTC,
    *,
    renames: tuple[tuple[str, str], ...] = (),
    repeating: frozenset[str] = frozenset(),
) -> TableFile:
    """Return the table in one file as read_table does; InputError also where it is a result of schedplan, not an input."""
    file = read_table(path, table, zone, renames=renames, repeating=repeating)
    refuse_result(file, path)
    return file


def refuse_result(file: TableFile, path: Path) -> None:
    """Raise InputError where a file holds a table that schedplan writes, which is no input."""
    if dictionary(file.table).written:
        message = f"this is the table {file.table} of a plan, which is a result and no input"
        raise_faults((Fault(Code.UNKNOWN_TABLE.value, message, str(path)),))


def _absent(source: Source) -> Fault:
    """Return the fault of a file that is not there, with who names it and the name beside it that is most like its own."""
    try:
        names = sorted(entry.name for entry in source.path.parent.iterdir() if has_table_suffix(entry))
    except OSError:
        names = []
    stems = {stem_of(Path(name)).lower(): name for name in names}
    near = get_close_matches(stem_of(source.path).lower(), stems, n=1)
    message = "there is no such file" + (f"; {source.named_by} names it" if source.named_by else "")
    return Fault(Code.UNREADABLE.value, message, str(source.path), hint=f"Did you mean {stems[near[0]]}?" if near else None)


def _sources_at(path: Path, faults: list[Fault], table: str | None = None) -> tuple[Source, ...]:
    """Return the files that a path names: itself, or those of a folder that are named after a table."""
    if not path.is_dir():
        return (Source(path, table),)
    try:
        entries = sorted(entry for entry in path.iterdir() if entry.is_file() and has_table_suffix(entry))
    except OSError as problem:
        faults.append(Fault(Code.UNREADABLE.value, f"the folder can't be listed: {reason_of(problem)}", str(path)))
        return ()
    named = [entry for entry in entries if table is not None or by_name(entry) is not None]
    if not named:
        names = "*.csv *.csv.gz *.parquet" if table is not None else "nodes.csv, jobs.parquet, ..."
        faults.append(Fault(Code.UNREADABLE.value, "the folder holds no tables", str(path), expected=names, seen=""))
    _refuse_twins(named, table, faults)
    return tuple(Source(entry, table) for entry in named)


def _refuse_twins(entries: list[Path], table: str | None, faults: list[Fault]) -> None:
    """A folder that holds nodes.csv beside nodes.parquet says one thing twice; which is meant is not guessed."""
    first: dict[str, Path] = {}
    for entry in entries if table is None else ():
        found = by_name(entry)
        if found is not None and first.setdefault(found.name, entry) != entry:
            message = f"the table {found.name} stands here twice, also as {first[found.name].name}"
            faults.append(Fault(Code.DUPLICATE.value, message, str(entry), hint="Remove one, or name the files one by one."))
