"""readable: every name, slot and count of the decisions is one that the problem has, none stands there twice. It comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def unreadable(case: Case) -> Iterator[Finding]:
    problem, decisions = case.problem, case.decisions
    n_slots, nodes = problem.grid.n_slots, problem.cluster.pool_of_node
    if decisions.on.shape != (len(problem.cluster.nodes), n_slots):
        wanted = f"{len(problem.cluster.nodes)} nodes x {n_slots} slots"
        yield broken("place", "nodes", f"nodes on are given as {decisions.on.shape}; the problem has {wanted}")
    for part in decisions.parts:
        subject = f"job {part.job}"
        if part.job not in problem.job_by_name:
            yield broken("place", subject, f"{part.job} is no open job of the problem")
        if part.node not in nodes:
            yield broken("place", subject, f"{part.node} is no node of the problem")
        if not 0 <= part.start_slot < n_slots:
            yield broken("place", subject, f"starts in slot {part.start_slot}; the horizon has slots 0 to {n_slots - 1}")
        if part.end_edge is not None and not part.start_slot < part.end_edge <= n_slots:
            yield broken("place", subject, f"has a piece from edge {part.start_slot} to {part.end_edge}; the last is {n_slots}")
        if part.workers < 1:
            yield broken("place", subject, f"places {part.workers} workers on {part.node}; the least is 1")
    for stand in decisions.replicas:
        subject = f"service {stand.service}"
        if stand.service not in problem.service_by_name:
            yield broken("place", subject, f"{stand.service} is no service of the problem")
        if stand.node not in nodes:
            yield broken("place", subject, f"{stand.node} is no node of the problem")
        if not 0 <= stand.slot < n_slots:
            yield broken("place", subject, f"stands in slot {stand.slot}; the horizon has slots 0 to {n_slots - 1}")
        if stand.replicas < 1:
            yield broken("place", subject, f"places {stand.replicas} replicas on {stand.node}; the least is 1")
    yield from _doubled(case)


def _doubled(case: Case) -> Iterator[Finding]:
    """All workers of a job (of each piece of it) on a node are one part, all replicas of a service on it in a slot another."""
    decisions = case.decisions
    starts = ((part.job, part.node, None if part.end_edge is None else part.start_slot) for part in decisions.parts)
    for (job, node, _), parts in Counter(starts).items():
        if parts > 1:
            yield broken("place", f"job {job}", f"has {parts} parts on {node}; at most one may be there")
    for (service, node, slot), parts in Counter((one.service, one.node, one.slot) for one in decisions.replicas).items():
        if parts > 1:
            yield broken("place", f"service {service}", f"has {parts} parts on {node} in slot {slot}; at most one may be there")
