"""Work that hangs on other work, through the command: planned in order, told, verified, refused where it makes no sense."""

from __future__ import annotations

from json import loads
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app
from schedplan.tables.artefacts import read_plan

NODES = "node,count,gpus\nn,1,2\n"
HEADER = "job,gpus_per_worker,runtime_minutes,submit_time,gang,after,state\n"
DAY = "2026-12-01T00:00:00Z"
FIRST = f"load,1,90,{DAY},,,pending\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in a folder of its own, with these files in it."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, **tables: str) -> Result:
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return CliRunner().invoke(app, [*words, *(f"{name}.csv" for name in tables)])

    return call


def starts_h():
    """Hours from the beginning of the saved plan at which its jobs start."""
    plan, context = read_plan(Path("runs/plan"))
    return {row.job: (row.start_s - context.grid.start_s) / 3600 for row in plan.placements}


def test_a_pipeline_with_a_gang_in_it_is_planned_in_order_and_verified(run):
    # load is booked for 2 h; master and worker start together after it, on one device each; report an hour later
    jobs = HEADER + FIRST + f"master,1,60,{DAY},g,load,pending\nworker,1,60,{DAY},g,,pending\nreport,1,60,{DAY},,master,pending\n"
    plan = loads(run("optimize", "-o", "json", nodes=NODES, jobs=jobs).stdout)
    verified = run("verify", "runs/plan")
    explained = " ".join(run("explain", "runs/plan", "worker").stdout.split())

    assert [] == plan["warnings"] + plan["unplaced"]
    assert {"load": 0, "master": 2, "worker": 2, "report": 3} == starts_h()
    assert 0 == verified.exit_code
    assert "it starts together with master, the other rows of gang g" in explained


def test_what_is_left_out_because_of_others_says_so(run):
    jobs = HEADER + f"large,4,60,{DAY},,,pending\nnext,1,60,{DAY},,large,pending\nrow,1,60,{DAY},g,next,pending\n"
    plan = loads(run("optimize", "-o", "json", nodes=NODES, jobs=jobs + f"other,1,60,{DAY},g,,pending\n").stdout)
    rules = {row["name"]: (row["rule"], row["evidence"]) for row in plan["unplaced"]}

    assert rules["next"] == ("after", "comes after large, which the plan leaves out")
    assert rules["other"] == (
        "after",
        "gang g starts together or not at all; its row row: comes after next, which the plan leaves out",
    )


def test_history_is_over_and_what_is_submitted_later_is_not(run):
    jobs = HEADER + FIRST + f"old,1,60,{DAY},,,completed\nfast,1,60,{DAY},,old,pending\n"
    late = f"late,1,60,2027-01-01T00:00:00Z,,,pending\nslow,1,60,{DAY},,late,pending\n"
    start = f"horizon.start={DAY}"
    plan = loads(run("optimize", "-o", "json", "--set", start, nodes=NODES, jobs=jobs + late).stdout)

    assert {"load", "fast"} == set(starts_h())
    assert "1 job hangs (after, gang) on one submitted later and is not planned" in plan["assumptions"]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (f"next,1,60,{DAY},,laod,pending\n", "it waits for laod, which no row of jobs holds. Did you mean load?"),
        (f"a,1,60,{DAY},,b,pending\nb,1,60,{DAY},,a,pending\n", "none can start: a after b after a"),
        (
            "".join(f"j{idx:02},1,60,{DAY},,j{(idx + 1) % 20:02},pending\n" for idx in range(20)),
            "none can start: j00 after j01 after j02 after j03 after j04 after j05 after j06 after j07 after j08 after j09"
            " after 10 more after j00",
        ),
    ],
)
def test_unknown_names_and_circles_are_refused(run, rows, words):
    done = run("optimize", nodes=NODES, jobs=HEADER + FIRST + rows)

    assert 2 == done.exit_code
    assert words in " ".join(done.output.split())
