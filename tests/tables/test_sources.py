"""What `[DATA]...` names: projects, folders of tables, files."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.tables.sources import Source, read_sources, sources_at, sources_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "nodes.csv").write_text("node\na\n")
    (tmp_path / "jobs.csv").write_text("job\nj\n")
    (tmp_path / "notes.csv").write_text("x\n1\n")
    (tmp_path / "README.md").write_text("about")
    return tmp_path


def test_a_folder_stands_for_the_tables_in_it(folder):
    expected = (Source(folder / "jobs.csv"), Source(folder / "nodes.csv"))

    assert expected == sources_at((folder,))


def test_a_table_twice_in_a_folder_is_refused(folder):
    (folder / "nodes.csv.gz").write_bytes(b"")

    with pytest.raises(InputError, match="stands here twice"):
        sources_at((folder,))


def test_inputs_of_a_project_are_read_as_the_table_they_are_given_for(folder):
    sources = sources_of({"nodes": (folder / "nodes.csv",), "jobs": (folder / "jobs.csv",)})

    assert ["nodes", "jobs"] == [file.table for file in read_sources(sources)]


def test_faults_of_all_files_come_together(folder):
    (folder / "nodes.csv").write_text("node,count\na,x\n")
    (folder / "jobs.csv").write_text("job,workers\nj,y\n")

    with pytest.raises(InputError) as refused:
        read_sources(sources_at((folder,)))

    assert ["workers", "count"] == [fault.column for fault in refused.value.faults]


def test_a_result_is_no_input(tmp_path):
    path = tmp_path / "unplaced.csv"
    path.write_text("kind,name,count,rule,evidence\njob,a,1,gang,too large\n")

    with pytest.raises(InputError, match="a result and no input"):
        read_sources((Source(path),))
