"""Every file of the public data: read with an account that adds up, or refused with one line that says what it is and what to do.

What is expected of each stands in tests/cases/ingest/every_file.toml; its totals are those of the description beside the data.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.ingest import ingest
from tests.ingest.every_file import HEADER, files_of, main, outcome

CASES = tomllib.loads((Path(__file__).parents[1] / "cases" / "ingest" / "every_file.toml").read_text())

pytestmark = pytest.mark.real_data


def test_every_file_of_the_data_is_expected(shared_data):
    assert set(CASES) == set(files_of(shared_data))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "refused" not in case])
def test_a_file_is_read_and_every_row_accounted_for(name, shared_data, tmp_path, record_property):
    case = CASES[name]

    found = outcome(shared_data, name, tmp_path / "data")

    rows = {file.table: [file.rows_read, file.rows_kept, file.rows_written] for file in found.files}
    dropped = {f"{file.table}: {one.reason}": one.rows for file in found.files for one in file.dropped}
    _recorded(record_property, found)
    assert (case["reader"], case["rows"], case.get("dropped", {})) == (found.files[0].reader, rows, dropped)
    assert all(file.rows_read == file.rows_kept + sum(one.rows for one in file.dropped) for file in found.files)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "refused" in case])
def test_a_file_is_refused_in_one_line_with_what_to_do(name, shared_data, tmp_path, record_property):
    with pytest.raises(InputError) as refused:
        ingest((shared_data / name,), tmp_path / "data")

    (fault,) = refused.value.faults
    _recorded(record_property, outcome(shared_data, name, tmp_path / "data"))
    assert CASES[name]["refused"] in fault.sentence()
    assert fault.hint or fault.expected
    assert "\n" not in fault.sentence()
    assert not (tmp_path / "data").exists()


def _recorded(record_property, found):
    """Write the lines of the table into the report of the tests (`pytest --junitxml`)."""
    for cells in found.lines():
        for title, cell in zip(HEADER, cells, strict=True):
            record_property(title, cell)


def test_the_table_of_files_is_printed(shared_data, tmp_path, capsys):
    """`python -m tests.ingest.every_file` prints it; here of two small files."""
    for name, text in (("nodes.csv", "node\na\n"), ("notes.txt", "x\n")):
        (tmp_path / name).write_text(text)

    main([str(tmp_path)])

    lines = capsys.readouterr().out.splitlines()
    assert "| nodes.csv | table | nodes | 1 | 1 | 1 |  |" == lines[2]
    assert lines[3].startswith("| notes.txt | refused |  |  |  |  | ")
