"""What the sample three-nodes-1-1-2 must show."""

from schedplan.measures.feasibility import violations
from schedplan.model.plan import JobPart, PlanStatus


def test_the_pair_leaves_the_double_node_to_the_job_that_needs_it(three_nodes):
    expected = (JobPart("A", "n1", 0, 1), JobPart("A", "n2", 0, 1), JobPart("B", "n3", 0, 1))

    assert three_nodes.plan.decisions.parts == expected
    assert three_nodes.plan.proof.status is PlanStatus.OPTIMAL
    assert violations(three_nodes.prepared.problem, three_nodes.plan.decisions) == ()


def test_nothing_is_left_over(three_nodes):
    measures = {found.name: found.value for found in three_nodes.plan.measures if not found.labels}

    assert three_nodes.plan.unplaced == ()
    assert measures["utilization"] == 1
    assert measures["unplaced"] == 0


def test_both_jobs_one_after_the_other_would_leave_one_out(three_nodes):
    # the reference plan takes A first and puts it where it fits best, both workers on n3; B is 2 of 4 device-hours
    unplaced = next(term for term in three_nodes.plan.terms if term.name == "unplaced")

    assert unplaced.reference == 0.5
