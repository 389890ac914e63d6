"""reserve: after the loss of any one node, rack or zone the replicas elsewhere still meet every service's demand."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.coverage import coverage, is_covered
from schedplan.measures.domains import domain_of_node
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.problem import Reserve
from schedplan.model.workload import Service


def reserve(case: Case) -> Iterator[Finding]:
    if case.problem.limits.reserve is Reserve.NONE:
        return
    for service in case.problem.services:
        for slot in range(case.problem.grid.n_slots):
            yield from _losses(case, service, slot)


def _losses(case: Case, service: Service, slot: int) -> Iterator[Finding]:
    """The domain whose loss leaves least, where that is too little."""
    kind = case.problem.limits.reserve.value
    serving = [(domain_of_node(kind, case.pool(stand.node), stand.node), stand) for stand in case.serving_of[service.name][slot]]
    domains = {domain for domain, _ in serving if domain is not None}
    left = {lost: case.mix(stand for domain, stand in serving if domain != lost) for lost in domains}
    short = [domain for domain, mix in left.items() if not is_covered(case.problem, service, slot, mix)]
    if short:
        worst = min(short, key=lambda domain: (coverage(case.problem, service, slot, left[domain]), domain))
        share = coverage(case.problem, service, slot, left[worst])
        count = sum(left[worst].values())
        message = f"without {kind} {worst}, {count} replicas are left at {case.when(slot)}; they cover {share:.4f} of the demand"
        yield broken("reserve", f"service {service.name}", message)
