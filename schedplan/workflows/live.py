"""What a call says of a live server, turned into a source that can be asked. It opens no connection."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import UsageError
from schedplan.ingest.ingest import LIVE_READER
from schedplan.ingest.live.address import parse_address
from schedplan.ingest.live.connection import Connection
from schedplan.ingest.live.live import LiveSource, LiveSpan
from schedplan.ingest.live.questions import known_questions, own_questions
from schedplan.ingest.live.token import read_token
from schedplan.ingest.readers import AUTO
from schedplan.timegrid import InstantError, parse_instant
from schedplan.units import QuantityError, parse_duration_s
from schedplan.workflows.ingest import zone_of

_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class LiveWords:
    """The words of --live, --query, --begin, --end, --step, --token-file and --timeout as they were given."""

    url: str | None = None
    queries: tuple[str, ...] = ()
    begin: str | None = None
    end: str | None = None
    step: str = "5m"
    token_file: Path | None = None
    timeout: str = "30s"


def live_source(words: LiveWords, *, has_files: bool, reader: str, timezone: str, environ: Mapping[str, str]) -> LiveSource | None:
    """Return the server that a call asks, None where it asks none; UsageError for odd words, InputError for a token."""
    if words.url is None:
        if not has_files:
            raise UsageError("there is nothing to read", hint="Name files, folders or -, or a Prometheus by --live URL.")
        if words.queries or words.begin or words.end or words.token_file:
            raise UsageError("--query, --begin, --end and --token-file speak of a live server", hint="Name it by --live URL.")
        return None
    if not has_files and reader not in (AUTO, LIVE_READER):
        raise UsageError(f"--live: the reader {reader!r} asks no server", hint=f"Leave --from out; {LIVE_READER} reads it.")
    address = parse_address(words.url)
    span = _span(words, timezone)
    timeout_s = _duration_s("--timeout", words.timeout)
    questions = own_questions(words.queries) or known_questions(span.step_s)
    return LiveSource(Connection(address, read_token(words.token_file, environ), timeout_s), span, questions)


def _span(words: LiveWords, timezone: str) -> LiveSpan:
    """Return the span that is asked for; without an end it is the last whole step before now."""
    step_s = _duration_s("--step", words.step)
    end_s = _instant("--end", words.end, timezone) if words.end else int(time.time()) // step_s * step_s
    begin_s = _instant("--begin", words.begin, timezone) if words.begin else end_s - _DAY_S
    return LiveSpan(begin_s, end_s, step_s)


def _instant(option: str, text: str, timezone: str) -> int:
    try:
        return parse_instant(text, zone_of(timezone))[0]
    except InstantError as problem:
        raise UsageError(f"{option} {text!r}: {problem}") from None


def _duration_s(option: str, text: str) -> int:
    try:
        seconds = parse_duration_s(text)
    except QuantityError as problem:
        raise UsageError(f"{option} {text!r}: expected {problem}") from None
    if not 0 < seconds <= _DAY_S:
        raise UsageError(f"{option} {text!r}: expected at least 1s and at most 24h")
    return seconds
