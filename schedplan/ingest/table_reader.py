"""Reader `table`: CSV, TSV, JSON Lines and Parquet files that hold one canonical table each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.quantities.cell_units import converted
from schedplan.ingest.reader import ReadOptions
from schedplan.tables.catalog import dictionary
from schedplan.tables.read import TableFile, read_rows
from schedplan.tables.recognise import has_table_suffix
from schedplan.tables.sources import refuse_result


@dataclass(frozen=True, slots=True)
class TableReader:
    """Reads what already has the columns of a table, or has them after `--map`."""

    name: str = "table"
    description: str = "CSV, TSV, JSON Lines (gzip, zstd) or Parquet with the columns of one table; --map renames, --unit converts"
    tables: tuple[str, ...] = ()
    recognised_by: str = (
        "a name that ends in .csv, .tsv, .jsonl, .ndjson (also .gz, .zst) or .parquet; the table by its name, else by its columns"
    )

    def sniff(self, path: Path) -> bool:
        """Return whether the name ends as that of a table file."""
        return has_table_suffix(path)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the one table in the file; InputError with all its faults."""
        known = None if options.table is None else dictionary(options.table)
        file = read_rows(
            path,
            known,
            options.zone,
            renames=options.renames,
            form=options.form,
            convert=lambda raw, found: converted(raw, found, options.units),
            told_units=frozenset(name for name, _ in options.units),
            tell=lambda n_rows: options.tell(path, n_rows),
        )
        refuse_result(file, path)
        return (file,)
