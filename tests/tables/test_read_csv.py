"""CSV files as they come: each silent change of a value is an error or a note, and each fault names its place."""

from __future__ import annotations

import gzip
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from schedplan.tables.read import read_table

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize("name", ["NA", "null", "None", "nan", "007", "010", "1e5", "123E2", "9007199254740993", "true", "-"])
def test_names_stay_the_text_they_are(write_text, name):
    path = write_text("nodes.csv", f"node,count\nfirst,\n{name},2\n")

    arrow = read_table(path).arrow

    expected = ["first", name]
    assert expected == arrow.column("node").to_pylist()


def test_007_and_7_are_two_jobs(write_text):
    path = write_text("jobs.csv", "job\n007\n7\n")

    assert ["007", "7"] == read_table(path).arrow.column("job").to_pylist()


def test_an_empty_cell_is_null_and_not_0_or_false(write_text):
    path = write_text("jobs.csv", 'job,priority,spot_ok,runtime_minutes,tenant\nj,,,,""\n')

    arrow = read_table(path).arrow

    expected = {"job": "j", "priority": None, "spot_ok": None, "runtime_minutes": None, "tenant": None}
    assert [{name: expected[name] for name in arrow.column_names}] == arrow.to_pylist()


@pytest.mark.parametrize(("line", "few_or_many", "seen"), [("b,1", "few", "2 fields"), ("b,1,2,3", "many", "4 fields")])
def test_a_ragged_line_is_an_error_with_its_number(write_text, faults_of, line, few_or_many, seen):
    path = write_text("nodes.csv", f"node,count,gpus\na,1,1\n{line}\nc,1,1\n")

    (fault,) = faults_of(path)

    assert ("SP1003", 3, seen) == (fault.code, fault.row, fault.seen)
    assert few_or_many in fault.message


def test_lines_are_counted_as_a_person_counts_them(write_text, faults_of):
    # line 1 header, lines 2 to 4 one record with two line ends in quotes, line 5 blank, line 6 the fault
    path = write_text("jobs.csv", 'job,workers\n"a\nb\nc",1\n\nd,x\n')

    (fault,) = faults_of(path)

    assert (6, "workers", "x") == (fault.row, fault.column, fault.seen)


def test_the_name_with_line_ends_is_kept(write_text):
    path = write_text("jobs.csv", 'job,workers\n"a\nb",1\n')

    assert ["a\nb"] == read_table(path).arrow.column("job").to_pylist()


def test_a_column_that_stands_there_twice_is_an_error(write_text, faults_of):
    path = write_text("nodes.csv", "node,gpus,gpus\na,1,2\n")

    (fault,) = faults_of(path)

    assert ("SP1004", "gpus") == (fault.code, fault.column)


@pytest.mark.parametrize(
    "number", ["1e400", "inf", "-inf", "Infinity", "nan", "NaN", "1,000", "1_000", "١٢", "１２", "0x10", "1 000", "12GiB", "1.5.2"]
)
def test_what_is_not_a_plain_number_is_an_error(write_text, faults_of, number):
    path = write_text("nodes.csv", f'node,memory_gib\na,"{number}"\n')

    (fault,) = faults_of(path)

    assert ("SP1006", 2, "memory_gib", number) == (fault.code, fault.row, fault.column, fault.seen)


@pytest.mark.parametrize("number", ["1.5", "1e3", "99999999999999999999", "one"])
def test_what_is_not_a_whole_number_is_an_error(write_text, faults_of, number):
    path = write_text("nodes.csv", f"node,count\na,{number}\n")

    (fault,) = faults_of(path)

    assert ("SP1006", "count", number) == (fault.code, fault.column, fault.seen)


def test_a_whole_number_of_18_digits_is_exact(write_text):
    path = write_text("jobs.csv", "job,priority\na,900719925474099301\nb,\n")

    assert [900719925474099301, None] == read_table(path).arrow.column("priority").to_pylist()


@pytest.mark.parametrize(
    ("time", "part"),
    [
        ("1700000000", "ISO 8601"),
        ("1700000000.5", "ISO 8601"),
        ("01/02/2026", "ISO 8601"),
        ("2026-02-30T00:00:00Z", "day"),
        ("1970-01-01T00:00:00Z", "outside 1980"),
        ("9999-01-01T00:00:00Z", "outside 1980"),
        ("10000-01-01T00:00:00Z", "ISO 8601"),
        ("2026-12-01T25:00:00Z", "hour"),
        ("2026-12-01T00:00:00+99:00", "offset"),
        ("tomorrow", "ISO 8601"),
    ],
)
def test_what_is_not_one_instant_is_an_error(write_text, faults_of, time, part):
    path = write_text("jobs.csv", f"job,deadline\na,2026-12-01T00:00:00Z\nb,{time}\n")

    (fault,) = faults_of(path)

    assert ("SP1009", 3, "deadline", time) == (fault.code, fault.row, fault.column, fault.seen)
    assert part in fault.message


def test_a_bare_number_is_told_to_have_no_unit(write_text, faults_of):
    path = write_text("jobs.csv", "job,deadline\na,1700000000\n")

    (fault,) = faults_of(path)

    assert "no unit" in fault.hint


@pytest.mark.parametrize(("time", "part"), [("2026-03-29T02:30:00", "does not exist"), ("2026-10-25T02:30:00", "occurs twice")])
def test_a_local_time_that_the_clock_skips_or_repeats_is_an_error(write_text, faults_of, time, part):
    path = write_text("jobs.csv", f"job,deadline\na,{time}\n")

    (fault,) = faults_of(path, zone=BERLIN)

    assert ("SP1009", 2, "deadline", time) == (fault.code, fault.row, fault.column, fault.seen)
    assert part in fault.message


def test_the_same_of_many_times_is_an_error_too(write_text, faults_of):
    # more than 2,000 distinct times take the quick way; the change of clocks on 29 March still must not slip through
    times = [f"2026-{month:02d}-{day:02d}T{hour:02d}:30:00" for month in (1, 2, 3, 4) for day in range(1, 29) for hour in range(24)]
    text = "job,deadline\n" + "".join(f"j{idx},{time}\n" for idx, time in enumerate(times)) + "bad,2026-03-29T02:30:00\n"

    (fault,) = faults_of(write_text("jobs.csv", text), zone=BERLIN)

    assert ("SP1009", 2 + len(times)) == (fault.code, fault.row)


def test_naive_times_are_read_in_the_zone_and_said_so(write_text):
    # Berlin is at UTC+1 in winter: 12:00 there is 11:00 UTC; an offset in the cell wins
    path = write_text("jobs.csv", "job,earliest_start,deadline\na,2026-12-01T12:00:00,2026-12-01T12:00:00Z\n")

    file = read_table(path, zone=BERLIN)

    times = [file.arrow.column(name)[0].as_py().isoformat() for name in ("earliest_start", "deadline")]
    assert ["2026-12-01T11:00:00+00:00", "2026-12-01T12:00:00+00:00"] == times
    assert (f"{path}: times of column earliest_start without an offset are read in Europe/Berlin",) == file.notes


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("UTC"), BERLIN])
@pytest.mark.parametrize("suffix", ["", "Z", "+05:30"])
def test_many_times_are_read_as_few_are(write_text, zone, suffix):
    times = [
        f"2026-{month:02d}-{day:02d}T{hour:02d}:00:00{suffix}"
        for month in range(5, 9)
        for day in range(1, 29)
        for hour in range(24)
    ]
    many = write_text("many.csv", "job,deadline\n" + "".join(f"j{idx},{time}\n" for idx, time in enumerate(times)))
    few = write_text("few.csv", "job,deadline\n" + "".join(f"j{idx},{time}\n" for idx, time in enumerate(times[:50])))

    expected = read_table(few, "jobs", zone)
    actual = read_table(many, "jobs", zone)

    assert expected.arrow.column("deadline").to_pylist() == actual.arrow.column("deadline").to_pylist()[:50]
    assert [note.split(": ")[1] for note in expected.notes] == [note.split(": ")[1] for note in actual.notes]


@pytest.mark.parametrize(("sign", "plural"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_delimiter_is_asked_about(write_text, faults_of, sign, plural):
    path = write_text("nodes.csv", f"node{sign}count\na{sign}1\n")

    (fault,) = faults_of(path)

    assert "SP1004" == fault.code
    assert "delimiter" in fault.hint
    assert plural in fault.hint


@pytest.mark.parametrize(
    "content",
    [
        "node,count\nä,1\n".encode("utf-16"),
        "node,count\nä,1\n".encode("utf-16-le"),
        "node,count\nä,1\n".encode("utf-32"),
        "node,count\nä,1\n".encode("latin-1"),
        b"node,count\na\x00b,1\n",
    ],
)
def test_other_encodings_are_refused(write_text, faults_of, content):
    (fault,) = faults_of(write_text("nodes.csv", content))

    assert "SP1002" == fault.code


def test_the_line_of_a_wrong_byte_is_named(write_text, faults_of):
    (fault,) = faults_of(write_text("nodes.csv", b"node,count\na,1\n\xe4,1\n"))

    assert 3 == fault.row


def test_a_byte_order_mark_is_accepted(write_text):
    path = write_text("nodes.csv", b"\xef\xbb\xbfnode,count\na,1\n")

    assert ["node", "count"] == read_table(path).arrow.column_names


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nodes.csv", b""),
        ("nodes.csv", b"\n\n"),
        ("nodes.feather", b"ARROW1\0\0"),
        ("nodes.pkl", b"\x80\x04\x95"),
        ("n.csv", b"PK\x03\x04"),
    ],
)
def test_what_is_never_read_is_refused(write_text, faults_of, name, content):
    (fault,) = faults_of(write_text(name, content), "nodes")

    assert "SP1001" == fault.code


def test_a_missing_file_and_a_folder_are_refused(tmp_path, faults_of):
    assert "there is no such file" in faults_of(tmp_path / "none.csv")[0].message
    assert "folder" in faults_of(tmp_path)[0].message


def test_gzipped_csv_is_read_and_a_cut_one_refused(write_text, faults_of):
    whole = gzip.compress(b"node,count\na,1\n", mtime=0)

    assert ["a"] == read_table(write_text("nodes.csv.gz", whole)).arrow.column("node").to_pylist()
    assert "SP1001" == faults_of(write_text("nodes.csv.gz", whole[:-6]))[0].code


def test_a_gzip_bomb_is_refused_at_its_first_line(write_text, faults_of):
    (fault,) = faults_of(write_text("nodes.csv.gz", gzip.compress(b"a" * 50_000_000)))

    assert "SP1012" == fault.code


@pytest.mark.parametrize("text", ['node,count\n"a,1\nb,2\n', 'node,count\n"a"b,1\n', "node,count\ra,1\rb,2\r"])
def test_quotes_and_line_ends_that_do_not_match_are_refused(write_text, faults_of, text):
    (fault,) = faults_of(write_text("nodes.csv", text))

    assert "SP1016" == fault.code


def test_all_faults_are_collected_and_twenty_shown(write_text, faults_of):
    # 30 bad counts, 1 missing column would hide nothing: 30 faults
    path = write_text("nodes.csv", "node,count\n" + "".join(f"n{idx},x{idx}\n" for idx in range(30)))

    faults = faults_of(path)

    assert [*range(2, 32)] == [fault.row for fault in faults]
    with pytest.raises(Exception, match="and 10 more"):
        read_table(path)


def test_faults_of_several_kinds_come_together(write_text, faults_of):
    path = write_text("services.csv", "service,slo_ms\na,\nb,-1\na,5\nc\n")

    # service_ms is missing; row 2 empty slo_ms; row 3 negative; row 4 repeats key a; row 5 too few fields
    expected = [("SP1005", None), ("SP1007", 2), ("SP1008", 3), ("SP1010", 4), ("SP1003", 5)]
    assert expected == [(fault.code, fault.row) for fault in faults_of(path)]


def test_unknown_columns_are_kept_and_noted(write_text):
    path = write_text("nodes.csv", "node,gpu,owner\na,8,me\n")

    file = read_table(path)

    assert ["node", "gpu", "owner"] == file.arrow.column_names
    assert (f"{path}: column owner is not known and is ignored",) == file.notes
    assert (f"{path}: column gpu is not known and is ignored; did you mean gpus?",) == file.warnings


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("job,gpus_per_workr", [("gpus_per_workr", "gpus_per_worker")]),
        ("job,GPUs per worker", [("GPUs per worker", "gpus_per_worker")]),
        ("job,Priority", [("Priority", "priority")]),
        ("job,gpus", [("gpus", "gpus_per_worker")]),  # the only one that goes on after it
        ("job,gpus,gpus_per_worker", []),
        ("job,checkpoint", []),  # checkpoint_minutes or checkpoint_cost_minutes
        ("job,priority,Priority", []),  # the known one is there too
        ("job,colour", []),
    ],
)
def test_an_unknown_column_that_looks_like_a_known_one_is_a_warning(write_text, header, expected):
    path = write_text("jobs.csv", f"{header}\na{',1' * header.count(',')}\n")

    assert expected == [(slip.column, slip.meant) for slip in read_table(path).slips]


def test_columns_that_fit_but_for_their_spelling_are_told_with_the_map_that_mends_them(write_text, faults_of):
    path = write_text("x.csv", "Job,runtime minutes,colour\na,60,red\n")

    (fault,) = faults_of(path)

    assert "its columns fit no table, and its name says nothing" == fault.message
    assert f"ingest {path} --map Job=job --map 'runtime minutes=runtime_minutes'" in str(fault.hint)


def test_a_missing_column_in_another_case_is_named(write_text, faults_of):
    (fault,) = faults_of(write_text("jobs.csv", "JOB,priority\na,1\n"))

    assert "Is it JOB? Rename it, or have `schedplan ingest` do so: --map JOB=job." == fault.hint


def test_a_trailing_comma_in_every_line_is_noted_and_a_value_there_refused(write_text, faults_of):
    file = read_table(write_text("nodes.csv", "node,count,\na,1,\n"))

    assert "column 3 has neither name nor values" in file.notes[0]
    assert "SP1004" == faults_of(write_text("nodes.csv", "node,count,\na,1,7\n"))[0].code


def test_a_table_is_recognised_by_name_else_by_columns(write_text, faults_of):
    assert "jobs" == read_table(write_text("jobs.csv", "job\na\n")).table
    assert "nodes" == read_table(write_text("inventory.csv", "node,count,gpus\na,1,8\n")).table
    assert "prices" == read_table(write_text("x.csv", "node,ds,price_per_hour\na,2026-12-01T00:00:00Z,1\n")).table
    assert "pins" == read_table(write_text("y.csv", "job,node,start\na,n,2026-12-01T00:00:00Z\n")).table
    assert "SP1013" == faults_of(write_text("z.csv", "when,what\n1,2\n"))[0].code


def test_timestamp_and_utilization_are_one_series(write_text):
    path = write_text("web.csv", "timestamp,utilization\n2026-12-01T00:00:00Z,0.5\n2026-12-01T01:00:00Z,0.6\n")

    file = read_table(path)

    assert "load" == file.table
    assert ["web", "web"] == file.arrow.column("unique_id").to_pylist()
    assert [0.5, 0.6] == file.arrow.column("y").to_pylist()


def test_a_missing_column_that_has_another_name_is_asked_about(write_text, faults_of):
    (fault,) = faults_of(write_text("nodes.csv", "nodes,count\na,1\n"))

    assert ("SP1005", "node") == (fault.code, fault.column)
    assert "Is it nodes?" in fault.hint


def test_columns_are_renamed(write_text):
    path = write_text("nodes.csv", "host,count\na,1\n")

    assert ["a"] == read_table(path, renames=(("host", "node"),)).arrow.column("node").to_pylist()


def test_a_name_with_a_slash_is_refused_where_nodes_are_named(write_text, faults_of):
    (fault,) = faults_of(write_text("nodes.csv", "node\na/1\n"))

    assert ("SP1006", "node", "a/1") == (fault.code, fault.column, fault.seen)


def test_spaces_around_names_are_taken_off_and_said_so(write_text):
    file = read_table(write_text("nodes.csv", "node, count\n a , 1\n"))

    assert [{"node": "a", "count": 1}] == file.arrow.to_pylist()
    assert "spaces around the texts of column node" in file.notes[0]


def test_either_column_is_filled(write_text, faults_of):
    text = "node,domain,start,end\na,,2026-12-01T00:00:00Z,2026-12-02T00:00:00Z\na,r1,2026-12-01T00:00:00Z,2026-12-02T00:00:00Z\n"

    (fault,) = faults_of(write_text("outages.csv", text))

    assert ("SP1011", 3) == (fault.code, fault.row)


@pytest.mark.parametrize("text", ["node,count,market,resources\n", "node,count,market,resources"])
def test_a_header_alone_is_a_table_without_rows(write_text, text):
    file = read_table(write_text("nodes.csv", text))

    assert (0, ()) == (file.n_rows, file.notes)


def test_formulas_markup_and_control_characters_are_kept_as_data(write_text):
    names = ["=1+1", "@cmd", "</script>", "\x1b[2J", "[red]x", "a|b", "\u202ecba", "e\u0301", "\u0130"]
    path = write_text("jobs.csv", "job\n" + "\n".join(names) + "\n")

    assert names == read_table(path).arrow.column("job").to_pylist()
