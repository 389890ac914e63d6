"""The house: every package has its place in the layers, and its file says what it knows."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "schedplan").rglob("*.py"))


def layers() -> list[set[str]]:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = [contract for contract in tool["contracts"] if contract["type"] == "layers"]
    return [{name.strip(" ()") for name in row.split("|")} for row in contract["layers"]]


def test_every_module_below_schedplan_has_one_place() -> None:
    placed = [name for row in layers() for name in row]
    there = {path.stem for path in (ROOT / "schedplan").glob("*.py")} | {
        path.parent.name for path in (ROOT / "schedplan").glob("*/__init__.py")
    }

    assert len(placed) == len(set(placed))
    assert set() == there - set(placed) - {"__init__", "__main__"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_says_first_what_it_knows(source: Path) -> None:
    assert ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source", [path for path in SOURCES if path.name == "__init__.py"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_importing_a_package_imports_nothing(source: Path) -> None:
    statements = ast.parse(source.read_text(encoding="utf-8")).body

    assert [] == [node for node in statements if not isinstance(node, ast.Expr | ast.Assign)]
