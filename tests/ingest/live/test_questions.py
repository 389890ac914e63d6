"""What is asked, over which span."""

from __future__ import annotations

import json

import pytest

from schedplan.errors import UsageError
from schedplan.ingest.live.live import LiveSpan
from schedplan.ingest.live.parts import PartError, joined, parts
from schedplan.ingest.live.questions import Question, known_questions, own_questions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum(up)", ("query-1", "sum(up)")),
        ('busy=sum(up{job="a"})', ("busy", 'sum(up{job="a"})')),
        ('up{job="a"}', ("query-1", 'up{job="a"}')),
        ("up==1", ("query-1", "up==1")),
        ("up=~1", ("query-1", "up=~1")),
        (" a = b==1 ", ("a", "b==1")),
    ],
)
def test_a_name_stands_before_a_single_sign(text: str, expected: tuple[str, str]) -> None:
    assert (Question(*expected, is_own=True),) == own_questions((text,))


def test_empty_and_repeated_names_are_refused() -> None:
    with pytest.raises(UsageError, match="--query is empty"):
        own_questions((" ",))
    with pytest.raises(UsageError, match="the name a stands twice"):
        own_questions(("a=up", "a=down"))


def test_a_rate_is_taken_over_a_step_but_at_least_five_minutes() -> None:
    def window(step_s: int) -> set[str]:
        return {one.promql.split("[")[1].split("]")[0] for one in known_questions(step_s) if "[" in one.promql}

    assert ({"300s"}, {"300s"}, {"900s"}) == (window(60), window(300), window(900))


def test_a_span_holds_a_step_and_at_most_what_a_hundred_questions_give() -> None:
    assert 1_099_999 == LiveSpan(0, 1_099_999, 1).end_s  # 1,100,000 values
    with pytest.raises(UsageError) as problem:
        LiveSpan(0, 1_100_000, 1)
    # 1,100,000 s / 1,099,999 steps, rounded up
    assert "Give --step 2s or wider, or a shorter span." == problem.value.hint
    for begin_s, end_s, step_s in ((0, 59, 60), (60, 0, 60), (0, 60, 0)):
        with pytest.raises(UsageError, match="there is no step"):
            LiveSpan(begin_s, end_s, step_s)
    assert 60 == LiveSpan(0, 60, 60).end_s


def test_a_long_span_is_asked_for_in_parts_that_share_no_instant() -> None:
    assert ((0, 10_999),) == parts(0, 10_999, 1)
    assert ((0, 10_999), (11_000, 11_000)) == parts(0, 11_000, 1)
    # steps of 60 s from 7: the first part ends 10,999 steps later, the second begins a step after that; 5 s are no step
    assert ((7, 659_947), (660_007, 660_072)) == parts(7, 660_072, 60)


def test_answers_to_parts_are_one_answer() -> None:
    def answer(*series: tuple[str, list[list[object]]]) -> bytes:
        result = [{"metric": {"gpu": gpu}, "values": values} for gpu, values in series]
        return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()

    contents = (answer(("1", [[0, "5"]])), answer(), answer(("0", [[2, "7"]]), ("1", [[2, "6"]])))

    assert answer(("0", [[2, "7"]]), ("1", [[0, "5"], [2, "6"]])) == joined(contents)
    assert b"as it stands" == joined((b"as it stands",))
    for odd in (b"{", b"[]", b'{"data": {"resultType": "vector", "result": []}}', b'{"data": {"result": [{"metric": {}}]}}'):
        with pytest.raises(PartError):
            joined((contents[0], odd))
