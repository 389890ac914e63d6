"""Every file of the public data: read with an account that adds up, or refused with one line that says what it is and what to do.

What is expected of each stands in tests/cases/ingest/every_file.toml; its totals are those of the description beside the data.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.ingest import ingest

CASES = tomllib.loads((Path(__file__).parents[1] / "cases" / "ingest" / "every_file.toml").read_text())

pytestmark = pytest.mark.real_data


def test_every_file_of_the_data_is_expected(shared_data):
    there = {str(path.relative_to(shared_data)) for path in shared_data.rglob("*") if path.is_file() and path.name != "README.md"}

    assert there == set(CASES)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "refused" not in case])
def test_a_file_is_read_and_every_row_accounted_for(name, shared_data, tmp_path, record_property):
    case = CASES[name]

    account = ingest((shared_data / name,), tmp_path / "data")

    rows = {file.table: [file.rows_read, file.rows_kept, file.rows_written] for file in account.files}
    dropped = {f"{file.table}: {one.reason}": one.rows for file in account.files for one in file.dropped}
    record_property("reader", account.files[0].reader)
    record_property("rows read, kept, written", str(rows))
    record_property("dropped", str(dropped))
    assert (case["reader"], case["rows"], case.get("dropped", {})) == (account.files[0].reader, rows, dropped)
    assert all(file.rows_read == file.rows_kept + sum(one.rows for one in file.dropped) for file in account.files)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "refused" in case])
def test_a_file_is_refused_in_one_line_with_what_to_do(name, shared_data, tmp_path, record_property):
    with pytest.raises(InputError) as refused:
        ingest((shared_data / name,), tmp_path / "data")

    (fault,) = refused.value.faults
    record_property("refused", fault.sentence())
    assert CASES[name]["refused"] in fault.sentence()
    assert fault.hint or fault.expected
    assert "\n" not in fault.sentence()
    assert not (tmp_path / "data").exists()
