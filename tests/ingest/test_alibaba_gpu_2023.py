"""Alibaba's lists of 2023: what each cell becomes, what is said of the rest, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.alibaba_gpu_2023 import AlibabaGpu2023
from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile, read_table

NODES = "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,96500,30517,8,G2\n"
PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"


def read(path: Path, text: str) -> TableFile:
    path.write_text(text)
    (table,) = AlibabaGpu2023().read(path, ReadOptions())
    return table


def pods(tmp_path: Path, *rows: str) -> TableFile:
    return read(tmp_path / "pods.csv", PODS + "".join(f"{row}\n" for row in rows))


def test_nodes_keep_their_size_exactly(tmp_path):
    rows = read(tmp_path / "list.csv", NODES).arrow.to_pylist()

    # 30517 MiB / 1024 = 29.8017578125 GiB, exact in binary; a node without devices can't share any
    expected = [
        {"node": "n0", "accelerator": None, "gpus": 0, "slices_per_gpu": 1, "cpus": 32.0, "memory_gib": 256.0},
        {"node": "n1", "accelerator": "G2", "gpus": 8, "slices_per_gpu": 1000, "cpus": 96.5, "memory_gib": 29.8017578125},
    ]
    assert expected == rows


def test_what_is_odd_about_nodes_is_said(tmp_path):
    notes = read(tmp_path / "list.csv", NODES + "n2,1000,1024,1,\n").notes

    assert f"{tmp_path / 'list.csv'}: 3 nodes with 9 devices, 1 of the nodes without any" in notes
    assert f"{tmp_path / 'list.csv'}: 1 node has devices of a model that is not stated" in notes


@pytest.mark.parametrize(
    ("number", "milli", "gpus"), [("0", "0", 0.0), ("1", "1000", 1.0), ("1", "460", 0.46), ("1", "50", 0.05), ("8", "1000", 8.0)]
)
def test_a_pod_asks_for_no_device_a_share_of_one_or_whole_ones(tmp_path, number, milli, gpus):
    table = pods(tmp_path, f"p,6000,0,{number},{milli},,BE,Running,0,9,1")

    (row,) = table.arrow.to_pylist()
    assert (gpus, 6.0, 0.0) == (row["gpus_per_worker"], row["cpus_per_worker"], row["memory_gib_per_worker"])


@pytest.mark.parametrize(
    ("number", "milli", "word"),
    [("0", "10", "for no device"), ("1", "0", "for no share"), ("2", "500", "share of more than one"), ("1", "1001", "limits")],
)
def test_devices_and_shares_that_contradict_each_other_are_refused(tmp_path, number, milli, word):
    with pytest.raises(InputError, match=word) as refused:
        pods(tmp_path, f"p,6000,0,{number},{milli},,BE,Running,0,9,1")
    (fault,) = refused.value.faults
    assert (2, "gpu_milli", milli) == (fault.row, fault.column, fault.seen)


@pytest.mark.parametrize(
    ("phase", "state"), [("Pending", "pending"), ("Running", "running"), ("Succeeded", "completed"), ("Failed", "failed")]
)
def test_the_phase_is_the_state(tmp_path, phase, state):
    assert [state] == pods(tmp_path, f"p,1,1,0,0,,LS,{phase},0,9,1").arrow.column("state").to_pylist()


def test_seconds_count_from_the_chosen_day_and_a_pod_never_scheduled_has_no_start_and_no_end(tmp_path):
    table = pods(tmp_path, "p,1,1,0,0,,LS,Succeeded,60,7200,3600", "q,1,1,0,0,,LS,Pending,60,7200,")

    jobs = content((table,)).jobs
    epoch_s = 1_672_531_200  # 2023-01-01T00:00:00Z
    assert [(60, 3600, 7200), (60, None, None)] == [
        tuple(None if at is None else at - epoch_s for at in (job.submit_s, job.start_s, job.end_s)) for job in jobs
    ]
    assert any("counted from 2023-01-01T00:00:00Z (our choice)" in note for note in table.notes)
    assert any("1 pod was never scheduled" in note for note in table.notes)


def test_models_asked_for_are_alternatives(tmp_path):
    table = pods(tmp_path, "p,1,1,1,1000,V100M32|P100,LS,Running,0,9,1", "q,1,1,1,1000,,LS,Running,0,9,1")

    assert [("P100", "V100M32"), ()] == [job.shape.accelerators for job in content((table,)).jobs]
    assert any("gpu_spec is empty in 1 of 2 rows" in note for note in table.notes)


def test_all_faults_of_a_list_come_together(tmp_path):
    with pytest.raises(InputError) as refused:
        pods(tmp_path, "p,-1,x,0,0,,LS,Gone,0,9,1", "p,1,1,0,0,,LS,Running,0,9,1")
    assert ["cpu_milli", "memory_mib", "pod_phase", "name"] == [fault.column for fault in refused.value.faults]


def test_an_end_before_the_start_is_refused(tmp_path):
    with pytest.raises(InputError, match="deleted before it was scheduled"):
        pods(tmp_path, "p,1,1,0,0,,LS,Running,0,9,10")


def test_a_list_that_lacks_a_column_is_told_which(tmp_path):
    with pytest.raises(InputError) as refused:
        read(tmp_path / "list.csv", "sn,cpu_milli,memory_mib,gpu\nn0,1,1,0\n")
    assert ["model"] == [fault.column for fault in refused.value.faults]


def test_lists_are_recognised_by_their_columns_also_gzipped(tmp_path):
    (tmp_path / "a.csv").write_text(NODES)
    (tmp_path / "b.gz").write_bytes(gzip.compress(PODS.encode()))
    (tmp_path / "nodes.csv").write_text("node,gpus\nn0,8\n")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(NODES.encode())[:20])

    assert ["alibaba-gpu-2023", "alibaba-gpu-2023", "table", "table"] == [
        chosen_reader(tmp_path / name).name for name in ("a.csv", "b.gz", "nodes.csv", "cut.csv.gz")
    ]


@pytest.mark.real_data
def test_the_whole_trace(shared_data, tmp_path):
    traces = shared_data / "traces"
    sources = (traces / "alibaba_gpu_v2023_nodes.csv", traces / "alibaba_gpu_v2023_pods_default.csv.gz")

    account = ingest(sources, tmp_path / "data")

    # figures from the description of the data beside the files
    assert [(1523, 1523), (8152, 8152)] == [(file.rows_read, file.rows_kept) for file in account.files]
    told = "\n".join(note for file in account.files for note in file.notes)
    for fact in ("6212 devices, 310 of the nodes without any", "3078 ask for a share", "1088 for no device", "897 pods were never"):
        assert fact in told
    assert [(), ("qos",)] == [file.columns_ignored for file in account.files]
    found = content(tuple(read_table(tmp_path / "data" / f"{name}.parquet") for name in ("nodes", "jobs")))
    assert 6212 == sum(pool.gpus for pool in found.cluster.pools)
    # 97.98 % of the devices are asked for
    assert 0.9798 == pytest.approx(sum(job.devices for job in found.jobs) / 6212, abs=5e-5)
    assert all(job.runtime_minutes is None for job in found.jobs)
