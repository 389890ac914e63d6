"""Nodes of Slurm: from sinfo, scontrol, the configuration and JSON, put together, and held to their partitions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.read import TableFile, read_table

SINFO = (
    "PARTITION|AVAIL|STATE|NODELIST|GRES|CPUS(A/I/O/T)\n"
    "train*|up|mix|a-[1-2]|gpu:a100:8(S:0-1)|8/248/0/256\n"
    "infer|up|mix|a-2|gpu:a100:8(S:0-1)|0/128/0/128\n"
    "infer|up|drng|t-1|gpu:t4:4|1/0/31/32\n"
    "cpu|up|down*|c-1|(null)|0/0/64/64\n"
)
NODES = (
    "NodeName=a-1 Arch=x86_64 CoresPerSocket=64 \n   CPUAlloc=8 CPUEfctv=120 CPUTot=128 CPULoad=0\n   AvailableFeatures=a100,ib\n"
    "   Gres=gpu:a100:8\n   RealMemory=10240 AllocMem=0 MemSpecLimit=2048\n   State=MIXED+DRAIN ThreadsPerCore=1\n"
    "   Partitions=train \n   Reason=IB link, flap [root@2026-11-30T20:21:36]\n\n"
)
TOPOLOGY = "SwitchName=leaf1 Nodes=a-[1-2]\nSwitchName=leaf2 Nodes=t-1,c-1\nSwitchName=spine Switches=leaf[1-2]\n"
SACCT = (
    "JobID|Partition|State|Submit|ReqTRES|Timelimit\n"
    "1|train|PENDING|2026-11-30T20:00:00|cpu=1,gres/gpu=1,node=1|10:00\n"
    "2|infer|PENDING|2026-11-30T20:00:00|cpu=1,gres/gpu=1,node=1|10:00\n"
    "3|train,cpu|PENDING|2026-11-30T20:00:00|cpu=1,node=1|10:00\n"
)


def read(path: Path, text: str) -> TableFile:
    path.write_text(text)
    (table,) = chosen_reader(path).read(path, ReadOptions())
    return table


def test_a_node_of_two_partitions_is_one_node(tmp_path):
    table = read(tmp_path / "sinfo.txt", SINFO)

    # 256 cores of two nodes
    assert [("a-1", 8, 128.0, "ready"), ("a-2", 8, 128.0, "ready"), ("t-1", 4, 32.0, "cordoned"), ("c-1", 0, 64.0, "down")] == [
        (row["node"], row["gpus"], row["cpus"], row["status"]) for row in table.arrow.to_pylist()
    ]
    assert (("nodes that another partition's row lists already", 1),) == table.dropped


def test_what_the_system_keeps_of_a_node_is_not_to_be_had(tmp_path):
    (row,) = read(tmp_path / "nodes.txt", NODES).arrow.to_pylist()

    # 10240 - 2048 MiB = 8 GiB; 120 of 128 cores
    assert (8.0, 120.0, "cordoned", "features=a100,ib") == (row["memory_gib"], row["cpus"], row["status"], row["labels"])


def test_files_that_tell_a_node_in_part_are_put_together(tmp_path):
    paths = []
    node = NODES.replace("MIXED+DRAIN", "MIXED").replace("120", "128")
    for name, text in (("sinfo.txt", SINFO), ("nodes.txt", node), ("topology.conf", TOPOLOGY)):
        (tmp_path / name).write_text(text)
        paths.append(tmp_path / name)

    account = ingest(tuple(paths), tmp_path / "data")

    rows = {row["node"]: row for row in read_table(tmp_path / "data" / "nodes.parquet").arrow.to_pylist()}
    assert (8.0, "leaf1", 128.0) == (rows["a-1"]["memory_gib"], rows["a-1"]["block"], rows["a-1"]["cpus"])
    # rows of the sources: four lines of sinfo, one node, three switches
    assert [(4, 3, 4), (1, 0, 0), (3, 0, 0)] == [(file.rows_read, file.rows_kept, file.rows_written) for file in account.files]
    assert all(file.rows_read == file.rows_kept + sum(one.rows for one in file.dropped) for file in account.files)


def test_files_that_contradict_each_other_are_refused(tmp_path):
    (tmp_path / "sinfo.txt").write_text(SINFO)
    (tmp_path / "nodes.txt").write_text(NODES)

    with pytest.raises(InputError, match="same key with other values"):
        ingest((tmp_path / "sinfo.txt", tmp_path / "nodes.txt"), tmp_path / "data")


def test_a_job_tolerates_the_nodes_of_its_partitions_alone(tmp_path):
    (tmp_path / "sinfo.txt").write_text(SINFO)
    (tmp_path / "sacct.psv").write_text(SACCT)

    ingest((tmp_path / "sinfo.txt", tmp_path / "sacct.psv"), tmp_path / "data")

    nodes = {row["node"]: row["taints"] for row in read_table(tmp_path / "data" / "nodes.parquet").arrow.to_pylist()}
    jobs = {row["job"]: row["tolerations"] for row in read_table(tmp_path / "data" / "jobs.parquet").arrow.to_pylist()}
    # a-2 is in both infer and train, so a job of either goes there
    assert ["slurm-partition=train:NoSchedule", "slurm-partition=infer+train:NoSchedule"] == [nodes["a-1"], nodes["a-2"]]
    assert {
        "1": "slurm-partition=infer+train;slurm-partition=train",
        "2": "slurm-partition=infer;slurm-partition=infer+train",
        "3": "slurm-partition=cpu;slurm-partition=infer+train;slurm-partition=train",
    } == jobs


PARTITIONS = (
    "PartitionName=train\n   MaxNodes=UNLIMITED MaxTime=2-00:00:00 MinNodes=0\n   Nodes=a-[1-2]\n   State=UP TotalNodes=2\n\n"
    "PartitionName=infer\n   MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0\n   Nodes=t-1\n   State=UP TotalNodes=1\n\n"
    "PartitionName=cpu\n   MaxNodes=UNLIMITED MaxTime=01:00:00 MinNodes=0\n   Nodes=c-1\n   State=UP TotalNodes=1\n"
)


def written_limits(folder: Path, nodes: str, jobs: str) -> tuple[dict[str, float | None], tuple[str, ...], tuple[str, ...]]:
    """The limit of each job, and the warnings and notes of its file."""
    (folder / "nodes.txt").write_text(nodes)
    (folder / "sacct.psv").write_text(jobs)
    account = ingest((folder / "nodes.txt", folder / "sacct.psv"), folder / "data")
    rows = read_table(folder / "data" / "jobs.parquet").arrow.to_pylist()
    (file,) = [one for one in account.files if one.table == "jobs"]
    assert [] == [name for one in account.files for name in one.columns_ignored if name.startswith("partition")]
    return {row["job"]: row["time_limit_minutes"] for row in rows}, file.warnings, file.notes


@pytest.mark.parametrize(
    "nodes",
    [
        PARTITIONS,
        SINFO.replace("|AVAIL|", "|AVAIL|TIMELIMIT|")
        .replace("train*|up|", "train*|up|2-00:00:00|")
        .replace("infer|up|", "infer|up|infinite|")
        .replace("cpu|up|", "cpu|up|1:00:00|"),
    ],
)
def test_a_job_without_a_limit_has_that_of_its_partition(nodes, tmp_path):
    jobs = SACCT.replace("|10:00", "|Partition_Limit").replace(
        "1|train", "4|train|PENDING|2026-11-30T20:00:00|node=1|3-00:00:00\n1|train"
    )

    limits, warnings, notes = written_limits(tmp_path, nodes, jobs)

    # two days of train; none of infer; the longer of two days and an hour for a job that may run in train or cpu
    assert {"1": 2880.0, "2": None, "3": 2880.0, "4": 4320.0} == limits
    assert any("2 jobs state no limit; they have that of their partition" in note for note in notes)
    assert any("1 job asks for longer than its partition lets a job run" in text for text in warnings)


def test_partitions_without_nodes_hold_no_job_back(tmp_path):
    (tmp_path / "sacct.psv").write_text(SACCT)

    (file,) = ingest((tmp_path / "sacct.psv",), tmp_path / "data").files

    assert "partition" in file.columns_ignored
    assert "tolerations" not in read_table(tmp_path / "data" / "jobs.parquet").arrow.column_names


def test_a_node_on_two_leaves_is_refused(tmp_path):
    with pytest.raises(InputError, match="hangs on the leaf leaf1 already"):
        read(tmp_path / "topology.conf", TOPOLOGY.replace("t-1", "a-1"))


def test_devices_of_the_configuration_are_counted_by_their_files(tmp_path):
    rows = read(tmp_path / "gres.conf", "NodeName=h-[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n").arrow.to_pylist()

    assert [("h-1", "h100", 8), ("h-2", "h100", 8)] == [(row["node"], row["accelerator"], row["gpus"]) for row in rows]


@pytest.mark.parametrize("memory", [10240, {"set": True, "infinite": False, "number": 10240}])
@pytest.mark.parametrize("state", ["idle", ["IDLE", "DRAIN"]])
def test_json_of_every_release_gives_the_same_node(tmp_path, memory, state):
    node = {"name": "ia1", "gres": "gpu:h100:2,gpu:h200:4", "cpus": 12, "real_memory": memory, "state": state, "partitions": ["ia"]}

    table = read(tmp_path / "n.json", json.dumps({"meta": {}, "errors": [], "nodes": [node]}))

    # 10 GiB and 12 cores of six devices: a third goes with the two h100
    assert [("ia1:h100", 2, 4.0, 10 / 3), ("ia1:h200", 4, 8.0, 20 / 3)] == [
        (row["node"], row["gpus"], row["cpus"], row["memory_gib"]) for row in table.arrow.to_pylist()
    ]
    assert ("ready" if state == "idle" else "cordoned") == table.arrow.column("status")[0].as_py()
    assert any("devices of several models" in text for text in table.warnings)


def test_an_error_of_slurm_is_told(tmp_path):
    with pytest.raises(InputError, match="Unable to query JobId=3"):
        read(tmp_path / "n.json", json.dumps({"meta": {}, "jobs": [], "errors": [{"description": "Unable to query JobId=3"}]}))


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("sinfo.txt", "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ntrain* up 2 5 mix a-[1-2]\n", "scontrol show nodes"),
        ("squeue.txt", "   JOBID PARTITION     NAME     USER ST  TIME\n 65 infer lic dave PD 0:00\n", "squeue --json"),
    ],
)
def test_fixed_widths_are_refused_with_what_to_run(tmp_path, name, text, command):
    with pytest.raises(InputError, match="fixed width") as refused:
        read(tmp_path / name, text)
    assert command in str(refused.value)
