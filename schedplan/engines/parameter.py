"""Parameters of engines that a replay obeys: name, default, tuned value, range and where they come from. They follow no rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum

from schedplan.errors import UsageError

Value = float | bool | str


class Tier(Enum):
    """What a rule or a value rests on."""

    SOURCE = "from source"
    DOCUMENTS = "from documents"
    MEASURED = "calibrated on a published figure"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Parameter:
    """engine and name make the path that --set takes. tuned: value of the preset `tuned`, None = the default.

    choices: of a word; least, most: of a number. band: (low, high) within which an assumed or calibrated value may lie.
    """

    engine: str
    name: str
    default: Value
    means: str
    tier: Tier = Tier.SOURCE
    tuned: Value | None = None
    choices: tuple[str, ...] = ()
    least: float = 0.0
    most: float = 1e6
    band: tuple[float, float] | None = None

    @property
    def path(self) -> str:
        return f"{self.engine}.{self.name}"

    def read(self, text: str) -> Value:
        """Return the value that a text says; UsageError for one that this parameter can't take."""
        wanted = text.strip()
        if isinstance(self.default, bool):
            if wanted.lower() not in ("true", "false"):
                raise self._refusal(text, "true or false")
            return wanted.lower() == "true"
        if isinstance(self.default, str):
            if wanted not in self.choices:
                near = get_close_matches(wanted, self.choices, n=1)
                raise self._refusal(text, f"one of {', '.join(self.choices)}", f"Did you mean {near[0]}?" if near else None)
            return wanted
        try:
            number = float(wanted)
        except ValueError:
            raise self._refusal(text, "a number") from None
        if not self.least <= number <= self.most:
            raise self._refusal(text, f"a number from {self.least:g} to {self.most:g}")
        return number

    def _refusal(self, text: str, wanted: str, hint: str | None = None) -> UsageError:
        return UsageError(f"--set {self.path}={text}: it takes {wanted}", hint=hint or f"{self.path}: {self.means}.")


class Values:
    """Values of parameters by path, each of its own kind."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)

    def number(self, path: str) -> float:
        value = self._values[path]
        assert isinstance(value, int | float)
        return float(value)

    def whole(self, path: str) -> int:
        return round(self.number(path))

    def flag(self, path: str) -> bool:
        value = self._values[path]
        assert isinstance(value, bool)
        return value

    def word(self, path: str) -> str:
        value = self._values[path]
        assert isinstance(value, str)
        return value


def shown(value: Value) -> str:
    """Return a value as --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}"
