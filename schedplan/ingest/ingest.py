"""From source files to `<table>.parquet` and `ingest.json`: read all, then write all; a fault anywhere writes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.errors import Fault, InputError, UsageError
from schedplan.ingest.account import Account, DefaultApplied, Dropped, FileAccount, Repeat, TableAccount
from schedplan.ingest.kubernetes.counted_once import counted_once
from schedplan.ingest.live.live import LiveSource, answers_of
from schedplan.ingest.merge import SAME, merged
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import AUTO, chosen_reader
from schedplan.ingest.slurm.partitions import with_partitions
from schedplan.ingest.source_paths import ACCOUNT_FILE, source_files
from schedplan.ingest.standard_input import renamed_fault, renamed_file, spooled
from schedplan.ingest.table_reader import TableReader
from schedplan.tables.arrow_form import arrow_schema
from schedplan.tables.artefact_columns import parquet_bytes
from schedplan.tables.artefact_folder import write_bytes_whole
from schedplan.tables.canonical import canonical_rows, canonical_sha256
from schedplan.tables.catalog import INPUT_TABLES
from schedplan.tables.column import Dictionary
from schedplan.tables.faults import Code, raise_faults
from schedplan.tables.read import TableFile
from schedplan.tables.table_rows import TableRows, table_rows

LIVE_READER = "prometheus"
_PARQUET_MARK = "PAR1"
_ACCOUNT_MARK = '"columns_ignored"'


def ingest(
    paths: tuple[Path, ...],
    out: Path,
    options: ReadOptions | None = None,
    *,
    reader: str = AUTO,
    force: bool = False,
    live: LiveSource | None = None,
) -> Account:
    """Read sources, write one Parquet file per table and ingest.json into the folder `out`; return the account.

    A folder or pattern stands for its files; several files of one table add up; the answers of `live` are further files. Rows are
    written in canonical order, so that the order of sources and rows leaves no trace. Raises InputError with the faults of all
    files, UsageError for units that no file takes, before anything is written; OutputError where `out` can't be written.
    """
    paths = source_files(paths)
    options = options or ReadOptions()
    files = _joined(_read(paths, options, reader, live))
    _refuse_idle_units(options, files)
    _refuse_currencies(tuple(file for _, file in files))
    rows = tuple(found for found in (table_rows(table, tuple(file for _, file in files)) for table in INPUT_TABLES) if found.n_rows)
    raise_faults(fault for one in rows for fault in one.faults)
    tables = tuple((one.dictionary, _canonical_table(one)) for one in rows)
    account = Account(
        tuple(_file_account(name, file, rows) for name, file in files),
        tuple(_table_account(one, table, files) for one, (_, table) in zip(rows, tables, strict=True)),
    )
    for dictionary, table in tables:
        _write(out / f"{dictionary.name}.parquet", parquet_bytes(table), _PARQUET_MARK, force, paths)
    _write(out / ACCOUNT_FILE, account.json_text().encode(), _ACCOUNT_MARK, force, paths)
    return account


def _read(paths: tuple[Path, ...], options: ReadOptions, reader: str, live: LiveSource | None) -> tuple[tuple[str, TableFile], ...]:
    """Return (name of the reader, table) of each file in turn."""
    found: list[tuple[str, TableFile]] = []
    faults: list[Fault] = []
    with spooled(paths) as readable, answers_of(live) as answers:
        piled = [(asked, path, reader, None) for asked, path in zip(paths, readable, strict=True)]
        for asked, path, name, answer in (*piled, *((one.asked, one.path, LIVE_READER, one) for one in answers)):
            try:
                chosen = chosen_reader(path, name)
                files = (renamed_file(file, asked) for file in chosen.read(path, options))
                found.extend((chosen.name, file if answer is None else answer.told(file)) for file in files)
            except InputError as problem:
                own = problem.faults or (Fault(problem.code, problem.message, hint=problem.hint),)
                faults.extend(renamed_fault(fault, path, asked) for fault in own)
    raise_faults(faults)
    return tuple(found)


def _joined(files: tuple[tuple[str, TableFile], ...]) -> tuple[tuple[str, TableFile], ...]:
    """Return the files with what they say of each other's rows."""
    names = [name for name, _ in files]
    return tuple(zip(names, merged(counted_once(with_partitions(tuple(file for _, file in files)))), strict=True))


def _refuse_idle_units(options: ReadOptions, files: tuple[tuple[str, TableFile], ...]) -> None:
    """Refuse units that no file takes: a reader of a source knows those of its source, and would pass them over in silence."""
    if not options.units or any(name == TableReader().name for name, _ in files):
        return
    told = ", ".join(f"{column}={unit}" for column, unit in options.units)
    names = ", ".join(dict.fromkeys(name for name, _ in files))
    hint = "Leave it out; or read the file by the columns of a table: --from table, with --map THEIRS=OURS."
    raise UsageError(f"--unit {told}: has no effect on what {names} reads, which knows the units of its source", hint=hint)


def _refuse_currencies(files: tuple[TableFile, ...]) -> None:
    """Refuse prices in several currencies: a project has one, and none is converted."""
    stated = {file.currency: str(file.path) for file in files if file.currency is not None}
    if len(stated) > 1:
        told = ", ".join(f"{currency} in {path}" for currency, path in sorted(stated.items()))
        hint = "Convert them to one currency, that of the project, or ingest them apart."
        raise_faults((Fault(Code.CONTRADICTION.value, f"prices are in several currencies: {told}", hint=hint),))


def _canonical_table(rows: TableRows) -> pa.Table:
    """Return the rows in canonical order, columns in the order of the dictionary; columns without any value are left out."""
    sorted_rows = canonical_rows(rows.arrow, rows.dictionary)
    fields = [field for field in arrow_schema(rows.dictionary) if field.name in sorted_rows.column_names]
    return pa.table([sorted_rows.column(field.name) for field in fields], schema=pa.schema(fields))


def _file_account(reader: str, file: TableFile, tables: tuple[TableRows, ...]) -> FileAccount:
    """Return the account of a file. A row of the source is kept where any row of the table that it gave is."""
    rows = next((one for one in tables if one.dictionary.name == file.table), None)
    kept, written = 0, 0
    if rows is not None and str(file.path) in rows.paths:
        is_own = rows.files == rows.paths.index(str(file.path))
        kept = _n_distinct(rows.numbers if np.all(is_own) else rows.numbers[is_own])
        written = int(np.count_nonzero(is_own))
    n_sources = _n_distinct(file.rows)
    if file.rows_used is not None and kept:
        kept = n_sources = file.rows_used
    dropped = [Dropped(reason, count) for reason, count in file.dropped]
    if n_sources > kept:
        dropped.append(Dropped(SAME, n_sources - kept))
    return FileAccount(
        str(file.path),
        reader,
        file.table,
        file.sha256,
        n_sources + sum(one.rows for one in dropped[: len(file.dropped)]),
        kept,
        tuple(dropped),
        tuple(sorted({*_unknown_columns(file), *file.ignored})),
        file.notes,
        tuple(Repeat(row, earlier) for row, earlier in file.repeats),
        file.warnings,
        written,
        file.conversions,
        file.currency,
    )


def _n_distinct(numbers: NDArray[np.int64]) -> int:
    """Return how many different numbers there are; of rising ones, as rows of a file mostly are, all."""
    return len(numbers) if np.all(numbers[1:] > numbers[:-1]) else len(np.unique(numbers))


def _unknown_columns(file: TableFile) -> tuple[str, ...]:
    known = next(table for table in INPUT_TABLES if table.name == file.table).column_names
    return tuple(name for name in file.arrow.column_names if name not in known)


def _table_account(rows: TableRows, table: pa.Table, files: tuple[tuple[str, TableFile], ...]) -> TableAccount:
    dictionary = rows.dictionary
    own = [file for _, file in files if file.table == dictionary.name]
    return TableAccount(
        dictionary.name,
        f"{dictionary.name}.parquet",
        table.num_rows,
        own[0].sha256 if len(own) == 1 else canonical_sha256(table, dictionary),
        _defaults(rows, dictionary),
    )


def _defaults(rows: TableRows, dictionary: Dictionary) -> tuple[DefaultApplied, ...]:
    empty = ((column, rows.arrow.column(column.name).null_count) for column in dictionary.columns if not column.required)
    return tuple(
        DefaultApplied(column.name, column.default_text, count)
        for column, count in empty
        if count and (column.default is not None or column.default_rule)
    )


def _write(path: Path, content: bytes, mark: str, force: bool, inputs: tuple[Path, ...]) -> None:
    write_bytes_whole(path, content, mark=mark, force=force, inputs=inputs)
