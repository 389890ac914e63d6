"""rules: no work on nodes that a rule of selector on selector keeps it off, unless it runs there already."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.cluster import Pool
from schedplan.model.findings import Finding
from schedplan.model.workload import JobState

_HINT = "move it, or change the rule"


def forbid(case: Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        if job.state is JobState.RUNNING:
            continue
        pools = dict.fromkeys(case.pool(part.node) for part in parts)
        for rule in (rule for rule in case.problem.forbid if rule.covers_job(job)):
            for pool in (pool for pool in pools if rule.covers_pool(pool)):
                yield broken("rules", f"job {name}", _told(pool, rule.text), _HINT)
    for service in case.problem.services:
        stands = [stand for by_slot in case.replicas_of[service.name].values() for stand in by_slot]
        pools = dict.fromkeys(case.pool(stand.node) for stand in stands)
        for rule in (rule for rule in case.problem.forbid if rule.covers_service(service)):
            for pool in (pool for pool in pools if rule.covers_pool(pool)):
                yield broken("rules", f"service {service.name}", _told(pool, rule.text), _HINT)


def _told(pool: Pool, rule: str) -> str:
    return f"stands on {pool.name}, which the rule {rule!r} forbids"
