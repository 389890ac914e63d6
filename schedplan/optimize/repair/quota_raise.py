"""Larger quotas: what a quota would have to be for required work and services to fit it. It tries none of them.

A quota has no price, so the least that could do comes first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.quotas import QuotaRefusal
from schedplan.model.problem import Problem
from schedplan.model.quota import Ceiling, Quota
from schedplan.model.workload import Job, JobState, Service
from schedplan.optimize.repair.change import Change
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.packing.screen import quota_refusals

MOST_AMOUNTS = 5
MOST_SUMS = 2_000


def raised(problem: Problem, ceiling: Ceiling) -> tuple[Change, ...]:
    """Return ever larger limits in place of one, the last of them enough for all that must run."""
    tenants = frozenset(ceiling.tenants)
    pieces = [amount for work, amount in _musts(problem, ceiling) if work.tenant in tenants]
    kept = sum(holder.kept for holder in ceiling.holders)
    sums = sorted({round(amount + more, 6) for amount in _sums(pieces) for more in (0.0, kept)})
    above = [amount for amount in sums if amount > ceiling.limit]
    tried = dict.fromkeys((*above[:MOST_AMOUNTS], *above[-1:]))
    return tuple(_raise(problem, ceiling, amount) for amount in tried)


def raised_for(problem: Problem, job: Job) -> Change | None:
    """Return the raised limits under which a job that is larger than its quota fits it; None where its quotas are large enough."""
    words: list[str] = []
    changed = problem
    for _ in problem.ceilings:
        refused = quota_refusals(changed, job)
        if not refused:
            break
        least = min(refused, key=_excess)
        larger = _raise(changed, least.ceiling, least.counted)
        words.append(larger.words)
        changed = larger.problem
    return Change(" and ".join(words), changed) if words else None


def _excess(refusal: QuotaRefusal) -> float:
    return refusal.counted - refusal.most


def _raise(problem: Problem, ceiling: Ceiling, limit: float) -> Change:
    if ceiling.is_cohort:
        return _raise_member(problem, ceiling, limit)
    row = next(quota for quota in problem.quotas if (quota.tenant, quota.scope) == (ceiling.name, ceiling.scope))
    is_plain = row.max == row.nominal
    larger = replace(row, max=limit, nominal=limit if is_plain else row.nominal)
    words = f"a quota of {limit:g} {row.scope.name} for tenant {row.tenant} in place of {ceiling.limit:g}"
    return Change(words, _with(problem, row, larger))


def _raise_member(problem: Problem, ceiling: Ceiling, limit: float) -> Change:
    """Promise more to the member whose required work is the largest; ties by name."""
    musts = _musts(problem, ceiling)
    wanted = {holder.tenant: sum(amount for work, amount in musts if work.tenant in holder.tenants) for holder in ceiling.holders}
    member = min(wanted, key=lambda tenant: (-wanted[tenant], tenant))
    row = next(quota for quota in problem.quotas if (quota.tenant, quota.scope) == (member, ceiling.scope))
    nominal = row.nominal + limit - ceiling.limit
    most = None if row.max is None else max(row.max, nominal)
    words = f"a nominal quota of {nominal:g} {row.scope.name} for tenant {member} in place of {row.nominal:g}"
    return Change(words, _with(problem, row, replace(row, nominal=nominal, max=most)))


def _with(problem: Problem, row: Quota, larger: Quota) -> Problem:
    return replace(problem, quotas=tuple(larger if quota is row else quota for quota in problem.quotas))


def _musts(problem: Problem, ceiling: Ceiling) -> list[tuple[Job | Service, float]]:
    """Return what must run, each piece with what it asks: a required or running job, a replica of a service's largest need."""
    resource = ceiling.scope.resource
    found: list[tuple[Job | Service, float]] = [
        (job, (job.standing_workers if job.state is JobState.RUNNING else job.least_workers) * resource.asked(job.shape))
        for job in problem.jobs
        if job.required or job.state is JobState.RUNNING
    ]
    for service in problem.services:
        found += [(service, resource.asked(service.shape))] * _most_replicas(problem, service)
    return [(work, amount) for work, amount in found if amount > 0]


def _most_replicas(problem: Problem, service: Service) -> int:
    models = {pool.accelerator for pool in pools_for_service(problem.cluster, service)}
    least = [count for model in models for count in least_replicas_by_slot(problem, service, model) if count is not None]
    return max([service.min_replicas, *least])


def _sums(amounts: Iterable[float]) -> set[float]:
    """Return what some of the amounts may add up to, the smallest MOST_SUMS of them, and the sum of all."""
    sums, whole = {0.0}, 0.0
    for amount in amounts:
        whole = round(whole + amount, 6)
        sums |= {round(one + amount, 6) for one in sums}
        sums = set(sorted(sums)[:MOST_SUMS])
    return sums | {whole}
