"""JSON and YAML documents: what is read by YAML 1.2, and what is refused rather than silently changed."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest

from schedplan.errors import InputError
from schedplan.ingest.document import json_document, json_lines, yaml_documents
from schedplan.ingest.source_bytes import head_text, whole_text


def yaml_of(tmp_path, text):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    return [document.value for document in yaml_documents(path)]


def test_scalars_are_those_of_yaml_1_2(tmp_path):
    text = "country: NO\nt: 12:30:00\nn: 010\na: 1e3\nday: 2026-12-01\nh: 0x10\no: 0o10\nb: true\nz: ~\ny: yes\n"

    # 010 is ten and no octal; 12:30:00, NO, yes and a date are texts
    expected = {"country": "NO", "t": "12:30:00", "n": 10, "a": 1000.0, "day": "2026-12-01", "h": 16, "o": 8, "b": True}
    assert [{**expected, "z": None, "y": "yes"}] == yaml_of(tmp_path, text)


def test_empty_documents_are_none(tmp_path):
    assert [{"a": 1}, {"b": 2}] == yaml_of(tmp_path, "---\na: 1\n---\n---\nb: 2\n---\n")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a: 1\nb: 2\na: 3\n", "stands twice"),
        ("!!python/object/apply:os.system ['true']\n", "constructor"),
        ("a: [1, 2\n", "no YAML"),
        ("a: &x [1]\nb: [" + "*x, " * 1001 + "]\n", "aliases"),
        ("[" * 300 + "]" * 300, "nested"),
        ("a: 1e999\n", "out of range"),
        ("a: .inf\nb: {[1]: 2}\n", "list or a mapping"),
        ("n: " + "9" * 50, "40 digits"),
    ],
)
def test_yaml_that_can_not_be_taken_is_refused(tmp_path, text, word):
    with pytest.raises(InputError, match=word) as refused:
        yaml_of(tmp_path, text)
    assert {"SP1022"} == {fault.code for fault in refused.value.faults}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": NaN}', "no JSON number"),
        ('{"a": 1e999}', "out of range"),
        ("[" * 200_000, "deeply"),
        ('{"a": ' + "9" * 5000 + "}", "no JSON"),
        ('{"a": 1', "no JSON"),
    ],
)
def test_json_that_can_not_be_taken_is_refused(tmp_path, text, word):
    path = tmp_path / "a.json"
    path.write_text(text)

    with pytest.raises(InputError, match=word):
        json_document(path)


def test_lines_of_json_name_their_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n')

    assert [(1, {"a": 1}), (3, {"a": 2})] == [(row, line.value) for row, line in json_lines(path)]
    path.write_text('{"a": 1}\n{"a"\n')
    with pytest.raises(InputError) as refused:
        list(json_lines(path))
    assert [2] == [fault.row for fault in refused.value.faults]


def test_texts_are_unpacked_and_a_mark_of_byte_order_goes(tmp_path):
    text = "\ufeffä,1\n" * 3
    packed = {
        "a.txt": text.encode(),
        "a.gz": gzip.compress(text.encode()),
        "a.zst": pa.compress(text.encode(), codec="zstd", asbytes=True),
    }
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        assert "ä,1\n" == whole_text(tmp_path / name)[:4]
        assert "ä,1\n" == head_text(tmp_path / name)[:4]


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"\xff\xfea\0", "UTF-16"), (b"a\xe4b", "not UTF-8"), (b"a\0b", "NUL"), (b"PK\x03\x04", "zip"), (b"", "empty")],
)
def test_what_is_no_text_is_refused(tmp_path, content, word):
    path = tmp_path / "a.txt"
    path.write_bytes(content)

    with pytest.raises(InputError, match=word):
        whole_text(path)


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_what_unpacks_beyond_the_limit_or_is_cut_is_refused(tmp_path, codec):
    raw = b"a" * 100_000
    whole = gzip.compress(raw) if codec == "gzip" else pa.compress(raw, codec="zstd", asbytes=True)
    path = tmp_path / "a"
    path.write_bytes(whole)
    with pytest.raises(InputError, match="longer than 1000 bytes"):
        whole_text(path, 1000)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="read to its end"):
        whole_text(path)
