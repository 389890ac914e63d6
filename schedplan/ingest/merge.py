"""Rows of one table that several files tell in part, put together: what one leaves empty another may fill. It reads no file.

Only rows whose key stands in several files are looked at one by one; however many others there are, they stay as they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.canonical import canonical_sha256
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.column import Dictionary
from schedplan.tables.keys import in_several, key_numbers, none_repeats
from schedplan.tables.read import TableFile

MERGED = "its values fill empty cells of a row of an earlier file"
SAME = "stands in an earlier file with the same values"
Row = dict[str, object]


def merged(files: tuple[TableFile, ...]) -> tuple[TableFile, ...]:
    """Return the files, in their order, with every row that a later file tells in part added to the row it speaks of.

    Rows that contradict each other are left as they are: what to do with them is decided where tables are joined.
    """
    found = list(files)
    for table in dict.fromkeys(file.table for file in files):
        own = [idx for idx, file in enumerate(files) if file.table == table]
        if len(own) > 1 and dictionary_of(table).key:
            for idx, file in zip(own, _merged_table(dictionary_of(table), [files[one] for one in own]), strict=True):
                found[idx] = file
    return tuple(found)


def _merged_table(dictionary: Dictionary, files: list[TableFile]) -> list[TableFile]:
    if none_repeats([file.arrow for file in files], dictionary.key):
        return files
    numbers = key_numbers([file.arrow for file in files], dictionary.key)
    lengths = [file.n_rows for file in files]
    file_idxs = np.repeat(np.arange(len(files), dtype=np.int64), lengths)
    is_shared = in_several(numbers, file_idxs)
    if not np.any(is_shared):
        return files
    first: dict[int, tuple[int, int]] = {}
    shared = [_rows_where(file, part) for file, part in zip(files, np.split(is_shared, np.cumsum(lengths)[:-1]), strict=True)]
    of_file = np.split(numbers, np.cumsum(lengths)[:-1])
    spent: list[dict[int, str]] = [{} for _ in files]
    filled: list[set[int]] = [set() for _ in files]
    for file_idx, rows in enumerate(shared):
        for row_idx, row in rows.items():
            place = first.setdefault(int(of_file[file_idx][row_idx]), (file_idx, row_idx))
            if place[0] == file_idx:
                continue
            reason, has_news = _fills(dictionary, shared[place[0]][place[1]], row)
            if reason is not None:
                spent[file_idx][row_idx] = reason
            if has_news:
                filled[place[0]].add(place[1])
    return [
        _rebuilt(dictionary, file, shared[idx], filled[idx], spent[idx]) if filled[idx] or spent[idx] else file
        for idx, file in enumerate(files)
    ]


def _rows_where(file: TableFile, mask: NDArray[np.bool_]) -> dict[int, Row]:
    """Return some rows of a file by their place in it."""
    rows: list[Row] = file.arrow.filter(pa.array(mask)).to_pylist()
    return dict(zip(np.flatnonzero(mask).tolist(), rows, strict=True))


def _fills(dictionary: Dictionary, earlier: Row, later: Row) -> tuple[str | None, bool]:
    """Fill the empty cells of a row from a later one; return (why the later one is spent, None where they contradict; any news)."""
    pairs = [(name, earlier.get(name), later.get(name)) for name in dictionary.column_names]
    if any(one is not None and other is not None and one != other for _, one, other in pairs):
        return None, False
    news = {name: other for name, one, other in pairs if one is None and other is not None}
    is_same = all(one == other for _, one, other in pairs)
    earlier.update(news)
    return (SAME if is_same else MERGED), bool(news)


def _rebuilt(dictionary: Dictionary, file: TableFile, rows: dict[int, Row], filled: set[int], spent: dict[int, str]) -> TableFile:
    """Return a file without its spent rows, and with those that were filled as they are now."""
    changed = [rows[idx] for idx in sorted(filled)]
    types = {field.name: field.type for field in file.arrow.schema}
    types |= {name: arrow_type(dictionary.column(name).kind) for row in changed for name in row if name not in types}
    order = [
        *(name for name in dictionary.column_names if name in types),
        *(name for name in types if dictionary.find(name) is None),
    ]
    is_untouched = np.ones(file.n_rows, dtype=np.bool_)
    is_untouched[[*filled, *spent]] = False
    untouched = file.arrow.filter(pa.array(is_untouched))
    columns = {
        name: pa.chunked_array(
            [
                *(
                    untouched.column(name).chunks
                    if name in file.arrow.column_names
                    else [pa.nulls(untouched.num_rows, types[name])]
                ),
                pa.array([row.get(name) for row in changed], types[name]),
            ],
            types[name],
        )
        for name in order
    }
    numbers = np.concatenate([file.rows[is_untouched], file.rows[sorted(filled)]])
    places = np.argsort(numbers, kind="stable")
    arrow = pa.table(columns).take(pa.array(places))
    kept = numbers[places]
    reasons = Counter(_lost(file, kept, spent))
    return replace(
        file,
        arrow=arrow,
        rows=kept,
        sha256=canonical_sha256(arrow, dictionary),
        dropped=(*file.dropped, *sorted(reasons.items())),
    )


def _lost(file: TableFile, kept: NDArray[np.int64], spent: dict[int, str]) -> list[str]:
    """Return a reason for each row of the source of which nothing is kept; one that gave several rows counts once."""
    reasons: dict[int, str] = {}
    for idx, reason in spent.items():
        reasons.setdefault(int(file.rows[idx]), reason)
    still = set(kept.tolist()) & set(reasons)
    return [reason for number, reason in reasons.items() if number not in still]
