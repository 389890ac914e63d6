"""Repairs of an infeasible problem: changes near its conflict, each tried before it is named. It orders none of them to be made.

A repair is printed only if the changed problem has a plan that the solver-free check accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil, inf

from schedplan.measures.eligibility import job_refusal, service_refusal
from schedplan.measures.forbidding import with_rules, without_rules
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.plan import ConflictItem, Plan, PlanStatus, Repair
from schedplan.model.problem import Objective, Problem
from schedplan.model.workload import DeadlineKind, Job, Service
from schedplan.optimize.ease import eased
from schedplan.optimize.quota_raise import Raised, raised, raised_for
from schedplan.optimize.requirement import alone_latency_ms

MOST_MORE_NODES = 64
MOST_TRIES = 24

Solve = Callable[[Problem, float], Plan]
"""A plan of a changed problem that is searched down to a relative gap."""
ANY_PLAN, NEARLY_CHEAPEST = 1.0, 0.001


@dataclass(frozen=True, slots=True)
class _Change:
    """A change with its words and its price in currency over the horizon, None where it has none."""

    words: str
    cost: float | None
    problem: Problem


def repairs(problem: Problem, conflict: tuple[ConflictItem, ...], solve: Solve) -> tuple[Repair, ...]:
    """Return the changes near a conflict that give the problem a plan, those with a price first, cheapest first."""
    tries = 0
    found: list[Repair] = []
    for ladder in _ladders(problem, conflict, solve):
        for change in ladder:
            tries += 1
            if tries > MOST_TRIES:
                return _ordered(found)
            if _has_plan(change.problem, solve):
                found.append(Repair(change.words, change.cost))
                break
    return _ordered(found)


def _ordered(found: list[Repair]) -> tuple[Repair, ...]:
    unique = dict.fromkeys(found)
    return tuple(sorted(unique, key=lambda repair: (inf if repair.cost is None else repair.cost, repair.change)))


def _has_plan(problem: Problem, solve: Solve) -> bool:
    return solve(problem, ANY_PLAN).proof.status in (PlanStatus.OPTIMAL, PlanStatus.FEASIBLE)


def _ladders(problem: Problem, conflict: tuple[ConflictItem, ...], solve: Solve) -> Iterator[Iterator[_Change]]:
    """Give, per part of the conflict and per kind of change, what is to be tried, the smallest first."""
    for item in conflict:
        kind, _, name = item.subject.partition(" ")
        if kind == "day":
            yield _budgets(problem, solve)
        elif kind == "job":
            job = problem.job_by_name[name]
            if item.rule == "window":
                yield _deadlines(problem, job)
            elif item.rule == "rules":
                yield _without_rules(problem, tuple(job.shape.rules))
            elif item.rule == "quota":
                larger = raised_for(problem, job)
                yield _quotas(() if larger is None else (larger,))
            else:
                yield from _more_nodes(problem, [pool for pool in problem.cluster.pools if _takes(pool, job)])
            if job.required:
                yield iter((_with_job(problem, replace(job, required=False), f"let job {name} be left out (required = false)"),))
        elif kind == "rule":
            yield _without_rules(problem, (name,))
        elif kind in ("tenant", "cohort"):
            ceiling = next(ceiling for ceiling in problem.ceilings if ceiling.subject == item.subject)
            yield _quotas(raised(problem, ceiling))
        elif kind == "service":
            yield from _of_service(problem, item.rule, problem.service_by_name[name])


def _of_service(problem: Problem, rule: str, service: Service) -> Iterator[Iterator[_Change]]:
    yield (_Change(words, None, changed) for words, changed in eased(problem, rule, service))
    yield _targets(problem, service)
    if service.max_replicas is not None:
        without = tuple(replace(one, max_replicas=None) if one is service else one for one in problem.services)
        yield iter((_Change(f"lift max_replicas of service {service.name}", None, replace(problem, services=without)),))
    yield from _more_nodes(problem, [pool for pool in problem.cluster.pools if service_refusal(pool, service) is None])


def _without_rules(problem: Problem, texts: tuple[str, ...]) -> Iterator[_Change]:
    """Give the problem without each of the rules, then without all of them."""
    for taken_out in dict.fromkeys((*((text,) for text in texts), texts)):
        kept = tuple(rule for rule in problem.forbid if rule.text not in taken_out)
        named = " and ".join(repr(text) for text in taken_out)
        yield _Change(f"take out the rule {named}", None, with_rules(replace(without_rules(problem), forbid=kept)))


def _quotas(larger: tuple[Raised, ...]) -> Iterator[_Change]:
    for words, changed in larger:
        yield _Change(words, None, changed)


def _targets(problem: Problem, service: Service) -> Iterator[_Change]:
    """Give the least target that a request can meet at all, where the one asked for is below it."""
    alone_ms = alone_latency_ms(problem, service)
    if alone_ms is None or alone_ms <= service.slo_ms:
        return
    reachable = float(ceil(alone_ms))
    mended = tuple(replace(one, slo_ms=reachable) if one is service else one for one in problem.services)
    words = f"a target of {reachable:g} ms in place of {service.slo_ms:g} ms for service {service.name}"
    yield _Change(words, None, replace(problem, services=mended))


def _takes(pool: Pool, job: Job) -> bool:
    refused = job_refusal(pool, job)
    return refused is None or refused.rule == "topology"


def _more_nodes(problem: Problem, pools: list[Pool]) -> Iterator[Iterator[_Change]]:
    for pool in pools:
        yield _grown(problem, pool)


def _grown(problem: Problem, pool: Pool) -> Iterator[_Change]:
    """Give a pool with 1, 2, 4 ... more nodes, priced as if all were on for the whole horizon."""
    hours_price = float(problem.price_per_h(pool) @ problem.grid.hours)
    running_on = {placed.node for job in problem.jobs for placed in job.placement} & set(pool.node_names())
    more = 1
    while more <= MOST_MORE_NODES:
        larger = replace(pool, count=pool.count + more, max_count=pool.max_count + more)
        if not running_on <= set(larger.node_names()):
            return  # more digits would rename the nodes, and what runs there would be lost
        pools = tuple(larger if one is pool else one for one in problem.cluster.pools)
        words = f"{more} more node{'s' if more > 1 else ''} of {pool.name}"
        yield _Change(words, more * hours_price, replace(problem, cluster=replace(problem.cluster, pools=pools)))
        more *= 2


def _deadlines(problem: Problem, job: Job) -> Iterator[_Change]:
    """Give a deadline that is as much later as the shortest run needs, then a soft one."""
    minutes = [run_minutes(problem, job, pool) for pool in problem.cluster.pools if _takes(pool, job)]
    if job.deadline_s is None or not minutes:
        return
    grid = problem.grid
    release = grid.release_slot(job.release_s)
    end_edge = grid.end_edge(release, min(minutes)) if release < grid.n_slots else None
    if end_edge is not None:
        later = ceil((grid.edges_s[end_edge] - job.deadline_s) / 60)
        moved = replace(job, deadline_s=job.deadline_s + later * 60)
        yield _with_job(problem, moved, f"a deadline {later} min later for job {job.name}")
    yield _with_job(problem, replace(job, deadline_kind=DeadlineKind.SOFT), f"a soft deadline for job {job.name}")


def _with_job(problem: Problem, job: Job, words: str) -> _Change:
    return _Change(words, None, replace(problem, jobs=tuple(job if one.name == job.name else one for one in problem.jobs)))


def _budgets(problem: Problem, solve: Solve) -> Iterator[_Change]:
    """Give the budget that the cheapest plan found without one would need."""
    cheapest = replace(problem, limits=replace(problem.limits, budget_per_day=None), objective=Objective(0.0, 0.0, 1.0))
    plan = solve(cheapest, NEARLY_CHEAPEST)
    limit = problem.limits.budget_per_day
    cost = next((measure.value for measure in plan.measures if measure.name == "cost" and not measure.labels), None)
    if cost is None or limit is None or plan.proof.status is PlanStatus.INFEASIBLE:
        return
    needed = ceil(_largest_day(problem, plan, cost) * 100) / 100
    raised = replace(problem, limits=replace(problem.limits, budget_per_day=needed))
    words = f"a budget of {needed:,.2f} {problem.currency} a day in place of {limit:,.2f}"
    yield _Change(words, needed - limit, raised)


def _largest_day(problem: Problem, plan: Plan, cost: float) -> float:
    """Return the most that a day of a plan costs; all of it where the horizon is one day."""
    days = problem.grid.days(problem.zone)
    if len(days) == 1 or plan.node_use is None:
        return cost
    starts = {problem.grid.slot_start_s(slot): day for day, slots in days for slot in slots}
    paid = {day: float(plan.node_use.cost[:, list(slots)].sum()) for day, slots in days}
    bare = sum(paid.values())
    for placement in plan.placements:
        paid[starts[placement.start_s]] += (cost - bare) / len(plan.placements)
    return max(paid.values())
