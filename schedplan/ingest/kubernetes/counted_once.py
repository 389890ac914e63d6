"""Work of Kubernetes that several files tell, pods in one and their Job in another, counted once. It reads no file."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.ingest.kubernetes.owners import OBJECTS, OWNERS, STANDS_FOR, Works
from schedplan.ingest.wording import in_number
from schedplan.tables.canonical import canonical_sha256
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.read import TableFile

PART_ELSEWHERE = "made by a workload that is in another file, whose row counts it"
_MARKS = (OBJECTS, OWNERS, STANDS_FOR)


def counted_once(files: tuple[TableFile, ...]) -> tuple[TableFile, ...]:
    """Return the files without rows whose owner is a row of another file, and without the marks that tell so.

    A row of one role that runs takes over where its pods run, if all of them are known to.
    """
    own = [file for file in files if OBJECTS in file.arrow.column_names]
    if not own:
        return files
    works = Works()
    for file in own:
        works.told.update(key for keys in _keys(file, OBJECTS) for key in keys)
        works.stood_for.update(key for keys in _keys(file, STANDS_FOR) for key in keys)
    places: dict[str, Counter[str]] = defaultdict(Counter)
    is_kept = {id(file): _kept(file, works, places) for file in own} if len(own) > 1 else {}
    return tuple(
        _without_parts(file, is_kept.get(id(file)), places) if OBJECTS in file.arrow.column_names else file for file in files
    )


def placement_of(nodes: Counter[str]) -> str:
    """Return workers by node as the column `placement` spells it."""
    return ";".join(f"{node}*{count}" for node, count in sorted(nodes.items()))


def _keys(file: TableFile, name: str) -> list[tuple[str, ...]]:
    """Return the keys that each row of a file holds in a column of marks."""
    if name not in file.arrow.column_names:
        return [()] * file.n_rows
    return [tuple(text.split("\n")) if text else () for text in file.arrow.column(name).to_pylist()]


def _kept(file: TableFile, works: Works, places: dict[str, Counter[str]]) -> NDArray[np.bool_]:
    """Return which rows belong to no row of any file, and note where the others run."""
    wholes = [works.whole_of(owners, stood) for owners, stood in zip(_keys(file, OWNERS), _keys(file, STANDS_FOR), strict=True)]
    for whole, row in zip(wholes, file.arrow.to_pylist(), strict=True):
        if whole is not None and row.get("placement") and row["state"] == "running":
            node, _, workers = row["placement"].rpartition("*")
            places[whole][node] += int(workers)
    return np.array([whole is None for whole in wholes], dtype=np.bool_)


def _without_parts(file: TableFile, is_kept: NDArray[np.bool_] | None, places: dict[str, Counter[str]]) -> TableFile:
    kept = file.arrow.drop_columns([name for name in _MARKS if name in file.arrow.column_names])
    if is_kept is None:
        return replace(file, arrow=kept)
    kept = _placed(
        kept, [(*told, *stood) for told, stood in zip(_keys(file, OBJECTS), _keys(file, STANDS_FOR), strict=True)], places
    )
    n_parts = len(np.unique(file.rows)) - len(np.unique(file.rows[is_kept]))
    arrow = kept.filter(pa.array(is_kept))
    told = f"{file.path}: {in_number(f'{n_parts} objects belong to workloads of another file and count there')}"
    return replace(
        file,
        arrow=arrow,
        rows=file.rows[is_kept],
        sha256=canonical_sha256(arrow, dictionary_of(file.table)),
        dropped=(*file.dropped, (PART_ELSEWHERE, n_parts)) if n_parts else file.dropped,
        cautions=(*file.cautions, told) if n_parts else file.cautions,
    )


def _placed(arrow: pa.Table, keys: list[tuple[str, ...]], places: dict[str, Counter[str]]) -> pa.Table:
    """Return rows with the places of their pods, where a row of one role runs, has none, and all of its workers have one."""
    if not places:
        return arrow
    placements: list[str | None] = []
    for row, own in zip(arrow.to_pylist(), keys, strict=True):
        nodes = next((places[key] for key in own if key in places), Counter[str]())
        is_told = not row.get("placement") and row["state"] == "running" and row.get("gang") is None
        whole = placement_of(nodes) if is_told and nodes and nodes.total() == (row["workers"] or 1) else None
        placements.append(whole or row.get("placement"))
    values = pa.array(placements, pa.string())
    if "placement" in arrow.column_names:
        return arrow.set_column(arrow.column_names.index("placement"), "placement", values)
    return arrow.append_column("placement", values) if values.null_count < len(values) else arrow
