"""The root: help, version, where options may stand, and words that are no command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from schedplan import __version__
from schedplan.cli.app import app
from schedplan.cli.catalogue import COMMANDS, Branch


def run(*arguments: str, environ: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), env=environ)


def command_paths() -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    for entry in COMMANDS:
        paths += [(entry.name, below.name) for below in entry.entries] if isinstance(entry, Branch) else [(entry.name,)]
    return paths


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schedplan.toml").write_text("[project]\nname = 'shop'\n[solver]\nseed = 1\n", encoding="utf-8")
    return tmp_path


def seed_of(result: Result) -> tuple[object, object]:
    assert result.exit_code == 0, result.stderr

    shown = json.loads(result.stdout)
    return shown["settings"]["solver.seed"], shown["origins"]["solver.seed"]


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version_is_told_before_and_after_a_command(flag: str) -> None:
    assert f"schedplan {__version__}\n" == run(flag).stdout
    assert f"schedplan {__version__}\n" == run("config", "show", flag).stdout


@pytest.mark.parametrize("path", [(), *command_paths()], ids=" ".join)
def test_every_help_begins_with_examples_of_that_very_command(path: tuple[str, ...]) -> None:
    short, long = run(*path, "-h"), run(*path, "--help")

    assert (0, short.stdout) == (short.exit_code, long.stdout)
    lines = short.stdout.splitlines()
    assert lines[2] == "Examples:"
    assert lines[3].startswith(" ".join(("  schedplan", *path)))
    assert "Everywhere:" in lines


def test_without_a_command_help_goes_to_stderr_and_nothing_was_run() -> None:
    result = run()

    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith("Usage: schedplan")


def test_a_mistyped_command_is_told_its_likely_name() -> None:
    result = run("confg")

    assert result.exit_code == 2
    assert result.stderr == "error SP2001: 'confg' is no command of schedplan\nhint: Did you mean config?\n"


def test_an_unknown_option_is_a_usage_error_as_json_too() -> None:
    result = run("version", "--nope", "-o", "json")

    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"]["code"] == "SP2001"


def test_options_may_stand_before_or_after_the_command_and_the_later_wins(project: Path) -> None:
    show = ("config", "show", str(project), "--origin", "-o", "json")

    assert (1, f"{project / 'schedplan.toml'}, row 4") == seed_of(run(*show))
    assert (2, "--seed") == seed_of(run("--seed", "2", *show))
    assert (3, "--seed") == seed_of(run("--seed", "2", *show, "--seed", "3"))
    assert (5, "--set solver.seed") == seed_of(run("--set", "solver.seed=4", *show, "--set", "solver.seed=5"))


def test_variables_give_options_and_keys(project: Path) -> None:
    environ = {"SCHEDPLAN_CONFIG": str(project), "SCHEDPLAN_OUTPUT": "json", "SCHEDPLAN_SEED": "9"}

    assert (9, "SCHEDPLAN_SEED") == seed_of(run("config", "show", "--origin", environ=environ))


def test_settings_as_csv_have_a_row_for_every_key(project: Path) -> None:
    lines = run("config", "show", str(project), "-o", "csv").stdout.splitlines()

    assert lines[0] == "key,value"
    assert "project.name,shop" in lines
    assert "solver.gap," in lines


def test_a_code_says_its_sentence_once_and_keeps_a_name_of_its_own() -> None:
    rule, named = run("explain", "SP1220"), run("explain", "SP1019")

    assert 1 == rule.output.count("needs a run time")
    assert named.output.startswith("SP1019: nothing to plan")


def test_faults_of_the_file_end_the_command(project: Path) -> None:
    (project / "schedplan.toml").write_text("[solver]\nsed = 1\n", encoding="utf-8")

    result = run("config", "show", str(project))

    assert (2, "") == (result.exit_code, result.stdout)
    assert "row 2: solver.sed is not a known key. Did you mean solver.seed?" in result.stderr


def test_warnings_of_the_settings_go_to_stderr(project: Path) -> None:
    result = run("config", "show", str(project), "-o", "json", environ={"SCHEDPLAN_SOLVER_SEDE": "1"})

    assert result.exit_code == 0
    assert result.stderr == "warning: the variable SCHEDPLAN_SOLVER_SEDE names no key of the configuration and is not used\n"


def test_version_names_what_results_depend_on() -> None:
    versions = json.loads(run("version", "-o", "json").stdout)["versions"]

    assert versions["schedplan"] == __version__
    assert {"ortools", "statsmodels", "numpy", "python"} <= versions.keys()
    assert "absent" not in versions.values()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("schedplan con", ["config"]),
        ("schedplan config ", ["show"]),
        ("schedplan config show --or", ["--origin"]),
        ("schedplan config show -o m", ["markdown"]),
        ("schedplan -o ya", ["yaml"]),
        ("schedplan --seed 3 vers", ["version"]),
    ],
)
def test_completion_knows_commands_options_and_choices(words: str, expected: list[str]) -> None:
    environ = {"_SCHEDPLAN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}

    assert expected == run(environ=environ).stdout.split()


def test_a_mistyped_command_is_told_also_where_help_is_asked() -> None:
    assert run("config", "shw", "-h").exit_code == 2
    assert run("confg", "--help").exit_code == 2


def test_options_before_the_command_do_not_hide_its_help() -> None:
    assert run("config", "show", "-h").stdout == run("-o", "json", "config", "show", "--seed", "3", "-h").stdout


def test_a_table_off_a_terminal_is_plain_and_whole(project: Path) -> None:
    (project / "schedplan.toml").write_text(f"[check]\nrules = ['{'x' * 300} < 1']\n[project]\nname = 'a [red]b[/red] :smile:'\n")

    result = run("config", "show", str(project))

    assert result.exit_code == 0, result.stderr
    assert f"[{'x' * 300} < 1]" in result.stdout
    assert "a [red]b[/red] :smile:" in result.stdout
    assert "\x1b" not in result.stdout


def test_help_says_that_nothing_is_shortened_off_a_terminal() -> None:
    assert "in full everywhere else" in " ".join(run("verify", "-h").stdout.split())
