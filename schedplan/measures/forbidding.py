"""Rules of selector on selector, written onto work and nodes: each side carries the texts of the rules that it matches.

Work and a node that carry one text in common do not go together; `eligibility` asks no more than that.
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState


def with_rules(problem: Problem) -> Problem:
    """Return a problem whose jobs, services and pools carry the rules that concern them. What runs already is not asked."""
    if not problem.forbid:
        return problem
    pools = tuple(
        replace(pool, rules=tuple(rule.text for rule in problem.forbid if rule.covers_pool(pool))) for pool in problem.cluster.pools
    )
    services = tuple(
        replace(
            service, shape=replace(service.shape, rules=tuple(one.text for one in problem.forbid if one.covers_service(service)))
        )
        for service in problem.services
    )
    return replace(
        problem,
        cluster=replace(problem.cluster, pools=pools),
        jobs=tuple(_ruled(problem, job) for job in problem.jobs),
        services=services,
    )


def without_rules(problem: Problem) -> Problem:
    """Return a problem whose work may stand anywhere as far as rules go; the nodes still carry theirs."""
    if not problem.forbid:
        return problem
    return replace(
        problem,
        jobs=tuple(replace(job, shape=replace(job.shape, rules=())) for job in problem.jobs),
        services=tuple(replace(service, shape=replace(service.shape, rules=())) for service in problem.services),
    )


def idle_rules(problem: Problem) -> tuple[str, ...]:
    """Return a sentence for each rule with a side that matches nothing: most likely a slip."""
    found = []
    for rule in problem.forbid:
        work = any(rule.covers_job(job) for job in problem.jobs) or any(rule.covers_service(one) for one in problem.services)
        nodes = any(rule.covers_pool(pool) for pool in problem.cluster.pools)
        missing = [what for what, is_there in (("no work", work), ("no node", nodes)) if not is_there]
        if missing:
            found.append(f"the rule {rule.text!r} keeps nothing apart: {' and '.join(missing)} matches it")
    return tuple(found)


def _ruled(problem: Problem, job: Job) -> Job:
    if job.state is JobState.RUNNING:
        return job
    return replace(job, shape=replace(job.shape, rules=tuple(rule.text for rule in problem.forbid if rule.covers_job(job))))
