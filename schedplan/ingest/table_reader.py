"""Reader `table`: CSV, gzipped CSV and Parquet files that hold one canonical table each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.reader import ReadOptions
from schedplan.tables.read import TableFile
from schedplan.tables.recognise import has_table_suffix
from schedplan.tables.sources import read_input


@dataclass(frozen=True, slots=True)
class TableReader:
    """Reads what already has the columns of a table, or has them after `--map`."""

    name: str = "table"
    description: str = "CSV, gzipped CSV or Parquet with the columns of one table (schedplan schema NAME); --map renames columns"
    tables: tuple[str, ...] = ()
    recognised_by: str = "a name that ends in .csv, .csv.gz or .parquet; the table by its name (jobs.csv), else by its columns"

    def sniff(self, path: Path) -> bool:
        """Return whether the name ends as that of a table file."""
        return has_table_suffix(path)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the one table in the file; InputError with all its faults."""
        return (read_input(path, options.table, options.zone, renames=options.renames),)
