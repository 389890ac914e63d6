"""Which running jobs are stopped: those whose room is worth more to something more urgent, and no other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from schedplan.errors import SolverError
from schedplan.explain.why import explain
from schedplan.measures.feasibility import violations
from schedplan.measures.stops import stoppable, with_stopped
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.preempting import MOST_TRIED_WHOLE, Preempting
from tests.optimize.problems import problem
from tests.oracle.agreement import divisors_of
from tests.oracle.brute_force import best_plan

RUNNING = {"gpus": 1, "state": "running", "start": -1, "runtime_minutes": 240, "checkpoint_minutes": 60}


def task(priority: int, **more: Any) -> Problem:
    jobs = [
        {"name": "r", "placement": {"n": 1}, **RUNNING, **more},
        {"name": "w", "gpus": 1, "priority": priority, "deadline": 1},
    ]
    return problem({"slots": 5, "nodes": [{"name": "n", "gpus": 1}], "jobs": jobs})


def stopped(found: Problem) -> list[str]:
    return [stop.job for stop in found.stops]


def rows(given: Problem) -> dict[str, Any]:
    return {
        job.name: replace(job, state=JobState.PENDING, placement=(), start_s=None)
        for job in given.jobs
        if job.state is JobState.RUNNING
    }


def solved(given: Problem, options: SolveOptions) -> tuple[Problem, Plan]:
    found = Preempting(given, rows(given), options).solve()
    return found.problem, found.plan


@pytest.mark.parametrize(("priority", "more", "expected"), [(9, {}, ["r"]), (0, {}, []), (9, {"preemptible": False}, [])])
def test_a_job_gives_way_to_a_more_urgent_one_alone(priority: int, more: dict[str, Any], expected: list[str]) -> None:
    given = task(priority, **more)
    changed, plan = solved(given, SolveOptions())

    assert expected == stopped(changed)
    assert PlanStatus.OPTIMAL is plan.proof.status
    assert () == violations(changed, plan.decisions)
    assert bool(expected) == ("w" in {part.job for part in plan.decisions.parts})


def test_it_says_what_was_stopped_for_what() -> None:
    given = task(9, checkpoint_minutes=45)
    changed, plan = solved(given, SolveOptions())

    # 60 min have run, 45 are kept
    told = "stopped on n in favour of w (priority 9 above 0); 15 min of its run are lost"
    assert f"job r: {told}" in plan.warnings
    assert [told] == [reason.message for reason in explain(changed, plan, "r").reasons if reason.rule == "preempt"]


def test_without_a_proof_it_is_refused_where_an_optimal_plan_is_required() -> None:
    # five may be stopped: not all sets of them are tried, so nothing is proven
    jobs = [{"name": f"r{idx}", "placement": {f"n{idx}": 1}, **RUNNING} for idx in range(MOST_TRIED_WHOLE + 1)]
    nodes = [{"name": f"n{idx}", "gpus": 1} for idx in range(len(jobs))]
    given = problem({"slots": 5, "nodes": nodes, "jobs": [*jobs, {"name": "w", "gpus": 1, "priority": 9}]})

    assert PlanStatus.FEASIBLE is solved(given, SolveOptions())[1].proof.status
    with pytest.raises(SolverError, match="not proven optimal"):
        solved(given, SolveOptions(require_optimal=True))


def test_it_is_the_best_of_all_sets_by_trying_everything() -> None:
    jobs = [
        {"name": "a", "placement": {"m": 1}, **RUNNING},
        {"name": "b", "placement": {"n": 1}, **RUNNING, "priority": 1, "runtime_minutes": 180},
        {"name": "v", "gpus": 1, "priority": 2, "runtime_minutes": 60, "deadline": 2},
        {"name": "w", "gpus": 1, "priority": 3, "runtime_minutes": 120},
    ]
    given = problem({"slots": 4, "nodes": [{"name": "m", "gpus": 1}, {"name": "n", "gpus": 1}], "jobs": jobs})
    changed, plan = solved(given, SolveOptions())
    names = [job.name for job in stoppable(given)]
    sets = [chosen for size in range(len(names) + 1) for chosen in combinations(names, size)]
    found = [best_plan(with_stopped(given, tuple(rows(given)[name] for name in chosen)), divisors_of(plan)) for chosen in sets]

    assert min(answer.objective for answer in found if answer is not None) == pytest.approx(plan.proof.objective)
    assert PlanStatus.OPTIMAL is plan.proof.status
    assert stopped(changed)
