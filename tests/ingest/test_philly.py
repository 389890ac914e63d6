"""Philly jobs: what each row becomes, what the account says of the file's quirks, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from schedplan.errors import InputError
from schedplan.ingest.account import Repeat
from schedplan.ingest.ingest import ingest
from schedplan.ingest.philly import Philly
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile, read_table

HEADER = "timestamp,duration,num_gpus,gpu_time,cluster\n"
JOB = "2017-10-09 07:01:55,66.0,1,66.0,vc1\n"


def read(tmp_path: Path, *rows: str, options: ReadOptions | None = None) -> TableFile:
    path = tmp_path / "philly.csv"
    path.write_text(HEADER + "".join(rows))
    (table,) = Philly().read(path, options or ReadOptions())
    return table


def test_a_row_is_a_finished_job(tmp_path):
    table = read(tmp_path, JOB)

    (job,) = content((table,)).jobs
    assert ("philly-000001", "training", "vc1", "completed") == (job.name, job.kind.value, job.tenant, job.state.value)
    # 66 s = 1.1 min; 2017-10-09T07:01:55Z
    assert (1.1, 1_507_532_515, None, None) == (job.runtime_minutes, job.submit_s, job.start_s, job.end_s)


@pytest.mark.parametrize(("devices", "workers", "each"), [("0", 1, 0.0), ("1", 1, 1.0), ("24", 24, 1.0)])
def test_devices_are_workers_of_one_each(tmp_path, devices, workers, each):
    table = read(tmp_path, f"2017-10-09 07:01:55,10,{devices},{10 * int(devices)},vc1\n")

    (job,) = content((table,)).jobs
    assert (workers, each) == (job.workers, job.shape.gpus)


def test_names_follow_the_file_and_not_the_time(tmp_path):
    early = JOB.replace("10-09", "09-09")

    jobs = content((read(tmp_path, JOB, early),)).jobs

    assert ["philly-000001", "philly-000002"] == [job.name for job in jobs]
    assert jobs[0].submit_s > jobs[1].submit_s


def test_repeated_rows_are_kept_and_named(tmp_path):
    other = JOB.replace("vc1", "vc2")
    path = tmp_path / "philly.csv"
    path.write_text(HEADER + JOB + other + JOB + JOB)

    (file,) = ingest((path,), tmp_path / "data").files

    # the header is row 1, so the jobs stand in rows 2 to 5; 4 and 5 say what 2 says
    assert (4, 4, (Repeat(4, 2), Repeat(5, 2))) == (file.rows_read, file.rows_kept, file.repeats)
    document = json.loads((tmp_path / "data" / "ingest.json").read_text())
    assert [{"row": 4, "of_row": 2}, {"row": 5, "of_row": 2}] == document["files"][0]["repeats"]
    assert any("2 rows repeat an earlier row in every column; each is kept" in note for note in file.notes)


def test_the_quirks_of_a_file_are_said(tmp_path):
    wrong = JOB.replace(",66.0,vc1", ",65.0,vc1")
    instant = "2017-10-09 06:00:00,0,1,0,vc1\n"

    told = "\n".join(read(tmp_path, wrong, instant).notes)

    for fact in (
        "not in time order: 1 begin",
        "gpu_time is not duration x num_gpus in 1 row",
        "1 job lasted 0 s",
        "read in UTC",
        "timestamp is taken as submit_time",
    ):
        assert fact in told


def test_times_are_read_in_the_zone_of_the_source(tmp_path):
    table = read(tmp_path, JOB, options=ReadOptions(ZoneInfo("America/Los_Angeles")))

    # -07:00 in October: seven hours later than the same clock in UTC
    assert 1_507_532_515 + 7 * 3600 == content((table,)).jobs[0].submit_s


def test_all_faults_of_a_file_come_together(tmp_path):
    with pytest.raises(InputError) as refused:
        read(tmp_path, "yesterday,-1,1.5,,\n", JOB)
    assert {"timestamp", "duration", "num_gpus", "cluster"} == {fault.column for fault in refused.value.faults}
    assert {2} == {fault.row for fault in refused.value.faults}


def test_an_empty_list_and_a_cut_archive_are_told_or_refused(tmp_path):
    assert 0 == read(tmp_path).n_rows
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress((HEADER + JOB * 1000).encode())[:-20])
    with pytest.raises(InputError, match="can't be read to its end"):
        Philly().read(path, ReadOptions())


def test_it_is_recognised_by_its_columns_in_any_order(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("cluster,gpu_time,num_gpus,duration,timestamp\n")

    assert "philly" == chosen_reader(path).name


@pytest.mark.real_data
def test_the_whole_log(shared_data, tmp_path):
    (file,) = ingest((shared_data / "traces" / "philly_2017_vcA.csv.gz",), tmp_path / "data").files

    # figures from the description of the data beside the file
    assert (67_338, 67_338, 50) == (file.rows_read, file.rows_kept, len(file.repeats))
    assert ("gpu_time",) == file.columns_ignored
    jobs = content((read_table(tmp_path / "data" / "jobs.parquet"),)).jobs
    assert (67_338, 32, 10) == (len(jobs), max(job.workers for job in jobs), len({job.tenant for job in jobs}))
