"""The captured cluster and the logs beside it: totals as their description states them, and the same jobs whatever the command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile, read_table

pytestmark = pytest.mark.real_data


def read(path: Path) -> TableFile:
    (table,) = chosen_reader(path).read(path, ReadOptions())
    return table


def jobs_of(table: TableFile, *without: str) -> dict[str, dict[str, object]]:
    known = content((table,)) and table.arrow
    return {
        row["job"]: {name: value for name, value in row.items() if value is not None and name not in ("partition", *without)}
        for row in known.to_pylist()
    }


def test_the_same_jobs_from_json_and_from_text(shared_data):
    slurm = shared_data / "slurm"
    whole, chosen, as_json = (
        read(slurm / name) for name in ("sacct_parsable2_all_steps_dup.psv", "sacct_parsable2.psv", "sacct.json")
    )

    assert 66 == whole.n_rows == chosen.n_rows == as_json.n_rows
    assert jobs_of(as_json) == jobs_of(whole)
    # the file of chosen columns lacks Priority and Eligible
    assert jobs_of(as_json, "priority", "earliest_start") == jobs_of(chosen, "priority", "earliest_start")
    # 141 lines: 66 jobs, 70 steps, and 5 earlier attempts (21 twice; 22, 23 and 24 once)
    assert {5, 70} == {count for _, count in whole.dropped}


@pytest.mark.parametrize(
    "name", ["scontrol_show_nodes.txt", "sinfo_parsable.txt", "sinfo.json", "slurm_conf_nodes_partitions.conf"]
)
def test_the_nodes_whatever_the_command(shared_data, name):
    rows = read(shared_data / "slurm" / name).arrow.to_pylist()

    devices: Counter[str] = Counter()
    for row in rows:
        devices[row["accelerator"]] += row["gpus"]
    assert (13, 32, 48, 8) == (len(rows), devices["h100"], devices["a100"], devices["t4"])


def test_the_logs_of_xdmod(shared_data):
    log = read(shared_data / "slurm" / "xdmod_phillips_sacct.log.gz")

    assert 4285 == log.n_rows
    assert 2 == sum(row["gpus_per_worker"] > 0 for row in log.arrow.to_pylist())
    assert any("4238 ReqMem are marked per core" in note for note in log.notes)
    arrays = read(shared_data / "slurm" / "xdmod_job_arrays_sacct.log")
    assert {"4103947_100", "4103947_1", "4103947_102"} <= set(arrays.arrow.column("job").to_pylist())


def test_every_release_of_slurmrestd(shared_data):
    counts = {}
    for path in sorted((shared_data / "slurm").glob("slurmrestd_*/slurm-[a-z]*s.json")):
        if path.stem in ("slurm-jobs", "slurm-nodes", "slurm-partitions", "slurm-reservations"):
            counts[f"{path.parent.name[11:16]} {path.stem}"] = len(set(read(path).rows.tolist()))

    assert {
        "24.05 slurm-jobs": 14,
        "24.05 slurm-nodes": 100,
        "24.05 slurm-partitions": 4,
        "24.05 slurm-reservations": 1,
        "24.11 slurm-jobs": 16,
        "24.11 slurm-nodes": 6,
        "25.05 slurm-jobs": 19,
        "25.05 slurm-nodes": 6,
    } == counts


@pytest.mark.parametrize(
    ("name", "devices"),
    [("gres", 4), ("multi-nodes", 8), ("multi-types", 1), ("pending", 4), ("per-node", 2), ("per-socket", 2), ("per-task", 4)],
)
def test_devices_however_they_were_asked_for(shared_data, name, devices):
    table = read(shared_data / "slurm" / "slurmrestd_24.05_0.0.41" / f"slurm-job-gpus-{name}.json")

    assert devices == sum(row["workers"] * row["gpus_per_worker"] for row in table.arrow.to_pylist())


def test_the_cluster_becomes_a_project(shared_data, tmp_path):
    slurm = shared_data / "slurm"
    names = ("sacct.json", "sinfo_parsable.txt", "scontrol_show_nodes.txt", "scontrol_show_reservation.txt", "topology.conf")

    account = ingest((*(slurm / name for name in names), slurm / "sacctmgr_assoc.psv"), tmp_path / "data")

    assert {"nodes": 13, "jobs": 66, "outages": 2, "quotas": 1} == {table.table: table.rows for table in account.tables}
    assert all(file.rows_read == file.rows_kept + sum(one.rows for one in file.dropped) for file in account.files)
    found = content(tuple(read_table(tmp_path / "data" / f"{table.table}.parquet") for table in account.tables))
    assert {"leaf1": 5, "leaf2": 5, "leaf3": 3} == Counter(pool.block for pool in found.cluster.pools)
    assert {"running": 9, "pending": 3} == {
        state: count for state, count in Counter(job.state.value for job in found.jobs).items() if state in ("running", "pending")
    }


def test_the_cluster_is_planned_and_replayed(shared_data, tmp_path):
    slurm = shared_data / "slurm"
    names = ("sacct.json", "sinfo_parsable.txt", "scontrol_show_nodes.txt", "sacctmgr_assoc.psv")
    data = tmp_path / "data"
    ingest(tuple(slurm / name for name in names), data)

    plan = run("optimize", str(data), "--runtime", "60", "--out", str(tmp_path / "plan"), "-o", "json")
    replay = run("simulate", str(data), "--policy", "easy", "--out", str(tmp_path / "replay"), "-o", "json")
    followed = run("simulate", str(data), "--plan", str(tmp_path / "plan"), "--out", str(tmp_path / "followed"), "-o", "json")

    # Slurm itself held these two: the partition has ten nodes, not twelve; the quota of vision is 32 devices, not 40
    assert ("optimal", [("15", "gang"), ("30", "quota")]) == (
        plan["status"],
        [(left["name"], left["rule"]) for left in plan["unplaced"]],
    )
    assert ("easy", "plan") == (replay["policy"], followed["policy"])


def test_the_same_tables_whatever_tells_jobs_and_nodes(shared_data, tmp_path):
    """Jobs from JSON and from text, nodes from text and from JSON, each with scontrol, partitions and topology."""
    slurm = shared_data / "slurm"
    always = ("scontrol_show_nodes.txt", "scontrol_show_partition.txt", "topology.conf", "sacctmgr_assoc.psv")
    written = []
    for jobs in ("sacct.json", "sacct_parsable2_all_steps_dup.psv"):
        for nodes in ("sinfo_parsable.txt", "sinfo.json"):
            out = tmp_path / f"{jobs}-{nodes}"
            ingest(tuple(slurm / name for name in (jobs, nodes, *always)), out)
            written.append([(out / f"{table}.parquet").read_bytes() for table in ("jobs", "nodes", "quotas")])

    assert 3 * written[:1] == written[1:]


def run(*words: str) -> dict[str, object]:
    command = [sys.executable, "-m", "schedplan", *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
