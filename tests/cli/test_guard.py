"""How a run ends: one message, one documented status."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable

import pytest

from schedplan.cli.exits import ExitStatus
from schedplan.cli.guard import Manner, guarded
from schedplan.errors import ConfigError, Fault, InputError, OutputError, SchedplanError, SolverError, StalePlanError, UsageError


def raising(problem: BaseException) -> Callable[[], int]:
    def run() -> int:
        raise problem

    return run


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (UsageError("x"), 2),
        (ConfigError("x"), 2),
        (InputError("x"), 2),
        (StalePlanError("x"), 2),
        (OutputError("x"), 2),
        (SolverError("x"), 4),
        (SchedplanError("x"), 70),
        (ZeroDivisionError("x"), 70),
        (RecursionError(), 70),
        (OSError(28, "No space left on device", "runs/plan"), 2),
        (KeyboardInterrupt(), 130),
        (SystemExit(143), 143),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_every_end_has_its_status_and_a_line(problem: BaseException, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert status == guarded(raising(problem), [])

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error SP")
    assert "Traceback" not in said.err


def test_a_newline_in_a_name_splits_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    faults = (Fault("SP1001", "job a\nb is off"), Fault("SP1001", "job c is off"))
    guarded(raising(InputError("job a\nb is off", hint="mend\na")), [])
    guarded(raising(InputError.of_faults(faults)), [])

    # each of several faults has a line of its own, and no name makes a further one
    lines = capsys.readouterr().err.splitlines()
    told = [line.partition(": ")[2] or line for line in lines]
    assert ["job a\\nb is off", "mend\\na", "job a\\nb is off", "job c is off"] == told


def test_an_answer_is_passed_on_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: 1, []) == ExitStatus.ANSWER_IS_NO

    assert capsys.readouterr() == ("", "")


def test_a_gone_reader_is_no_news(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(raising(BrokenPipeError()), []) == ExitStatus.READER_GONE

    assert capsys.readouterr().err == ""


def test_as_json_an_error_is_one_object_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    faults = (Fault("SP1003", "no such job", file="jobs.csv", row=7, column="after", hint="Name a job"), Fault("SP1004", "more"))

    guarded(raising(InputError.of_faults(faults)), ["optimize", "--output=json"])

    assert {
        "error": {
            "code": "SP1003",
            "message": "jobs.csv, row 7, column after: no such job. Name a job\nmore",
            "file": "jobs.csv",
            "row": 7,
            "column": "after",
            "hint": "Name a job",
        }
    } == json.loads(capsys.readouterr().err)


def test_a_fault_of_ours_is_one_line_and_how_to_report_it(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(raising(KeyError("a\nb")), [])

    first, second = capsys.readouterr().err.splitlines()
    assert first == "error SP9001: KeyError: 'a\\nb'"
    assert "report it" in second
    assert "-vv" in second


@pytest.mark.parametrize("arguments", [["-vv"], ["-v", "plan", "-v"], ["--verbose", "--verbose"]])
def test_twice_verbose_shows_the_traceback(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    guarded(raising(ZeroDivisionError("x")), arguments)

    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_hostile_text_is_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(raising(InputError("job \x1b[2J[bold]x[/bold] :smile: \u202eevil")), [])

    assert capsys.readouterr().err == "error SP1001: job \\x1b[2J[bold]x[/bold] :smile: \\u202eevil\n"


def test_termination_unwinds_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    unwound = []

    def run() -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            unwound.append(True)
        return 0

    assert guarded(run, []) == ExitStatus.TERMINATED
    assert unwound == [True]
    assert capsys.readouterr().err == "error SP9143: terminated\n"


@pytest.mark.parametrize(
    ("arguments", "environ", "is_json"),
    [
        (["-o", "json"], {}, True),
        (["-ojson"], {}, True),
        (["--output", "json"], {}, True),
        (["-o", "table", "-o", "json"], {}, True),
        (["-o", "json", "-o", "csv"], {}, False),
        ([], {"SCHEDPLAN_OUTPUT": "json"}, True),
        (["-o", "csv"], {"SCHEDPLAN_OUTPUT": "json"}, False),
        (["--log-format", "json"], {}, True),
        (["--", "-o", "json"], {}, False),
        (["-o"], {}, False),
    ],
)
def test_the_manner_is_read_off_arguments_that_may_not_parse(arguments: list[str], environ: dict[str, str], is_json: bool) -> None:
    assert is_json == Manner.of(arguments, environ).is_json


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_a_native_module_turns_into_its_own_error_is_still_the_signal(number, status, capsys):
    def run() -> int:
        try:
            os.kill(os.getpid(), number)
        except BaseException as struck:
            raise ImportError("initialization failed") from struck
        return 0

    assert status == guarded(run, [])
    assert "SP9001" not in capsys.readouterr().err
