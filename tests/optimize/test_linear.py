"""The integer program of a CP-SAT model has the same solutions."""

from __future__ import annotations

import random

import highspy
import pytest
from ortools.sat.python import cp_model

from schedplan.optimize.solvers.highs import as_highs
from schedplan.optimize.solvers.linear import linear
from schedplan.optimize.solvers.silent import SilentHighs


def is_feasible_by_highs(model: cp_model.CpModel) -> bool:
    rows = linear(model)
    assert rows is not None
    highs = SilentHighs()
    highs.passModel(as_highs(rows, is_integer=True))
    highs.run()
    return highs.getModelStatus() == highspy.HighsModelStatus.kOptimal


@pytest.mark.parametrize("seed", range(60))
def test_conditional_rows_and_clauses_keep_their_meaning(seed: int) -> None:
    draw = random.Random(seed)
    model = cp_model.CpModel()
    numbers = [model.new_int_var(draw.randint(-2, 0), draw.randint(1, 3), f"x{idx}") for idx in range(3)]
    flags = [model.new_bool_var(f"b{idx}") for idx in range(3)]
    literals = [*flags, *(flag.negated() for flag in flags)]
    for _ in range(draw.randint(3, 7)):
        terms = sum(draw.randint(-2, 2) * number for number in numbers)
        condition = draw.sample(literals, draw.randint(0, 2))
        row = model.add(terms <= draw.randint(-3, 2)) if draw.random() < 0.5 else model.add(terms >= draw.randint(-2, 4))
        row.only_enforce_if(condition)
    model.add_bool_or(draw.sample(literals, 2))
    model.add_exactly_one(draw.sample(literals, 3))
    model.add_implication(draw.choice(literals), draw.choice(literals))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    expected = solver.solve(model) != cp_model.INFEASIBLE

    assert expected == is_feasible_by_highs(model)


def test_what_is_no_row_has_no_program() -> None:
    model = cp_model.CpModel()
    number = model.new_int_var(0, 9, "x")
    model.add_multiplication_equality(number, [model.new_int_var(0, 3, "y"), model.new_int_var(0, 3, "z")])

    assert linear(model) is None
