"""Every field of every record of a plan: changed alone it is refused, or it stands below with the reason why nobody can know it."""

from dataclasses import fields, is_dataclass, replace
from enum import Enum

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.baselines import baselines, waterfall
from schedplan.measures.corruption import corrupted
from schedplan.measures.exchange import exchange_rates
from schedplan.measures.objective import GoalValues, Normalisation, terms, total
from schedplan.model.findings import Measure
from schedplan.model.plan import (
    Baseline,
    ConflictItem,
    Decisions,
    JobPart,
    NodeUse,
    Placement,
    Plan,
    PlanStatus,
    Proof,
    Rate,
    Repair,
    ReplicaPart,
    ReplicaRow,
    Term,
    Unplaced,
    WaterfallStep,
)
from schedplan.model.workload import Job, WorkerShape

SCALES = Normalisation.between(GoalValues(10, 100, 40_000, 0, 0), GoalValues(0, 0, 30_000, 0, 0))
HOPELESS = Job("hopeless", workers=1, shape=WorkerShape(gpus=2), runtime_minutes=60.0)
TOLD = (Unplaced("job", "hopeless", 1, "capacity", "2 devices on one node", "a node with 2 devices", 5.0),)
UNAVOIDABLE = 0.25

UNKNOWABLE = {
    (Proof, "route"): "words on how the plan was found",
    (Proof, "work"): "counts of work done while solving, which only a solver can repeat",
    (Proof, "prices"): "of static plans alone, whose bound is proven from them anew",
    (Plan, "seed"): "says how to repeat the search",
    (Plan, "stages"): "values and bounds of the solves before the last, which only a solver can repeat",
    (
        Plan,
        "policies",
    ): "plans of list policies, which `verify` makes anew (test_verify_policies)",
    (Plan, "front"): "points of other solves, which only a solver can repeat",
}
ROWS = {
    "placements": Placement,
    "replicas": ReplicaRow,
    "measures": Measure,
    "terms": Term,
    "rates": Rate,
    "baselines": Baseline,
    "waterfall": WaterfallStep,
    "unplaced": Unplaced,
}


@pytest.fixture(scope="module")
def problem(day):
    return replace(day, jobs=(HOPELESS, *day.jobs))


@pytest.fixture(scope="module")
def plan(problem, day_plan):
    found = account(problem, day_plan)
    parts = terms(problem, found.goals, SCALES)
    objective = total(parts)
    bound = 0.9 * objective
    avoidable = (objective - bound) / (objective - UNAVOIDABLE)
    return Plan(
        decisions=day_plan,
        proof=Proof(PlanStatus.FEASIBLE, objective, bound, (objective - bound) / objective, avoidable, "by hand"),
        terms=parts,
        rates=exchange_rates(parts),
        measures=found.measures,
        placements=found.placements,
        replicas=found.replicas,
        node_use=found.node_use,
        unplaced=TOLD,
        warnings=found.warnings,
        baselines=baselines(problem, day_plan),
        waterfall=waterfall(problem, day_plan),
    )


def refused(problem, plan):
    return corrupted(problem, plan, SCALES, unplaced=TOLD, unavoidable=UNAVOIDABLE) != ()


def changed(value):
    """Another value of the same kind; of a table or an array one with a row, or a number, changed."""
    if isinstance(value, Enum):
        other = next(other for other in type(value) if other is not value)
    elif isinstance(value, bool):
        other = not value
    elif isinstance(value, int):
        other = value + 1
    elif isinstance(value, float):
        other = value * (1 + 1e-6) + 1e-6
    elif isinstance(value, np.ndarray):
        other = value.copy()
        other[3, 4] = changed(other[3, 4].item())
    elif isinstance(value, tuple):
        other = value[1:] if value else (("x", 1.0),)
    else:
        other = f"{value}x" if isinstance(value, str) else "x"
    return other


def cases():
    """(record, field) of everything in a plan: its own fields, and those of every record in them."""
    owners = (Plan, Decisions, JobPart, ReplicaPart, Proof, NodeUse, *ROWS.values())
    return [pytest.param(owner, field.name, id=f"{owner.__name__}.{field.name}") for owner in owners for field in fields(owner)]


def spoilt(plan, owner, name):
    """Yield plans with this field of one record changed: in the first, the middle and the last row of a table."""
    if owner is Plan:
        value = getattr(plan, name)
        if not is_dataclass(value):
            yield replace(plan, **{name: changed(value)})
    elif owner in (Decisions, Proof, NodeUse):
        holder = {Decisions: "decisions", Proof: "proof", NodeUse: "node_use"}[owner]
        record = getattr(plan, holder)
        yield replace(plan, **{holder: replace(record, **{name: special(owner, name, getattr(record, name))})})
    elif owner in (JobPart, ReplicaPart):
        holder = "parts" if owner is JobPart else "replicas"
        rows = getattr(plan.decisions, holder)
        for row in with_change(rows, name):
            yield replace(plan, decisions=replace(plan.decisions, **{holder: row}))
    else:
        holder = next(table for table, kind in ROWS.items() if kind is owner)
        for rows in with_change(getattr(plan, holder), name):
            yield replace(plan, **{holder: rows})


def special(owner, name, value):
    """A conflict and its repairs are records of an infeasible day, which this plan is not."""
    if (owner, name) == (Proof, "conflict"):
        return (ConflictItem("quota", "job nightly", "2 of 1"),)
    return (Repair("add a node", None),) if (owner, name) == (Proof, "repairs") else changed(value)


def with_change(rows, name):
    for idx in sorted({0, len(rows) // 2, len(rows) - 1}):
        yield (*rows[:idx], replace(rows[idx], **{name: changed(getattr(rows[idx], name))}), *rows[idx + 1 :])


def test_the_plan_is_sound(problem, plan):
    assert corrupted(problem, plan, SCALES, unplaced=TOLD, unavoidable=UNAVOIDABLE) == ()


@pytest.mark.parametrize(("owner", "name"), cases())
def test_every_changed_field_is_refused_or_can_be_known_by_nobody(problem, plan, owner, name):
    found = [refused(problem, one) for one in spoilt(plan, owner, name)]

    assert [(owner, name) not in UNKNOWABLE] * len(found) == found
