"""Reader `transfer-prices`: a square of regions with USD per GB between them, as rows of the table `links`.

Source: HewlettPackard/sustain-cluster, data/ (2026-11).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import InputError
from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.faults import Code
from schedplan.tables.read import TableFile
from schedplan.units import QuantityError, parse_number

_LEAST_REGIONS = 3


@dataclass(frozen=True, slots=True)
class TransferPrices:
    """Every pair of different regions becomes a row."""

    name: str = "transfer-prices"
    description: str = "USD/GB between regions as a square table (the first row and the first column name the regions)"
    tables: tuple[str, ...] = ("links",)
    recognised_by: str = "a header that begins with an empty cell, and whose other names begin the rows"

    def sniff(self, path: Path) -> bool:
        """Return whether the file is a square of names."""
        lines = head_text(path).splitlines()
        if not lines or not lines[0].startswith(","):
            return False
        names = {name for name in lines[0].split(",") if name}
        rows = [line.split(",", 1)[0] for line in lines[1:]]
        return len(rows) >= _LEAST_REGIONS and set(rows) <= names

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the links in the file; InputError with all its faults."""
        del options
        draft = Draft.of("links", path)
        records = _records(draft, lines_of(path))
        names = [name.strip() for name in records[0][1:]] if records else []
        for number, record in enumerate(records[1:], start=2):
            if len(record) != len(names) + 1:
                expected = f"{len(names) + 1}, as in the header"
                draft.faults.add(
                    Code.RAGGED, "the line has another number of fields", row=number, seen=str(len(record)), expected=expected
                )
                continue
            for name, text in zip(names, record[1:], strict=True):
                try:
                    price = parse_number(text)
                except QuantityError as problem:
                    draft.refuse(number, FieldError(name, text, str(problem)))
                    continue
                if name != record[0].strip():
                    draft.add(number, {"from_region": record[0].strip(), "to_region": name, "price_per_gb": price})
        draft.currency = "USD"
        draft.note(len(draft.rows), "prices are USD/GB, as their source states beside the file; a region to itself is left out")
        return (draft.file(),)


def _records(draft: Draft, lines: list[str]) -> list[list[str]]:
    """Return the fields of every line; InputError where the quotes of one do not match."""
    try:
        return list(csv.reader(lines, strict=True))
    except csv.Error as problem:
        draft.faults.add(Code.QUOTING, f"the quotes of a line do not match: {problem}", hint="Is a quote never closed?")
        raise InputError.of_faults(draft.faults.all()) from None
