"""Through the installed command: tables fit a terminal of 80 columns, are whole off it, and the next useful command is told."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("schedplan")
LONG = "a-job-whose-name-is-far-too-long-for-any-column-of-a-table-on-a-terminal-of-eighty-columns-and-goes-on-" * 2
NODES = "node,accelerator,gpus,market,price_per_hour\nn1,A100,2,owned,1\n"
JOBS = f"job,submit_time,gpus_per_worker,runtime_minutes\n{LONG},2026-12-01T00:00:00Z,2,60\nb,2026-12-01T00:00:00Z,2,60\n"
PROJECT = """[project]
name = "small"
[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
[horizon]
start = 2026-12-01T00:00:00
hours = 2
step_minutes = 60
[check]
rules = ["unplaced == 0", "cost <= 1"]
"""
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    for name, text in (("nodes.csv", NODES), ("jobs.csv", JOBS), ("schedplan.toml", PROJECT)):
        (folder / name).write_text(text, "utf-8")
    subprocess.run([COMMAND, "optimize", "-q", "-o", "json"], cwd=folder, capture_output=True, check=True, env=ENVIRON)
    return folder


def on_terminal(folder: Path, *words: str) -> list[str]:
    """Return the lines that a command writes to a terminal of 80 columns as its standard output."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen([COMMAND, *words], cwd=folder, stdout=theirs, stderr=subprocess.DEVNULL, env=ENVIRON) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 1 << 16)
            except OSError:
                break
            if not more:
                break
            said += more
        process.wait(60)
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", said.decode()).replace("\r\n", "\n").split("\n")


@pytest.mark.parametrize("words", [("check",), ("explain", "b"), ("optimize", "--force")], ids=" ".join)
def test_tables_fit_a_terminal_of_eighty_columns(planned: Path, words: tuple[str, ...]) -> None:
    lines = on_terminal(planned, *words)

    assert len(lines) > 5
    assert [] == [line for line in lines if len(line) > 80]


def test_off_a_terminal_nothing_is_cut(planned: Path) -> None:
    done = subprocess.run([COMMAND, "optimize", "--force"], cwd=planned, capture_output=True, text=True, check=True, env=ENVIRON)

    assert LONG in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("validate",), "note: next: schedplan optimize\n"),
        (("verify",), "note: next: schedplan report runs/plan\n"),
        (("check",), "note: next: schedplan explain SP5001 says what SP5001 means\n"),
        (("diff", "runs/plan", "runs/plan"), "note: next: schedplan check runs/plan --baseline runs/plan\n"),
        (("optimize", "--force"), "next: schedplan report runs/plan, or schedplan explain runs/plan NAME\n"),
        (("verify", "-q"), ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_next_command_is_told_on_standard_error(planned: Path, words: tuple[str, ...], told: str) -> None:
    done = subprocess.run([COMMAND, *words], cwd=planned, capture_output=True, text=True, check=False, env=ENVIRON)

    assert done.stderr.endswith(told)
    assert told or not done.stderr
    assert "next: " not in done.stdout
