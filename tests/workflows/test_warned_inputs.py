"""What a person must see before trusting a plan: slips in the tables, on top of the plan and in the findings of validate."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app

NODES = "node,count,gpus\nn,2,8\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in a folder of its own, with these files in it."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, **tables: str) -> Result:
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return CliRunner().invoke(app, [*words, *(f"{name}.csv" for name in tables)])

    return call


def test_a_misspelt_column_is_told_on_top_of_the_plan_and_fails_validate_on_warnings(run):
    jobs = "job,gpus_per_workr,runtime_minutes\na,1,60\n"
    planned = run("optimize", nodes=NODES, jobs=jobs)
    passed = run("validate", nodes=NODES, jobs=jobs)
    failed = run("validate", "--fail-on", "warning", nodes=NODES, jobs=jobs)

    assert 0 == planned.exit_code
    assert planned.stdout.index("did you mean gpus_per_worker?") < planned.stdout.index("What was assumed")
    assert (0, 1) == (passed.exit_code, failed.exit_code)
    assert "SP1207" in failed.stdout
