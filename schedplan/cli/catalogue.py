"""Which commands there are. To add one: write `commands/<name>.py` with a function under `@command`, and give it a row here.

A command's module is imported only when that command is called, so that help and version answer at once.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its name, `module:function`, and the line that the list of commands shows."""

    name: str
    target: str
    summary: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A name with commands of its own below it."""

    name: str
    summary: str
    entries: tuple[Entry, ...]


_COMMANDS = "schedplan.cli.commands"

COMMANDS: tuple[Entry | Branch, ...] = (
    Entry("init", f"{_COMMANDS}.project:init", "Copy a small runnable example into a folder"),
    Entry("ingest", f"{_COMMANDS}.project:ingest", "Turn files into canonical tables, with an account of every row"),
    Entry("validate", f"{_COMMANDS}.project:validate", "Say what is odd in the tables before anything is planned"),
    Entry("forecast", f"{_COMMANDS}.forecast:forecast", "Forecast load with quantiles, judged on the past"),
    Entry("optimize", f"{_COMMANDS}.optimize:optimize", "Plan jobs and replicas on nodes and slots, with a proven gap"),
    Entry("simulate", f"{_COMMANDS}.simulate:simulate", "Replay jobs under a policy, and measure waits and use"),
    Entry("verify", f"{_COMMANDS}.plans:verify", "Recompute every constraint and number of a plan without a solver"),
    Entry("explain", f"{_COMMANDS}.plans:explain", "Say why work stands where it does, or what a code means"),
    Entry("diff", f"{_COMMANDS}.plans:diff", "Say what differs from one plan to another"),
    Entry("check", f"{_COMMANDS}.check:check", "Hold a plan against rules: yes or no, for the pipeline"),
    Entry("report", f"{_COMMANDS}.plans:report", "Write a plan as HTML, Markdown or JSON"),
    Entry("export", f"{_COMMANDS}.plans:export", "Write a plan for other programs: Prometheus, Grafana"),
    Entry("schema", f"{_COMMANDS}.project:schema", "Print the columns of a table"),
    Entry("readers", f"{_COMMANDS}.project:readers", "List what `ingest` reads, and by what it recognises a file"),
    Entry(
        "compare-engines",
        f"{_COMMANDS}.compare_engines:compare_engines",
        "Say which scheduling engine fits the workload, by facts and replays",
    ),
    Entry("policies", f"{_COMMANDS}.simulate:policies", "Print every rule of a scheduling policy"),
    Entry("engines", f"{_COMMANDS}.engines:engines", "Print what scheduling engines can do, with sources"),
    Branch(
        "config",
        "The settings in force",
        (Entry("show", f"{_COMMANDS}.config:show", "Print each setting with its value and where it came from"),),
    ),
    Entry("version", f"{_COMMANDS}.version:version", "Print the versions of schedplan and of what it stands on"),
)

EXAMPLES = (
    "schedplan init demo",
    "schedplan optimize demo",
    "schedplan report demo/runs/plan",
    "schedplan optimize nodes.csv jobs.csv",
)
