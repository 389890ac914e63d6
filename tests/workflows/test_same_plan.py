"""A plan is the same bytes whatever the hash seed and however many cores there are, made anew or near an earlier one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fleet_day import Fleet, write_fleet_day

ROOT = Path(__file__).parents[2]
PLAN_ON = """
import os, sys
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(sys.argv.pop(1))])
from schedplan.cli.app import main
main()
"""


def planned(project: Path, out: Path, seed: str, cores: int, *words: str) -> dict[str, bytes]:
    """Plan in a process of its own and return what it has written, by name."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    call = [sys.executable, "-c", PLAN_ON, str(cores), "-q", "optimize", str(project), "--out", str(out), *words]
    done = subprocess.run(call, env=environ, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six nodes and eighteen jobs: more columns than are searched whole."""
    folder = tmp_path_factory.mktemp("fleet")
    write_fleet_day(folder, Fleet(6, 18))
    return folder


@pytest.fixture(scope="module")
def before(fleet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its plan, made on one core."""
    out = tmp_path_factory.mktemp("before") / "plan"
    planned(fleet, out, "0", 1)
    return out


def test_hash_seed_and_cores_change_nothing(fleet: Path, before: Path, tmp_path: Path) -> None:
    one = {file.name: file.read_bytes() for file in before.iterdir()}

    assert {"plan.json", "placements.parquet", "replicas.parquet", "nodes.parquet"} <= one.keys()
    assert one == planned(fleet, tmp_path / "other", "1", 2)


def test_nor_do_they_near_an_earlier_plan(fleet: Path, before: Path, tmp_path: Path) -> None:
    near = ("--from", str(before))
    one, other = (planned(fleet, tmp_path / seed, seed, cores, *near) for seed, cores in (("0", 1), ("1", 2)))

    assert b"earlier plan mended" in one["plan.json"]
    assert one == other
