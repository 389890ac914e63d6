"""What is too large to be solved whole: the arrays of a model, boxes, dives, rounding rows, packing; each on a case by hand."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import terms, total
from schedplan.model.plan import Decisions, JobPart, PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.conflict.screening import screened_jobs
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.refine.box import solve_box
from schedplan.optimize.refine.branched_box import branch_box
from schedplan.optimize.refine.chooser import Chooser, Guide
from schedplan.optimize.refine.dive import STYLES, dive
from schedplan.optimize.refine.refinement import Refinement
from schedplan.optimize.refine.rounding import Relaxed
from schedplan.optimize.solve import optimize
from schedplan.optimize.solvers.cp_sat import Outcome, search
from schedplan.packing.assignment import GangStart
from tests.optimize.problems import problem
from tests.oracle.instances import instances

WORK = 1.0
BY_BOXES = SolveOptions(glance_limit=1e-9, whole_columns=0, beside_columns=0, node_columns=0, pool_boxes=6, node_boxes=6)


def refinement(case: Problem, level: Level = Level.NODES) -> Refinement:
    scales = normalisation(case, reference(case))
    return Refinement(formulate(layout(case, case.jobs, level), scales), SolveOptions())


def job(name: str, gpus: int, hours: int, **values: Any) -> dict[str, Any]:
    return {"name": name, "gpus": gpus, "runtime_minutes": 60.0 * hours, **values}


def two_in_a_row() -> tuple[Problem, Decisions]:
    """One node, two hours, two jobs of an hour that fill it; the urgent one stands second."""
    case = problem(
        {
            "slots": 2,
            "nodes": [{"name": "n", "gpus": 8}],
            "jobs": [job("calm", 8, 1, priority=0), job("urgent", 8, 1, priority=1)],
        }
    )
    parts = (JobPart("calm", "n", 0, 1), JobPart("urgent", "n", 1, 1))
    return case, Decisions(parts, (), np.ones((1, 2), dtype=np.bool_))


def starts(found: Refinement) -> dict[str, int]:
    return {gang.job.name: gang.start_slot for gang in found.found().gangs}


def test_a_plan_has_the_same_value_in_the_arrays_as_in_the_measures() -> None:
    case, decisions = two_in_a_row()
    found = refinement(case)
    found.take(decisions)

    assert found.values is not None
    expected = total(terms(case, goal_values(case, decisions), normalisation(case, reference(case))))
    assert expected == pytest.approx(found.program.objective(found.values), abs=1e-9)


def test_a_box_turns_two_jobs_round() -> None:
    # urgent weighs twice as much: 1 h of wait for it costs 2 · 8 device-hours, for the other one 1 · 8
    case, decisions = two_in_a_row()
    found = refinement(case)
    found.take(decisions)
    assert found.values is not None
    solved = solve_box(found.program, found.values, np.ones(found.program.n_columns, dtype=np.bool_), WORK)
    found.values = solved.values

    assert {"calm": 1, "urgent": 0} == starts(found)


def test_branch_and_bound_turns_two_jobs_round_and_says_that_nothing_is_better() -> None:
    # as above: urgent first saves 8 device-hours of weighted wait, and there are only two orders
    case, decisions = two_in_a_row()
    found = refinement(case)
    found.take(decisions)
    assert found.values is not None
    solved, is_best = branch_box(found.program, found.values, np.ones(found.program.n_columns, dtype=np.bool_))
    found.values = solved.values

    assert {"calm": 1, "urgent": 0} == starts(found)
    assert is_best


def test_a_branched_box_keeps_what_it_does_not_hold() -> None:
    case, decisions = two_in_a_row()
    found = refinement(case)
    found.take(decisions)
    assert found.values is not None
    urgent = next(one.idx for one in found.formulation.variables.layout.classes if one.job.name == "urgent")
    found.values = branch_box(found.program, found.values, found.atlas.job_class == urgent)[0].values

    assert {"calm": 0, "urgent": 1} == starts(found)


def test_a_guided_box_holds_the_job_that_costs_more_than_the_relaxation() -> None:
    # of two jobs on nodes of their own one has all the cost: it weighs 1 + 0.2 / 2, the other 0.2 / 2, a twelfth of all draws
    case = problem(
        {
            "slots": 2,
            "nodes": [{"name": "a", "gpus": 8, "accelerator": "A"}, {"name": "b", "gpus": 8, "accelerator": "B"}],
            "jobs": [job("cheap", 8, 1, accelerators=["A"]), job("dear", 8, 1, accelerators=["B"])],
        }
    )
    found = refinement(case)
    found.take(Decisions((JobPart("cheap", "a", 0, 1), JobPart("dear", "b", 1, 1)), (), np.ones((2, 2), dtype=np.bool_)))
    assert found.values is not None
    dear = next(one.idx for one in found.formulation.variables.layout.classes if one.job.name == "dear")
    is_dear = (found.atlas.job_class == dear) & found.chooser.is_start & (found.values > 0)
    everything = np.ones(found.program.n_columns, dtype=np.bool_)
    chooser = Chooser(found.atlas, Random(0))
    chooser.guide = Guide(np.zeros(len(is_dear)), np.where(is_dear, 1.0, 0.0), everything)
    chooser.guided_columns = 1.0
    boxes = [chooser.box(found.values) for _ in range(10)]

    around_dear = sum(bool((box & is_dear).any()) for box in boxes)
    around_cheap = sum(bool((box & (found.atlas.job_class == 1 - dear)).any()) for box in boxes)
    assert len(boxes) == around_dear + around_cheap
    assert 4 * around_cheap < around_dear


def test_a_guided_box_grows_after_an_answer_and_shrinks_without_one() -> None:
    chooser = refinement(two_in_a_row()[0]).chooser
    before = chooser.guided_columns
    chooser.learn(is_solved=True)
    grown = chooser.guided_columns
    chooser.learn(is_solved=False)

    assert before < grown
    assert chooser.guided_columns < grown


def test_what_a_box_does_not_hold_stays() -> None:
    # the urgent job alone has no other place: the first hour is taken
    case, decisions = two_in_a_row()
    found = refinement(case)
    found.take(decisions)
    assert found.values is not None
    urgent = next(one.idx for one in found.formulation.variables.layout.classes if one.job.name == "urgent")
    found.values = solve_box(found.program, found.values, found.atlas.job_class == urgent, WORK).values

    assert {"calm": 0, "urgent": 1} == starts(found)


def test_a_box_around_broken_rows_has_no_solution() -> None:
    # both jobs at once are fixed on a node that holds one: nothing that is free mends it
    case, decisions = two_in_a_row()
    found = refinement(case)
    found.take(decisions)
    assert found.values is not None
    values = found.values.copy()
    variables = found.formulation.variables
    for start in variables.starts:
        values[start.gangs.index] = start.column.start_slot == 0

    assert solve_box(found.program, values, np.zeros(len(values), dtype=np.bool_), WORK).values is None


def test_a_job_that_is_left_out_is_put_where_it_costs_least() -> None:
    # Three hours on one node; the first is taken. The free hours are 1 and 2: an hour of wait less is better.
    case = problem({"slots": 3, "nodes": [{"name": "n", "gpus": 8}], "jobs": [job("placed", 8, 1, deadline=1), job("waits", 8, 1)]})
    found = refinement(case)
    found.take(Decisions((JobPart("placed", "n", 0, 1),), (), np.ones((1, 3), dtype=np.bool_)))
    list(found.improve(3, WORK))

    assert {"placed": 0, "waits": 1} == starts(found)


def test_a_rounding_row_pays_for_whole_nodes() -> None:
    # Half a node is enough for the relaxation: 4 of 8 devices for the hour. No plan rents half a node, and one plan is best.
    case = problem(
        {
            "slots": 1,
            "nodes": [{"name": "r", "gpus": 8, "count": 2, "market": "on_demand", "price_per_hour": 10}],
            "jobs": [job("half", 4, 1)],
        }
    )
    found = refinement(case, Level.POOLS)
    relaxed = Relaxed(found.program, found.formulation, found.atlas)
    plain = relaxed.bound
    relaxed.tighten()
    best = optimize(case).proof.objective

    assert plain is not None
    assert best is not None
    assert plain < best - 0.01
    assert best == pytest.approx(relaxed.bound, abs=1e-6)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_rounding_rows_and_dives_never_pass_the_optimum(case: Problem) -> None:
    everything = layout(case, case.jobs, Level.POOLS)
    placeable = {column.class_idx for column in everything.columns}
    names = {one.name for job_class in everything.classes if job_class.idx in placeable for one in job_class.jobs}
    jobs = tuple(one for one in case.jobs if one.name in names)
    formulation = formulate(layout(case, jobs, Level.POOLS), normalisation(case, reference(case)))
    exact = search(formulation, SolveOptions(), 10.0)
    found = Refinement(formulation, SolveOptions())
    relaxed = Relaxed(found.program, formulation, found.atlas)
    plain = relaxed.bound
    relaxed.tighten()
    if exact.outcome is Outcome.INFEASIBLE:
        assert all(dive(relaxed.master, formulation, found.atlas, style) is None for style in STYLES)
        return

    assert exact.bound is not None
    assert plain is not None
    assert relaxed.bound is not None
    assert plain - 1e-7 <= relaxed.bound <= exact.bound + 1e-6
    for style in STYLES:
        values = dive(relaxed.master, formulation, found.atlas, style)
        if values is not None:
            assert found.program.is_kept_by(values)
            assert found.program.objective(values) >= exact.bound - 1e-6


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_branching_on_what_a_plan_leaves_open_never_passes_the_optimum(case: Problem) -> None:
    excluded = {one.job.name for one in screened_jobs(case)}
    jobs = tuple(one for one in case.jobs if one.name not in excluded)
    formulation = formulate(layout(case, jobs, Level.POOLS), normalisation(case, reference(case)))
    exact = search(formulation, SolveOptions(), 10.0)
    found = Refinement(formulation, SolveOptions())
    found.relax()
    begun = found.prune(100, None)
    if begun is None:
        return

    result = begun.result()
    best = found.program.objective(result.values) if result.values is not None else begun.known
    assert exact.bound is not None
    assert result.bound is not None
    assert result.bound <= exact.bound + 1e-6 <= best + 2e-6


def test_branching_to_the_end_proves_the_best_plan() -> None:
    # Four jobs of 5 of 8 devices, two nodes, two hours: no node holds two at once, so two start and two wait an hour. Every plan
    # without work left out is worth that, and the bound reaches it.
    case = problem({"slots": 2, "nodes": [{"name": "n", "gpus": 8, "count": 2}], "jobs": [job(name, 5, 1) for name in "abcd"]})
    found = refinement(case, Level.POOLS)
    found.relax()
    begun = found.prune(1_000, None)
    assert begun is not None

    assert optimize(case).proof.objective == pytest.approx(begun.result().bound, abs=1e-5)


def test_a_start_that_costs_too_much_is_not_worth_a_look() -> None:
    # One job of an hour on one idle node, ten hours: the seven starts with the shortest waits are, the three latest are not.
    case = problem({"slots": 10, "nodes": [{"name": "n", "gpus": 8}], "jobs": [job("a", 8, 1)]})
    found = refinement(case, Level.POOLS)
    found.relax()
    prices = found.prices()
    assert prices is not None
    on_nodes = refinement(case)
    for one in (found, on_nodes):
        kept = prices.worth_a_look(one.formulation)
        slots = [start.column.start_slot for start in one.formulation.variables.starts if kept[start.gangs.index]]

        assert list(range(7)) == slots


def test_packing_finds_the_nodes_that_best_fit_misses() -> None:
    # Two nodes of two devices, four hours. Longest first, best fit: long and two on n/1, one and then late on n/2; pair, which
    # wants a whole node at 2, waits for 3. Packed: long, one, then late on n/1; two, then pair on n/2.
    case = problem(
        {
            "nodes": [{"name": "n", "gpus": 2, "count": 2}],
            "jobs": [
                job("long", 1, 4),
                job("two", 1, 2),
                job("one", 1, 1),
                job("late", 1, 2, earliest_start=1),
                job("pair", 2, 1, earliest_start=2),
            ],
        }
    )
    by_name = case.job_by_name
    wishes = (("long", 0, 4), ("two", 0, 2), ("one", 0, 1), ("late", 1, 3), ("pair", 2, 3))
    gangs = tuple(GangStart(by_name[name], slot, end, ((("n/1", "n/2"), 1),), one_node=False) for name, slot, end in wishes)
    landed = (
        JobPart("long", "n/1", 0, 1),
        JobPart("two", "n/1", 0, 1),
        JobPart("one", "n/2", 0, 1),
        JobPart("late", "n/2", 1, 1),
        JobPart("pair", "n/2", 3, 1),
    )
    decisions = Decisions(tuple(sorted(landed)), (), np.ones((2, 4), dtype=np.bool_))
    assert violations(case, decisions) == ()
    found = refinement(case)
    found.pack(gangs, decisions)

    assert {name: slot for name, slot, _ in wishes} == starts(found)


def test_boxes_are_drawn_alike_from_one_seed_and_hold_what_is_left_out() -> None:
    case = problem({"slots": 2, "nodes": [{"name": "n", "gpus": 8}], "jobs": [job("a", 8, 2), job("b", 8, 1)]})
    found = refinement(case)
    found.take(Decisions((JobPart("a", "n", 0, 1),), (), np.ones((1, 2), dtype=np.bool_)))
    assert found.values is not None
    left_out = found.formulation.variables.left_out[1].index
    one, other = (Chooser(found.atlas, Random(7)) for _ in range(2))
    for _ in range(20):
        box = one.box(found.values)

        assert box[left_out]
        assert (box == other.box(found.values)).all()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_a_search_by_boxes_alone_agrees_with_a_whole_one(case: Problem) -> None:
    whole, boxes = optimize(case), optimize(case, BY_BOXES)
    if whole.proof.status is PlanStatus.INFEASIBLE:
        assert boxes.proof.status is PlanStatus.INFEASIBLE
        return

    assert violations(case, boxes.decisions) == ()
    assert whole.proof.objective is not None
    assert boxes.proof.objective is not None
    assert boxes.proof.bound is not None
    assert boxes.proof.bound <= whole.proof.objective + 1e-9 <= boxes.proof.objective + 2e-9


def test_a_search_by_boxes_can_be_repeated() -> None:
    case = next(iter(instances(1)))
    once, again = (optimize(case, BY_BOXES) for _ in range(2))

    assert once.decisions.parts == again.decisions.parts
    assert once.decisions.replicas == again.decisions.replicas
    assert once.proof == again.proof
