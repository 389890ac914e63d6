"""The Alibaba GPU cluster of 2023 with its default pods, and the same with more or fewer pods or fewer cores, at one instant.

The real tables where SCHEDPLAN_DATA names the folder of public data; elsewhere, and in any other size, a generated cluster in kind.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shared_devices import write_shared_devices
from schedplan.ingest.ingest import ingest

NODES, PODS = "alibaba_gpu_v2023_nodes.csv", "alibaba_gpu_v2023_pods_default.csv.gz"
REAL_NODES = 1523


@dataclass(frozen=True, slots=True)
class Change:
    """What is changed: one pod of `every` is kept, each stands `copies` times, and nodes have a share `cores` of their cores."""

    every: int = 1
    copies: int = 1
    cores: float = 1.0


def write_alibaba_2023(folder: Path, nodes: int, change: Change) -> None:
    """Write a project of the cluster with a change; generated where `nodes` are not those of the real one or its tables lack."""
    traces = Path(os.environ.get("SCHEDPLAN_DATA", "")) / "traces"
    if nodes == REAL_NODES and os.environ.get("SCHEDPLAN_DATA") and (traces / PODS).is_file():
        _write_real(folder, traces, change)
        return
    write_shared_devices(folder, nodes)
    for name, rewrite in (("nodes.csv", _with_cores), ("jobs.csv", _with_pods)):
        with (folder / name).open(newline="") as source:
            rows = list(csv.reader(source))
        _write(folder / name, rewrite(rows, change))


def _write_real(folder: Path, traces: Path, change: Change) -> None:
    with (traces / NODES).open(newline="") as nodes, gzip.open(traces / PODS, "rt", newline="") as pods:
        changed = (_with_cores(list(csv.reader(nodes)), change), _with_pods(list(csv.reader(pods)), change))
    with TemporaryDirectory() as between:
        paths = tuple(Path(between) / name for name in (NODES, PODS.removesuffix(".gz")))
        for path, rows in zip(paths, changed, strict=True):
            _write(path, rows)
        ingest(paths, folder)
    (folder / "schedplan.toml").write_text(
        '[project]\nname = "alibaba-2023"\n\n[inputs]\nnodes = "nodes.parquet"\njobs = "jobs.parquet"\n'
    )


def _with_cores(rows: list[list[str]], change: Change) -> list[list[str]]:
    header, *nodes = rows
    at = next(idx for idx, name in enumerate(header) if name in ("cpu_milli", "cpus"))
    return [header, *([*row[:at], f"{change.cores * float(row[at]):g}", *row[at + 1 :]] for row in nodes)]


def _with_pods(rows: list[list[str]], change: Change) -> list[list[str]]:
    header, *pods = rows
    kept = pods[:: change.every]
    again = ([f"{row[0]}-{copy}", *row[1:]] for copy in range(2, change.copies + 1) for row in kept)
    return [header, *kept, *again]


def _write(path: Path, rows: Iterable[list[str]]) -> None:
    with path.open("w", newline="") as target:
        csv.writer(target, lineterminator="\n").writerows(rows)
