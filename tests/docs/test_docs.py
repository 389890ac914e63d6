"""Pages written from the code are as the code has them now, and what README says of commands and codes is true."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from docs.generate import constraint_files, formula_of, pages
from schedplan.cli.catalogue import COMMANDS
from schedplan.cli.exits import ExitStatus

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["tables.md", "constraints.md", "codes.md", "commands.md", "measures.md", "readers.md"])
def test_a_generated_page_is_current(page: str) -> None:
    assert pages()[page] == (ROOT / "docs" / page).read_text("utf-8"), "run `make docs`"


@pytest.mark.parametrize("file", constraint_files(), ids=lambda file: file.stem)
def test_a_constraint_has_name_formula_and_cases(file: Path) -> None:
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    cases = tomllib.loads((ROOT / "tests" / "cases" / "optimize" / f"{file.stem}.toml").read_text("utf-8"))["case"]

    assert text.startswith(f"{file.stem}: ")
    assert formula_of(text)
    assert "Intuition: " in text
    assert len(cases) >= 3


def test_every_constraint_is_settled_for_static_placements() -> None:
    table = (ROOT / "docs" / "static.md").read_text("utf-8").split("| constraint | at one instant |")[1].split("\n\n")[0]
    settled = dict(line.strip("|").split("|", 1) for line in table.splitlines()[2:])

    assert {file.stem for file in constraint_files()} == {name.strip() for name in settled}
    assert {text.split()[0].strip(":;,") for text in settled.values()} == {"kept", "meaningless", "refused"}


def test_readme_names_only_commands_that_exist() -> None:
    named = set(re.findall(r"`schedplan ([a-z][a-z-]+)", (ROOT / "README.md").read_text("utf-8")))

    assert set() == named - {entry.name for entry in COMMANDS}


def test_readme_has_every_exit_status() -> None:
    table = (ROOT / "README.md").read_text("utf-8").split("| exit status | meaning |")[1].split("\n\n")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    told = {int(number) for cell in first_cells for number in cell.split(",")}

    assert {status.value for status in ExitStatus} - {ExitStatus.READER_GONE} == told


def test_every_link_of_the_documents_leads_somewhere() -> None:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        links = re.findall(r"\]\(([^)#\s]+\.[a-z]+)\)", page.read_text("utf-8"))
        missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]

        assert [] == missing
