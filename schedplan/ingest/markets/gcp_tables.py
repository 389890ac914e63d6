"""Reader `gcp-price-tables`: the tables of Google's price pages, as they were copied into JSON; machine types with their prices.

Source: converged-computing/cloud-select, of cloud.google.com/compute (2026-11). Memory is told in GB and means GiB there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.document import json_document, sniffed_document
from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.element import shape_error
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.markets.offer import offer, tell_offers
from schedplan.ingest.reader import ReadOptions
from schedplan.tables.read import TableFile

_PRICE = re.compile(r"\$\s?(\d{1,6}(?:,\d{3})*(?:\.\d{1,9})?)(?: USD)?", re.ASCII)
_NUMBER = re.compile(r"(\d{1,6}(?:,\d{3})*(?:\.\d{1,6})?)\s*(?:GB|GiB)?", re.ASCII)
_NO_TYPE = "prices something else than a machine type (a core, a GB, a disk)"
_NO_PRICE = "states no price for the machine type"
_TWICE = "names a machine type that an earlier table prices"


@dataclass(frozen=True, slots=True)
class GcpPriceTables:
    """A row of a table with machine types becomes a pool on demand, and one of spot where the table prices it."""

    name: str = "gcp-price-tables"
    description: str = "tables of Google's price pages copied into JSON"
    tables: tuple[str, ...] = ("nodes",)
    recognised_by: str = "a JSON mapping whose values have table and region"

    def sniff(self, path: Path) -> bool:
        """Return whether the file is a mapping of tables."""
        value = sniffed_document(path).value
        first = next(iter(value.values()), None) if isinstance(value, dict) else None
        return isinstance(first, dict) and {"table", "region"} <= set(first)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the pools in the file; InputError with all its faults. Rows are numbered through all tables, headers left out."""
        del options
        draft = Draft.of("nodes", path)
        seen: set[str] = set()
        number = 0
        for _, entry in json_document(path).fields():
            rows = entry.get("table").items()
            names = [(cell.text() or "").lower() for cell in rows[0].items()] if rows else []
            for row in rows[1:]:
                number += 1
                try:
                    _add(draft, number, names, [cell.text() or "" for cell in row.items()], entry.get("region").text(), seen)
                except FieldError as problem:
                    draft.refuse(number, problem)
        draft.note(len(draft.rows), "memory is told in GB and means GiB; the pages state no devices, so gpus counts as 0")
        tell_offers(draft, "USD")
        return (draft.file(),)


def _add(draft: Draft, number: int, names: list[str], cells: list[str], region: str | None, seen: set[str]) -> None:
    at = {kind: _place(names, words) for kind, words in _COLUMNS.items()}
    machine = at["type"]
    if machine is None or not cells or len(cells) <= machine or not cells[machine]:
        draft.drop(_NO_TYPE)
        return
    name = cells[machine]
    prices = {kind: _price(cells, at[kind]) for kind in ("on_demand", "spot")}
    if all(price is None for price in prices.values()):
        draft.drop(_NO_PRICE)
    elif name in seen:
        draft.drop(_TWICE)
    else:
        seen.add(name)
        shape: dict[str, Value] = {
            "region": region,
            "cpus": _amount(cells, at["cpus"], names),
            "memory_gib": _amount(cells, at["memory"], names),
        }
        for market, price in prices.items():
            if price is not None:
                draft.add(number, offer(name, market, price, **shape))


_COLUMNS = {
    "type": ("machine type",),
    "cpus": ("virtual cpus", "vcpus", "vcpu"),
    "memory": ("memory",),
    "on_demand": ("on-demand price", "on demand", "price (usd)", "evaluative price"),
    "spot": ("spot price",),
}


def _place(names: list[str], words: tuple[str, ...]) -> int | None:
    return next((idx for word in words for idx, name in enumerate(names) if name.startswith(word)), None)


def _price(cells: list[str], at: int | None) -> float | None:
    if at is None or at >= len(cells):
        return None
    match = _PRICE.fullmatch(cells[at].strip())
    return float(match.group(1).replace(",", "")) if match else None


def _amount(cells: list[str], at: int | None, names: list[str]) -> float | None:
    if at is None or at >= len(cells) or not cells[at].strip():
        return None
    match = _NUMBER.fullmatch(cells[at].strip())
    if match is None:
        raise shape_error(names[at], cells[at], "a number such as 8 or 16 GB")
    return float(match.group(1).replace(",", ""))
