"""A column and a dictionary of columns: what a table may hold. It knows no file and no Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Default = str | int | float | bool | None


class Kind(Enum):
    """What a cell holds; the value is the name people read in `schedplan schema`."""

    TEXT = "text"
    INTEGER = "int"
    FLOAT = "float"
    SHARE = "float, or a fraction such as 3/7"
    BOOLEAN = "bool"
    TIMESTAMP = "timestamp"
    CHOICE = "one of"
    CHOICES = "some of, a|b"
    ALTERNATIVES = "list a|b"
    KEYS = "list a;b"
    AMOUNTS = "amounts k=2;k=3"
    PAIRS = "pairs k=v;k=v"
    TAINTS = "taints k=v:NoSchedule;..."
    TOLERATIONS = "tolerations k=v;..."
    PLACED = "nodes node*workers;..."
    QUANTILE = "float in (0, 1), or mean"
    SPREAD = "domain:count such as zone:2"


class Use(Enum):
    """What a plan does with a column today: it acts on it, it carries it along as a description, or it does neither yet."""

    ACTED = "acted on"
    DESCRIPTIVE = "descriptive"
    NOT_YET = "not acted on yet"


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Limits are inclusive but `above` and `below`; they hold for numbers only.

    default: the value of an empty cell; default_rule says it in words where it depends on other columns (default is then None).
    null_ok: a required column whose single cells may be empty. inert_values: choices that a plan does not act on yet.
    worth_saying: where the column is missing, the default is told as an assumption.
    """

    name: str
    kind: Kind
    description: str
    unit: str = ""
    default: Default = None
    default_rule: str = ""
    required: bool = False
    null_ok: bool = False
    use: Use = Use.ACTED
    choices: tuple[str, ...] = ()
    inert_values: tuple[str, ...] = ()
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    forbidden: str = ""
    worth_saying: bool = False

    @property
    def honoured(self) -> bool:
        """Whether nothing is lost when a plan is made: it acts on the column, or the column only describes."""
        return self.use is not Use.NOT_YET

    @property
    def type_text(self) -> str:
        """Return the type as people read it, with choices and limits: `int >= 0`, `one of owned, spot`."""
        if self.choices:
            return f"{self.kind.value} {', '.join(self.choices)}"
        signs = ((">=", self.at_least), (">", self.above), ("<=", self.at_most), ("<", self.below))
        limits = ", ".join(f"{sign} {limit:.15g}" for sign, limit in signs if limit is not None)
        return f"{self.kind.value} {limits}" if limits else self.kind.value

    @property
    def default_text(self) -> str:
        """Return what an empty cell means: `required`, the rule, the value, or `null`."""
        if self.required:
            return "required"
        if self.default_rule:
            return self.default_rule
        if self.default is None:
            return "null"
        if isinstance(self.default, bool):
            return str(self.default).lower()
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A table: its columns, and the key by which a row is one of a kind (empty: rows may repeat).

    either: pairs of columns of which each row fills exactly one. planned: whether a plan acts on the table today.
    written: made by schedplan, never asked of a person.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    either: tuple[str, str] | None = None
    planned: bool = True
    written: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def required_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    def find(self, name: str) -> Column | None:
        """Return the column of that name, None where there is none."""
        return next((column for column in self.columns if column.name == name), None)

    def column(self, name: str) -> Column:
        """Return the column of that name; KeyError where there is none, for that is a slip in the code."""
        found = self.find(name)
        if found is None:
            raise KeyError(f"table {self.name} has no column {name}")
        return found
