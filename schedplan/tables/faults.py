"""Codes of what can be wrong in a file, and the list in which its faults are gathered. It reads nothing itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from schedplan.errors import Fault, InputError

SEEN_CHARS = 80
FAULTS_KEPT = 1000


class Code(Enum):
    """What can be wrong with a file. Numbers are stable; the text of each is in READING_TEXTS."""

    UNREADABLE = "SP1001"
    ENCODING = "SP1002"
    RAGGED = "SP1003"
    HEADER = "SP1004"
    MISSING_COLUMN = "SP1005"
    CELL = "SP1006"
    EMPTY_CELL = "SP1007"
    LIMIT = "SP1008"
    TIME = "SP1009"
    DUPLICATE = "SP1010"
    CONTRADICTION = "SP1011"
    TOO_LARGE = "SP1012"
    UNKNOWN_TABLE = "SP1013"
    COLUMN_TYPE = "SP1014"
    IRREGULAR = "SP1015"
    QUOTING = "SP1016"
    REFERENCE = "SP1017"
    DOCUMENT = "SP1022"
    NOT_A_TABLE = "SP1023"
    NO_ANSWER = "SP1024"


READING_TEXTS: tuple[tuple[Code, str], ...] = (
    (
        Code.UNREADABLE,
        "The file can't be read at all: it is missing, a folder, empty, damaged, or of a format that is never read"
        " (pickle, Feather). CSV, TSV and JSON Lines, also gzipped or zstd-compressed, and Parquet are read.",
    ),
    (
        Code.ENCODING,
        "The text is not UTF-8 (with or without a byte order mark). Save the file again as UTF-8, or tell `schedplan ingest` its"
        " --encoding; encodings are not guessed.",
    ),
    (
        Code.RAGGED,
        "A line has more or fewer fields than the header. Missing fields are never filled in: write the comma of every empty cell,"
        " and quote a text that holds a comma.",
    ),
    (
        Code.HEADER,
        "The header can't be used: a column has no name, a name stands there twice, or the fields are not separated by commas."
        " A file with semicolons is not split by guess: tell `schedplan ingest` its --delimiter; a .tsv has tabs.",
    ),
    (
        Code.MISSING_COLUMN,
        "A column that the table can't do without is missing. `schedplan schema TABLE` lists them; `--map THEIRS=OURS` renames.",
    ),
    (
        Code.CELL,
        "A cell is not what its column holds. Numbers are plain ASCII decimals such as 1000 or 0.5: no separators of thousands,"
        " no unit, no inf or NaN. An empty cell is the way to say that a value is not known.",
    ),
    (Code.EMPTY_CELL, "A cell that must hold a value is empty. Empty is never read as 0, true or false."),
    (Code.LIMIT, "A value is outside the limits of its column, e.g. a negative price or a share of 1.5 devices."),
    (
        Code.TIME,
        "A time names no single instant: it is not ISO 8601, a bare number without unit, outside the years 1980 to 2200, or a"
        " local time that a change of clocks skips or repeats. Write it with its offset, e.g. 2026-12-01T00:00:00Z.",
    ),
    (Code.DUPLICATE, "Two rows have the same key. Which of them is meant is not guessed; remove or rename one."),
    (Code.CONTRADICTION, "Cells of one row contradict each other, e.g. min_count above count, or end before start."),
    (
        Code.TOO_LARGE,
        "The file is beyond the limits of rows x columns, of its size when unpacked, or of a line. Split it or keep fewer columns.",
    ),
    (Code.UNKNOWN_TABLE, "Neither the file's name nor its columns say which table it is. Name it after its table, e.g. jobs.csv."),
    (
        Code.COLUMN_TYPE,
        "A column of a Parquet file has a type from which this column can't be taken exactly, e.g. names stored as floats.",
    ),
    (
        Code.IRREGULAR,
        "Times of a series do not lie on one grid: the commonest difference is its step, and every time must be a multiple of it.",
    ),
    (Code.QUOTING, "Quotes of a CSV file don't match: one is never closed, or text follows a closing one."),
    (Code.REFERENCE, "A row speaks of something that no table holds, e.g. the price of a pool that is not in nodes."),
    (
        Code.DOCUMENT,
        "A JSON or YAML document can't be taken as it stands: it is broken, a key stands twice in one mapping, a number is NaN or"
        " out of range, or it is nested too deeply. YAML is read by its version 1.2: yes, no and 12:30 are texts.",
    ),
    (
        Code.NOT_A_TABLE,
        "The file is known, but holds nothing that becomes a row of a table, or not in a form that can be read without guessing."
        " The message says what the file is, its hint what to run or give instead.",
    ),
    (
        Code.NO_ANSWER,
        "A live server gave no answer that can be read: it can't be reached, asks for a token, redirects, is too slow, or is no"
        " Prometheus. The message says which, its hint what to change. Tokens are told by file or environment alone, never shown.",
    ),
)


@dataclass(slots=True)
class FaultList:
    """Faults of one file, in the order in which they were found. Past 1,000 they are only counted by their last entry."""

    file: str
    faults: list[Fault] = field(default_factory=list)
    dropped: int = 0

    def add(
        self,
        code: Code,
        message: str,
        *,
        row: int | None = None,
        column: str | None = None,
        seen: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Note one fault; a long value is cut to 80 characters."""
        if len(self.faults) >= FAULTS_KEPT:
            self.dropped += 1
            return
        self.faults.append(
            Fault(code.value, message, self.file, row, column, None if seen is None else shorten(seen), expected, hint)
        )

    def absorb(self, other: FaultList) -> None:
        """Take in the faults of another list of the same file, as if they had been found here."""
        n_taken = max(FAULTS_KEPT - len(self.faults), 0)
        self.faults.extend(other.faults[:n_taken])
        self.dropped += len(other.faults[n_taken:]) + other.dropped

    def raise_if_any(self) -> None:
        """Raise InputError with all faults, by row and column, where there are any."""
        raise_faults(self.all())

    def all(self) -> tuple[Fault, ...]:
        """Return the faults by row, those of the whole file first."""
        ordered = sorted(self.faults, key=lambda fault: -1 if fault.row is None else fault.row)
        if self.dropped:
            ordered.append(Fault(Code.CELL.value, f"{self.dropped} more faults are not listed", self.file))
        return tuple(ordered)


def raise_faults(faults: Iterable[Fault]) -> None:
    """Raise InputError with these faults where there is at least one."""
    found = tuple(faults)
    if found:
        raise InputError.of_faults(found)


def shorten(text: str) -> str:
    """Return a text of at most 80 characters; what is cut is told as dots."""
    return text if len(text) <= SEEN_CHARS else text[: SEEN_CHARS - 3] + "..."
