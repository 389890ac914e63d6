"""A small project as files, and again with the rows of every file shuffled and shared out over several: both must say the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import numpy as np

from schedplan.tables.convert import Content, content
from schedplan.tables.read import TableFile
from schedplan.tables.sources import read_sources, sources_of

Rows = Mapping[str, tuple[str, list[str]]]
"""Header and rows of each table, as lines of CSV."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What files say, and the hashes of their tables where each stands in one file."""

    content: Content
    hashes: dict[str, str]


def faults_of_files(number: int, folder: Path) -> list[str]:
    """Write a project below a folder as it is, shuffled, and split; return in words what reading does not see alike."""
    source = random.Random(f"files {number}")
    tables = drawn(source)
    first = read(written(tables, folder / "one"))
    shuffled = {name: (header, source.sample(rows, len(rows))) for name, (header, rows) in tables.items()}
    again = read(written(shuffled, folder / "shuffled"))
    parts = read(written(shuffled, folder / "split", source))
    faults = [
        f"project {number}: the hash of {name} depends on the order of its rows"
        for name in first.hashes
        if first.hashes[name] != again.hashes[name]
    ]
    faults += [
        f"project {number}: shuffled rows say something else about {name}" for name in differences(first.content, again.content)
    ]
    faults += [
        f"project {number}: split files say something else about {name}" for name in differences(first.content, parts.content)
    ]
    return faults


def drawn(source: random.Random) -> Rows:
    """Return the tables of a random project: nodes, jobs, a service with its load, speeds, prices, quotas."""
    n_jobs, n_pools = source.randint(2, 8), source.randint(2, 5)
    nodes = []
    for idx in range(n_pools):
        gpus, market, price = source.choice((1, 2, 4)), source.choice(("owned", "on_demand", "spot")), source.choice((1, 2.5))
        nodes.append(f"p{idx},{source.randint(1, 3)},A100,{gpus},{market},{price}")
    jobs = []
    for idx in range(n_jobs):
        submit, minutes = f"2026-12-01T0{source.randint(0, 9)}:00:00Z", source.choice((30, 60.5))
        jobs.append(f"j{idx},{submit},{source.choice('abc')},{source.randint(1, 3)},1,{minutes}")
    hours = range(source.randint(3, 12))
    load = [f"s{one},2026-12-01T{hour:02d}:00:00Z,{source.choice((0, 12.5, 30))},requests/s" for one in (0, 1) for hour in hours]
    return {
        "nodes": ("node,count,accelerator,gpus,market,price_per_hour", nodes),
        "jobs": ("job,submit_time,tenant,workers,gpus_per_worker,runtime_minutes", jobs),
        "services": ("service,slo_ms,service_ms,gpus_per_replica", [f"s{one},400,{source.choice((50, 100))},1" for one in (0, 1)]),
        "load": ("unique_id,ds,y,unit", load),
        "speeds": ("accelerator,kind,speed", ["A100,training,2", "A100,batch,1.5", "A100,s0,0.5"]),
        "prices": ("node,ds,price_per_hour", [f"p0,2026-12-01T0{hour}:00:00Z,{source.choice((1, 2))}" for hour in range(4)]),
        "quotas": ("tenant,parent,nominal,max", [f"{name},team,{source.choice((1, 2))},3" for name in "abc"]),
    }


def written(tables: Rows, folder: Path, source: random.Random | None = None) -> dict[str, tuple[Path, ...]]:
    """Write each table to one file, or with a random source to one, two or three; return their paths by table."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, (header, rows) in tables.items():
        n_files = 1 if source is None else source.randint(1, min(3, len(rows)))
        found[name] = tuple(folder / f"{name}{idx or ''}.csv" for idx in range(n_files))
        for idx, path in enumerate(found[name]):
            path.write_text("\n".join((header, *rows[idx::n_files])) + "\n", encoding="utf-8")
    return found


def read(paths: Mapping[str, tuple[Path, ...]]) -> Reading:
    files: tuple[TableFile, ...] = read_sources(sources_of(paths))
    return Reading(content(files), {file.table: file.sha256 for file in files})


def differences(one: Content, other: Content) -> Iterator[str]:
    """Yield the names of what two readings say otherwise; where a row stands in its file is not part of it."""
    for field in fields(one):
        if field.name not in ("notes", "warnings", "slips") and not _alike(getattr(one, field.name), getattr(other, field.name)):
            yield field.name


def _alike(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(_alike(a, b) for a, b in zip(one, other, strict=True))
    if is_dataclass(one) and type(one) is type(other):
        return all(_alike(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    return one == other
