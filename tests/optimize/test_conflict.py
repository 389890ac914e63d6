"""Conflicts: exactly the rules that bind, as few as possible, several side by side, and never on one solver's word."""

from __future__ import annotations

import pytest

from schedplan.errors import SolverError
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.conflict.confirm import is_confirmed
from schedplan.optimize.conflict.evidence import item, statement
from schedplan.optimize.conflict.satisfaction import Answer, musts, satisfaction
from schedplan.optimize.layout import layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from tests.optimize.problems import cases, problem

RENTED = {"name": "n", "count": 2, "gpus": 1, "market": "on_demand", "price_per_hour": 5}
INFEASIBLE = [case for case in cases() if case.expect.get("status") == "infeasible"]


def told(task: Problem) -> list[tuple[int, str, str]]:
    return [(one.group, one.rule, one.subject) for one in optimize(task).proof.conflict]


def test_two_conflicts_at_once_are_told_apart_and_mended_together() -> None:
    jobs = [
        {"name": "late", "gpus": 1, "runtime_minutes": 61, "deadline": 1, "required": True},
        {"name": "wide", "gpus": 1, "workers": 3, "required": True},
    ]
    plan = optimize(problem({"slots": 4, "nodes": [RENTED], "jobs": jobs}))

    # 61 min book two slots and one lies before the deadline; 3 workers on 2 nodes
    assert [(0, "window", "job late"), (1, "gang", "job wide")] == [
        (one.group, one.rule, one.subject) for one in plan.proof.conflict
    ]
    # no single change mends both. A third node costs 5 for the hour of wide, but a change without a price has none in all.
    first = plan.proof.repairs[0]
    assert "1 more node of n" in first.change
    assert " and " in first.change
    assert all(" and " in repair.change for repair in plan.proof.repairs)


def test_an_infeasible_core_beside_one_of_arithmetic() -> None:
    jobs = [
        {"name": "big", "gpus": 2, "required": True},
        *({"name": name, "gpus": 1, "runtime_minutes": 120, "required": True} for name in ("a", "b", "c")),
    ]

    # big asks for 2 of the 1 device of a node; three jobs of two hours on two nodes for two hours
    assert [
        (0, "devices", "job big"),
        (1, "required", "job a"),
        (1, "required", "job b"),
        (1, "required", "job c"),
    ] == told(problem({"slots": 2, "nodes": [RENTED], "jobs": jobs}))


def test_work_that_does_not_bind_is_not_named() -> None:
    jobs = [{"name": f"j{number}", "gpus": 1, "required": True} for number in range(5)]
    service = {"name": "s", "slo_ms": 200, "service_ms": 100, "service_cv": 0, "gpus": 1}
    task = problem(
        {
            "slots": 4,
            "nodes": [RENTED],
            "jobs": [*jobs, {"name": "x", "gpus": 1, "tenant": "t", "required": True, "deadline": 1}],
            "services": [service],
            "demand": [{"service": "s", "rps": [1, 1, 1, 1]}],
            "quotas": [{"tenant": "t", "nominal": 0, "max": 0}],
        }
    )

    # 2 nodes x 4 slots = 8 for 4 replica-slots and 6 job-slots: but the quota alone keeps x out, the rest is another conflict
    assert (0, "quota", "job x") in told(task)


def test_a_packing_that_only_single_nodes_rule_out() -> None:
    sizes = [3, 3, 3, 3, 3, 5]
    jobs = [{"name": f"j{number}", "gpus": size, "required": True} for number, size in enumerate(sizes)]
    task = problem({"slots": 1, "nodes": [{"name": "n", "count": 2, "gpus": 10}], "jobs": jobs})
    plan = optimize(task)

    # 5 x 3 + 5 = 20 = 2 x 10, but 10 is no sum of them: a node holds 9, or 5 + 3 = 8. Without any one job 9 + 8 holds five.
    assert PlanStatus.INFEASIBLE is plan.proof.status
    assert [f"job j{number}" for number in range(6)] == [one.subject for one in plan.proof.conflict]
    assert "1 more node of n" in [repair.change for repair in plan.proof.repairs]


def test_a_packing_too_large_to_prove_ends_without_a_claim() -> None:
    sizes = [3, 3, 3, 3, 3, 5]
    jobs = [{"name": f"j{number}", "gpus": size, "required": True} for number, size in enumerate(sizes)]
    task = problem({"slots": 1, "nodes": [{"name": "n", "count": 2, "gpus": 10}], "jobs": jobs})

    with pytest.raises(SolverError, match=r"pools has a solution, but none was found that single nodes hold") as refused:
        optimize(task, SolveOptions(node_columns=1))

    assert refused.value.exit_status == 4


def test_what_may_be_left_out_is_not_asked_for() -> None:
    jobs = [{"name": "a", "gpus": 1, "required": True}, *({"name": f"b{number}", "gpus": 1} for number in range(9))]
    task = problem({"slots": 1, "nodes": [RENTED], "jobs": jobs})

    assert ("a",) == tuple(job.name for job in musts(task).jobs)
    assert Answer.POSSIBLE is satisfaction(task, SolveOptions()).answer


def test_rules_that_hold_are_not_confirmed_to_be_a_conflict() -> None:
    task = problem({"slots": 1, "nodes": [RENTED], "jobs": [{"name": "a", "gpus": 1, "required": True}]})
    shape = layout(task, task.jobs, Level.POOLS, merged=False)

    with pytest.raises(SolverError, match="contradict") as refused:
        is_confirmed(shape, frozenset({"required a"}), SolveOptions())

    assert refused.value.code == "SP4003"


@pytest.mark.parametrize("case", INFEASIBLE, ids=[case.name for case in INFEASIBLE])
def test_conflicts_are_numbered_in_a_row_and_tell_nothing_twice(case: object) -> None:
    plan = optimize(case.problem)  # type: ignore[attr-defined]
    groups = {one.group for one in plan.proof.conflict}

    assert groups == set(range(len(groups)))
    assert plan.proof.conflict
    assert len(plan.proof.conflict) == len({(one.group, one.rule, one.subject, one.evidence) for one in plan.proof.conflict})


def test_a_rule_without_words_is_told_by_its_statement() -> None:
    task = problem({"slots": 1, "nodes": [RENTED], "jobs": [{"name": "a", "gpus": 1}]})
    found = item(task, "topology a", 2)

    assert ("topology", "job a", 2) == (found.rule, found.subject, found.group)
    assert found.evidence == "all workers of a gang stand inside one domain of the kind it asks for" == statement("topology")
    assert statement("no such rule") == ""
