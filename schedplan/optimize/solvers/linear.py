"""The rows of a CP-SAT model as those of an integer linear program, conditional ones by the range of their variables.

It knows linear rows, clauses and conditions by literals; a model with anything else has no such form here.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model
from ortools.sat.python.cp_model_helper import ConstraintProto
from scipy.sparse import csr_array

Values: TypeAlias = NDArray[np.int64]
"""A value of every variable, [variable]."""
ENDLESS = 2**62
"""Sides of a row from here on stand for none at all."""


@dataclass(frozen=True)
class Linear:
    """row_lower <= rows · x <= row_upper and lower <= x <= upper over whole numbers x; all int64."""

    rows: csr_array
    row_lower: NDArray[np.int64]
    row_upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    @property
    def n_columns(self) -> int:
        return len(self.lower)


@dataclass(frozen=True)
class Program(Linear):
    """Minimise costs · x over the whole numbers x of its rows.

    costs are those of F, unscaled, float64; `constant` is what F has beyond them.
    """

    costs: NDArray[np.float64]
    constant: float

    @cached_property
    def pattern(self) -> csr_array:
        """1 where a row holds a variable, int64."""
        found = self.rows.copy()
        found.data = np.ones_like(found.data)
        return found

    def objective(self, values: Values) -> float:
        """Return F of the values of all variables."""
        return float(self.costs @ values) + self.constant

    def is_kept_by(self, values: Values) -> bool:
        """Whether values keep all rows and bounds."""
        if (values < self.lower).any() or (values > self.upper).any():
            return False
        activity = self.rows @ values
        return bool(((activity >= self.row_lower) & (activity <= self.row_upper)).all())


@dataclass(frozen=True, slots=True)
class _Row:
    """lower <= Σ coefficient · variable <= upper; ENDLESS where a side is open."""

    terms: dict[int, int]
    lower: int
    upper: int


def linear(model: cp_model.CpModel) -> Linear | None:
    """Return the rows of a model and the ranges of its variables; None where it has no such form."""
    proto = model.proto
    if any(len(variable.domain) > 2 for variable in proto.variables):
        return None
    lower, upper = _columns([_sides(variable.domain) for variable in proto.variables])
    lows, highs = lower.tolist(), upper.tolist()
    stack = _Stack()
    for constraint in proto.constraints:
        literals = list(constraint.enforcement_literal)
        if constraint.has_linear() and not literals and len(constraint.linear.domain) == 2:
            row = constraint.linear
            stack.add(row.vars, row.coeffs, *_sides(row.domain))
            continue
        plain = _plain(constraint)
        if plain is None:
            return None
        for found in [part for row in plain for part in _conditional(row, literals, lows, highs)] if literals else plain:
            stack.add(found.terms.keys(), found.terms.values(), found.lower, found.upper)
    return Linear(stack.matrix(len(lows)), *_columns(stack.sides), lower, upper)


class _Stack:
    """Rows one upon the other."""

    def __init__(self) -> None:
        self.starts, self.indices, self.values = array("q", [0]), array("q"), array("q")
        self.sides: list[tuple[int, int]] = []

    def add(self, indices: Iterable[int], values: Iterable[int], lower: int, upper: int) -> None:
        self.indices.extend(indices)
        self.values.extend(values)
        self.starts.append(len(self.indices))
        self.sides.append((lower, upper))

    def matrix(self, n_columns: int) -> csr_array:
        parts = tuple(np.array(part, dtype=np.int64) for part in (self.values, self.indices, self.starts))
        return csr_array(parts, shape=(len(self.sides), n_columns))


def _sides(domain: Iterable[int]) -> tuple[int, int]:
    bounds = list(domain)
    return max(bounds[0], -ENDLESS), min(bounds[-1], ENDLESS)


def _columns(pairs: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _plain(constraint: ConstraintProto) -> list[_Row] | None:
    """Return the rows of a constraint as if nothing conditioned it; None where it is of another kind."""
    if constraint.has_linear():
        if len(constraint.linear.domain) > 2:
            return None
        terms: dict[int, int] = {}
        for variable, coefficient in zip(constraint.linear.vars, constraint.linear.coeffs, strict=True):
            terms[variable] = terms.get(variable, 0) + coefficient
        return [_Row(terms, *_sides(constraint.linear.domain))]
    return _clauses(constraint)


def _clauses(constraint: ConstraintProto) -> list[_Row] | None:
    if constraint.has_bool_or():
        return [_count(list(constraint.bool_or.literals), 1, ENDLESS)]
    if constraint.has_bool_and():
        return [_count([literal], 1, 1) for literal in constraint.bool_and.literals]
    if constraint.has_at_most_one():
        return [_count(list(constraint.at_most_one.literals), -ENDLESS, 1)]
    if constraint.has_exactly_one():
        return [_count(list(constraint.exactly_one.literals), 1, 1)]
    return None


def _count(literals: list[int], lower: int, upper: int) -> _Row:
    """Return the row that so many of the literals are true; a literal below 0 is the opposite of a variable."""
    terms: dict[int, int] = {}
    opposites = 0
    for literal in literals:
        variable, sign = (literal, 1) if literal >= 0 else (-literal - 1, -1)
        terms[variable] = terms.get(variable, 0) + sign
        opposites += sign < 0
    return _Row(terms, _moved(lower, -opposites), _moved(upper, -opposites))


def _moved(side: int, by: int) -> int:
    return side if abs(side) >= ENDLESS else side + by


def _conditional(row: _Row, literals: list[int], lows: list[int], highs: list[int]) -> list[_Row]:
    """Return a row that binds only where all literals are true: each side gives way by as much as the variables allow."""
    least = sum(value * (lows[variable] if value > 0 else highs[variable]) for variable, value in row.terms.items())
    most = sum(value * (highs[variable] if value > 0 else lows[variable]) for variable, value in row.terms.items())
    found = []
    if row.lower > max(least, -ENDLESS):
        found.append(_relaxed(row.terms, row.lower, literals, least - row.lower))
    if row.upper < min(most, ENDLESS):
        found.append(_relaxed(row.terms, row.upper, literals, most - row.upper))
    return found


def _relaxed(terms: dict[int, int], bound: int, literals: list[int], slack: int) -> _Row:
    """Return the row whose bound moves by `slack` for every literal that is false; slack < 0 moves a lower bound down."""
    moved = dict(terms)
    shift = 0
    for literal in literals:
        variable, sign = (literal, 1) if literal >= 0 else (-literal - 1, -1)
        moved[variable] = moved.get(variable, 0) + sign * slack
        shift += slack if sign > 0 else 0
    return _Row(moved, bound + shift, ENDLESS) if slack < 0 else _Row(moved, -ENDLESS, bound + shift)
