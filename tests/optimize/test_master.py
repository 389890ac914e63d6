"""Column generation ends where the whole relaxation does, and its bound holds whenever it is stopped."""

from __future__ import annotations

from fractions import Fraction

import highspy
import numpy as np
import pytest

from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.refine.atlas import atlas
from schedplan.optimize.solvers import starts
from schedplan.optimize.solvers.highs import as_highs
from schedplan.optimize.solvers.master import Cut, Master
from schedplan.optimize.solvers.priced import PricedRows
from schedplan.optimize.solvers.program import Program, program
from schedplan.optimize.solvers.silent import SilentHighs
from tests.optimize.problems import problem
from tests.oracle.instances import instances


def master(case: Problem) -> Master:
    formulation = formulate(layout(case, case.jobs, Level.POOLS), normalisation(case, reference(case)))
    return Master(program(formulation), atlas(formulation).starts)


def whole_value(arrays: Program) -> float | None:
    """Return the value of the relaxation with all columns at once."""
    highs = SilentHighs()
    highs.passModel(as_highs(arrays, arrays.costs, arrays.constant, is_integer=False))
    highs.run()
    return highs.getInfo().objective_function_value if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal else None


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_columns_as_they_are_asked_for_reach_the_whole_relaxation(case: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "FIRST_STARTS", 1)
    found = master(case)
    whole = whole_value(found.program) if found.program.n_columns else found.program.constant

    assert (whole is not None) == found.solve()
    if whole is not None:
        assert whole == pytest.approx(found.proven(), abs=1e-6)


@pytest.mark.parametrize("rounds", range(3))
def test_a_bound_holds_however_early_it_is_asked_for(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # a busy node of eight devices over 12 h: the best starts of most jobs are not the earliest, so that none is held at first
    monkeypatch.setattr(starts, "FIRST_STARTS", 1)
    jobs = [{"name": f"j{idx}", "gpus": 1 + idx % 8, "runtime_minutes": 60.0 * (1 + idx % 4)} for idx in range(14)]
    found = master(problem({"slots": 12, "nodes": [{"name": "n", "gpus": 8}], "jobs": jobs}))
    found.solve(rounds)
    bound, whole = found.proven(), whole_value(found.program)

    assert bound is not None
    assert whole is not None
    assert bound <= whole + 1e-9
    assert (len(found.held) < found.program.n_columns) or rounds > 0


def test_the_bound_of_prices_is_below_its_value_in_fractions() -> None:
    # any prices of the right signs will do; the sum in fractions is the exact one
    jobs = [{"name": f"j{idx}", "gpus": 1 + idx % 8, "runtime_minutes": 60.0 * (1 + idx % 4)} for idx in range(9)]
    found = master(problem({"slots": 9, "nodes": [{"name": "n", "gpus": 8}], "jobs": jobs}))
    rows = PricedRows.of(found.program)
    prices = rows.signed(np.random.default_rng(3).normal(size=len(rows.lower)) / 3)
    dense = rows.columns.toarray()
    exact = Fraction(found.program.constant)
    for row, price in enumerate(prices):
        if price:
            exact += Fraction(price) * Fraction(rows.lower[row] if price > 0 else rows.upper[row])
    for column, (least, most) in enumerate(zip(found.program.lower.tolist(), found.program.upper.tolist(), strict=True)):
        reduced = Fraction(found.program.costs[column])
        reduced -= sum((Fraction(price) * Fraction(value) for price, value in zip(prices, dense[column], strict=True)), Fraction(0))
        exact += min(reduced * least, reduced * most)

    assert rows.bound(prices, found.program) <= exact
    assert float(exact) == pytest.approx(rows.bound(prices, found.program), abs=1e-9)


def test_the_whole_program_holds_the_added_rows() -> None:
    # one job of an hour; the added row asks for its last start, and the whole program keeps it
    found = master(
        problem({"slots": 3, "nodes": [{"name": "n", "gpus": 8}], "jobs": [{"name": "j", "gpus": 8, "runtime_minutes": 60.0}]})
    )
    found.solve()
    last = int(np.flatnonzero(found.starts.is_gang)[-1])
    found.add([Cut(np.array([last], dtype=np.int32), np.ones(1), 1.0, 0.0)])
    highs = SilentHighs()
    highs.passModel(found.whole(is_integer=True))
    highs.run()

    assert found.solve()
    assert highs.getInfo().objective_function_value == pytest.approx(found.proven(), abs=1e-6)
