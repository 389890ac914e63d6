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
from schedplan.model.progress import Progress, Watch
from schedplan.optimize.options import SolveOptions
from schedplan.tables.artefacts import read_plan
from schedplan.workflows.goals import AskedGoals
from schedplan.workflows.optimize import Planned, plan_project, save
from schedplan.workflows.project import Project, open_project
from schedplan.workflows.static import plan_static
from schedplan.workflows.verify import verify_plan

ROOT = Path(__file__).parents[2]
DELAYS = random.Random(4)
"""Fixed by its seed, so that the points are the same in every run; where they fall depends on the machine."""

SIGNAL_IN_WRITE = """
import os, signal, sys
from schedplan.tables import artefact_folder
install, sent = artefact_folder.install, []
def interrupted(scaffold, place):
    if not sent:
        sent.append(True)
        os.kill(os.getpid(), signal.{name})
    install(scaffold, place)
artefact_folder.install = interrupted
from schedplan.cli.app import main
sys.argv = ["schedplan", "optimize", "--out", "plan"]
main()
"""

SIGNAL_IN_A_LINEAR_PROGRAM = """
import os, signal, sys
from schedplan.optimize.solvers.silent import SilentHighs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.goals import by_weights
def without_end():
    highs = SilentHighs()
    os.kill(os.getpid(), signal.{name})
    while True:
        highs.run()
by_weights.optimize = lambda *given, **named: interruptible(without_end)
from schedplan.cli.app import main
sys.argv = ["schedplan", "optimize", "--out", "plan"]
main()
"""


SIGNAL_IN_A_STATIC_SOLVE = """
import os, signal, sys
from schedplan.optimize.static import assembly
save, sent = assembly.Assembly.save, []
def interrupted(self):
    if not sent:
        sent.append(True)
        os.kill(os.getpid(), signal.{name})
    save(self)
assembly.Assembly.save = interrupted
from schedplan.cli.app import main
sys.argv = ["schedplan", "optimize", "--static", "--out", "plan"]
main()
"""


SIGNAL_AT_THE_END = """
import atexit, os, signal, sys
atexit.register(lambda: os.kill(os.getpid(), signal.{name}))
from schedplan.cli.app import main
sys.argv = ["schedplan", "--version"]
main()
"""

SIGNAL_BEFORE_THE_COMMAND = """
import os, signal, sys
from schedplan.cli import app
app.app = lambda: os.kill(os.getpid(), signal.{name})
app.main()
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


@pytest.fixture(scope="module")
def standing_day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same day with two jobs that run already, of the lowest priority, and an earlier plan in `before`."""
    folder = tmp_path_factory.mktemp("standing-day")
    write_mixed_day(folder, 20)
    header, *rows = (folder / "jobs.csv").read_text().splitlines()
    running = [f"run-{idx},2026-11-30T20:00:00Z,1,8,600,0,,,,30,running,owned/{idx + 1}*1,2026-11-30T20:00:00Z" for idx in (0, 1)]
    lines = [f"{header},state,placement,start_time", *running, *(f"{row},pending,," for row in rows)]
    (folder / "jobs.csv").write_text("\n".join(lines) + "\n")
    process = started(folder, "-m", "schedplan", "optimize", "--out", "before", "--gap", "0.5")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
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
    struck(long_day, number, status, delay_s)


@pytest.mark.parametrize(
    ("number", "status", "delay_s", "words"),
    [
        (number, status, round(DELAYS.uniform(*((1.0, 4.0) if words[0] == "--from" else (4.0, 12.0))), 2), words)
        for (number, status), words in zip(
            ((signal.SIGINT, 130), (signal.SIGTERM, 143)) * 3,
            (
                ("--pareto", "5", "--pareto-goals", "latency,cost"),
                ("--lexicographic", "latency,cost"),
                ("--preempt",),
                ("--from", "before"),
            ),
            strict=False,
        )
    ],
)
def test_a_signal_in_any_kind_of_solve_leaves_a_whole_plan_or_nothing(
    standing_day: Path, number: int, status: int, delay_s: float, words: tuple[str, ...]
) -> None:
    struck(standing_day, number, status, delay_s, *words)


def struck(folder: Path, number: int, status: int, delay_s: float, *words: str) -> None:
    """Start a plan, send a signal some time later, and look at what it leaves."""
    out = folder / f"plan-{number}-{delay_s}"
    process = started(folder, "-m", "schedplan", "optimize", "--out", str(out), *words)
    time.sleep(delay_s)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)

    kept = out.with_name(f"{out.name}.interrupted")
    if out.exists():  # it had been written already
        assert (True, False) == (process.returncode in {0, status}, kept.exists()), said
        verified = started(folder, "-m", "schedplan", "verify", str(out))
        found, _ = verified.communicate(timeout=120)
        assert verified.returncode == 0, found
        return
    assert process.returncode in {status, -number}, said  # the second: before the first line of the program ran
    assert kept.exists() == (f"kept in {kept}" in said)
    assert "Traceback" not in said or process.returncode == -number
    if kept.exists():
        plan, _ = read_plan(kept)
        points = [kept.with_name(f"{kept.name}-front") / f"{idx + 1}" for idx in range(len(plan.front.points) if plan.front else 0)]
        assert any("interrupted" in warning for warning in plan.warnings)
        for one in (kept, *points):
            verified = started(folder, "-m", "schedplan", "verify", str(one))
            found, _ = verified.communicate(timeout=120)
            assert verified.returncode == 0, found
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_in_the_write_keeps_the_plan_beside(tmp_path: Path, name: str, status: int) -> None:
    folder = copytree(ROOT / "samples" / "three-nodes-1-1-2", tmp_path / "day")
    process = started(folder, "-c", SIGNAL_IN_WRITE.format(name=name))
    _, said = process.communicate(timeout=120)

    assert (status, False, True) == (process.returncode, (folder / "plan").exists(), (folder / "plan.interrupted").exists()), said
    assert "kept in plan.interrupted" in said
    read_plan(folder / "plan.interrupted")


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_in_a_static_solve_keeps_what_is_placed(tmp_path: Path, name: str, status: int) -> None:
    write_mixed_day(tmp_path, 20)
    process = started(tmp_path, "-c", SIGNAL_IN_A_STATIC_SOLVE.format(name=name))
    _, said = process.communicate(timeout=120)

    assert (status, False) == (process.returncode, (tmp_path / "plan").exists()), said
    assert "kept in plan.interrupted" in said
    plan, _ = read_plan(tmp_path / "plan.interrupted")
    assert any("interrupted" in warning for warning in plan.warnings)
    assert () == verify_plan(tmp_path / "plan.interrupted").findings


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_the_interpreter_ends_changes_nothing(tmp_path: Path, name: str) -> None:
    process = started(tmp_path, "-c", SIGNAL_AT_THE_END.format(name=name))
    _, said = process.communicate(timeout=120)

    assert (0, "") == (process.returncode, said)


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_outside_of_a_command_has_its_status(tmp_path: Path, name: str, status: int) -> None:
    process = started(tmp_path, "-c", SIGNAL_BEFORE_THE_COMMAND.format(name=name))
    _, said = process.communicate(timeout=120)

    assert (status, "") == (process.returncode, said)


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_solve_that_is_left_behind_does_not_abort_the_end(tmp_path: Path, name: str, status: int) -> None:
    folder = copytree(ROOT / "samples" / "three-nodes-1-1-2", tmp_path / "day")
    process = started(folder, "-c", SIGNAL_IN_A_LINEAR_PROGRAM.format(name=name))
    _, said = process.communicate(timeout=120)

    assert status == process.returncode, said
    assert said.startswith("error SP91")


@pytest.mark.parametrize(
    ("asked", "preempt"),
    [
        (AskedGoals(), False),
        (AskedGoals(order=("cost", "latency")), False),
        (AskedGoals(n_points=4, pair=("latency", "cost")), False),
        (AskedGoals(), True),
    ],
)
def test_whenever_the_search_ends_its_best_plan_is_kept(tmp_path: Path, asked: AskedGoals, preempt: bool) -> None:
    """Every report of the search is a point where it may end: before the first plan nothing is kept, from then on always."""
    project = waiting_is_cheaper(tmp_path)
    points: list[Progress] = []
    plan_project(project, SolveOptions(), asked=asked, preempt=preempt, watch=points.append)

    for number, point in enumerate(points):
        kept: list[Planned] = []
        with pytest.raises(KeyboardInterrupt):
            plan_project(project, SolveOptions(), asked=asked, preempt=preempt, watch=stopped_after(number), keep=kept.append)

        assert bool(kept) == any(earlier.decisions is not None for earlier in points[: number + 1])
        for planned in kept:
            save(planned, project, tmp_path / "kept", force=True)
            for folder in ("kept", *(f"kept-front/{idx + 1}" for idx in range(len(planned.front)))):
                assert () == verify_plan(tmp_path / folder).findings
        if kept and asked == AskedGoals() and not preempt:
            assert point.objective == kept[0].plan.proof.objective
    assert points[-1].decisions is not None


def test_an_interrupted_front_has_the_points_that_are_done(tmp_path: Path) -> None:
    project = waiting_is_cheaper(tmp_path)
    asked = AskedGoals(n_points=4, pair=("latency", "cost"))
    points: list[Progress] = []
    plan_project(project, SolveOptions(), asked=asked, watch=points.append)
    third = next(idx for idx, point in enumerate(points) if point.phase.startswith("point 3 of 4"))
    kept: list[Planned] = []
    with pytest.raises(KeyboardInterrupt):
        plan_project(project, SolveOptions(), asked=asked, watch=stopped_after(third), keep=kept.append)

    # the two ends are the first points: no wait for 9, and 3 h of wait of the higher of two priorities for m, which is free then
    front = kept[0].plan.front
    assert front is not None
    assert [(0, 9), (6, 0)] == [(point.first, point.second) for point in front.points]
    assert not front.is_whole
    assert any("after 2 of 4 points" in warning for warning in kept[0].plan.warnings)


def test_an_interrupted_order_says_which_goals_are_open(tmp_path: Path) -> None:
    project = waiting_is_cheaper(tmp_path)
    asked = AskedGoals(order=("cost", "latency"))
    points: list[Progress] = []
    plan_project(project, SolveOptions(), asked=asked, watch=points.append)
    last = next(idx for idx, point in enumerate(points) if point.phase.startswith("goal 3 of 3, latency"))
    kept: list[Planned] = []
    with pytest.raises(KeyboardInterrupt):
        plan_project(project, SolveOptions(), asked=asked, watch=stopped_after(last), keep=kept.append)

    (planned,) = kept
    assert ["unplaced", "cost"] == [stage.goal for stage in planned.plan.stages]
    assert any("latency had not been solved for" in warning for warning in planned.plan.warnings)
    assert planned.plan.proof.bound is None


def test_whenever_a_static_search_ends_its_best_plan_is_kept(tmp_path: Path) -> None:
    """The bound comes first, then the search: from there on there is a plan, and best fit in the order of submission beside it."""
    project = waiting_is_cheaper(tmp_path)
    points: list[Progress] = []
    whole = plan_static(project, SolveOptions(), watch=points.append)
    found: list[int] = []
    for number in range(len(points)):
        kept: list[Planned] = []
        with pytest.raises(KeyboardInterrupt):
            plan_static(project, SolveOptions(), watch=stopped_after(number), keep=kept.append)

        found.append(len(kept))
        for planned in kept:
            save(planned, project, tmp_path / "kept", force=True)
            assert () == verify_plan(tmp_path / "kept").findings
            assert planned.plan.proof.bound == whole.plan.proof.bound
    # read, bound, every node by itself: nothing yet; then best fit beside it, fewer nodes
    assert [0, 0, 0, 1, 1] == found


def waiting_is_cheaper(folder: Path) -> Project:
    """A node whose price falls from 9 to 2 in four hours, a job that waits for it, and one that runs on a node of its own."""
    prices = "".join(f"n,2026-12-01T0{hour}:00:00Z,{price}\n" for hour, price in ((1, 7), (2, 4), (3, 2)))
    tables = {
        "nodes.csv": "node,count,min_count,max_count,gpus,market,price_per_hour\nn,0,0,1,1,on_demand,9\nm,1,1,1,1,owned,0\n",
        "jobs.csv": (
            "job,gpus_per_worker,runtime_minutes,submit_time,state,placement,start_time,priority\n"
            "j,1,60,2026-12-01T00:00:00Z,pending,,,5\n"
            "r,1,240,2026-11-30T23:00:00Z,running,m*1,2026-11-30T23:00:00Z,0\n"
        ),
        "prices.csv": f"node,ds,price_per_hour\n{prices}",
        "schedplan.toml": (
            '[inputs]\nnodes = "nodes.csv"\njobs = "jobs.csv"\nprices = "prices.csv"\n[horizon]\nstart = 2026-12-01T00:00:00Z\n'
            "hours = 4\n[objective]\nlatency = 0.5\nutilization = 0.0\ncost = 0.5\n"
        ),
    }
    for name, text in tables.items():
        (folder / name).write_text(text, "utf-8")
    place = locate_project((folder,), None, folder)
    return open_project(place, load_settings(place.file, (), {}))


def stopped_after(number: int) -> Watch:
    """Return a watch that ends the search at a report, counted from 0."""
    left = iter(range(number))

    def stop(progress: Progress) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    return stop
