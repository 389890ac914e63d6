"""sacct as text: what each row becomes, which rows count, and what is refused with a word on what to run."""

from __future__ import annotations

import random
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from schedplan.errors import Fault, InputError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.ingest.slurm.sacct import Sacct
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile

HEADER = "JobID|JobName|Account|State|Submit|Start|End|Timelimit|ReqTRES|AllocTRES|NodeList\n"
DAY = "2026-11-30T"
JOB = (
    f"13|big|nlp|COMPLETED|{DAY}20:00:00|{DAY}20:00:10|{DAY}20:01:40|1-02:00:00|cpu=64,gres/gpu:h100=16,gres/gpu=16,mem=1T,node=2"
    "|cpu=64,gres/gpu:h100=16,gres/gpu=16,mem=1T,node=2|h100-[01-02]\n"
)
WAITING = f"15|later|nlp|PENDING|{DAY}20:00:00|Unknown|Unknown|UNLIMITED|cpu=12,gres/gpu=4,mem=24000M,node=1||None assigned\n"


def read(path: Path, text: str, options: ReadOptions | None = None) -> TableFile:
    path.write_text(text)
    (table,) = Sacct().read(path, options or ReadOptions())
    return table


def test_a_job_is_a_worker_per_node(tmp_path):
    table = read(tmp_path / "sacct.psv", HEADER + JOB)

    (job,) = content((table,)).jobs
    # 16 devices, 64 cores and 1 TiB on two nodes; 90 s; the limit is 26 h
    assert (2, 8.0, 32.0, 512.0) == (job.workers, job.shape.gpus, job.shape.cpus, job.shape.memory_gib)
    assert (("h100",), 1.5, 1560.0) == (job.shape.accelerators, job.runtime_minutes, job.time_limit_minutes)
    assert ["h100-01*1;h100-02*1"] == table.arrow.column("placement").to_pylist()


def test_a_waiting_job_has_no_start_no_place_and_no_limit(tmp_path):
    table = read(tmp_path / "sacct.psv", HEADER + WAITING)

    (job,) = content((table,)).jobs
    assert ("pending", None, None, None, ()) == (job.state.value, job.start_s, job.end_s, job.time_limit_minutes, job.placement)


def test_the_limit_of_a_partition_is_not_no_limit(tmp_path):
    table = read(tmp_path / "sacct.psv", HEADER + WAITING.replace("UNLIMITED", "Partition_Limit"))

    assert content((table,)).jobs[0].time_limit_minutes is None
    assert any("1 job has the limit of its partition" in note for note in table.notes)


def test_steps_and_earlier_attempts_are_counted_and_left_out(tmp_path):
    first = JOB.replace("COMPLETED", "PREEMPTED").replace("20:01:40", "20:00:20")
    again = JOB.replace("20:00:00", "20:05:00").replace("20:00:10", "20:06:00").replace("20:01:40", "20:08:00")
    step = JOB.replace("13|", "13.batch|", 1)

    table = read(tmp_path / "sacct.psv", HEADER + first + step + again)

    assert [("completed", 2.0)] == [(row["state"], row["runtime_minutes"]) for row in table.arrow.to_pylist()]
    assert {1} == {count for _, count in table.dropped}
    assert 2 == len(table.dropped)


def test_a_bar_in_a_name_shifts_nothing(tmp_path):
    table = read(tmp_path / "sacct.psv", HEADER + JOB.replace("|big|", "|name|with bar|"))

    assert ["nlp"] == table.arrow.column("tenant").to_pylist()
    assert any("1 line has a bar within a text" in note for note in table.notes)


def test_a_bar_that_can_stand_in_two_ways_is_refused(tmp_path):
    with pytest.raises(InputError, match="too many fields"):
        # both readings are fine: account x of the name `big`, or account nlp of the name `big|x`
        read(tmp_path / "sacct.psv", "JobID|JobName|Account|AdminComment|State\n1|big|x|nlp||RUNNING\n")


def test_more_than_was_asked_for_is_what_counts_and_said(tmp_path):
    asked = "cpu=64,gres/gpu:h100=16,gres/gpu=16,mem=1T,node=2|"
    table = read(tmp_path / "sacct.psv", HEADER + JOB.replace(asked, "cpu=1,gres/gpu=1,mem=2000M,node=1|", 1))

    assert [(2, 8.0, 32.0)] == [(row["workers"], row["gpus_per_worker"], row["cpus_per_worker"]) for row in table.arrow.to_pylist()]
    assert any("1 job was given more than it asked for" in note for note in table.notes)


def test_devices_that_do_not_spread_evenly_are_a_worker_each(tmp_path):
    uneven = JOB.replace("gres/gpu:h100=16,gres/gpu=16", "gres/gpu:h100=3,gres/gpu=3")

    (row,) = read(tmp_path / "sacct.psv", HEADER + uneven).arrow.to_pylist()

    assert (3, 1.0, None) == (row["workers"], row["gpus_per_worker"], row.get("placement"))


def test_an_array_that_waits_is_a_job_per_task_and_a_heterogeneous_job_a_gang(tmp_path):
    parts = JOB.replace("13|", "32+0|", 1) + JOB.replace("13|", "32+1|", 1)
    table = read(tmp_path / "sacct.psv", HEADER + WAITING.replace("15|", "62_[4-6%2]|", 1) + parts)

    assert [("62_4", None), ("62_5", None), ("62_6", None), ("32+0", "32"), ("32+1", "32")] == [
        (row["job"], row["gang"]) for row in table.arrow.to_pylist()
    ]
    assert any("may run only so many tasks at once" in text for text in table.warnings)


def test_several_models_of_one_job_are_a_gang(tmp_path):
    mixed = JOB.replace("gres/gpu:h100=16,gres/gpu=16", "gres/gpu:h100=4,gres/gpu:h200=12,gres/gpu=16")

    rows = read(tmp_path / "sacct.psv", HEADER + mixed).arrow.to_pylist()

    # 4 of 16 devices on two nodes: 2 each, with a quarter of 64 cores: 8 each
    assert [("13:h100", "13", "h100", 2.0, 8.0), ("13:h200", "13", "h200", 6.0, 24.0)] == [
        (row["job"], row["gang"], row["accelerators"], row["gpus_per_worker"], row["cpus_per_worker"]) for row in rows
    ]


def test_a_file_without_header_is_told_by_what_stands_in_it_or_refused(tmp_path):
    path = tmp_path / "sacct.txt"
    bare = f"1|COMPLETED|{DAY}20:00:00|{DAY}20:00:00|{DAY}20:01:00|cpu=8,gres/gpu=1,node=1|\n"

    table = read(path, bare)

    assert any("1 JobID, 2 State, 3 Submit, 4 Start, 5 End, 6 AllocTRES" in note for note in table.notes)
    assert [1.0] == table.arrow.column("gpus_per_worker").to_pylist()
    with pytest.raises(InputError, match="can't be told") as refused:
        read(path, f"1|COMPLETED|{DAY}20:02:00|{DAY}20:00:00|{DAY}20:01:00|\n")
    assert "--map 1=JobID" in str(refused.value)


def test_columns_without_header_are_named_by_number(tmp_path):
    options = ReadOptions(renames=(("2", "State"), ("1", "JobID"), ("3", "Submit")))

    (row,) = read(tmp_path / "sacct.txt", f"7|RUNNING|{DAY}20:00:00|x|\n", options).arrow.to_pylist()

    assert ("7", "running") == (row["job"], row["state"])


def test_times_are_read_in_the_zone_and_one_that_the_clock_skips_names_its_row(tmp_path):
    berlin = ReadOptions(ZoneInfo("Europe/Berlin"))

    (job,) = content((read(tmp_path / "a.psv", HEADER + WAITING, berlin),)).jobs

    # 20:00 in Berlin, UTC+1 in November, is 19:00Z
    assert 1_796_065_200 == job.submit_s
    with pytest.raises(InputError, match="does not exist") as refused:
        read(tmp_path / "b.psv", HEADER + WAITING.replace(f"{DAY}20:00:00", "2026-03-29T02:30:00"), berlin)
    assert (2, "Submit") == (refused.value.faults[0].row, refused.value.faults[0].column)


def test_all_faults_of_a_file_come_together(tmp_path):
    with pytest.raises(InputError) as refused:
        read(tmp_path / "a.psv", HEADER + JOB.replace("1-02:00:00", "2h") + WAITING.replace("cpu=12", "cpu=many") + "1|2|3\n")
    assert [(2, "Timelimit"), (3, "ReqTRES"), (4, None)] == [(fault.row, fault.column) for fault in refused.value.faults]


def test_a_fixed_width_is_refused_with_what_to_run(tmp_path):
    path = tmp_path / "sacct.txt"
    path.write_text("JobID           JobName  Partition\n------------ ---------- ----------\n1             ft-bert-1      train\n")

    assert "sacct" == chosen_reader(path).name
    with pytest.raises(InputError, match="fixed width") as refused:
        Sacct().read(path, ReadOptions())
    assert "sacct -a -X -P -o JobID" in str(refused.value)


def test_a_damaged_file_is_read_or_refused(tmp_path):
    draw = random.Random(11)
    path = tmp_path / "sacct.psv"
    cells = ["", "-1", "9" * 30, "é", "|", "[", "n[1-", "1e9", "٣", "gres/gpu=1K", "0-0", "\t", "1-99:99:99"]
    outcomes = []
    for _ in range(300):
        lines = (HEADER + JOB + WAITING).split("\n")[:3]
        at = draw.randrange(3)
        fields = lines[at].split("|")
        fields[draw.randrange(len(fields))] = draw.choice(cells)
        lines[at] = "|".join(fields)
        path.write_text("\n".join(lines))
        outcomes.append(_faults(path))

    # both happen, and what is refused names its faults
    assert {True, False} == {faults is None for faults in outcomes}
    assert all(faults for faults in outcomes if faults is not None)


def _faults(path: Path) -> tuple[Fault, ...] | None:
    try:
        content(Sacct().read(path, ReadOptions()))
    except InputError as refused:
        return refused.faults
    return None
