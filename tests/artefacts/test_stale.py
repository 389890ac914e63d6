"""Plans whose inputs have changed are refused by name; what has no say in a plan changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schedplan.errors import InputError, StalePlanError
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.problem import Problem
from schedplan.tables.artefact_record import sha256_of
from schedplan.tables.artefacts import (
    InputRecord,
    SettingsSnapshot,
    context_of,
    refuse_stale,
    relative_path,
    settings_sha256,
    stale,
)
from schedplan.timegrid import TimeGrid
from tests.artefacts.handmade import handmade_context


def by_bytes(path: Path, table: str) -> str:
    if table == "unreadable":
        raise InputError("no table")
    return sha256_of(path.read_bytes())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "jobs.csv").write_text("job\na\n")
    (tmp_path / "nodes.csv").write_text("node\nn\n")
    (tmp_path / "schedplan.toml").write_text('# a comment\n[limits]\nbudget_per_day = 1\n[check]\nrules = ["gap <= 1"]\n')
    return tmp_path


def context_for(project: Path):
    inputs = tuple(
        InputRecord(path, table, by_bytes(project / path, table))
        for path, table in (("data/jobs.csv", "jobs"), ("nodes.csv", "nodes"))
    )
    settings = SettingsSnapshot("schedplan.toml", settings_sha256(project / "schedplan.toml"))
    return replace(handmade_context(), inputs=inputs, settings=settings)


def test_unchanged_inputs_are_not_stale(project: Path) -> None:
    assert () == stale(context_for(project), project, by_bytes)
    refuse_stale(context_for(project), project, by_bytes)


def test_changed_and_missing_inputs_are_named(project: Path) -> None:
    context = context_for(project)
    (project / "nodes.csv").write_text("node\nm\n")
    (project / "data" / "jobs.csv").unlink()

    assert ("data/jobs.csv", "nodes.csv") == stale(context, project, by_bytes)
    with pytest.raises(StalePlanError) as caught:
        refuse_stale(context, project, by_bytes)
    assert caught.value.message == "the plan is stale: data/jobs.csv, nodes.csv have changed since it was made"
    assert (caught.value.code, caught.value.exit_status) == ("SP1101", 2)


def test_an_input_that_is_no_longer_a_table_counts_as_changed(project: Path) -> None:
    context = context_for(project)
    odd = replace(context, inputs=(replace(context.inputs[0], table="unreadable"),))

    assert ("data/jobs.csv",) == stale(odd, project, by_bytes)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ('[check]\nrules = ["cost <= 5"]\n[limits]\nbudget_per_day = 1\n', ()),
        ("[limits]\nbudget_per_day = 2\n", ()),  # a plan holds the limits of today or breaks them; verify says which
        ("[objective]\ncost = 2\n", ("schedplan.toml",)),
        ("[limits\n", ("schedplan.toml",)),
    ],
)
def test_the_project_file_counts_by_what_it_says_of_plans(project: Path, text: str, changed: tuple[str, ...]) -> None:
    context = context_for(project)
    (project / "schedplan.toml").write_text(text)

    assert changed == stale(context, project, by_bytes)


def test_context_of_a_problem_names_versions_and_nodes() -> None:
    problem = Problem("p", TimeGrid.regular(0, 60, 1), Cluster((Pool("n"),)), assumptions=("so",))
    context = context_of(problem, inputs=(InputRecord("b", "t", ""), InputRecord("a", "t", "")))

    assert ["ortools", "python", "schedplan"] == [name for name, _ in context.versions]
    assert (("n",), ("so",)) == (context.nodes, context.assumptions)
    assert ["a", "b"] == [record.path for record in context.inputs]


def test_paths_are_recorded_relative_to_the_project(tmp_path: Path) -> None:
    assert relative_path(tmp_path / "data" / "jobs.csv", tmp_path) == "data/jobs.csv"
    assert relative_path(tmp_path / "jobs.csv", tmp_path / "project") == "../jobs.csv"
