"""What the sample zone-loss must show: the plan survives the loss of either zone, and what that costs."""

from dataclasses import replace

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Reserve
from schedplan.optimize.solve import optimize
from tests.samples.conftest import planned


def cost(found):
    return next(measure.value for measure in found.plan.measures if measure.name == "cost" and not measure.labels)


def replicas(found, slot, zone):
    pool_of = found.prepared.problem.cluster.pool_of_node
    return sum(part.replicas for part in found.plan.decisions.replicas if part.slot == slot and pool_of[part.node].zone == zone)


def served_without(found, zone):
    """The rules of services that are broken when nothing of the service stands in a zone any more."""
    problem, decisions = found.prepared.problem, found.plan.decisions
    left = tuple(part for part in decisions.replicas if problem.cluster.pool_of_node[part.node].zone != zone)
    bare = replace(problem, limits=replace(problem.limits, reserve=Reserve.NONE))
    return [finding.code for finding in violations(bare, replace(decisions, replicas=left))]


def test_the_plan_is_proven_and_keeps_every_rule(zone_loss):
    assert zone_loss.plan.proof.status is PlanStatus.OPTIMAL
    assert violations(zone_loss.prepared.problem, zone_loss.plan.decisions) == ()
    assert zone_loss.plan.unplaced == ()


@pytest.mark.parametrize("zone", ["a", "b"])
def test_either_zone_may_be_lost(zone_loss, zone):
    assert served_without(zone_loss, zone) == []


def test_each_zone_holds_all_of_the_service(zone_loss):
    # 160/80 = 2 at night, 400/80 = 5 by day
    assert [(replicas(zone_loss, slot, "a"), replicas(zone_loss, slot, "b")) for slot in (0, 7, 8, 23)] == [
        (2, 2),
        (2, 2),
        (5, 5),
        (5, 5),
    ]


@pytest.mark.parametrize(("reserve", "expected"), [("none", 312.0), ("node", 384.0)])
def test_what_the_reserve_costs(zone_loss, reserve, expected):
    # (2 x 8 + 5 x 16) x 3 = 288 in zone a; one replica more for a node; 96 x 4 = 384 more for a zone; the job 2 x 4 x 3 = 24
    other = planned("zone-loss", f"limits.reserve={reserve}")

    assert cost(other) == pytest.approx(expected)
    assert cost(zone_loss) == pytest.approx(696.0)
    assert "SP3107" in served_without(other, "a")


def test_one_node_less_than_the_day_needs_has_no_plan_and_says_why(zone_loss):
    problem = zone_loss.prepared.problem

    pools = tuple(replace(pool, count=4, max_count=4) if pool.name == "b" else pool for pool in problem.cluster.pools)
    plan = optimize(replace(problem, cluster=replace(problem.cluster, pools=pools)))

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert [(item.rule, item.subject) for item in plan.proof.conflict] == [("reserve", "service checkout")]
