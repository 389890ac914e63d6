"""The documents of ingest and readers: rows and tables first, then what was noted of each file, its path said once."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from schedplan.cli.app import app
from schedplan.ingest.readers import READERS
from schedplan.report.document import Notice, Table
from schedplan.workflows.ingest import ingest_files, readers_document

PHILLY = "timestamp,duration,num_gpus,gpu_time,cluster\n" + "2017-10-09 07:01:55,66,1,66,vc1\n" * 2


def ingested(folder: Path, *sources: Path):
    return ingest_files(sources, folder, timezone="UTC", renames=(), reader="auto", force=False)


def test_the_answer_counts_rows_and_repeats_and_names_the_tables(tmp_path):
    (tmp_path / "philly.csv").write_text(PHILLY)

    _, document = ingested(tmp_path / "data", tmp_path / "philly.csv")

    headline, files, tables, whole = document.sections[0].blocks
    assert f"2 rows in 1 table written to {tmp_path / 'data'}." == headline.parts[0]
    assert isinstance(files, Table)
    assert isinstance(tables, Table)
    assert (("philly", "jobs", 2, 2, 2, 1, "", "gpu_time"),) == tuple(row[1:] for row in files.rows)
    assert (("jobs", "jobs.parquet", 2),) == tables.rows
    assert f"The whole account stands in {tmp_path / 'data' / 'ingest.json'}." == whole.parts[0]


def test_notes_stand_under_their_file_without_its_path(tmp_path):
    (tmp_path / "philly.csv").write_text(PHILLY)
    (tmp_path / "nodes.csv").write_text("node,gpus,owner\na,8,me\n")

    _, document = ingested(tmp_path / "data", tmp_path / "nodes.csv", tmp_path / "philly.csv")

    titles = [section.title for section in document.sections[1:]]
    assert [f"Noted of {tmp_path / name}" for name in ("nodes.csv", "philly.csv")] == titles
    notices = [block for section in document.sections[1:] for block in section.blocks]
    assert all(isinstance(block, Notice) and str(tmp_path) not in block.text for block in notices)


def test_every_reader_is_listed():
    (table,) = readers_document().sections[0].blocks

    assert [reader.name for reader in READERS] == [row[0] for row in table.rows]
    assert ("jobs", "any table") == (table.rows[1][2], table.rows[-1][2])


def test_an_unknown_reader_is_told_with_the_nearest(tmp_path):
    (tmp_path / "philly.csv").write_text(PHILLY)

    result = CliRunner().invoke(app, ["ingest", str(tmp_path / "philly.csv"), "--from", "phily", "--out", str(tmp_path / "data")])

    assert 2 == result.exit_code
    assert "Did you mean philly?" in result.stderr
    assert not (tmp_path / "data").exists()
