"""The words of --live and its companions, and the source they make."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.errors import UsageError
from schedplan.ingest.live.live import LiveSource, LiveSpan
from schedplan.workflows.live import LiveWords, live_source

URL = "http://prom.example:9090"


def source(words: LiveWords, *, has_files: bool = False, reader: str = "auto", timezone: str = "UTC") -> LiveSource | None:
    return live_source(words, has_files=has_files, reader=reader, timezone=timezone, environ={})


def test_times_without_an_offset_stand_in_the_zone() -> None:
    made = source(LiveWords(URL, begin="1990-01-02", end="1990-01-03", step="15m", timeout="5s"), timezone="Asia/Shanghai")

    # midnight in Shanghai is 16:00 of the day before: 7305 days after 1970, and 16 h
    assert made is not None
    assert LiveSpan(7305 * 86_400 + 57_600, 7306 * 86_400 + 57_600, 900) == made.span
    assert 5 == made.connection.timeout_s


def test_without_times_it_is_the_last_day_on_whole_steps() -> None:
    made = source(LiveWords(URL))

    assert made is not None
    assert (86_400, 0) == (made.span.end_s - made.span.begin_s, made.span.end_s % 300)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (LiveWords(), "there is nothing to read"),
        (LiveWords(token_file=Path("t")), "there is nothing to read"),
        (LiveWords(URL, begin="yesterday"), "--begin 'yesterday': not an ISO 8601 time"),
        (LiveWords(URL, step="5"), "--step '5': expected a duration with its unit"),
        (LiveWords(URL, timeout="0s"), "--timeout '0s': expected at least 1s and at most 24h"),
        (LiveWords(URL, timeout="2d"), "--timeout '2d': expected at least 1s and at most 24h"),
        (LiveWords(URL, begin="2026-01-02", end="2026-01-01"), "there is no step of 300 s"),
    ],
)
def test_odd_words_are_refused(words: LiveWords, expected: str) -> None:
    with pytest.raises(UsageError) as problem:
        source(words)

    assert problem.value.message.startswith(expected) or expected in problem.value.message


def test_companions_need_a_server_and_another_reader_asks_none() -> None:
    assert source(LiveWords(), has_files=True) is None
    with pytest.raises(UsageError, match="speak of a live server"):
        source(LiveWords(queries=("up",)), has_files=True)
    with pytest.raises(UsageError, match="the reader 'swf' asks no server"):
        source(LiveWords(URL), reader="swf")
    assert source(LiveWords(URL), has_files=True, reader="swf") is not None
