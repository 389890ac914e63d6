"""JSON of others: what passes as it stands, and what is refused with its reason."""

from __future__ import annotations

import pytest

from schedplan.tables.strict_json import JsonError, strict_json


def test_json_is_read_as_it_stands():
    text = '{"a": [1, 2.5, true, null, "x"], "n": 9007199254740993}'

    assert {"a": [1, 2.5, True, None, "x"], "n": 9007199254740993} == strict_json(text)
    assert {"a": ["1", "2.50", True, None, "x"]} == strict_json('{"a": [1, 2.50, true, null, "x"]}', numbers_as_texts=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' stands twice in one mapping"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ('{"a": 1e999}', "the number 1e999 is out of range"),
        ("[" * 200_000, "the JSON is nested too deeply"),
        ("9" * 5_000, "this is no JSON: Exceeds the limit (4300 digits) for integer string conversion"),
        ('{"a": 1', "this is no JSON: Expecting ',' delimiter"),
    ],
)
def test_what_is_no_json_is_told(text, expected):
    with pytest.raises(JsonError) as problem:
        strict_json(text)

    assert problem.value.message.startswith(expected)


def test_a_fault_has_its_line():
    with pytest.raises(JsonError) as problem:
        strict_json('{\n"a": ?}')

    assert 2 == problem.value.row
