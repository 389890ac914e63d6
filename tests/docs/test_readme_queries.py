"""The queries of the README on the Parquet that `ingest` writes: they name columns that are there, and mean what they say.

Where DuckDB is there it answers them; else the same is asked of the same files by pyarrow.
"""

from __future__ import annotations

import importlib
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from schedplan import api

README = Path(__file__).parents[2] / "README.md"
Rows = list[tuple[object, ...]]


def queries() -> list[str]:
    blocks = re.findall(r"```sql\n(.*?)```", README.read_text(), re.DOTALL)
    return [query.strip() for block in blocks for query in block.split(";") if "'cluster/" in query]


@pytest.fixture(scope="module")
def cluster(shared_data, tmp_path_factory) -> Path:
    """The captured cluster of Slurm, ingested from Python."""
    folder = tmp_path_factory.mktemp("readme")
    slurm = shared_data / "slurm"
    account = api.ingest(slurm / "sacct.json", slurm / "scontrol_show_nodes.txt", out=folder / "cluster")
    assert {"jobs": 66, "nodes": 13} == {table.table: table.rows for table in account.tables}
    return folder


def answers(folder: Path) -> list[Rows]:
    """What the three queries answer."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ModuleNotFoundError:
        return [by_pyarrow(folder) for by_pyarrow in (_devices, _device_hours, _waits)]
    return [duckdb.sql(query.replace("'cluster/", f"'{folder}/cluster/")).fetchall() for query in queries()]


def _devices(folder: Path) -> Rows:
    found: dict[object, int] = defaultdict(int)
    for row in pq.read_table(folder / "cluster" / "nodes.parquet", columns=["accelerator", "gpus", "status"]).to_pylist():
        if (row["status"] or "ready") == "ready":
            found[row["accelerator"]] += row["gpus"]
    return sorted(found.items(), key=lambda one: -one[1])


def _device_hours(folder: Path) -> Rows:
    names = ["tenant", "workers", "gpus_per_worker", "runtime_minutes"]
    minutes: dict[object, list[float]] = defaultdict(list)
    for row in pq.read_table(folder / "cluster" / "jobs.parquet", columns=names).to_pylist():
        own = minutes[row["tenant"]]
        if row["runtime_minutes"] is not None:
            own.append(row["workers"] * row["gpus_per_worker"] * row["runtime_minutes"])
    return [(tenant, round(sum(own) / 60, 1)) for tenant, own in minutes.items()]


def _waits(folder: Path) -> Rows:
    found: dict[object, list[float]] = defaultdict(list)
    for row in pq.read_table(folder / "cluster" / "jobs.parquet", columns=["start_time", "submit_time"]).to_pylist():
        if row["start_time"] is not None:
            hour = row["start_time"].replace(minute=0, second=0)
            found[hour].append((row["start_time"] - row["submit_time"]).total_seconds())
    return [(hour, float(np.quantile(seconds, 0.95))) for hour, seconds in sorted(found.items())]


@pytest.mark.real_data
def test_the_three_queries_answer_what_the_cluster_is(cluster):
    devices, hours, waits = answers(cluster)

    # of 32 H100 eight are down, of 8 T4 four on a node that drains; the one node without a device counts nothing
    assert {"a100": 48, "h100": 24, "t4": 4} == {name: number for name, number in devices if number}
    assert {"infra", "nlp", "vision"} >= {tenant for tenant, _ in hours if tenant != "root"}
    assert waits
    assert all(seconds >= 0 for _, seconds in waits)


@pytest.mark.real_data
def test_the_queries_name_columns_that_are_there(cluster):
    for query in queries():
        (table,) = re.findall(r"'cluster/(\w+)\.parquet'", query)
        columns = pq.read_schema(cluster / "cluster" / f"{table}.parquet").names
        words = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b|\b(?:accelerator|gpus|status|tenant|workers)\b", query))
        functions = {"date_trunc", "date_diff", "quantile_cont", "device_hours", "wait_s"}

        assert set() == words - functions - set(columns)


def test_there_are_three_queries():
    assert ["nodes", "jobs", "jobs"] == [re.findall(r"'cluster/(\w+)\.parquet'", query)[0] for query in queries()]
