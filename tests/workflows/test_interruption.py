"""Ctrl-C and SIGTERM at any point of `optimize`: the best plan is kept whole beside the target, or nothing is left at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import copytree

import pytest

from benchmarks.mixed_day import write_mixed_day
from schedplan.config.load import load_settings
from schedplan.config.project import locate_project
from schedplan.measures.feasibility import violations
from schedplan.model.progress import Progress
from schedplan.optimize.options import SolveOptions
from schedplan.tables.artefacts import read_plan
from schedplan.workflows.optimize import Planned, plan_project
from schedplan.workflows.project import open_project

ROOT = Path(__file__).parents[2]
DELAYS = random.Random(4)
"""Fixed by its seed, so that the points are the same in every run; where they fall depends on the machine."""

SIGNAL_IN_WRITE = """
import os, signal, sys
from schedplan.tables import artefact_folder
install, sent = artefact_folder._install, []
def interrupted(scaffold, place):
    if not sent:
        sent.append(True)
        os.kill(os.getpid(), signal.{name})
    install(scaffold, place)
artefact_folder._install = interrupted
from schedplan.cli.app import main
sys.argv = ["schedplan", "optimize", "--out", "plan"]
main()
"""

SIGNAL_IN_A_LINEAR_PROGRAM = """
import os, signal, sys
from schedplan.optimize.solvers.highs import SilentHighs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.workflows import optimize as workflow
def without_end():
    highs = SilentHighs()
    os.kill(os.getpid(), signal.{name})
    while True:
        highs.run()
workflow.optimize = lambda *given, **named: interruptible(without_end)
from schedplan.cli.app import main
sys.argv = ["schedplan", "optimize", "--out", "plan"]
main()
"""


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.fixture(scope="module")
def long_day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day that is searched for many seconds."""
    folder = tmp_path_factory.mktemp("long-day")
    write_mixed_day(folder, 20)
    return folder


@pytest.mark.parametrize(
    ("number", "status", "delay_s"),
    [
        (number, status, round(DELAYS.uniform(0.2, 8.0), 2))
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143))
        for _ in range(3)
    ],
)
def test_a_signal_at_any_point_leaves_a_whole_plan_or_nothing(long_day: Path, number: int, status: int, delay_s: float) -> None:
    out = long_day / f"plan-{number}-{delay_s}"
    process = started(long_day, "-m", "schedplan", "optimize", "--out", str(out))
    time.sleep(delay_s)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)

    kept = out.with_name(f"{out.name}.interrupted")
    assert process.returncode in {status, -number}, said  # the second: before the first line of the program ran
    assert not out.exists()
    assert kept.exists() == (f"kept in {kept}" in said)
    assert "Traceback" not in said or process.returncode == -number
    if kept.exists():
        plan, _ = read_plan(kept)
        assert any("interrupted" in warning for warning in plan.warnings)
        verified = started(long_day, "-m", "schedplan", "verify", str(kept))
        verified.communicate(timeout=120)
        assert verified.returncode == 0
    assert not [path for path in long_day.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_in_the_write_keeps_the_plan_beside(tmp_path: Path, name: str, status: int) -> None:
    folder = copytree(ROOT / "samples" / "three-nodes-1-1-2", tmp_path / "day")
    process = started(folder, "-c", SIGNAL_IN_WRITE.format(name=name))
    _, said = process.communicate(timeout=120)

    assert (status, False, True) == (process.returncode, (folder / "plan").exists(), (folder / "plan.interrupted").exists()), said
    assert "kept in plan.interrupted" in said
    read_plan(folder / "plan.interrupted")


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_solve_that_is_left_behind_does_not_abort_the_end(tmp_path: Path, name: str, status: int) -> None:
    folder = copytree(ROOT / "samples" / "three-nodes-1-1-2", tmp_path / "day")
    process = started(folder, "-c", SIGNAL_IN_A_LINEAR_PROGRAM.format(name=name))
    _, said = process.communicate(timeout=120)

    assert status == process.returncode, said
    assert said.startswith("error SP91")


def test_whenever_the_search_ends_its_best_plan_is_kept(tmp_path: Path) -> None:
    """Every report of the search is a point where it may end: before the first plan nothing is kept, from then on always."""
    folder = copytree(ROOT / "samples" / "three-nodes-1-1-2", tmp_path / "day")
    place = locate_project((folder,), None, folder)
    project = open_project(place, load_settings(place.file, (), {}))
    points: list[Progress] = []
    plan_project(project, SolveOptions(), watch=points.append)

    for number, point in enumerate(points):
        kept: list[Planned] = []
        left = iter(range(number))

        def stop(progress: Progress, left: object = left) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            plan_project(project, SolveOptions(), watch=stop, keep=kept.append)

        assert bool(kept) == (point.decisions is not None)
        for planned in kept:
            assert violations(planned.prepared.problem, planned.plan.decisions) == ()
            assert planned.plan.proof.objective == point.objective
    assert points[-1].decisions is not None
