"""Rows of a model under the name of their rule, so that a conflict can name it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ortools.sat.python import cp_model

Row: TypeAlias = cp_model.BoundedLinearExpression | bool


@dataclass
class Rows:
    """Adds rows to one model. With `is_relaxable` every named rule hangs on one literal, for the search of a conflict.

    only: the named rules that count; rows of any other are left out. None: all of them. places: the row that places each job class.
    """

    model: cp_model.CpModel
    is_relaxable: bool = False
    literals: dict[str, cp_model.IntVar] = field(default_factory=dict)
    only: frozenset[str] | None = None
    places: dict[int, int] = field(default_factory=dict)

    def always(self, row: Row) -> int:
        """Add a row that nothing may relax; return its number."""
        return self.model.add(row).index

    def when(self, rule: str, row: Row) -> None:
        """Add a row of a named rule, e.g. `service recommender`."""
        if self.only is not None and rule not in self.only:
            return
        added = self.model.add(row)
        if self.is_relaxable:
            if rule not in self.literals:
                self.literals[rule] = self.model.new_bool_var(rule)
            added.only_enforce_if(self.literals[rule])
