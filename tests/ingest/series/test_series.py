"""Demand over time: recorded series, requests counted into intervals, and answers of Prometheus."""

from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from schedplan.errors import InputError
from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.read import TableFile

EPOCH_S = 1_672_531_200  # 2023-01-01T00:00:00Z


def read(path: Path, text: str, options: ReadOptions | None = None) -> TableFile:
    path.write_text(text)
    (table,) = chosen_reader(path).read(path, options or ReadOptions())
    return table


def points(table: TableFile) -> list[tuple[str, int, float | None]]:
    return [(row["unique_id"], int(row["ds"].timestamp()), row["y"]) for row in table.arrow.to_pylist()]


def test_requests_are_counted_into_minutes_and_what_is_cut_off_is_a_gap(tmp_path):
    times = ("18:00:50.1234567", "18:01:10", "18:01:10.5", "18:02:05", "18:03:00")
    lines = "\n".join(f"2023-11-16 {time},600,60" for time in times)

    path = tmp_path / "azure.csv"
    table = read(path, "TIMESTAMP,ContextTokens,GeneratedTokens\n" + lines)

    # 2 requests in the minute of 18:01 are 2 / 60 per second, 1 in that of 18:02; 1200 and 600 tokens in
    requests = [y for name, _, y in points(table) if name == "azure"]
    assert [None, 2 / 60, 1 / 60, None] == requests
    assert [None, 20.0, 10.0, None] == [y for name, _, y in points(table) if name == "azure:input_tokens"]
    assert any("1 request shares the second" in note for note in table.notes)
    (file,) = ingest((path,), tmp_path / "data").files
    # every request stands in the table, though it has a row per minute and series
    assert (5, 5, 12) == (file.rows_read, file.rows_kept, file.rows_written)


def test_milliseconds_of_mooncake_count_from_the_chosen_day(tmp_path):
    lines = [{"timestamp": at, "input_length": 10, "output_length": 1} for at in (0, 60_000, 60_000, 120_000)]

    table = read(tmp_path / "m.jsonl", "\n".join(json.dumps(line) for line in lines))

    assert [("m", EPOCH_S, None), ("m", EPOCH_S + 60, 2 / 60), ("m", EPOCH_S + 120, None)] == points(table)[:3]
    with pytest.raises(InputError, match="row 2"):
        read(tmp_path / "m.jsonl", json.dumps(lines[0]) + "\n" + json.dumps({**lines[1], "timestamp": -1}))


def test_every_request_counts_whatever_became_of_it(tmp_path):
    header = "gmt_create,predict_type,predict_status,exec_time_seconds,prompt_length\n"
    lines = "2024-11-15 15:10:00,T,SUCCEED,5,1\n2024-11-15 16:10:00,T,FAILED,36,\n2024-11-15 16:20:00,T,SUCCEED,,3\n"

    table = read(tmp_path / "g.csv", header + lines + "2024-11-15 17:10:00,T,SUCCEED,5,1\n")

    # two requests and 36 s of work in the hour of 16:00
    assert [2 / 3600, 36 / 3600] == [y for _, _, y in points(table) if y is not None]
    assert any("FAILED 1, SUCCEED 3" in note for note in table.notes)
    assert any("1 row has no prompt_length" in note for note in table.notes)


def test_counts_of_a_step_are_rates_and_long_steps_are_told(tmp_path):
    table = read(
        tmp_path / "r.csv",
        "timestamp,requests\n1995-07-01T00:00:00-04:00,600\n1995-07-01T00:05:00-04:00,0\n1995-07-01T00:15:00-04:00,300\n"
        "1995-07-01T00:20:00-04:00,300\n",
    )

    # steps of 300 s: 600 requests are 2 per second
    assert [2.0, 0.0, 1.0, 1.0] == [y for _, _, y in points(table)]
    assert any("1 step is longer" in note for note in table.notes)


def test_values_without_a_unit_stand_as_they_are_and_it_is_said(tmp_path):
    table = read(tmp_path / "n.csv", "timestamp,value\n2014-04-10 00:04:53,91.958\n", ReadOptions(ZoneInfo("Asia/Shanghai")))

    # 00:04:53 in Shanghai, UTC+8, is 16:04:53Z the day before
    assert [("n", 1_397_059_493, 91.958)] == points(table)
    assert any("the unit of value is not stated" in text for text in table.warnings)


def test_windows_in_which_nothing_was_recorded_are_gaps(tmp_path):
    table = read(tmp_path / "s.csv", "window_start_s,rate_rps,active_clients\n0,7,20\n600,0,0\n1200,0,3\n")

    assert [7.0, None, 0.0] == [y for _, _, y in points(table)]


def test_samples_of_containers_are_added_up(tmp_path):
    header = "timestamp_anon,value,container_ip,request_type\n"

    table = read(tmp_path / "q.csv", header + "1662859176.0,0.5,a,G\n1662859176.0,0.25,b,G\n1662859176.0,1,,A\n")

    assert [("q:G", 1_662_859_176, 0.75), ("q:A", 1_662_859_176, 1.0)] == points(table)
    assert any("1 row shares time and series" in note for note in table.notes)


def test_clients_are_series(tmp_path):
    header = "client,window_start_s,rate_rps,cv,distribution,param1,param2\n"

    assert [("c:client:3", EPOCH_S, 0.5)] == points(read(tmp_path / "c.csv", header + "3,0,0.5,1,Gamma,1,1\n"))


def answer(metric: dict[str, str], *values: tuple[float, str], kind: str = "matrix") -> str:
    result = {"metric": metric, "values": values} if kind == "matrix" else {"metric": metric, "value": values[0]}
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": [result]}})


def test_percent_of_a_device_are_devices_in_use_and_mib_are_gib(tmp_path):
    used = read(tmp_path / "p.json", answer({"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0"}, (1_662_858_720, "50")))
    memory = read(tmp_path / "p.json", answer({"__name__": "DCGM_FI_DEV_FB_USED"}, (1_662_858_720, "2048")))

    assert [("DCGM_FI_DEV_GPU_UTIL{gpu=0}", 1_662_858_720, 0.5)] == points(used)
    assert [2.0] == [y for _, _, y in points(memory)]
    assert ["devices", "GiB"] == [table.arrow.column("unit")[0].as_py() for table in (used, memory)]


def test_what_is_no_number_is_a_gap(tmp_path):
    table = read(tmp_path / "p.json", answer({}, *((60.0 * at + 1e9, text) for at, text in enumerate(("1", "NaN", "+Inf", "0")))))

    assert [1.0, None, None, 0.0] == [y for _, _, y in points(table)]
    assert any("2 samples are NaN or infinite" in note for note in table.notes)


def test_a_counter_is_its_rate_also_where_it_begins_anew(tmp_path):
    table = read(tmp_path / "p.json", answer({"__name__": "requests_total"}, (1e9, "100"), (1e9 + 10, "150"), (1e9 + 20, "30")))

    # 50 in ten seconds; then it fell, so it began at 0 and reached 30
    assert [5.0, 3.0] == [y for _, _, y in points(table)]
    assert any("1 series is counters and become rates, with 1 reset" in note for note in table.notes)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"status":"error","errorType":"bad_data","error":"parse error"}', "bad_data: parse error"),
        ('{"status":"success","data":{"resultType":"matrix","result":[]}}', "matched nothing"),
        ('{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}', "is a scalar"),
        (answer({}, (1e9, "1_0")), "a number as a text"),
        (answer({}, (1e9, "-1")), "outside the limits"),
    ],
)
def test_what_is_no_series_is_refused(tmp_path, text, word):
    with pytest.raises(InputError, match=word):
        read(tmp_path / "p.json", text)


@pytest.mark.real_data
def test_recorded_series(shared_data):
    folder = shared_data / "timeseries"
    (small,) = chosen_reader(folder / "servegen_m_small_total_10min.csv").read(
        folder / "servegen_m_small_total_10min.csv", ReadOptions()
    )

    # the description of the data counts 37 empty windows of 2,016
    assert (2016, 37) == (small.n_rows, small.arrow.column("y").null_count)


@pytest.mark.real_data
def test_requests_of_the_traces(shared_data):
    path = shared_data / "inference" / "mooncake_conversation_first_half.jsonl.gz"
    (table,) = chosen_reader(path).read(path, ReadOptions())

    assert any("5119 requests share the second" in note for note in table.notes)
    assert 5719 == table.rows_used
