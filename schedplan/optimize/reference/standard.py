"""What a plan is held against: the list policies' plans, where they are cheap to make, and what each is worth in F."""

from __future__ import annotations

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.held import exceeded
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.model.plan import Decisions, PolicyValue
from schedplan.model.problem import Problem
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.reference.policy import BEST_FIT, FIRST_COME, OTHERS, ListPolicy

MOST_SIZE, MOST_SIZE_OF_ONE = 20_000, 1_000_000
"""Jobs x nodes up to which the plans of all policies, and that of best fit alone, take a small part of a solve."""


def listed(problem: Problem, first_come: Decisions) -> tuple[tuple[ListPolicy, Decisions], ...]:
    """Return the plans of the policies; first_come: the reference plan. Of a large problem that one and best fit, of a larger one
    that one alone."""
    size = len(problem.jobs) * len(problem.cluster.nodes)
    others = OTHERS if size <= MOST_SIZE else (BEST_FIT,) if size <= MOST_SIZE_OF_ONE else ()
    return ((FIRST_COME, first_come), *((policy, reference(problem, policy)) for policy in others))


def values(
    problem: Problem, plans: tuple[tuple[ListPolicy, Decisions], ...], normalisation: Normalisation
) -> tuple[PolicyValue, ...]:
    """Return what each plan is worth, or the rule that it breaks, in the order of the plans."""
    return tuple(_value(problem, policy, decisions, normalisation) for policy, decisions in plans)


def _value(problem: Problem, policy: ListPolicy, decisions: Decisions, normalisation: Normalisation) -> PolicyValue:
    broken = violations(problem, decisions)
    left_out = len({job.name for job in problem.jobs} - {part.job for part in decisions.parts})
    if broken:
        return PolicyValue(policy.name, policy.description, None, left_out, f"{broken[0].subject}: {broken[0].message}")
    goals = goal_values(problem, decisions)
    held = exceeded(problem, goals)
    if held:
        return PolicyValue(policy.name, policy.description, None, left_out, "does not keep a goal that is held")
    return PolicyValue(policy.name, policy.description, total(terms(problem, goals, normalisation)), left_out, "")
