"""The proof: gap, status, what is unavoidable; and that two solvers bound the same model alike."""

from __future__ import annotations

import pytest

from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import prove
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.solvers.branch import branch
from schedplan.optimize.solvers.cp_sat import Outcome, search
from tests.oracle.instances import instances


@pytest.mark.parametrize(
    ("objective", "bound", "status", "gap"),
    [
        (2.0, 1.5, PlanStatus.FEASIBLE, 0.25),  # (2 - 1.5) / 2
        (2.0, 2.0, PlanStatus.OPTIMAL, 0.0),
        (2.0, 2.0 - 1e-10, PlanStatus.OPTIMAL, 0.0),
        (2.0, 2.0 - 1e-8, PlanStatus.FEASIBLE, 5e-9),
        (0.0, 0.0, PlanStatus.OPTIMAL, 0.0),
        (0.0, -1.0, PlanStatus.FEASIBLE, None),  # a share of nothing
        (-1.0, -2.0, PlanStatus.FEASIBLE, 1.0),
    ],
)
def test_gap_and_status(objective: float, bound: float, status: PlanStatus, gap: float | None) -> None:
    proof = prove(objective, bound)

    assert (status, gap if gap is None else pytest.approx(gap)) == (proof.status, proof.gap)


def test_without_a_bound_nothing_is_claimed() -> None:
    proof = prove(2.0, None)

    assert (PlanStatus.FEASIBLE, None, None) == (proof.status, proof.bound, proof.gap)


def test_what_is_unavoidable_makes_the_avoidable_gap_larger() -> None:
    # (2 - 1.5) / (2 - 1) = 0.5
    assert prove(2.0, 1.5, 1.0).gap_avoidable == 0.5


def test_a_bound_above_a_plan_is_our_fault() -> None:
    with pytest.raises(AssertionError, match="above a plan"):
        prove(2.0, 2.1)


@pytest.mark.parametrize("problem", [pytest.param(problem, id=problem.name) for problem in instances(2)])
def test_branch_and_bound_never_bounds_above_the_optimum_nor_misses_it(problem: Problem) -> None:
    everything = layout(problem, problem.jobs, Level.POOLS)
    placeable = {column.class_idx for column in everything.columns}
    jobs = tuple(job for job_class in everything.classes if job_class.idx in placeable for job in job_class.jobs)
    shape = layout(problem, tuple(job for job in problem.jobs if job in jobs), Level.POOLS)
    formulation = formulate(shape, normalisation(problem, reference(problem)))
    exact = search(formulation, SolveOptions(), 10.0)
    found = branch(formulation, SolveOptions(gap=0.0), 1000)
    relaxed = branch(formulation, SolveOptions(), 0)

    if exact.outcome is Outcome.INFEASIBLE:
        assert found.outcome is Outcome.UNKNOWN
        return
    assert exact.bound is not None
    assert found.bound is not None
    assert relaxed.bound is not None
    assert relaxed.bound <= exact.bound + 1e-9
    assert found.bound <= exact.bound + 1e-9
    assert found.bound == pytest.approx(exact.bound, abs=1e-4)
