"""Write the pages that the code itself holds: tables, constraints, codes, commands. A test compares them with what is here."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

from schedplan.cli.catalogue import COMMANDS, Branch
from schedplan.explain.codes import CODE_TEXTS
from schedplan.ingest.readers import READERS
from schedplan.tables.catalog import INPUT_TABLES, PLAN_TABLES, SIMULATION_TABLES, dictionary, markdown
from schedplan.validate.registry import documented_codes, rule_text

DOCS = Path(__file__).parent
CONSTRAINTS = DOCS.parent / "schedplan" / "optimize" / "constraints"
MEASURES = DOCS.parent / "schedplan" / "measures"


def pages() -> dict[str, str]:
    """Return each generated page by its name."""
    return {
        "tables.md": _tables(),
        "constraints.md": _constraints(),
        "codes.md": _codes(),
        "measures.md": _measures(),
        "commands.md": _commands(),
        "readers.md": _readers(),
    }


def _tables() -> str:
    parts = ["# Tables", "", "Written from the dictionaries in the code. `schedplan schema TABLE` prints the same."]
    for title, tables in (("Inputs", INPUT_TABLES), ("A plan", PLAN_TABLES), ("A replay", SIMULATION_TABLES)):
        parts += ["", f"## {title}"]
        for table in tables:
            parts += ["", f"### {table.name}: {dictionary(table.name).title}", "", markdown(table.name).rstrip()]
    return "\n".join(parts) + "\n"


def _readers() -> str:
    parts = [
        "# Readers",
        "",
        "What `schedplan ingest` reads; `schedplan readers` prints the same. The first that recognises a file reads it, `--from",
        "NAME` chooses one. A file that is known but holds no row of a table is refused with what to give instead.",
        "",
        "| reader | reads | gives | recognised by |",
        "|---|---|---|---|",
    ]
    parts += [
        f"| {one.name} | {_words(one.description)} | {', '.join(one.tables) or 'any table'} | {_words(one.recognised_by)} |"
        for one in READERS
    ]
    return "\n".join(parts) + "\n"


def _words(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _constraints() -> str:
    parts = [
        "# Constraints",
        "",
        "Each stands in a file of its own name; its cases are feasible, infeasible and borderline ones with their arithmetic. The",
        "name is the same in the model, in conflicts and in `schedplan explain`.",
        "",
        "| name | formula | file | test |",
        "|---|---|---|---|",
    ]
    found = {path.stem: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "" for path in constraint_files()}
    parts += [
        f"| [{name}](#{name}) | {_cell(formula_of(text))} | {_file_of(name)} | {_cases_of(name)} |" for name, text in found.items()
    ]
    for name, text in found.items():
        head, _, rest = text.partition("\n")
        statement = head.partition(": ")[2]
        links = f"{_file_of(name)}, {_cases_of(name)}"
        parts += ["", f"## {name}", "", f"{statement[:1].upper()}{statement[1:]} ({links})", "", "```text", rest.strip(), "```"]
    return "\n".join(parts) + "\n"


def constraint_files() -> list[Path]:
    """Return the files of the constraints, by name."""
    return [path for path in sorted(CONSTRAINTS.glob("*.py")) if path.stem != "__init__"]


def formula_of(text: str) -> str:
    """Return what stands after `Formula:` in the opening of a constraint's file, up to the next sentence of another kind."""
    lines = text.splitlines()
    first = next((idx for idx, line in enumerate(lines) if line.startswith("Formula: ")), None)
    if first is None:
        return ""
    after = next((idx for idx in range(first + 1, len(lines)) if re.match(r"[A-Z][a-z]+( [a-z]+)*: |$", lines[idx])), len(lines))
    return " ".join([lines[first].removeprefix("Formula: "), *lines[first + 1 : after]])


def _file_of(name: str) -> str:
    return f"[file](../schedplan/optimize/constraints/{name}.py)"


def _cases_of(name: str) -> str:
    return f"[cases](../tests/cases/optimize/{name}.toml)"


def _cell(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def _measures() -> str:
    parts = ["# Measures", "", "What each number means; `check` takes these names in its rules."]
    files = (
        ("Of a plan", MEASURES / "figures.py"),
        ("Of a replay", MEASURES / "replay.py"),
        ("Of a forecast, by what came since", MEASURES.parent / "forecast" / "drift.py"),
        ("Of the tables of a project", MEASURES.parent / "workflows" / "check_lint.py"),
    )
    for title, file in files:
        text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
        parts += ["", f"## {title}", "", "```text", text, "```"]
    return "\n".join(parts) + "\n"


def _codes() -> str:
    found = {entry.code: f"**{entry.name}.** {entry.text}" for entry in CODE_TEXTS}
    found |= {code: rule_text(code) for code in documented_codes()}
    rows = [f"| {code} | {found[code].replace('|', chr(92) + '|')} |" for code in sorted(found)]
    head = ["# Codes", "", "`schedplan explain CODE` prints the same.", "", "| code | meaning |", "|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _commands() -> str:
    parts = ["# Commands", "", "What `schedplan COMMAND -h` prints."]
    for entry in COMMANDS:
        names = [[entry.name, below.name] for below in entry.entries] if isinstance(entry, Branch) else [[entry.name]]
        for words in names:
            parts += ["", f"## schedplan {' '.join(words)}", "", "```text", _help(words), "```"]
    return "\n".join(parts) + "\n"


def _help(words: list[str]) -> str:
    environ = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "schedplan", *words, "-h"], capture_output=True, text=True, check=True, env=environ, cwd=DOCS
    )
    return done.stdout.rstrip()


if __name__ == "__main__":
    for page, content in pages().items():
        (DOCS / page).write_text(content, "utf-8")
