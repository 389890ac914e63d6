"""Which project DATA, --config and the working directory speak of."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.config.project import ProjectPlace, locate_project, nearest_project
from schedplan.errors import UsageError


def project(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "schedplan.toml"
    file.write_text("", encoding="utf-8")
    return file


def test_without_data_the_nearest_file_upward_counts(tmp_path: Path) -> None:
    file = project(tmp_path / "shop")
    below = tmp_path / "shop" / "a" / "b"
    below.mkdir(parents=True)

    found = locate_project((), None, below).file

    assert found is not None
    assert file.resolve() == found.resolve()
    assert below / "../../schedplan.toml" == found


def test_a_folder_without_a_project_above_has_none(tmp_path: Path) -> None:
    assert nearest_project(tmp_path) is None


def test_data_may_be_a_project_folder_or_its_file(tmp_path: Path) -> None:
    file = project(tmp_path / "shop")

    expected = ProjectPlace(file, (), ())

    assert expected == locate_project((file.parent,), None, tmp_path)
    assert expected == locate_project((file,), None, tmp_path)
    assert expected == locate_project((), file.parent, tmp_path)


def test_folders_and_tables_stand_beside_the_nearest_project(tmp_path: Path) -> None:
    file = project(tmp_path)
    tables = tmp_path / "data"
    tables.mkdir()
    nodes = tmp_path / "nodes.csv"
    nodes.touch()

    assert ProjectPlace(file, (tables,), (nodes,)) == locate_project((tables, nodes), None, tmp_path)


def test_a_pyproject_counts_where_it_speaks_of_schedplan(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.schedplan.solver]\nseed = 1\n", encoding="utf-8")

    assert file == nearest_project(tmp_path)


def test_two_projects_and_absent_data_are_refused(tmp_path: Path) -> None:
    one, other = project(tmp_path / "a"), project(tmp_path / "b")

    with pytest.raises(UsageError, match="two projects are named"):
        locate_project((one,), other, tmp_path)
    with pytest.raises(UsageError, match="is not there"):
        locate_project((tmp_path / "absent",), None, tmp_path)
