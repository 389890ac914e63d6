"""What is decided about places beforehand, read anew from its description: rules, outages. It shares no line with the product."""

from __future__ import annotations

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service


def is_closed(problem: Problem, work: Job | Service, pool: Pool) -> bool:
    """Whether a rule keeps work off the nodes of a pool: every `field=value` of both sides is true."""
    return any(
        _says(rule.text.split(" on ")[0], _work(work)) and _says(rule.text.split(" on ")[1], _nodes(pool))
        for rule in problem.forbid
    )


def is_away(problem: Problem, node: int, slot: int) -> bool:
    """Whether an outage of a node (by its index), of its pool or of a domain it stands in touches a slot."""
    name = problem.cluster.nodes[node]
    pool = problem.cluster.pool_of_node[name]
    begin_s, end_s = problem.grid.edges_s[slot], problem.grid.edges_s[slot + 1]
    for outage in problem.outages:
        names = (pool.zone, pool.rack, pool.block) if outage.is_domain else (name, pool.name)
        if outage.place in names and max(begin_s, outage.start_s) < min(end_s, outage.end_s):
            return True
    return False


def _says(selector: str, facts: dict[str, str]) -> bool:
    parts = [part.split("=") for part in selector.replace(",", " ").split()]
    return all(facts.get(field, "") in value.split("|") for field, value in parts)


def _work(work: Job | Service) -> dict[str, str]:
    if isinstance(work, Service):
        return {"kind": "service", "service": work.name, "tenant": work.tenant, "priority": f"{work.priority}"}
    return {"kind": work.kind.value, "job": work.name, "tenant": work.tenant, "priority": f"{work.priority}"}


def _nodes(pool: Pool) -> dict[str, str]:
    return {**dict(pool.labels), "node": pool.name, "zone": pool.zone or "", "market": pool.market.value}
