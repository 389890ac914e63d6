"""eligible and spot: a node may hold what stands on it, and only what may run on spot stands there."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.eligibility import refusal, service_refusal, shape_refusal
from schedplan.measures.rules.case import Case, broken
from schedplan.model.cluster import Market, NodeStatus
from schedplan.model.findings import Finding
from schedplan.model.workload import Job, JobState


def eligible(case: Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        for part in parts:
            pool = case.pool(part.node)
            refused = shape_refusal(pool, job.shape) if _stays(case, job, part.node) else refusal(pool, job.shape)
            if refused is not None and refused.rule != "rules":
                yield broken("eligible", f"job {name}", f"stands on {part.node}: {refused.message} ({refused.rule})")
            if pool.market is Market.SPOT and not job.spot_ok:
                yield broken("spot", f"job {name}", f"stands on {part.node}, which is spot; the job is not marked spot_ok")
    for service in case.problem.services:
        stands = [stand for by_slot in case.replicas_of[service.name].values() for stand in by_slot]
        for pool in dict.fromkeys(case.pool(stand.node) for stand in stands):
            refused = service_refusal(pool, service)
            if refused is not None and refused.rule != "rules":
                rule = "spot" if refused.rule == "market" else "eligible"
                yield broken(rule, f"service {service.name}", f"stands on {pool.name}: {refused.message} ({refused.rule})")


def _stays(case: Case, job: Job, node: str) -> bool:
    """Whether a running job stands where it already runs, on a node that takes no new work."""
    is_there = node in {placed.node for placed in job.placement} or case.pool(node).name in {
        placed.node for placed in job.placement
    }
    return job.state is JobState.RUNNING and is_there and case.pool(node).status is NodeStatus.CORDONED
