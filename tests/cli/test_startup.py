"""Start-up in a fresh process: what answers at once imports nothing heavy and costs little."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

HEAVY = {"pandas", "pyarrow", "scipy", "numpy", "ortools", "highspy", "statsmodels", "pydantic", "rich", "jinja2", "yaml"}
MOST_CPU_S = 0.25
RUNS = 5

COMPLETION = {"_SCHEDPLAN_COMPLETE": "complete_bash", "COMP_WORDS": "schedplan config show --or", "COMP_CWORD": "3"}

PROBE = """
import atexit, sys, time

def tell():
    print(time.process_time(), *sorted(sys.modules), sep="\\n", file=sys.stderr)

atexit.register(tell)
from schedplan.cli.app import main
main()
"""


def probed(*arguments: str, environ: dict[str, str] | None = None) -> tuple[float, set[str]]:
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, env=os.environ | (environ or {}), capture_output=True, text=True, check=True, timeout=60)
    cpu, *modules = done.stderr.splitlines()
    return float(cpu), {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("config", "--help"), ("version", "--help"), ("config", "show", "-h")], ids=" ".join
)
def test_help_and_version_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    _, modules = probed(*arguments)

    assert set() == HEAVY & modules
    assert "schedplan" in modules


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("config", "show", "--help")], ids=" ".join)
def test_help_and_version_answer_within_their_time(arguments: tuple[str, ...]) -> None:
    assert least_cpu_s(*arguments) < MOST_CPU_S


def test_completion_answers_as_fast() -> None:
    _, modules = probed(environ=COMPLETION)

    assert set() == HEAVY & modules
    assert least_cpu_s(environ=COMPLETION) < MOST_CPU_S


def least_cpu_s(*arguments: str, environ: dict[str, str] | None = None) -> float:
    """Return the least CPU seconds of several runs; the first leaves the bytecode behind, and a busy machine adds to each."""
    with TemporaryDirectory() as folder:
        cached = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder, **(environ or {})}
        return min(probed(*arguments, environ=cached)[0] for _ in range(1 + RUNS))


def test_a_reader_that_goes_early_leaves_no_trace() -> None:
    line = f"{sys.executable} -m schedplan --help | head -c 1"

    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True, timeout=60)

    assert ("U", "") == (done.stdout, done.stderr)


def test_a_full_device_is_told_and_is_not_done() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m schedplan version -o json > /dev/full"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert "standard output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("environ", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}, {"PYTHONHASHSEED": "7"}], ids=str)
def test_results_are_the_same_bytes_under_every_locale(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "schedplan.toml").write_text("[project]\nname = '商店 \u202e'\n", encoding="utf-8")

    def shown(extra: dict[str, str]) -> bytes:
        command = [sys.executable, "-m", "schedplan", "config", "show", "-C", str(tmp_path), "-o", "csv"]
        return subprocess.run(command, env=os.environ | extra, capture_output=True, check=True, timeout=60).stdout

    assert shown({}) == shown(environ)
    assert "商店" in shown(environ).decode("utf-8")
