"""A real Slurm with emulated nodes runs a small workload; its own answer, ingested and replayed, gives the order it really had."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from schedplan.engines.policy_table import policy
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.replay import replay
from tests.real.slurm import BACKFILL_S, CORES, Sleep, Slurm, is_installed

pytestmark = pytest.mark.real_service

NODES = 4
WAITING = 10
"""Jobs that wait for the first one."""
SEEDS = (5,)
"""Of workloads whose order stays as it is when every start is held up by some seconds."""
ROUNDED_S = 1
"""Slurm tells whole seconds, each rounded by itself."""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    if not is_installed():
        assert "CI" not in os.environ, "the checks of CI need Slurm (Debian: slurm-wlm)"
        pytest.skip("there is no Slurm on this machine (Debian: slurm-wlm)")
    found = Slurm(tmp_path_factory.mktemp("slurm"), NODES)
    try:
        found.start()
        yield found
    finally:
        found.stop()


def mixed(seed: int) -> list[Sleep]:
    """Jobs that arrive while the first one holds all nodes. No sum of up to three limits is another job's limit, so that seconds of
    delay decide nothing that the replay, which has none, decides by a tie."""
    source = random.Random(seed)
    limits = [3 * idx + 1 for idx in range(1, WAITING + 1)]
    seconds = [3 + idx for idx in range(WAITING)]
    source.shuffle(limits)
    source.shuffle(seconds)
    waiting = [Sleep(f"j{idx}", source.choice((1, 1, 2, 2, 3, 4)), seconds[idx], limits[idx]) for idx in range(WAITING)]
    return [Sleep("first", NODES, 6, 1), *waiting]


def schedplan(folder: Path, *arguments: str) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "schedplan", *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert 0 == told.returncode, told.stderr


def run(slurm: Slurm, folder: Path, jobs: list[Sleep]) -> pd.DataFrame:
    """Run jobs and return what became of them, by number: real and replayed start and end, seconds after the first submission."""
    before = _numbers(slurm)
    for job in jobs:
        slurm.submit(job)
    slurm.wait()
    told = slurm.ask("scontrol", "show", "job", "-d")
    rows = [row for row in told.split("\n\n") if row.strip() and int(row.split("JobId=")[1].split()[0]) not in before]
    (folder / "jobs.txt").write_text("\n\n".join(rows) + "\n", encoding="utf-8")
    (folder / "nodes.txt").write_text(slurm.ask("scontrol", "show", "nodes"), encoding="utf-8")
    schedplan(folder, "ingest", "jobs.txt", "nodes.txt", "--out", "tables")
    real = pd.read_parquet(folder / "tables" / "jobs.parquet")
    first = real["submit_time"].min()
    found = pd.DataFrame(
        {
            "submitted": (real["submit_time"] - first).dt.total_seconds(),
            "started": (real["start_time"] - first).dt.total_seconds(),
            "ended": (real["end_time"] - first).dt.total_seconds(),
        }
    ).set_index(real["job"].astype(int))
    for rule in ("conservative", "easy"):
        schedplan(folder, "simulate", "tables", "--policy", rule, "--out", rule)
        outcome = pd.read_parquet(folder / rule / "jobs_out.parquet")
        found[rule] = (outcome["start"] - first).dt.total_seconds().set_axis(outcome["job"].astype(int))
    assert len(jobs) == len(found)
    return found.sort_index()


def _numbers(slurm: Slurm) -> set[int]:
    told = slurm.ask("scontrol", "show", "job", "-o")
    return {int(row.split("JobId=")[1].split()[0]) for row in told.splitlines() if row.startswith("JobId=")}


def order(found: pd.DataFrame, column: str) -> list[int]:
    """Return the jobs in the order of their starts, those of one instant by number."""
    return found[column].sort_values(kind="stable").index.tolist()


def lags(found: pd.DataFrame) -> pd.Series:
    """Return how long after the last event before it (a submission, or an end) each job really started, in seconds."""
    events = pd.concat([found["submitted"], found["ended"]])
    return found["started"].map(lambda at: at - events[events <= at].max())


def replayed(jobs: list[Sleep], held_up_s: list[int]) -> list[int]:
    """Return the order in which the conservative rule starts jobs that are held up for so long, by number."""
    known = tuple(
        Job(
            str(number),
            submit_s=0,
            workers=job.nodes,
            shape=WorkerShape(cpus=CORES),
            runtime_minutes=(job.seconds + held_s) / 60,
            time_limit_minutes=job.limit_minutes,
        )
        for number, (job, held_s) in enumerate(zip(jobs, held_up_s, strict=True), 1)
    )
    cluster = Cluster((Pool("n", count=NODES, min_count=NODES, max_count=NODES, cpus=CORES),))
    timeline = replay(cluster, known, policy("conservative")).timeline
    return [number for _, number in sorted(zip(timeline.start_s.tolist(), map(int, timeline.jobs), strict=True))]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_order_hangs_on_seconds(seed):
    jobs, source = mixed(seed), random.Random(0)
    at_once = replayed(jobs, [0] * len(jobs))

    for _ in range(60):
        assert at_once == replayed(jobs, [source.randint(0, BACKFILL_S + ROUNDED_S) for _ in jobs])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mixed_workload_starts_in_the_order_of_the_replay(slurm, tmp_path, seed):
    found = run(slurm, tmp_path, mixed(seed))

    assert order(found, "conservative") == order(found, "started")
    assert order(found, "easy") != order(found, "started"), "this workload tells the two rules apart"
    assert lags(found).max() <= BACKFILL_S + ROUNDED_S
    # what each start lags behind adds up along the queue
    assert ((found["started"] - found["conservative"]).abs() <= (BACKFILL_S + ROUNDED_S) * len(found)).all()


def test_a_short_job_goes_by_and_a_long_one_does_not(slurm, tmp_path):
    jobs = [Sleep("wide", 3, 6, 3), Sleep("all", 4, 3, 3), Sleep("short", 1, 3, 1), Sleep("long", 1, 3, 5)]
    found = run(slurm, tmp_path, jobs)

    for column in ("started", "conservative", "easy"):
        wide, everything, short, long = found[column]
        assert short - wide <= BACKFILL_S + ROUNDED_S + 1
        assert found["ended"].iloc[0] <= everything + ROUNDED_S * (column != "started") + 1
        assert everything < long
