"""What libraries change without a word, row by row, asked of `ingest`: the value as it is written, or a refusal in one line.

Each row is a file, and either what its table must hold or what its refusal must say.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schedplan.errors import InputError
from schedplan.ingest import document
from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.tables.strict_json import strict_json

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1"}}}


def call(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "schedplan", "ingest", *words, "--out", "out"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    root = str(Path(__file__).parents[2])
    return subprocess.run(
        command, cwd=folder, capture_output=True, check=False, env={**clean, "PYTHONPATH": root, **environ}, timeout=60
    )


def refusal(folder: Path, name: str, options: ReadOptions | None = None) -> str:
    """The one line of a refusal that writes nothing."""
    with pytest.raises(InputError) as refused:
        ingest((folder / name,), folder / "out", options)
    faults = refused.value.faults
    told = faults[0].sentence() if faults else refused.value.message
    assert "\n" not in told
    assert not (folder / "out").exists()
    return told


def table(folder: Path, name: str) -> list[dict[str, object]]:
    return pq.read_table(folder / "out" / f"{name}.parquet").to_pylist()


KEPT = {
    "names that look like nothing": ("nodes.csv", "node,region\nNA,null\nNone,nan\n", "nodes", "node", ["NA", "None"]),
    "a region that is no missing value": ("nodes.csv", "node,region\na,NO\nb,NA\n", "nodes", "region", ["NO", "NA"]),
    "leading zeros": ("jobs.csv", "job\n007\n010\n7\n10\n", "jobs", "job", ["007", "010", "10", "7"]),
    "names that look like powers": ("jobs.csv", "job\n1e5\n123E2\n", "jobs", "job", ["123E2", "1e5"]),
    "a large id beside a blank": ("jobs.csv", "job,user\n9007199254740993,\n2,u\n", "jobs", "job", ["2", "9007199254740993"]),
    "a large whole number beside a blank": (
        "jobs.csv",
        "job,priority\na,9007199254740993\nb,\n",
        "jobs",
        "priority",
        [9007199254740993, None],
    ),
    "a formula is a name": ("jobs.csv", "job\n=1+1\n@x\n", "jobs", "job", ["=1+1", "@x"]),
    "markup is a name": ("jobs.csv", "job\n[/etc/passwd]\n</script>\n", "jobs", "job", ["</script>", "[/etc/passwd]"]),
    "a leap day": ("load.csv", "unique_id,ds,y\na,2024-02-29T00:00:00Z,1\n", "load", "y", [1.0]),
    "after 2038": ("load.csv", "unique_id,ds,y\na,2040-01-01T00:00:00Z,1\n", "load", "y", [1.0]),
    "falling times": ("load.csv", "unique_id,ds,y\na,2026-01-02,2\na,2026-01-01,1\n", "load", "y", [1.0, 2.0]),
    "numbers of JSON as they stand": ("jobs.jsonl", '{"job": 9007199254740993}\n', "jobs", "job", ["9007199254740993"]),
    "YAML 1.2": (
        "n.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: NO, labels: {topology.kubernetes.io/zone: on}}\n"
        "status: {allocatable: {cpu: 1}}\n",
        "nodes",
        "zone",
        ["on"],
    ),
}


@pytest.mark.parametrize("row", KEPT)
def test_a_value_is_kept_as_it_is_written(row, tmp_path):
    name, text, written, column, expected = KEPT[row]
    (tmp_path / name).write_text(text)

    ingest((tmp_path / name,), tmp_path / "out")

    assert expected == [one[column] for one in table(tmp_path, written)]


REFUSED = {
    "too few fields": ("nodes.csv", "node,count\na\n", ["row 2", "fields"]),
    "a column twice": ("nodes.csv", "node,gpus,gpus\na,1,2\n", ["gpus", "2 columns have this name"]),
    "infinite capacity": ("nodes.csv", "node,cpus\na,inf\n", ["row 2, column cpus"]),
    "capacity beyond floats": ("nodes.csv", "node,cpus\na,1e400\n", ["row 2, column cpus"]),
    "thousands by comma": ("nodes.csv", 'node,cpus\na,"1,000"\n', ["row 2, column cpus", "1,000"]),
    "thousands by underscore": ("nodes.csv", "node,cpus\na,1_000\n", ["row 2, column cpus"]),
    "digits of another script": ("nodes.csv", "node,cpus\na,\u0661\u0662\n", ["row 2, column cpus"]),
    "bare seconds": ("load.csv", "unique_id,ds,y\na,1700000000,1\n", ["row 2, column ds", "no unit"]),
    "semicolons": ("nodes.csv", "node;cpus\na;1\n", ["delimiter"]),
    "day before month": ("load.csv", "unique_id,ds,y\na,31/12/2026 00:00,1\n", ["row 2, column ds"]),
    "no such leap day": ("load.csv", "unique_id,ds,y\na,2026-02-29,1\n", ["row 2, column ds"]),
    "the year 10000": ("load.csv", "unique_id,ds,y\na,10000-01-01,1\n", ["row 2, column ds"]),
    "the year 1970": ("load.csv", "unique_id,ds,y\na,1970-01-01,1\n", ["row 2, column ds", "1980"]),
    "a sample twice": ("load.csv", "unique_id,ds,y\na,2026-01-01,1\na,2026-01-01,1\n", ["row 3", "same key"]),
    "a key of JSON twice": ("n.json", json.dumps(NODE)[:-1] + ', "kind": "Pod"}', ["'kind' stands twice"]),
    "NaN in JSON": ("n.json", json.dumps(NODE)[:-1] + ', "x": NaN}', ["NaN is no JSON number"]),
    "infinity in JSON": ("n.json", json.dumps(NODE)[:-1] + ', "x": 1e999}', ["out of range"]),
    "nested JSON": ("n.json", '{"kind": ' + "[" * 200_000, ["nested too deeply"]),
    "a number of 5,000 digits": ("n.json", json.dumps(NODE)[:-1] + f', "x": {"9" * 5000}}}', ["this is no JSON"]),
    "a key of YAML twice": ("n.yaml", "kind: Node\nkind: Pod\n", ["'kind' stands twice"]),
    "nested YAML": ("n.yaml", "a: " + "[" * 5_000, ["nesting"]),
    "a tag of YAML": ("n.yaml", "a: !!python/object/apply:os.system [x]\n", ["this is no YAML"]),
    "an alias bomb": (
        "n.yaml",
        "a: &a [x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join(['*' + a] * 40)}]\n"
            for a, b in zip("abcdefghijklmnopqrstuvwxy", "bcdefghijklmnopqrstuvwxyz", strict=True)
        )
        + "z2: ["
        + ", ".join(["*z"] * 40)
        + "]\n",
        ["aliases"],
    ),
    "memory below a MiB": (
        "n.json",
        json.dumps({**NODE, "status": {"allocatable": {"memory": "400m"}}}),
        ["400m", "at least a MiB"],
    ),
    "GB of no unit of Kubernetes": ("n.json", json.dumps({**NODE, "status": {"allocatable": {"memory": "1GB"}}}), ["1GB"]),
    "negative memory": ("n.json", json.dumps({**NODE, "status": {"allocatable": {"memory": "-20Gi"}}}), ["-20Gi"]),
    "a little of a MiB": ("n.json", json.dumps({**NODE, "status": {"allocatable": {"memory": "0.001Mi"}}}), ["0.001Mi"]),
    "UTF-16": ("nodes.csv", "node\na\n".encode("utf-16"), ["UTF-8"]),
    "latin-1": ("nodes.csv", "node\n\u00e9\n".encode("latin-1"), ["row 2", "UTF-8"]),
    "NUL": ("nodes.csv", b"node\na\0b\n", ["NUL"]),
    "pickle": ("nodes.pkl", b"\x80\x04\x95\x00", ["a pickle, which is never read"]),
    "packed in another way": ("nodes.csv.xz", b"\xfd7zXZ\0\0", ["xz"]),
}


@pytest.mark.parametrize("row", REFUSED)
def test_what_can_not_be_taken_as_it_stands_is_refused_in_a_line(row, tmp_path):
    name, content, words = REFUSED[row]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    told = refusal(tmp_path, name)

    assert [] == [word for word in words if word not in told]


def test_a_pipe_under_a_name_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "nodes.csv")

    told = refusal(tmp_path, "nodes.csv")

    assert "a pipe or a device" in told
    assert "schedplan ingest -" in told


def test_a_document_of_too_many_values_is_refused_before_it_is_built(tmp_path, monkeypatch):
    (tmp_path / "n.json").write_text('{"items": [1, 2, 3]}')
    monkeypatch.setattr(document, "MAX_JSON_VALUES", 3)

    told = refusal(tmp_path, "n.json")

    # two brackets and two commas
    assert "more than 3 values" in told


def test_a_broken_document_is_read_once_for_all_readers(tmp_path, monkeypatch):
    (tmp_path / "n.json").write_text('{"items": [1, 2,')
    asked = []
    monkeypatch.setattr(document, "strict_json", lambda text: asked.append(text) or strict_json(text))

    told = refusal(tmp_path, "n.json")

    assert "this is no JSON" in told
    assert ['{"items": [1, 2,'] == asked


@pytest.mark.parametrize(("time", "word"), [("2026-03-29T02:30:00", "does not exist"), ("2026-10-25T02:30:00", "occurs twice")])
def test_a_local_time_that_is_none_names_its_cell(time, word, tmp_path):
    (tmp_path / "load.csv").write_text(f"unique_id,ds,y\na,2026-01-01T00:00:00,1\na,{time},1\n")

    told = refusal(tmp_path, "load.csv", ReadOptions(ZoneInfo("Europe/Berlin")))

    assert "row 3, column ds" in told
    assert word in told


def test_sums_beyond_64_bits_do_not_wrap(tmp_path):
    rows = "".join(f"{name},{2**62}\n" for name in "abc")
    (tmp_path / "nodes.csv").write_text(f"node,gpus\n{rows}")

    assert "row 2, column gpus" in refusal(tmp_path, "nodes.csv")


def test_a_bomb_is_refused_soon_and_in_little_memory(tmp_path):
    with gzip.open(tmp_path / "load.csv.gz", "wb", compresslevel=1) as stream:
        for _ in range(1024):
            stream.write(bytes(1 << 20))
    began = resource.getrusage(resource.RUSAGE_CHILDREN)

    done = call(tmp_path, "load.csv.gz")

    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert 2 == done.returncode
    assert ended.ru_utime - began.ru_utime < 10
    assert ended.ru_maxrss < 1 << 20  # KiB: 1 GiB


def test_a_flipped_bit_of_a_written_table_is_noticed_or_harmless(tmp_path):
    (tmp_path / "nodes.csv").write_text("node,gpus\n" + "".join(f"n{number:04d},8\n" for number in range(500)))
    ingest((tmp_path / "nodes.csv",), tmp_path / "out")
    whole = (tmp_path / "out" / "nodes.parquet").read_bytes()
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "nodes.parquet").write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])

    with pytest.raises(InputError, match=r"nodes\.parquet"):
        ingest((tmp_path / "again" / "nodes.parquet",), tmp_path / "more")


def test_numbers_that_parquet_holds_otherwise_are_refused(tmp_path):
    pq.write_table(pa.table({"node": ["a", "b"], "cpus": [1.0, float("nan")]}), tmp_path / "nodes.parquet")

    assert "row 2, column cpus" in refusal(tmp_path, "nodes.parquet")


def test_every_locale_and_encoding_gives_the_same_bytes(tmp_path):
    (tmp_path / "nodes.csv").write_text("node,cpus,region\n\u0130stanbul,1.5,\u202eabc\ne\u0301,2,\u4e2d\n", encoding="utf-8")
    answers = []
    for environ in ({"LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8", "PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "de_DE.UTF-8"}):
        done = call(tmp_path, "nodes.csv", "-o", "json", **environ)
        written = (tmp_path / "out" / "ingest.json").read_bytes(), (tmp_path / "out" / "nodes.parquet").read_bytes()
        answers.append((done.returncode, json.loads(done.stdout), *written))

    assert 0 == answers[0][0]
    assert all(answer == answers[0] for answer in answers)
