"""Conflicts against trying everything: a conflict alone leaves no plan, and without any one of its rules there is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from schedplan.model.plan import ConflictItem, PlanStatus
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import JobState
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from tests.oracle.agreement import ONES
from tests.oracle.brute_force import best_plan
from tests.oracle.instances import THEMES, instance

PER_THEME = 12
TOLD = {"required", "running", "service", "spread", "reserve", "hold", "budget", "quota"}


def only(problem: Problem, items: tuple[ConflictItem, ...]) -> Problem:
    """Return a problem in which nothing must hold but the rules of a conflict, what runs, and what is true of nodes."""
    held = {(item.rule, item.subject.partition(" ")[2]) for item in items}
    capped = {item.subject.partition(" ")[2] for item in items if item.evidence.startswith("at most") and item.rule == "service"}
    rules = {rule for rule, _ in held}
    services = tuple(
        replace(
            service,
            max_replicas=service.max_replicas if service.name in capped else None,
            spread=service.spread if ("spread", service.name) in held else None,
            min_hold_minutes=service.min_hold_minutes if ("hold", service.name) in held else 0.0,
        )
        for service in problem.services
        if any((rule, service.name) in held for rule in ("service", "spread", "reserve", "hold"))
    )
    return replace(
        problem,
        jobs=tuple(
            job for job in problem.jobs if job.state is JobState.RUNNING or {("required", job.name), ("quota", job.name)} & held
        ),
        services=services,
        # what is borrowed counts towards a budget
        quotas=problem.quotas if rules & {"quota", "budget"} else (),
        limits=replace(
            problem.limits,
            budget_per_day=problem.limits.budget_per_day if "budget" in rules else None,
            reserve=problem.limits.reserve if "reserve" in rules else Reserve.NONE,
        ),
    )


def conflicts_of(problem: Problem) -> Iterator[tuple[ConflictItem, ...]]:
    """Give each conflict whose rules this file can take out one by one."""
    plan = optimize(problem, SolveOptions())
    if plan.proof.status is PlanStatus.INFEASIBLE:
        for group in sorted({item.group for item in plan.proof.conflict}):
            items = tuple(item for item in plan.proof.conflict if item.group == group)
            counts = [item.rule for item in items]
            if set(counts) <= TOLD and counts.count("quota") <= 1 and counts.count("budget") <= 1:
                yield items


def can_be_dropped(item: ConflictItem, others: tuple[ConflictItem, ...]) -> bool:
    """Whether a problem can say that a rule need not hold: not of what runs, and not of a demand beside its most replicas."""
    is_demand = item.rule == "service" and not item.evidence.startswith("at most")
    return item.rule != "running" and not (is_demand and any(other.subject == item.subject for other in others))


def faults_of(problem: Problem) -> list[str]:
    faults = []
    for items in conflicts_of(problem):
        told = ", ".join(f"{item.rule} {item.subject}" for item in items)
        if best_plan(only(problem, items), ONES) is not None:
            faults.append(f"{problem.name}: {told} has a plan")
        for left_out in items:
            fewer = tuple(item for item in items if item is not left_out)
            if can_be_dropped(left_out, fewer) and best_plan(only(problem, fewer), ONES) is None:
                faults.append(f"{problem.name}: {told} has no plan without {left_out.rule} {left_out.subject}")
    return faults


@pytest.mark.parametrize("theme", THEMES)
def test_a_conflict_binds_and_is_minimal(theme: str) -> None:
    assert [] == [fault for number in range(PER_THEME) for fault in faults_of(instance(theme, number))]


def test_conflicts_of_several_rules_are_among_the_instances() -> None:
    sizes = [len(items) for theme in THEMES for number in range(2) for items in conflicts_of(instance(theme, number))]

    assert max(sizes) > 1
