"""Many inputs, here and in processes: the same answers in the same order, whatever one of them does."""

from __future__ import annotations

import importlib
import math
import os
import time
from pathlib import Path

import pytest

from schedplan.parallel.outcome import Outcome
from schedplan.parallel.run import run_each, usable_cores


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_order_is_that_of_the_inputs(workers: int) -> None:
    squares = run_each(math.sqrt, [float(number**2) for number in range(20)], workers, chunk=3)

    assert [outcome.value for outcome in squares] == [float(number) for number in range(20)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_input_that_raises_is_a_failure_among_values(workers: int) -> None:
    outcomes = run_each(math.sqrt, [4.0, -1.0, 9.0, 16.0], workers, chunk=2)

    assert [outcome.value for outcome in outcomes] == [2.0, None, 3.0, 4.0]
    assert outcomes[1].failure is not None
    assert outcomes[1].failure.kind == "ValueError"


def test_an_input_that_ends_its_process_takes_no_other_with_it() -> None:
    # os._exit ends the process at once with the status given; the strings raise a TypeError and live
    outcomes = run_each(os._exit, ["a", "b", 7, "c"], workers=2, chunk=2)

    assert [None if outcome.failure is None else outcome.failure.kind for outcome in outcomes] == [
        "TypeError",
        "TypeError",
        "ProcessEnded",
        "TypeError",
    ]


def test_an_input_that_hangs_is_ended_and_takes_no_other_with_it() -> None:
    # three inputs of a chunk have three times the time of one; then each is asked alone
    outcomes = run_each(time.sleep, [0.0, 600.0, 0.0, 0.0], workers=2, chunk=3, timeout_s=2.0)

    assert [None if outcome.failure is None else outcome.failure.kind for outcome in outcomes] == [None, "Timeout", None, None]
    assert outcomes[1].failure is not None
    assert outcomes[1].failure.message == "no answer within 2 s"


def test_what_a_function_prints_does_not_mix_with_answers() -> None:
    assert run_each(print, ["one", "two"], workers=2, chunk=1) == (Outcome(None), Outcome(None))


def test_one_chunk_needs_no_process() -> None:
    # in a process of its own the function would see another process id
    assert [outcome.value for outcome in run_each(_own_id, [0, 0], workers=4, chunk=2)] == [os.getpid()] * 2


def test_processes_have_one_thread_for_linear_algebra() -> None:
    outcomes = run_each(os.getenv, ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], workers=2, chunk=1)

    assert [outcome.value for outcome in outcomes] == ["1", "1"]


def test_a_process_finds_what_its_caller_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "doubling.py").write_text("def double(number):\n    return 2 * number\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    double = importlib.import_module("doubling").double

    assert [outcome.value for outcome in run_each(double, [1, 2], workers=2, chunk=1)] == [2, 4]


def test_there_is_a_core_to_use() -> None:
    assert usable_cores() >= 1


def _own_id(_: int) -> int:
    return os.getpid()
