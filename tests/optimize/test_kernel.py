"""The kernel of a relaxed program: what is left to decide of it, and that its plans are plans of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.refine import dive as diving
from schedplan.optimize.refine.dive import STYLES, DiveStyle, dive
from schedplan.optimize.refine.kernel import kernel
from schedplan.optimize.refine.refinement import Refinement
from schedplan.optimize.refine.rounding import Relaxed
from schedplan.optimize.start_indices import StartIndices
from tests.optimize.problems import problem
from tests.oracle.instances import instances


def refinement(case: Problem) -> Refinement:
    return Refinement(formulate(layout(case, case.jobs, Level.POOLS), normalisation(case, reference(case))), SolveOptions())


def two_jobs() -> Refinement:
    """One node of 8 devices, two hours, two jobs alike that fill it for an hour each: one class, one gang of it in each hour."""
    jobs = [{"name": name, "gpus": 8, "runtime_minutes": 60.0} for name in ("a", "b")]
    return refinement(problem({"slots": 2, "nodes": [{"name": "n", "gpus": 8}], "jobs": jobs}))


def test_classes_that_start_whole_stand_and_are_no_part_of_it() -> None:
    found = two_jobs()
    relaxed = Relaxed(found.program, found.formulation, found.atlas)
    part = kernel(relaxed.master, found.atlas, most_classes=0)

    # the class starts whole, so it is not open; the node is sunk, so nothing else is chosen
    assert relaxed.master.values is not None
    assert part.columns.tolist() == []
    assert part.whole(np.zeros(0)).tolist() == np.rint(relaxed.master.values).astype(int).tolist()


def test_the_class_that_is_cheapest_to_move_is_open_first() -> None:
    found = two_jobs()
    relaxed = Relaxed(found.program, found.formulation, found.atlas)
    part = kernel(relaxed.master, found.atlas, most_classes=1)

    # two starts, and what is left out; the row that places the class, and the devices of each hour
    assert part.columns.tolist() == [0, 1, 2]
    assert part.program.rows.shape == (3, 3)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_a_whole_kernel_has_the_relaxation_of_its_program(case: Problem) -> None:
    found = refinement(case)
    relaxed = Relaxed(found.program, found.formulation, found.atlas)
    if relaxed.master.values is None:
        return
    master = kernel(relaxed.master, found.atlas).master()

    assert master.solve()
    assert master.values is not None
    value = float(master.program.costs @ master.values) + master.program.constant
    assert value == pytest.approx(float(found.program.costs @ relaxed.master.values) + found.program.constant, abs=1e-6)


@pytest.mark.parametrize("style", STYLES)
def test_a_dive_into_the_kernel_of_two_jobs_that_fit_places_both(style: DiveStyle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diving, "WHOLE_COLUMNS", 0)
    found = two_jobs()
    relaxed = Relaxed(found.program, found.formulation, found.atlas)
    values = dive(relaxed.master, found.formulation, found.atlas, style)

    # one gang starts in each hour and none is left out, which is the relaxation too
    assert values is not None
    assert values[:3].tolist() == [1, 1, 0]
    assert found.program.objective(values) == pytest.approx(relaxed.bound)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_a_dive_into_the_kernel_ends_in_a_plan_of_the_whole_or_in_none(case: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diving, "WHOLE_COLUMNS", 0)
    found = refinement(case)
    relaxed = Relaxed(found.program, found.formulation, found.atlas)
    if relaxed.bound is None:
        return
    for style in STYLES:
        values = dive(relaxed.master, found.formulation, found.atlas, style)
        if values is not None:
            assert found.program.is_kept_by(values)
            assert found.program.objective(values) >= relaxed.bound - 1e-6


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_arrays_of_starts_name_the_variables_that_the_starts_have(case: Problem) -> None:
    variables = refinement(case).formulation.variables
    indices = StartIndices.of(variables.layout)
    expected, actual = [], []
    for number, start in enumerate(variables.starts):
        own = [
            (cell, amount.index) for cell, amount in start.workers if hasattr(amount, "index") and amount.index != start.gangs.index
        ]
        cells = [cell for cell, _ in start.workers]
        expected.append((start.gangs.index, cells[0] if cells else -1, len(cells), own))
        mine = np.flatnonzero(indices.worker_column == number)
        pairs = list(zip(indices.worker_cell[mine].tolist(), indices.worker[mine].tolist(), strict=True))
        actual.append((int(indices.gangs[number]), int(indices.cell[number]), int(indices.n_cells[number]), pairs))

    assert expected == actual
