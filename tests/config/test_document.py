"""The file itself: encoding, syntax, size, and the rows of its keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.config.document import holds_settings, read_entries
from schedplan.errors import ConfigError, Fault


def fault_of(file: Path) -> Fault:
    with pytest.raises(ConfigError) as caught:
        read_entries(file)
    (fault,) = caught.value.faults
    return fault


@pytest.mark.parametrize(
    ("content", "row", "message"),
    [
        (b"[solver]\nseed = 1\nseed = 2\n", 3, "is not valid TOML: a key or section is given twice"),
        (b"[solver]\n[solver]\n", 2, "is not valid TOML: a key or section is given twice"),
        (b"[solver\n", 1, "is not valid TOML: Expected ']' at the end of a table declaration"),
        (b"name = 'caf\xe9'\n", 1, "is not UTF-8"),
        (b"a = " + b"[" * 20_000, None, "is nested too deeply to be read"),
        (b"a = " + b"1" * 5_000, None, "is not valid TOML: Exceeds the limit (4300 digits) for integer string conversion"),
        (b"#" * 1_100_000, None, "is larger than 1048576 bytes, so it is no project file"),
    ],
    ids=["key twice", "section twice", "syntax", "encoding", "depth", "digits", "size"],
)
def test_what_is_no_toml_is_told_in_one_line(tmp_path: Path, content: bytes, row: int | None, message: str) -> None:
    file = tmp_path / "schedplan.toml"
    file.write_bytes(content)

    fault = fault_of(file)

    assert (str(file), row) == (fault.file, fault.row)
    assert fault.message.startswith(message)


def test_an_absent_file_is_told_with_the_next_step(tmp_path: Path) -> None:
    fault = fault_of(tmp_path / "schedplan.toml")

    assert fault.message == "can't be read: No such file or directory"
    assert fault.hint == "Name another with -C, or make one with schedplan init"


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "schedplan.toml"
    file.write_bytes(b"\xef\xbb\xbf[solver]\nseed = 1\n")

    assert [(("solver", "seed"), 1, 2)] == [(entry.path, entry.value, entry.row) for entry in read_entries(file)]


def test_rows_are_found_in_every_way_to_write_a_key(tmp_path: Path) -> None:
    file = tmp_path / "schedplan.toml"
    file.write_text(
        'project.name = "a"\n\n[ objective . rates ] # c\n"wait" = 1\n[check]\nrules = [\n  "cost = 5",\n]\n', encoding="utf-8"
    )

    rows = {entry.path: entry.row for entry in read_entries(file)}

    assert rows == {("project", "name"): 1, ("objective", "rates", "wait"): 4, ("check", "rules"): 6}


def test_pyproject_holds_settings_in_its_own_section_only(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\nname = 'other'\n", encoding="utf-8")

    assert not holds_settings(file)

    file.write_text("[project]\nname = 'other'\n[tool.schedplan.solver]\nseed = 5\n", encoding="utf-8")

    assert holds_settings(file)
    assert [(("solver", "seed"), 5, 4)] == [(entry.path, entry.value, entry.row) for entry in read_entries(file)]
