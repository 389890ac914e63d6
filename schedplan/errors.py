"""The error tree, drawn once. It knows what a refusal says and which exit status it has.

    SchedplanError            70   our bug, unless a subclass says otherwise
    +-- UsageError             2   the call's words are off
    +-- ConfigError            2   schedplan.toml, a flag or an environment variable is off
    +-- InputError             2   a file is unreadable or its content is off; carries every fault found
    |   +-- StalePlanError     2   a plan whose inputs have changed since
    +-- OutputError            2   a result can't be written where it was asked for
    +-- SolverError            4   no plan within the limits, or not the proof that was required

An infeasible problem is an answer, not an error: it is returned with its conflict (exit status 3).
A message says subject, fact, limit and next step; the next step travels apart, as `hint`.
Codes are stable: SP1xxx input, SP2xxx config, SP3xxx infeasible, SP4xxx solver, SP5xxx gate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

FAULTS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in one place of an input. `row` counts as a person counts lines in the file."""

    code: str
    message: str
    file: str | None = None
    row: int | None = None
    column: str | None = None
    seen: str | None = None
    expected: str | None = None
    hint: str | None = None

    def place(self) -> str:
        """Return where the fault is, e.g. `jobs.csv, row 7, column workers`; empty where nothing is known."""
        parts = [self.file] if self.file else []
        if self.row is not None:
            parts.append(f"row {self.row}")
        if self.column:
            parts.append(f"column {self.column}")
        return ", ".join(parts)

    def sentence(self) -> str:
        """Return the fault as one line: place, fact, the value seen, what was expected, how to mend it."""
        place = self.place()
        text = f"{place}: {self.message}" if place else self.message
        if self.seen is not None:
            text += f"; seen {self.seen!r}"
        if self.expected is not None:
            text += f", expected {self.expected}"
        return f"{text}. {self.hint}" if self.hint else text


class SchedplanError(Exception):
    """Base of all refusals; by itself a fault of ours."""

    exit_status = 70
    default_code = "SP9001"

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.faults = faults

    @classmethod
    def of_faults(cls, faults: tuple[Fault, ...]) -> Self:
        """Return one error that tells `faults` (at least one): the first 20 in full and the count of the rest."""
        lines = [fault.sentence().replace("\n", "\\n") for fault in faults[:FAULTS_SHOWN]]
        if len(faults) > FAULTS_SHOWN:
            lines.append(f"and {len(faults) - FAULTS_SHOWN} more")
        return cls("\n".join(lines), code=faults[0].code, faults=faults)


class UsageError(SchedplanError):
    """The command or call was given words it does not take."""

    exit_status = 2
    default_code = "SP2001"


class ConfigError(SchedplanError):
    """A key or value of the configuration is off."""

    exit_status = 2
    default_code = "SP2002"


class InputError(SchedplanError):
    """An input can't be read as what it should be. `faults` holds all of them, the message the first twenty."""

    exit_status = 2
    default_code = "SP1001"


class StalePlanError(InputError):
    """The inputs of a plan are no longer the ones it was made from."""

    default_code = "SP1101"


class OutputError(SchedplanError):
    """A result can't be written: something is in the way, or the place is full, read-only or outside the target."""

    exit_status = 2
    default_code = "SP2101"


class SolverError(SchedplanError):
    """The solver gave no plan within its limits, or not the proof that was required."""

    exit_status = 4
    default_code = "SP4001"
