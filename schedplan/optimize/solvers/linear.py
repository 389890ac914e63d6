"""The rows of a CP-SAT model as those of an integer linear program, conditional ones by the range of their variables.

It knows linear rows, clauses and conditions by literals; a model with anything else has no such form here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import highspy
import numpy as np
from ortools.sat.python import cp_model
from ortools.sat.python.cp_model_helper import ConstraintProto

_UNBOUNDED = 2**62


@dataclass(frozen=True, slots=True)
class _Row:
    """lower <= Σ coefficient · variable <= upper; an infinity where a side is open."""

    terms: dict[int, int]
    lower: float
    upper: float


def linear_program(model: cp_model.CpModel) -> highspy.HighsLp | None:
    """Return the integer program of the rows of a model, without an objective; None where it has no such form."""
    proto = model.proto
    if any(len(variable.domain) > 2 for variable in proto.variables):
        return None
    lows = [min(variable.domain) for variable in proto.variables]
    highs = [max(variable.domain) for variable in proto.variables]
    rows: list[_Row] = []
    for constraint in proto.constraints:
        plain = _plain(constraint)
        if plain is None:
            return None
        literals = list(constraint.enforcement_literal)
        rows += [part for row in plain for part in _conditional(row, literals, lows, highs)] if literals else plain
    return _assembled(rows, lows, highs)


def _plain(constraint: ConstraintProto) -> list[_Row] | None:
    """Return the rows of a constraint as if nothing conditioned it; None where it is of another kind."""
    if constraint.has_linear():
        domain = list(constraint.linear.domain)
        if len(domain) > 2:
            return None
        terms: dict[int, int] = {}
        for variable, coefficient in zip(constraint.linear.vars, constraint.linear.coeffs, strict=True):
            terms[variable] = terms.get(variable, 0) + coefficient
        lower, upper = domain
        return [_Row(terms, lower if lower > -_UNBOUNDED else -inf, upper if upper < _UNBOUNDED else inf)]
    return _clauses(constraint)


def _clauses(constraint: ConstraintProto) -> list[_Row] | None:
    if constraint.has_bool_or():
        return [_count(list(constraint.bool_or.literals), 1, inf)]
    if constraint.has_bool_and():
        return [_count([literal], 1, 1) for literal in constraint.bool_and.literals]
    if constraint.has_at_most_one():
        return [_count(list(constraint.at_most_one.literals), -inf, 1)]
    if constraint.has_exactly_one():
        return [_count(list(constraint.exactly_one.literals), 1, 1)]
    return None


def _count(literals: list[int], lower: float, upper: float) -> _Row:
    """Return the row that so many of the literals are true; a literal below 0 is the opposite of a variable."""
    terms: dict[int, int] = {}
    opposites = 0
    for literal in literals:
        variable, sign = (literal, 1) if literal >= 0 else (-literal - 1, -1)
        terms[variable] = terms.get(variable, 0) + sign
        opposites += sign < 0
    return _Row(terms, lower - opposites, upper - opposites)


def _conditional(row: _Row, literals: list[int], lows: list[int], highs: list[int]) -> list[_Row]:
    """Return a row that binds only where all literals are true: each side gives way by as much as the variables allow."""
    least = sum(value * (lows[variable] if value > 0 else highs[variable]) for variable, value in row.terms.items())
    most = sum(value * (highs[variable] if value > 0 else lows[variable]) for variable, value in row.terms.items())
    found = []
    if row.lower > least:
        found.append(_relaxed(row.terms, row.lower, literals, -int(row.lower - least)))
    if row.upper < most:
        found.append(_relaxed(row.terms, row.upper, literals, int(most - row.upper)))
    return found


def _relaxed(terms: dict[int, int], bound: float, literals: list[int], slack: int) -> _Row:
    """Return the row whose bound moves by `slack` for every literal that is false; slack < 0 moves a lower bound down."""
    moved = dict(terms)
    shift = 0
    for literal in literals:
        variable, sign = (literal, 1) if literal >= 0 else (-literal - 1, -1)
        moved[variable] = moved.get(variable, 0) + sign * slack
        shift += slack if sign > 0 else 0
    return _Row(moved, bound + shift, inf) if slack < 0 else _Row(moved, -inf, bound + shift)


def _assembled(rows: list[_Row], lows: list[int], highs: list[int]) -> highspy.HighsLp:
    starts = [0]
    indices: list[int] = []
    values: list[int] = []
    for row in rows:
        indices.extend(row.terms)
        values.extend(row.terms.values())
        starts.append(len(indices))
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(lows), len(rows)
    program.col_cost_ = np.zeros(len(lows))
    program.col_lower_, program.col_upper_ = np.array(lows, dtype=np.float64), np.array(highs, dtype=np.float64)
    program.row_lower_ = np.array([max(row.lower, -highspy.kHighsInf) for row in rows])
    program.row_upper_ = np.array([min(row.upper, highspy.kHighsInf) for row in rows])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_, program.a_matrix_.index_ = np.array(starts), np.array(indices, dtype=np.int64)
    program.a_matrix_.value_ = np.array(values, dtype=np.float64)
    program.integrality_ = [highspy.HighsVarType.kInteger] * len(lows)
    return program
