"""Words on standard error: quiet, as JSON, coloured only where that is wanted."""

from __future__ import annotations

import io
import json

import pytest

from schedplan.cli.progress import Progress
from schedplan.cli.talk import Talk, takes_color


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_quiet_keeps_warnings_and_drops_notes(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk(is_quiet=True)
    talk.note("read 3 files")
    talk.warn("no prices: \x07")

    assert capsys.readouterr() == ("", "warning: no prices: \\x07\n")


def test_a_newline_in_a_name_splits_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    Talk().warn("job a\nerror SP9001: b is left out")

    assert "warning: job a\\nerror SP9001: b is left out\n" == capsys.readouterr().err


def test_as_json_each_word_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    Talk(is_json=True).note('a "b"\nc')

    assert {"level": "note", "message": 'a "b"\nc'} == json.loads(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("color", "stream", "environ", "expected"),
    [
        ("auto", Terminal(), {}, True),
        ("auto", io.StringIO(), {}, False),
        ("auto", Terminal(), {"NO_COLOR": "1"}, False),
        ("auto", Terminal(), {"TERM": "dumb"}, False),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Terminal(), {}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    color: str, stream: io.StringIO, environ: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    assert expected == takes_color(stream, color)


def test_off_a_terminal_progress_is_told_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # 0 at the start; 4 and 9 are too early, 11 is told, 20 is too early again, 21 is told
    clock = iter([0.0, 4.0, 9.0, 11.0, 20.0, 21.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))

    with Progress(Talk(), "auto") as progress:
        for phase in ("read", "read", "solve", "solve", "solve"):
            progress(phase, objective=1.25, gap=0.5)

    assert [
        "solve  11 s  objective 1.25  gap 50.00%",
        "solve  21 s  objective 1.25  gap 50.00%",
    ] == capsys.readouterr().err.splitlines()


def test_as_json_every_phase_and_every_better_plan_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("schedplan.cli.progress.time.monotonic", lambda: 5.0)
    with Progress(Talk(is_json=True), "auto") as progress:
        for phase, objective in (("read", None), ("search", 2.0), ("search", 2.0), ("search", 1.5), ("verify", 1.5)):
            progress(phase, objective=objective, bound=1.0)

    # all within one moment: the third says nothing new
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [("read", None), ("search", 2.0), ("search", 1.5), ("verify", 1.5)] == [
        (line["phase"], line["objective"]) for line in lines
    ]
    assert {"level", "phase", "elapsed_s", "objective", "bound", "gap"} == lines[0].keys()


def test_progress_can_be_off(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 60.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))

    with Progress(Talk(), "off") as progress:
        progress("solve")

    assert capsys.readouterr().err == ""
