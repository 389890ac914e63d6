"""budget: what is paid in a day, with the rework of what starts in it and what is borrowed in it."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.quotas import borrow_costs
from schedplan.measures.rules.case import FORGIVEN, Case, broken
from schedplan.measures.spot import rework_h
from schedplan.measures.work import node_share
from schedplan.model.cluster import Market
from schedplan.model.findings import Finding
from schedplan.model.plan import JobPart
from schedplan.model.workload import Job


def budget(case: Case) -> Iterator[Finding]:
    limit = case.problem.limits.budget_per_day
    if limit is None:
        return
    grid, problem = case.problem.grid, case.problem
    spent = borrow_costs(problem, case.decisions).by_slot
    for pool in problem.cluster.pools:
        rows = [case.row(name) for name in pool.node_names()]
        spent += case.decisions.on[rows].sum(axis=0) * problem.price_per_h(pool) * grid.hours
    for name, parts in case.parts_of.items():
        spent[parts[0].start_slot] += _rework_cost(case, problem.job_by_name[name], parts)
    for day, slots in grid.days(problem.zone):
        total = float(spent[list(slots)].sum())
        if total > limit + FORGIVEN * max(1.0, limit):
            message = f"{total:.2f} {problem.currency} are spent; the limit is {limit:.2f}"
            yield broken("budget", f"day {day}", message, "raise budget_per_day, or let jobs wait or run on cheaper nodes")


def _rework_cost(case: Case, job: Job, parts: list[JobPart]) -> float:
    pools = [case.pool(part.node) for part in parts]
    rate = sum(pool.interruptions_per_hour for pool in pools if pool.market is Market.SPOT)
    work_h = max(case.minutes(part) for part in parts) / 60.0
    checkpoint_h = None if job.checkpoint_minutes is None else job.checkpoint_minutes / 60.0
    repeated_h = rework_h(work_h, rate, checkpoint_h, job.checkpoint_cost_minutes / 60.0, job.restart_minutes / 60.0)
    prices = [float(case.problem.price_per_h(pool)[parts[0].start_slot]) * node_share(pool, job.shape) for pool in pools]
    return repeated_h * sum(part.workers * price for part, price in zip(parts, prices, strict=True))
