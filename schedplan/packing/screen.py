"""The arithmetic screen: jobs that no plan can place, and why, before any solver is asked. It compares one job with one cluster."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from schedplan.measures.eligibility import Refusal, job_refusal, pools_for_job, workers_per_node
from schedplan.measures.gang_family import domain_of, gang_family, is_on_one_node
from schedplan.measures.min_on_time import chance_on, most_nodes
from schedplan.measures.outages import outages_told
from schedplan.measures.quotas import QuotaRefusal, quota_refusal
from schedplan.measures.work import last_end, run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Topology


@dataclass(frozen=True, slots=True)
class Screened:
    """A job that can't be placed, with the rule that keeps it out and the numbers that show it; and the jobs that it is so
    because of, which can't be placed either."""

    job: Job
    rule: str
    evidence: str
    because: tuple[str, ...] = ()


def refusals(problem: Problem, job: Job) -> tuple[tuple[Pool, Refusal], ...]:
    """Return every pool that refuses one worker of a job, with the reason."""
    found = ((pool, job_refusal(pool, job)) for pool in problem.cluster.pools)
    return tuple((pool, refusal) for pool, refusal in found if refusal is not None)


def gang_evidence(problem: Problem, job: Job) -> str:
    """Return how many workers of a job the largest place holds when empty, in words: the pools of a family that it may span."""
    places: dict[tuple[str | None, ...], list[Pool]] = {}
    for pool in problem.cluster.pools:
        if job_refusal(pool, job) is None:
            key = (pool.name,) if is_on_one_node(job.topology) else (domain_of(pool, job.topology), *gang_family(problem, pool))
            places.setdefault(key, []).append(pool)
    least = f"{job.least_workers} or more of {job.workers}" if job.is_elastic else f"{job.workers}"
    held = [(sum(_held(pool, job) for pool in pools), pools) for pools in places.values()]
    if not held:
        return f"needs {least} workers at once; no node takes one"
    most, pools = max(held, key=lambda one: one[0])
    names = [pool.name for pool in pools]
    told = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    holds = "hold" if len(names) > 1 else "holds"
    return f"needs {least} workers at once; the largest place that takes it, {told}, {holds} {most} when empty"


def _held(pool: Pool, job: Job) -> int:
    per_node = workers_per_node(pool, job.shape)
    return per_node if is_on_one_node(job.topology) else pool.nodes * per_node


def window_evidence(problem: Problem, job: Job) -> str:
    """Return the window of a job beside its run time, in words."""
    grid = problem.grid
    last_edge = last_end(problem, job)
    release = grid.release_slot(job.release_s)
    open_minutes = max(grid.edges_s[last_edge] - grid.edges_s[release], 0) / 60 if release < grid.n_slots else 0.0
    loads = f", and loads {job.load_minutes:g} min where its cache key is missing" if job.load_minutes else ""
    size = f" with all its {job.workers} workers, longer with fewer" if job.is_elastic else ""
    told = f"runs {job.runtime_minutes:g} min on the reference device{size}{loads}"
    return f"{told}; {open_minutes:g} min lie between its release and its last end"


def quota_refusals(problem: Problem, job: Job) -> tuple[QuotaRefusal, ...]:
    """Return the quotas that keep a job off every device model it could run on; empty where one is open to it."""
    pools = pools_for_job(problem.cluster, job)
    models = dict.fromkeys(pool.accelerator for pool in pools)
    found = [refusal for model in models if (refusal := quota_refusal(problem, job, model)) is not None]
    return tuple(dict.fromkeys(found)) if len(found) == len(models) else ()


def quota_evidence(refusal: QuotaRefusal) -> str:
    """Return what would count with a job alone beside what may, in words."""
    unit = refusal.ceiling.scope.resource.value
    return f"{refusal.counted:g} {unit} would count for {refusal.ceiling.subject} with it alone; at most {refusal.most:g} may"


def _has_window(problem: Problem, job: Job) -> bool:
    """Whether a job could run somewhere within its window if no node were ever away."""
    grid = problem.grid
    release, last_edge = grid.release_slot(job.release_s), last_end(problem, job)
    if release >= grid.n_slots:
        return False
    edges = (grid.end_edge(release, run_minutes(problem, job, pool)) for pool in pools_for_job(problem.cluster, job))
    return any(edge is not None and edge <= last_edge for edge in edges)


def _is_too_unsure(problem: Problem, job: Job) -> bool:
    """Whether every pool that takes a job is one of spot nodes where its first start is not sure enough to end in time."""
    pools = pools_for_job(problem.cluster, job)
    return bool(pools) and _has_window(problem, job) and all(_is_unsure_on(problem, job, pool) for pool in pools)


def _is_unsure_on(problem: Problem, job: Job, pool: Pool) -> bool:
    most = most_nodes(problem, job, pool, problem.grid.release_slot(job.release_s))
    return most is not None and _fewest_nodes(pool, job) > most


def _fewest_nodes(pool: Pool, job: Job) -> int:
    return ceil(job.workers / max(workers_per_node(pool, job.shape), 1))


def on_time_evidence(problem: Problem, job: Job) -> str:
    """Return the best chance of a job to end in time on the spot nodes open to it, beside the one asked for, in words."""
    start_slot = problem.grid.release_slot(job.release_s)
    nodes = {pool: _fewest_nodes(pool, job) for pool in pools_for_job(problem.cluster, job)}
    best = max(nodes, key=lambda pool: (chance_on(problem, job, pool, nodes[pool], start_slot), pool.name))
    chance = chance_on(problem, job, best, nodes[best], start_slot)
    told = f"only spot nodes take it; on {nodes[best]} of {best.name} it ends by its deadline with {chance:.1%} at least"
    return f"{told}, and {problem.limits.min_on_time:.1%} is asked"


def _no_start(problem: Problem, job: Job) -> Screened:
    """Return why a job with a place has no start there."""
    if _is_too_unsure(problem, job):
        return Screened(job, "min_on_time", on_time_evidence(problem, job))
    if problem.outages and _has_window(problem, job):
        return Screened(
            job, "outage", f"no run of it avoids the outages: {outages_told(problem, pools_for_job(problem.cluster, job))}"
        )
    return Screened(job, "window", window_evidence(problem, job))


def screened(problem: Problem, job: Job, n_sites: int, n_columns: int) -> Screened | None:
    """Return why a job with so many sites and columns has no choice; None where it has one or already runs."""
    if job.state is JobState.RUNNING or n_columns:
        return None
    over = quota_refusals(problem, job)
    if over:
        return Screened(job, "quota", quota_evidence(over[0]))
    if n_sites:
        return _no_start(problem, job)
    refused = refusals(problem, job)
    if len(refused) == len(problem.cluster.pools):
        rule = refused[0][1].rule if refused else "capacity"
        evidence = "; ".join(f"{pool.name}: {refusal.message}" for pool, refusal in refused[:3]) or "the cluster has no nodes"
        return Screened(job, rule, evidence)
    rule = "gang" if job.topology in (Topology.CLUSTER, Topology.ANY) else "topology"
    return Screened(job, rule, gang_evidence(problem, job) + (f" (inside one {job.topology.value})" if rule == "topology" else ""))
