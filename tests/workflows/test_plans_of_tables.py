"""Plans of tables without a project file, which all have the same place unless another is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app

JOBS = "job,gpus_per_worker,runtime_minutes,submit_time\n{name},1,60,2026-12-01T00:00:00Z\n"


def planned(*words: str) -> Result:
    return CliRunner().invoke(app, ["optimize", *words])


def test_a_plan_of_other_tables_is_not_replaced_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "nodes.csv").write_text("node,gpus\nn,1\n")
        (tmp_path / name / "jobs.csv").write_text(JOBS.format(name=name))
    first, again, other = planned("one"), planned("one"), planned("two")

    assert [0, 0, 2] == [first.exit_code, again.exit_code, other.exit_code]
    assert "holds the plan of other tables: one/jobs.csv, one/nodes.csv" in " ".join(other.stderr.split())
    assert "one" in (tmp_path / "runs/plan/plan.json").read_text()
    assert [0, 0] == [planned("two", "--out", "elsewhere").exit_code, planned("two", "--force").exit_code]
    assert "two/jobs.csv" in (tmp_path / "runs/plan/plan.json").read_text()
