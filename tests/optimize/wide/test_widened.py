"""The arrays of a layout made from probes of one slot are those of the model built start by start: rows, ranges and costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.model.problem import Problem
from schedplan.optimize import models
from schedplan.optimize.cells import Level
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.node_devices import may_be_needed
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.solve import optimize
from schedplan.optimize.solvers.program import Program, program
from schedplan.optimize.wide.widened import is_summable, widened
from tests.optimize.problems import problem
from tests.oracle.instances import instances


def without_budget(case: Problem) -> Problem:
    return replace(case, limits=replace(case.limits, budget_per_day=None), objective=replace(case.objective, at_most=()))


def in_order(arrays: Program) -> list[tuple[tuple[int, ...], tuple[int, ...], int, int]]:
    """Return the rows as (variables, coefficients, least, most), sorted."""
    rows = arrays.rows.copy()
    rows.eliminate_zeros()
    rows.sort_indices()
    spans = zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
    sides = zip(arrays.row_lower.tolist(), arrays.row_upper.tolist(), strict=True)
    found = [
        (tuple(rows.indices[first:last].tolist()), tuple(rows.data[first:last].tolist()), *side)
        for (first, last), side in zip(spans, sides, strict=True)
    ]
    return sorted(found)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(3)])
def test_rows_of_runs_are_the_sums_of_rows_of_slots(case: Problem) -> None:
    plain = without_budget(case)
    shape = layout(plain, plain.jobs, Level.POOLS)
    if not is_summable(shape, plain.objective):
        assert plain.stops or may_be_needed(shape)
        return
    scales = normalisation(plain, reference(plain))
    expected, actual = program(formulate(shape, scales)), program(widened(shape, (), plain.objective, scales))

    assert expected.lower.tolist() == actual.lower.tolist()
    assert expected.upper.tolist() == actual.upper.tolist()
    assert in_order(expected) == in_order(actual)
    assert expected.costs == pytest.approx(actual.costs, rel=1e-12, abs=1e-12)
    assert expected.constant == pytest.approx(actual.constant)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in list(instances(1))[::4]])
def test_a_plan_of_arrays_is_no_better_than_the_best_and_its_bound_holds(case: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    best = optimize(case)
    monkeypatch.setattr(models, "WIDE_COLUMNS", 0)
    found = optimize(case, SolveOptions(whole_columns=0, node_columns=0, pool_boxes=6, node_boxes=0))
    if best.proof.objective is None:
        assert found.proof.objective is None
        return

    assert found.proof.objective is not None
    assert found.proof.bound is None or found.proof.bound <= best.proof.objective + 1e-9
    assert found.proof.objective >= best.proof.objective - 1e-9


def test_a_model_beyond_its_memory_is_not_built_and_there_is_a_plan_all_the_same() -> None:
    # one job of an hour on one node of one hour: the only plan there is, found without any model
    case = problem({"slots": 1, "nodes": [{"name": "n", "gpus": 8}], "jobs": [{"name": "j", "gpus": 8, "runtime_minutes": 60.0}]})
    plan = optimize(case, SolveOptions(memory_mb=-1, node_columns=0, box_columns=0))

    assert "model on pools not built" in plan.proof.route
    assert "limit -1 MB" in plan.proof.route
    assert ["j"] == [part.job for part in plan.decisions.parts]
