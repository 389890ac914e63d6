"""What `ingest` makes of every file of the public data, as a table that a person reads.

    python -m tests.ingest.every_file [FOLDER]      default: SCHEDPLAN_DATA, else ../shared/data

One line per file and table: the reader, rows of the source read and kept, rows written, and why others were left; or the refusal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from schedplan.errors import InputError
from schedplan.ingest.account import FileAccount
from schedplan.ingest.ingest import ingest

HEADER = ("file", "reader", "table", "rows read", "kept", "written", "dropped, or why it is refused")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: its tables, or the one line of its refusal."""

    name: str
    files: tuple[FileAccount, ...] = ()
    refusal: str | None = None

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells of the table, those of HEADER."""
        if self.refusal is not None:
            yield (self.name, "refused", "", "", "", "", self.refusal)
        for file in self.files:
            dropped = "; ".join(f"{one.rows}: {one.reason}" for one in file.dropped)
            counts = (file.rows_read, file.rows_kept, file.rows_written)
            yield (self.name, file.reader, file.table, *(f"{count:,}" for count in counts), dropped)


def files_of(data: Path) -> tuple[str, ...]:
    """Return the names of all files below a folder but its description, in their order."""
    paths = (path for path in data.rglob("*") if path.is_file() and path.name != "README.md")
    return tuple(sorted(str(path.relative_to(data)) for path in paths))


def outcome(data: Path, name: str, out: Path) -> Outcome:
    """Ingest one file into a folder of its own, and return what became of it."""
    try:
        return Outcome(name, ingest((data / name,), out).files)
    except InputError as refused:
        (fault,) = refused.faults
        return Outcome(name, refusal=f"{fault.message} {fault.hint or fault.expected or ''}".replace(f"{data}/", ""))


def main(words: list[str]) -> int:
    """Print the table as Markdown."""
    data = Path(words[0] if words else os.environ.get("SCHEDPLAN_DATA") or Path(__file__).parents[3] / "shared" / "data")
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    for name in files_of(data):
        with TemporaryDirectory() as folder:
            for cells in outcome(data, name, Path(folder) / "out").lines():
                print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
