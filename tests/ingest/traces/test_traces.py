"""Logs of studies: SWF with its machine, Chronus with its deadlines, Alibaba's instances of 2025."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile

EPOCH_S = 1_672_531_200  # 2023-01-01T00:00:00Z
HEADER = "; UnixStartTime: 1000000000\n; TimeZone: -28800\n; MaxProcs: 128\n"
JOB = "1 10 5 120 4 -1 -1 8 600 1024 1 3 1 -1 2 -1 -1 -1\n"


def read(path: Path, text: str) -> dict[str, TableFile]:
    path.write_text(text)
    return {table.table: table for table in chosen_reader(path).read(path, ReadOptions())}


def test_a_line_is_a_job_and_the_header_the_machine(tmp_path):
    found = read(tmp_path / "log.swf", HEADER + JOB)

    both = content(tuple(found.values()))
    (job,), (pool,) = both.jobs, both.cluster.pools
    # submitted 10 s after the start, waited 5, ran 120; 1024 KiB per processor
    assert (1_000_000_010, 1_000_000_015, 1_000_000_135) == (job.submit_s, job.start_s, job.end_s)
    assert (4, 1.0, 1 / 1024, 2.0, 10.0) == (
        *(job.workers, job.shape.cpus, job.shape.memory_gib),
        *(job.runtime_minutes, job.time_limit_minutes),
    )
    assert ("queue-2", "user-3", 128, 1.0) == (job.tenant, job.user, pool.count, pool.cpus)


def test_minus_one_is_unknown_and_is_said(tmp_path):
    table = read(tmp_path / "log.swf", "1 0 -1 1451 -1 -1 -1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1\n")["jobs"]

    (job,) = content((table,)).jobs
    assert (EPOCH_S, None, None, 1) == (job.submit_s, job.start_s, job.end_s, job.workers)
    assert any("wait (1)" in note for note in table.notes)
    assert any("1 job states no processors" in text for text in table.warnings)


def test_times_of_submission_that_are_those_of_the_start_are_said(tmp_path):
    note = "; Note: There is no information on wait times - the given submit\n;       times are actually start times\n"

    table = read(tmp_path / "log.swf", HEADER + note + JOB.replace(" 5 120", " -1 0"))["jobs"]

    (job,) = content((table,)).jobs
    assert (1_000_000_010, 1_000_000_010, None) == (job.start_s, job.end_s, job.runtime_minutes)
    assert any("times of submission are those of the start" in text for text in table.warnings)
    assert any("1 job ran 0 s" in one for one in table.notes)


def test_parts_of_suspended_jobs_are_left_out(tmp_path):
    table = read(tmp_path / "log.swf", JOB + JOB.replace(" 1024 1 ", " 1024 2 ").replace("1 10", "1 10", 1))["jobs"]

    assert 1 == table.n_rows
    assert [1] == [count for _, count in table.dropped]


def test_a_line_of_another_length_and_a_word_are_refused_with_their_line(tmp_path):
    with pytest.raises(InputError) as refused:
        read(tmp_path / "log.swf", HEADER + JOB + "1 2 3\n" + JOB.replace(" 4 ", " four "))
    assert [(5, "line"), (6, "processors")] == [(fault.row, fault.column) for fault in refused.value.faults]


CHRONUS = (
    "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,"
    "job_type\n"
)


def test_deadlines_count_from_submission(tmp_path):
    lines = "0,vc,4,100,1,m,120,8,282,10,0,strict\n1,vc,0,50,1,m,30,8,90-400,10-5,0,soft\n2,vc,1,60,1,m,30,8,,10,1,best\n"

    table = read(tmp_path / "t.csv", CHRONUS + lines)["jobs"]

    assert [("0", 4, EPOCH_S + 382, "hard"), ("1", 1, EPOCH_S + 450, "soft"), ("2", 1, None, "hard")] == [
        (job.name, job.workers, job.deadline_s, job.deadline_kind.value) for job in content((table,)).jobs
    ]
    assert any("1 job asks for no device" in note for note in table.notes)
    assert any("1 job has several deadlines" in note for note in table.notes)
    with pytest.raises(InputError, match="row 2, column expect_time_list"):
        read(tmp_path / "t.csv", CHRONUS + lines.replace("282", "soon"))


INSTANCES = (
    "instance_sn,role,app_name,cpu_request,gpu_request,rdma_request,memory_request,disk_request,max_instance_per_node,"
    "creation_time,scheduled_time,deletion_time\n"
)


def test_instances_that_stood_before_and_outlive_the_trace(tmp_path):
    table = read(tmp_path / "d.csv", INSTANCES + "i0,HN,app,12,1,25,120,640,8,,,\ni1,CN,app,4,0,0,8,0,-1,60,120,720\n")["jobs"]

    first, second = table.arrow.to_pylist()
    assert ("running", "disk_gib=640;rdma_percent=25") == (first["state"], first["resources_per_worker"])
    assert first["submit_time"] is None
    # scheduled to deleted: 600 s
    assert ("completed", 10.0) == (second["state"], second["runtime_minutes"])
    assert any("1 instance limits how many" in text for text in table.warnings)


@pytest.mark.real_data
def test_whole_logs(shared_data):
    for name, count, said in (
        ("swf/NASA-iPSC-1993-3.swf.gz", 42_264, "215 jobs ran 0 s"),
        ("traces/chronus_philly_slo_deadlines.csv.gz", 30_940, "205 jobs ask for no device"),
        ("traces/alibaba_dlrm_v2025_even_apps.csv.gz", 13_624, "4526 instances have no creation_time"),
    ):
        table = chosen_reader(shared_data / name).read(shared_data / name, ReadOptions())[0]

        assert count == table.n_rows
        assert any(said in note for note in table.notes)
