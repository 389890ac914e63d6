"""Ingesting: what is written, what the account says, and that a fault anywhere writes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow.parquet as pq
import pytest

from schedplan.errors import InputError, OutputError, UsageError
from schedplan.ingest.account import DefaultApplied, Dropped
from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import READERS, chosen_reader
from schedplan.tables.read import read_table


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    path = tmp_path / "nodes.csv"
    path.write_text("node,count,gpus,owner\nb,2,8,me\na,,8,me\n")
    return path


def test_a_file_becomes_canonical_parquet_with_the_same_content(nodes, tmp_path):
    account = ingest((nodes,), tmp_path / "data")

    written = read_table(tmp_path / "data" / "nodes.parquet")
    assert [{"node": "a", "count": None, "gpus": 8}, {"node": "b", "count": 2, "gpus": 8}] == written.arrow.to_pylist()
    assert read_table(nodes).sha256 == written.sha256 == account.tables[0].sha256
    assert () == written.notes


def test_the_account_tells_rows_defaults_and_ignored_columns(nodes, tmp_path):
    account = ingest((nodes,), tmp_path / "data")

    (file,) = account.files
    assert (2, 2, (), ("owner",)) == (file.rows_read, file.rows_kept, file.dropped, file.columns_ignored)
    # count is empty in one row of two, market is missing in both
    assert DefaultApplied("count", "1", 1) in account.tables[0].defaults
    assert DefaultApplied("market", "owned", 2) in account.tables[0].defaults
    document = json.loads((tmp_path / "data" / "ingest.json").read_text())
    assert ("ingest", "1.1", 2) == (document["kind"], document["schema_version"], document["files"][0]["rows_read"])


def test_several_files_of_one_table_add_up_and_repeats_are_accounted_for(nodes, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("node,count,gpus\nb,2,8\nc,1,4\n")

    account = ingest((nodes, more), tmp_path / "data")

    assert 3 == account.tables[0].rows
    assert (2, 1, (Dropped("stands in an earlier file with the same values", 1),)) == (
        account.files[1].rows_read,
        account.files[1].rows_kept,
        account.files[1].dropped,
    )


def test_a_key_that_repeats_with_other_values_writes_nothing(nodes, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("node,count,gpus\nb,3,8\n")

    with pytest.raises(InputError, match="same key with other values"):
        ingest((nodes, more), tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_faults_of_all_files_come_together_and_nothing_is_written(nodes, tmp_path):
    nodes.write_text("node,count\na,x\n")
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("job,workers\na,0\n")

    with pytest.raises(InputError) as refused:
        ingest((nodes, jobs), tmp_path / "data")

    assert ["count", "workers"] == [fault.column for fault in refused.value.faults]
    assert not (tmp_path / "data").exists()


def test_columns_are_renamed_and_times_read_in_the_zone(tmp_path):
    path = tmp_path / "demand.csv"
    path.write_text("when,rate,name\n2026-12-01T08:00,1,web\n2026-12-01T09:00,2,web\n")
    renames = (("when", "ds"), ("rate", "y"), ("name", "unique_id"))

    ingest((path,), tmp_path / "data", ReadOptions(ZoneInfo("Asia/Shanghai"), renames))

    # 08:00 in Shanghai, UTC+8, is midnight UTC
    assert 0 == pq.read_table(tmp_path / "data" / "load.parquet").column("ds")[0].as_py().hour


def test_an_earlier_result_is_replaced_and_a_stranger_is_not(nodes, tmp_path):
    out = tmp_path / "data"
    ingest((nodes,), out)
    ingest((nodes,), out)
    (out / "nodes.parquet").write_text("mine")

    with pytest.raises(OutputError):
        ingest((nodes,), out)
    assert "mine" == (out / "nodes.parquet").read_text()


def test_an_input_is_never_overwritten(nodes, tmp_path):
    ingest((nodes,), tmp_path)
    before = (tmp_path / "nodes.parquet").read_bytes()

    with pytest.raises(OutputError):
        ingest((tmp_path / "nodes.parquet",), tmp_path)
    assert before == (tmp_path / "nodes.parquet").read_bytes()


def test_the_order_of_rows_and_the_hash_seed_leave_no_trace(nodes, tmp_path):
    permuted = tmp_path / "permuted" / "nodes.csv"
    permuted.parent.mkdir()
    permuted.write_text("gpus,node,count\n8,a,\n8,b,2\n")
    code = (
        "import sys; from pathlib import Path; from schedplan.ingest.ingest import ingest;"
        " ingest((Path(sys.argv[1]),), Path(sys.argv[2]))"
    )
    contents = []
    for seed, source in (("1", nodes), ("2", permuted)):
        out = tmp_path / f"out{seed}"
        command = [sys.executable, "-c", code, str(source), str(out)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        contents.append((out / "nodes.parquet").read_bytes())

    assert contents[0] == contents[1]


def test_readers_are_chosen_by_looks_or_by_name(nodes, tmp_path):
    assert "table" == chosen_reader(nodes).name
    assert READERS[-1] is chosen_reader(tmp_path / "odd.txt", "table")
    with pytest.raises(UsageError) as refused:
        chosen_reader(nodes, "tables")
    assert "Did you mean table?" == refused.value.hint
    with pytest.raises(InputError, match="there is no such file"):
        chosen_reader(tmp_path / "odd.txt")
    (tmp_path / "odd.txt").write_text("odd")
    with pytest.raises(InputError, match="no reader takes this file") as foreign:
        chosen_reader(tmp_path / "odd.txt")
    assert [str(tmp_path / "odd.txt")] == [fault.file for fault in foreign.value.faults]


def test_units_that_no_file_takes_are_refused(nodes, tmp_path):
    path = tmp_path / "cpu.csv"
    path.write_text("timestamp,value\n2026-12-01T08:00Z,55\n2026-12-01T08:05Z,60\n")

    with pytest.raises(UsageError, match="--unit value=percent: has no effect on what series reads") as refused:
        ingest((path,), tmp_path / "data", ReadOptions(units=(("value", "percent"),)))
    assert "--from table" in refused.value.hint
    assert not (tmp_path / "data").exists()


def test_a_cell_with_an_unknown_unit_is_told_which_are_read(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text("node,gpus,memory_gib\na,8,64 Gx\n")

    with pytest.raises(InputError) as refused:
        ingest((path,), tmp_path / "data")

    (fault,) = refused.value.faults
    assert ("memory_gib", 2) == (fault.column, fault.row)
    assert fault.expected.endswith("`schedplan ingest` also converts cells such as 64Gi or 512 MiB")


def test_what_is_piped_in_and_no_reader_takes_is_told_by_its_name(tmp_path):
    command = [sys.executable, "-m", "schedplan", "ingest", "-", "--out", str(tmp_path / "data")]
    refused = subprocess.run(command, input=b"hello\n", check=False, capture_output=True, text=False)

    said = refused.stderr.decode()
    assert 2 == refused.returncode
    assert said.startswith("error SP1001: -: no reader takes this file. `schedplan readers` lists what is read")


def test_what_is_piped_in_is_read_and_told_by_its_name(tmp_path):
    command = [sys.executable, "-m", "schedplan", "ingest", "-", "--out", str(tmp_path / "data")]
    subprocess.run(command, input=b"JobID|State|ReqTRES\n1|RUNNING|gres/gpu=2\n", check=True, capture_output=True)

    (file,) = json.loads((tmp_path / "data" / "ingest.json").read_text())["files"]
    assert ("-", "sacct", 1) == (file["path"], file["reader"], file["rows_kept"])
    failed = subprocess.run(command, input=b"JobID|State\n1|GONE\n", capture_output=True, check=False)
    assert 2 == failed.returncode
    assert b"-, row 2, column State" in failed.stderr


def test_a_later_file_fills_what_an_earlier_one_leaves_empty(nodes, tmp_path):
    more = tmp_path / "racks.csv"
    more.write_text("node,rack,gpus\nb,r1,8\n")

    account = ingest((nodes, more), tmp_path / "data", ReadOptions(table="nodes"))

    rows = read_table(tmp_path / "data" / "nodes.parquet").arrow.to_pylist()
    assert [("a", None), ("b", "r1")] == [(row["node"], row["rack"]) for row in rows]
    assert (1, 0, (Dropped("its values fill empty cells of a row of an earlier file", 1),)) == (
        account.files[1].rows_read,
        account.files[1].rows_kept,
        account.files[1].dropped,
    )


def test_a_folder_and_a_pattern_stand_for_their_files(nodes, tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    nodes.rename(folder / "nodes.csv")
    (folder / "jobs.csv").write_text("job\na\n")
    (folder / ".hidden").write_text("x")

    account = ingest((folder, folder / "job*.csv"), tmp_path / "data")

    assert ["jobs.csv", "nodes.csv"] == [Path(file.path).name for file in account.files]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as refused:
        ingest((tmp_path / "empty", folder / "*.xyz"), tmp_path / "data")
    assert ["there is no file in this folder", "no file matches this pattern"] == [fault.message for fault in refused.value.faults]


def test_a_row_of_three_files_is_one_row(nodes, tmp_path):
    """The second file says what the first does, the third something more: neither contradicts the other."""
    again, more = tmp_path / "again.csv", tmp_path / "racks.csv"
    again.write_text("node,count,gpus\nb,2,8\n")
    more.write_text("node,rack\nb,r1\n")

    account = ingest((nodes, again, more), tmp_path / "data", ReadOptions(table="nodes"))

    rows = read_table(tmp_path / "data" / "nodes.parquet").arrow.to_pylist()
    assert [("a", None), ("b", "r1")] == [(row["node"], row["rack"]) for row in rows]
    assert [
        (),
        ("stands in an earlier file with the same values",),
        ("its values fill empty cells of a row of an earlier file",),
    ] == [tuple(one.reason for one in file.dropped) for file in account.files]
    assert all(file.rows_read == file.rows_kept + sum(one.rows for one in file.dropped) for file in account.files)


def test_a_contradiction_names_a_column_that_differs(nodes, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("node,count,gpus\nb,2,4\n")

    with pytest.raises(InputError, match=r"other values \(gpus: 8 there, 4 here\)"):
        ingest((nodes, more), tmp_path / "data")
