"""`optimize --static` through the installed command: plan, verify, report, explain, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NODES = "node,count,gpus,slices_per_gpu,cpus,memory_gib,accelerator,price_per_hour\nbig,2,2,100,16,64,A,4\nsmall,1,1,100,4,16,B,1\n"
JOBS = (
    "job,gpus_per_worker,cpus_per_worker,memory_gib_per_worker,state,submit_time,start_time,end_time\n"
    "old,1,2,8,completed,2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,2026-01-01T02:00:00Z\n"
    "failed,0.55,2,8,failed,2026-01-02T00:00:00Z,,\n"
    "waiting,0.45,2,8,pending,2026-01-03T00:00:00Z,,\n"
    "running,2,4,16,running,2026-01-03T00:00:00Z,2026-01-03T00:00:00Z,\n"
    "wide,3,4,16,pending,2026-01-03T00:00:00Z,,\n"
)


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedplan", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environ},
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    (folder / "nodes.csv").write_text(NODES)
    (folder / "jobs.csv").write_text(JOBS)
    done = run(folder, "optimize", "nodes.csv", "jobs.csv", "--static", "-q")
    assert done.returncode == 0, done.stderr
    return folder


def plan_of(folder: Path) -> dict[str, object]:
    return json.loads((folder / "runs" / "plan" / "plan.json").read_text())  # type: ignore[no-any-return]


def test_every_job_is_placed_or_told_whatever_its_state(project: Path) -> None:
    plan = plan_of(project)

    # 3 devices on one node are nowhere; of 5 devices 1 + 0.55 + 0.45 + 2 = 4 are asked for by the others.
    assert [(row["name"], row["rule"]) for row in plan["unplaced"]] == [("wide", "devices")]  # type: ignore[attr-defined]
    assert plan["status"] == "optimal"
    # Sizes: wide 3 of 7, the largest share of each of its three resources (4/36 of the cores, 16/144 GiB; devices 3/5 -> 3).
    assert plan["objective"] == pytest.approx(3 / 7)
    assert plan["gap"] == 0


def test_the_saved_plan_verifies_and_reports(project: Path) -> None:
    verified = run(project, "verify", "runs/plan")
    reported = run(project, "report", "runs/plan")

    assert verified.returncode == 0, verified.stdout
    assert "every constraint holds" in verified.stdout
    assert reported.returncode == 0, reported.stderr
    assert "Placement at one instant" in (project / "runs" / "plan" / "report.html").read_text()


def test_the_answer_says_the_limit_and_the_notes(project: Path) -> None:
    shown = run(project, "optimize", "nodes.csv", "jobs.csv", "--static", "--out", "again")

    assert "4 of 5 jobs are placed; they hold 4 of 5 devices (80.00 %)." in shown.stdout
    assert "No placement of these jobs holds more than" in shown.stdout
    assert "1 completed, 1 failed, 2 pending, 1 running" in shown.stdout


def test_a_better_bound_than_the_prices_prove_is_found_out(project: Path) -> None:
    from dataclasses import replace

    from schedplan.workflows.plan import open_plan
    from schedplan.workflows.static import unproven

    saved = open_plan(project / "runs" / "plan")
    proof = saved.plan.proof
    assert proof.bound is not None
    worse = replace(saved.plan, proof=replace(proof, prices=tuple(replace(one, value=one.value / 2) for one in proof.prices)))

    assert unproven(saved.problem, saved.plan) == ()
    assert [found.subject for found in unproven(saved.problem, worse)] == (["bound"] if proof.prices else [])


def test_explain_and_diff_read_it(project: Path) -> None:
    explained = run(project, "explain", "runs/plan", "wide")
    same = run(project, "diff", "runs/plan", "runs/plan", "--detailed-exitcode")

    assert explained.returncode == 0, explained.stderr
    assert "3" in explained.stdout
    assert same.returncode == 0


def test_same_bytes_under_two_hash_seeds(project: Path) -> None:
    for seed in ("1", "2"):
        done = run(project, "optimize", "nodes.csv", "jobs.csv", "--static", "-q", "--out", f"seed{seed}", PYTHONHASHSEED=seed)
        assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (project / "seed1").iterdir())

    assert names == sorted(path.name for path in (project / "seed2").iterdir())
    assert all((project / "seed1" / name).read_bytes() == (project / "seed2" / name).read_bytes() for name in names)


def test_quota_and_pin_are_kept_and_told(project: Path, tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("node,count,gpus\na,2,8\n")
    (tmp_path / "jobs.csv").write_text(
        "job,tenant,gpus_per_worker\nwide,research,8\nr1,research,2\nr2,research,2\nr3,research,2\nsmall,product,2\n"
    )
    (tmp_path / "quotas.csv").write_text("tenant,nominal,max\nresearch,4,4\n")
    (tmp_path / "pins.csv").write_text("job,node,start\nsmall,a/2,2026-12-01T00:00:00Z\n")
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "quotas.csv", "--pin", "pins.csv", "--static")
    plan = json.loads((tmp_path / "runs" / "plan" / "plan.json").read_text())
    explained = run(tmp_path, "explain", "runs/plan", "small")

    # two jobs of research with 2 devices each are its 4; with the pinned one 6 of 16 devices are held, and no more can be
    assert done.returncode == 0, done.stderr
    assert "3 of 5 jobs are placed; they hold 6 of 16 devices (37.50 %)." in done.stdout
    assert "No placement of these jobs holds more than 6" in done.stdout
    assert "pins hold for places; their starts are not looked at" in done.stdout
    assert {(row["name"], row["rule"]) for row in plan["unplaced"]} == {("wide", "quota"), ("r3", "quota")}
    assert "it is pinned on a/2" in explained.stdout
    assert run(tmp_path, "verify", "runs/plan").returncode == 0


def test_weights_and_runtime_have_no_say(project: Path) -> None:
    refused = run(project, "optimize", "nodes.csv", "jobs.csv", "--static", "--runtime", "60")

    assert refused.returncode == 2
    assert "--static" in refused.stderr


def test_nodes_without_work_are_refused(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    refused = run(tmp_path, "optimize", "nodes.csv", "--static")

    assert refused.returncode == 2
    assert "nothing to place" in refused.stderr
