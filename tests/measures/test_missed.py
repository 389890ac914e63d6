"""Priced missed demand: shares, what they weigh, and what the check, the measures and the warnings say of them."""

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.corruption import corrupted
from schedplan.measures.feasibility import violations
from schedplan.measures.missed import asked, service_urgency, services_importance
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.model.cluster import Cluster, Pool, Speed
from schedplan.model.plan import Decisions, Plan, PlanStatus, Proof, ReplicaPart
from schedplan.model.problem import Demand, Limits, MissedDemand, Problem
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.timegrid import TimeGrid

PRICED = Limits(max_utilization=0.5, missed_demand=MissedDemand.PRICE)
# one replica offers 10 / 0.1 s = 100 requests/s, half of them at most on N; F is twice as fast
SERVICE = Service(name="s", slo_ms=500, service_ms=100, concurrency=10, shape=WorkerShape(gpus=1), min_replicas=0)


def problem_of(rps, limits=PRICED, **more):
    rates = np.array(rps, dtype=float)
    return Problem(
        name="p",
        grid=TimeGrid.regular(0, 60, len(rps)),
        cluster=Cluster((Pool("f", gpus=1, accelerator="F"), Pool("n", count=4, max_count=4, gpus=1, accelerator="N")), SPEEDS),
        services=(SERVICE,),
        demands=(Demand("s", rates, rates / 2),),
        limits=limits,
        **more,
    )


SPEEDS = (Speed("F", "service", 2.0),)


def standing(problem, *parts):
    on = np.ones((len(problem.cluster.nodes), problem.grid.n_slots), dtype=bool)
    return Decisions((), tuple(ReplicaPart("s", *part) for part in parts), on)


def test_a_mix_leaves_over_what_its_shares_leave_over():
    # 300/s need 6 on N or 3 on F: a replica on N takes 1/6, on F 1/3
    (wanted,) = asked(problem_of([300]), SERVICE)

    assert wanted.missed({}) == 1.0
    assert wanted.missed({"N": 1}) == pytest.approx(5 / 6)
    assert wanted.missed({"N": 2, "F": 1}) == pytest.approx(1 / 3)
    assert wanted.missed({"N": 4, "F": 1}) == 0.0
    assert wanted.missed({"N": 9}) == 0.0


def test_many_replicas_on_several_models_are_counted_in_billionths():
    # r is 3,999 on N, 2,000 on F: coprime, so that 7,998,000 parts would be exact
    (wanted,) = asked(problem_of([50.0 * 3_999]), SERVICE)

    assert wanted.whole == 10**9
    assert wanted.missed({"N": 3_999}) == 0.0
    assert wanted.missed({"F": 1_000}) == pytest.approx(0.5)


def test_demand_weighs_like_a_job_of_its_least_fleet():
    problem = problem_of([300, 0], jobs=(Job("a", priority=1, runtime_minutes=60), Job("b", priority=4, runtime_minutes=60)))

    # least fleet: 3 replicas on F, 3 of 5 devices x 5, an hour; jobs have priorities 1 and 4: none below 0, one below 2 and 4, two
    # below 5
    assert services_importance(problem) == pytest.approx(3.0)
    assert [1, 2, 2, 3] == [service_urgency(problem, replace(SERVICE, priority=priority)) for priority in (0, 2, 4, 5)]
    assert services_importance(replace(problem, limits=Limits(max_utilization=0.5))) == 0.0


def test_where_no_device_is_fast_enough_all_is_missed_and_nothing_may_stand():
    problem = replace(problem_of([300]), services=(replace(SERVICE, slo_ms=20),))
    (wanted,) = asked(problem, problem.services[0])

    # 300 x 0.1 / 10 = 3 replicas are busy at reference speed
    assert wanted.is_hopeless
    assert wanted.importance == pytest.approx(3.0)
    assert violations(problem, standing(problem)) == ()
    assert ["SP3107"] == [broken.code for broken in violations(problem, standing(problem, (0, "n/1", 1)))]


def test_a_plan_that_misses_is_sound_where_it_has_a_price_and_only_there():
    problem = problem_of([300, 100])
    given = standing(problem, (0, "f", 1), (0, "n/1", 1), (1, "n/1", 1))
    strict = replace(problem, limits=Limits(max_utilization=0.5))

    assert violations(problem, given) == ()
    assert {"SP3107"} == {broken.code for broken in violations(strict, given)}


@pytest.mark.parametrize(
    ("change", "part", "code"),
    [
        ({}, (0, "n/1", 2), "SP3102"),
        ({"max_replicas": 1}, (0, "n/2", 1), "SP3107"),
        ({"min_replicas": 2}, None, "SP3107"),
        ({"spread": ("node", 2)}, None, "SP3107"),
    ],
)
def test_the_other_rules_hold_all_the_same(change, part, code):
    problem = problem_of([300])
    problem = replace(problem, services=(replace(SERVICE, **change),))
    parts = [(0, "n/1", 1)] if part is None else [part] if part[1] == "n/1" else [(0, "n/1", 1), part]

    assert [code] == [broken.code for broken in violations(problem, standing(problem, *parts))]


def test_what_is_missed_is_counted_and_told():
    problem = problem_of([300, 300, 50])
    found = account(problem, standing(problem, (0, "f", 1), (0, "n/1", 1), (1, "f", 1), (2, "f", 1)))
    values = {measure.name: measure.value for measure in found.measures if not measure.labels}

    # slot 0 misses 1 - 1/3 - 1/6 = 1/2 of 150/s expected, slot 1 2/3, slot 2 nothing: 3600 x (75 + 100)
    assert values["missed_requests"] == pytest.approx(630_000)
    # of 3600 x (150 + 150 + 25) the rest is served and fast enough
    assert values["slo_attainment"] == pytest.approx(150 / 325)
    # importance 3 + 3 + 1 (50/s need one replica): (1.5 + 2) / 7, and ten times that much in the latency goal
    assert found.goals.unplaced == pytest.approx(0.5)
    assert found.goals.latency == pytest.approx(35.0)
    # 15 device-hours are paid for; 150/s keep 1.5 busy at reference speed, of which 0.75 and 0.5 are served, and 0.25
    assert found.goals.utilization == pytest.approx(15 - 0.75 - 0.5 - 0.25)
    assert found.warnings[0] == (
        "service s: misses part of its requests: 58.33% from 1970-01-01 00:00+00:00 to 1970-01-01 02:00+00:00"
    )


def test_nothing_is_told_of_missed_demand_where_all_must_be_served():
    problem = problem_of([50], Limits(max_utilization=0.5))
    found = account(problem, standing(problem, (0, "f", 1)))

    assert "missed_requests" not in {measure.name for measure in found.measures}
    assert found.goals.unplaced == 0.0


def test_a_plan_that_hides_what_it_misses_is_refused():
    problem = problem_of([300])
    given = standing(problem, (0, "n/1", 1))
    found = account(problem, given)
    scales = Normalisation.between(found.goals, replace(found.goals, latency=0.0))
    parts = terms(problem, found.goals, scales)
    value = total(parts)
    plan = Plan(
        decisions=given,
        proof=Proof(PlanStatus.FEASIBLE, value, value, 0.0, None, "by hand"),
        terms=parts,
        measures=found.measures,
        placements=found.placements,
        replicas=found.replicas,
        node_use=found.node_use,
        warnings=found.warnings,
    )
    fewer = tuple(replace(one, value=0.0) if one.name == "missed_requests" else one for one in plan.measures)
    served = tuple(replace(term, value=0.0) if term.name == "unplaced" else term for term in parts)

    # 300/s planned for, 150/s expected, 5/6 of them missed: 450,000 requests, of the service and in all
    assert {"SP3125"} == {broken.code for broken in corrupted(problem, replace(plan, measures=fewer))}
    assert "SP3126" in {broken.code for broken in corrupted(problem, replace(plan, terms=served))}
