from dataclasses import fields, replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.baselines import baselines, waterfall
from schedplan.measures.corruption import corrupted
from schedplan.measures.objective import GoalValues, Normalisation, terms, total
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.findings import Measure
from schedplan.model.plan import Decisions, JobPart, Plan, PlanStatus, Proof, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

SCALES = Normalisation.between(GoalValues(10, 100, 40_000, 0, 0), GoalValues(0, 0, 30_000, 0, 0))


@pytest.fixture(scope="module")
def plan(day, day_plan):
    found = account(day, day_plan)
    parts = terms(day, found.goals, SCALES)
    objective = total(parts)
    return Plan(
        decisions=day_plan,
        proof=Proof(PlanStatus.FEASIBLE, objective, 0.9 * objective, (objective - 0.9 * objective) / objective, None, "by hand"),
        terms=parts,
        measures=found.measures,
        placements=found.placements,
        replicas=found.replicas,
        node_use=found.node_use,
        warnings=(*found.warnings, "another word"),
        baselines=baselines(day, day_plan),
        waterfall=waterfall(day, day_plan),
    )


def told(problem, plan, normalisation=None):
    return [(finding.code, finding.subject, finding.message) for finding in corrupted(problem, plan, normalisation)]


def changed(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * (1 + 1e-6) + 1e-6
    if isinstance(value, tuple):
        return (*value, ("x", "y"))
    return f"{value}x" if isinstance(value, str) else "x"


def with_row(plan, table, index, **changes):
    rows = list(getattr(plan, table))
    rows[index] = replace(rows[index], **changes)
    return replace(plan, **{table: tuple(rows)})


def test_a_sound_plan_has_no_finding(day, plan):
    assert corrupted(day, plan) == ()
    assert corrupted(day, plan, SCALES) == ()


@pytest.mark.parametrize("table", ["placements", "replicas", "measures", "baselines", "waterfall", "terms"])
def test_every_changed_field_of_every_table_is_found(day, plan, table):
    # In the first, the middle and the last row.
    sound = [
        (index, field.name)
        for index in (0, len(getattr(plan, table)) // 2, -1)
        for field in fields(getattr(plan, table)[index])
        if not corrupted(
            day, with_row(plan, table, index, **{field.name: changed(getattr(getattr(plan, table)[index], field.name))}), SCALES
        )
    ]

    assert sound == []


@pytest.mark.parametrize("field", ["on", "devices_used", "busy_devices", "devices_stranded", "cost", "energy_kwh", "carbon_g"])
def test_every_changed_array_of_nodes_is_found(day, plan, field):
    array = getattr(plan.node_use, field).copy()
    array[3, 4] = not array[3, 4] if field == "on" else array[3, 4] + 1e-6
    found = corrupted(day, replace(plan, node_use=replace(plan.node_use, **{field: array})))

    assert found != ()


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"devices": 2.0}, ("SP3122", "placement nightly spot/01", "devices is 2.0; recomputed: 1.0")),
        ({"market": "on_demand"}, ("SP3122", "placement nightly spot/01", "market is 'on_demand'; recomputed: 'spot'")),
        ({"start_s": 1}, ("SP3122", "placement nightly", "start_s 1 is the start of no slot")),
        ({"node": "spot/02"}, ("SP3101", "job nightly", None)),
        ({"node": "od/10"}, ("SP3103", "job nightly", "its workers stand in more than one market: on_demand, spot")),
        ({"worker_last": 1}, ("SP3101", "job nightly", "11 workers are placed; the job has 10")),
    ],
)
def test_the_field_that_differs_is_named(day, plan, changes, finding):
    found = told(day, with_row(plan, "placements", 0, **changes))

    assert finding[:2] in [row[:2] for row in found]
    assert finding[2] is None or finding in found


def test_a_dropped_worker_a_doubled_row_and_a_stranger_are_found(day, plan):
    dropped = told(day, replace(plan, placements=plan.placements[1:]))
    doubled = told(day, replace(plan, baselines=(*plan.baselines, plan.baselines[0])))
    stranger = told(day, replace(plan, measures=(*plan.measures, Measure("happiness", 1.0, "share"))))

    assert ("SP3103", "job nightly", "9 of 10 workers are placed; all start together or none does") in dropped
    assert ("SP3121", "parts", "the placements are not the plan's decisions about jobs") in dropped
    assert doubled == [("SP3129", "baseline", "1 of its rows stand there twice")]
    assert stranger == [("SP3125", "measure happiness", "is not a measure of this plan")]


def test_a_worker_less_of_an_elastic_gang_is_found_by_what_follows_from_it():
    # two of four workers run 120 min in place of 60: end, cost and devices are others
    grid = TimeGrid.regular(0, 60, 4)
    job = Job("a", workers=4, min_workers=1, shape=WorkerShape(gpus=1), runtime_minutes=60.0)
    problem = Problem("p", grid, Cluster((Pool("n", gpus=4),)), (job,))
    decisions = Decisions((JobPart("a", "n", 0, 2),), (), np.ones((1, 4), dtype=bool))
    found = account(problem, decisions)
    parts = terms(problem, found.goals, SCALES)
    proof = Proof(PlanStatus.FEASIBLE, total(parts), None, None, None, "by hand")
    sound = Plan(
        decisions,
        proof,
        parts,
        found.measures,
        found.placements,
        node_use=found.node_use,
        warnings=found.warnings,
    )

    assert () == corrupted(problem, sound)
    assert ("SP3122", "placement a n", "end_s is 7200; recomputed: 14400") in told(
        problem, with_row(sound, "placements", 0, worker_last=0)
    )
    assert found.placements[0].reason.endswith("; runs with 2 of its 4 workers, 2 times as long")


def test_measures_of_the_proof_and_of_the_forecast_may_stand_beside(day, plan):
    beside = (Measure("gap", plan.proof.gap, "share"), Measure("forecast_mase", 0.8, ""))

    assert corrupted(day, replace(plan, measures=plan.measures + beside)) == ()
    assert told(day, replace(plan, measures=(*plan.measures, Measure("gap", 0.0, "share"))))[0][:2] == ("SP3125", "measure gap")


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        ({"objective": 1.0}, "objective"),
        ({"objective": None}, "objective"),
        ({"bound": 100.0}, "bound"),
        ({"gap": 0.2}, "gap"),
        ({"gap": None}, "gap"),
        ({"bound": None}, "proof"),
        ({"status": PlanStatus.OPTIMAL}, "status"),
        ({"status": PlanStatus.INFEASIBLE}, "plan"),
    ],
)
def test_a_proof_that_does_not_add_up_is_found(day, plan, changes, subject):
    found = told(day, replace(plan, proof=replace(plan.proof, **changes)))

    assert subject in [row[1] for row in found]


def test_an_optimum_has_no_gap(day, plan):
    proof = replace(plan.proof, status=PlanStatus.OPTIMAL, bound=plan.proof.objective, gap=0.0)

    assert corrupted(day, replace(plan, proof=proof)) == ()


def test_scales_that_are_not_those_of_the_reference_plan_are_found(day, plan):
    other = Normalisation.between(GoalValues(10, 100, 41_000, 0, 0), GoalValues(0, 0, 30_000, 0, 0))
    found = told(day, plan, other)

    assert ("SP3126", "term cost", "reference is 40000; recomputed: 41000") in found


def test_warnings_and_unplaced_work_are_told(day, plan):
    silent = told(day, replace(plan, warnings=plan.warnings[1:]))
    wrong = told(day, replace(plan, unplaced=(Unplaced("job", "nightly", 1, "window", "", ""),)))

    assert [row[:2] for row in silent] == [("SP3128", "warnings")]
    assert wrong == [("SP3127", "job nightly", "is told as unplaced and is placed, or no job of the problem")]


def test_work_that_is_left_out_must_be_told(day, plan):
    problem = replace(day, jobs=(replace(day.jobs[0], required=False),))
    on = plan.decisions.on.copy()
    on[10:] = False
    decisions = Decisions((), plan.decisions.replicas, on)
    found = account(problem, decisions)
    parts = terms(problem, found.goals, SCALES)
    lazy = Plan(
        decisions,
        Proof(PlanStatus.FEASIBLE, total(parts), None, None, None, ""),
        parts,
        found.measures,
        (),
        found.replicas,
        found.node_use,
        warnings=found.warnings,
    )

    assert told(problem, lazy) == [("SP3127", "job nightly", "is left out and not told in the table of unplaced work")]
    assert corrupted(problem, replace(lazy, unplaced=(Unplaced("job", "nightly", 1, "cost", "", ""),))) == ()


def test_an_infeasible_plan_is_empty(day):
    nothing = Decisions((), (), np.zeros((20, 24), dtype=np.bool_))
    proof = Proof(PlanStatus.INFEASIBLE, None, None, None, None, "")

    assert corrupted(day, Plan(nothing, proof)) == ()


def test_nodes_of_another_problem_cannot_be_read(day, plan):
    found = told(day, replace(plan, node_use=replace(plan.node_use, nodes=("a",))))

    assert found == [("SP3121", "nodes", "the plan's nodes or slots are not those of the problem")]
    assert told(day, replace(plan, node_use=None)) == [("SP3121", "nodes", "the plan has no table of nodes")]
