"""Settings: what a project says, checked and frozen. It knows no file format and no way a value can be given."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from schedplan.model.best_effort import BestEffort
from schedplan.model.forbid import Forbid
from schedplan.model.policy_parts import Choices
from schedplan.model.problem import Limits, Objective
from schedplan.model.quota import Quota
from schedplan.timegrid import TimeGrid

Value: TypeAlias = "str | int | float | bool | tuple[Value, ...] | None"


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """`timezone` is a name of the time zone database; days, windows and local times follow it."""

    name: str
    currency: str
    timezone: str


@dataclass(frozen=True, slots=True)
class InputFiles:
    """Where one table comes from. Paths are absolute or begin at the working directory; at least one."""

    table: str
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class HorizonSettings:
    """start_s None: the first slot after the newest time of the inputs. runs: (number of slots, minutes of one) in order."""

    start_s: int | None
    runs: tuple[tuple[int, int], ...]

    @property
    def hours(self) -> float:
        """Length of the horizon in hours."""
        return sum(slots * minutes for slots, minutes in self.runs) / 60

    @property
    def n_slots(self) -> int:
        return sum(slots for slots, _ in self.runs)

    def grid(self, start_s: int) -> TimeGrid:
        """Return the slots from an instant (seconds, UTC) on."""
        return TimeGrid.uneven(start_s, self.runs)


@dataclass(frozen=True, slots=True)
class ForecastSettings:
    """quantile: what is provided for, 0 to 1. levels: percent of the bands. seasons_s: empty = found in the history.

    freq_s, agg: intervals of the load and how rows become one, None: as in its file. backtest: origins, at most.
    runtime_quantile: of run times of like jobs, for jobs without run time; None: their limit.
    """

    quantile: float
    levels: tuple[int, ...]
    seasons_s: tuple[int, ...]
    model: str
    engine: str
    ignore_future: bool
    runtime_quantile: float | None = None
    freq_s: int | None = None
    agg: str | None = None
    backtest: int = 84


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """gap None: chosen by the size of the model. threads: no result depends on it. time_limit_s is a safety stop. anew: an earlier
    plan to keep to is only priced, and not what the search begins from and stays near to."""

    gap: float | None
    seed: int
    threads: int | None
    time_limit_s: float | None
    anew: bool = False


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """The policy of a replay, and parts in place of its own; name None: not said. Names are checked where policies are known."""

    name: str | None = None
    parts: Choices = field(default_factory=Choices)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """Rules as they were written, in order."""

    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """One key, its effective value and the words for where that came from (`default`, a file and row, a variable, a flag)."""

    key: str
    value: Value
    source: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a project says. `folder` is where relative results belong; `file` the project file, None without one.

    inputs: sorted by table. quotas: by tenant, then resource. warnings: sentences a person must see. origins: every key in the
    order of the sections.
    """

    folder: Path
    file: Path | None
    project: ProjectSettings
    inputs: tuple[InputFiles, ...]
    horizon: HorizonSettings
    forecast: ForecastSettings
    objective: Objective
    limits: Limits
    quotas: tuple[Quota, ...]
    forbid: tuple[Forbid, ...]
    best_effort: tuple[BestEffort, ...]
    solver: SolverSettings
    policy: PolicySettings
    check: CheckSettings
    warnings: tuple[str, ...]
    origins: tuple[Origin, ...]

    def input(self, table: str) -> InputFiles | None:
        """Return the files of one table, None where the project names none."""
        return next((files for files in self.inputs if files.table == table), None)
