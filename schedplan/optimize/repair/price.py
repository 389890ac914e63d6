"""What a repair costs: the nodes that it adds or opens, as the plan that was tried pays for them. It tries nothing."""

from __future__ import annotations

from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import Decisions, Plan
from schedplan.model.problem import Problem
from schedplan.optimize.repair.change import Change
from schedplan.packing.assignment import has_work


def price(before: Problem, change: Change, planned: Problem, decisions: Decisions) -> float | None:
    """Return what a change costs over the horizon in a plan made with it, currency; None where it adds and opens no node.

    planned: the problem that the decisions are a plan of, in which further changes may have been made.
    Added nodes of a rented pool cost the slots in which more are on than could be before, owned ones all of them. A subject that
    may now stand on spot costs the spot nodes it stands on, and what shares one of them with it.
    """
    after = change.problem
    grown = [(old, new) for old, new in zip(before.cluster.pools, after.cluster.pools, strict=True) if new.nodes > old.nodes]
    if grown:
        return sum(_added(planned, old, new, decisions) for old, new in grown)
    return None if change.subject is None else _on_spot(planned, change.subject, decisions)


def _added(problem: Problem, old: Pool, new: Pool, decisions: Decisions) -> float:
    per_slot = problem.price_per_h(new) * problem.grid.hours
    if new.market.is_sunk:
        return (new.nodes - old.nodes) * float(per_slot.sum())
    rows = [problem.cluster.node_idx[name] for name in problem.cluster.by_name[new.name].node_names()]
    beyond = (decisions.on[rows].sum(axis=0) - old.nodes).clip(0, new.nodes - old.nodes)
    return float(beyond @ per_slot)


def _on_spot(problem: Problem, subject: str, decisions: Decisions) -> float:
    kind, _, name = subject.partition(" ")
    parts = tuple(part for part in decisions.parts if kind == "job" and part.job == name)
    replicas = tuple(part for part in decisions.replicas if kind == "service" and part.service == name)
    stands = has_work(problem, parts, replicas)
    return sum(
        float(stands[problem.cluster.node_idx[node]] @ (problem.price_per_h(pool) * problem.grid.hours))
        for node, pool in problem.cluster.pool_of_node.items()
        if pool.market is Market.SPOT
    )


def largest_day(problem: Problem, plan: Plan) -> float:
    """Return the most that a day of a plan costs, currency; all of it where the horizon is one day."""
    cost = next((measure.value for measure in plan.measures if measure.name == "cost" and not measure.labels), None) or 0.0
    days = problem.grid.days(problem.zone)
    if len(days) == 1 or plan.node_use is None:
        return cost
    starts = {problem.grid.slot_start_s(slot): day for day, slots in days for slot in slots}
    paid = {day: float(plan.node_use.cost[:, list(slots)].sum()) for day, slots in days}
    bare = sum(paid.values())
    for placement in plan.placements:
        paid[starts[placement.start_s]] += (cost - bare) / len(plan.placements)
    return max(paid.values())
