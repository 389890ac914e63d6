"""What is decided about places beforehand, read anew from its description: rules, outages, pins.

It shares no line with the product.
"""

from __future__ import annotations

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Service


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


def is_against_pin(problem: Problem, job: Job, nodes: list[int], start_slot: int) -> bool:
    """Whether a pin of a job forbids one of the nodes (by index), or the slot: the first that begins no sooner than its start."""
    for pin in problem.pins:
        if pin.is_service or pin.work != job.name:
            continue
        if pin.node is not None and any(not _is_at(problem, node, pin.node) for node in nodes):
            return True
        if pin.start_s is not None:
            begins_s = problem.grid.edges_s[start_slot]
            before_s = problem.grid.edges_s[start_slot - 1] if start_slot else pin.start_s - 1
            if pin.start_s < problem.grid.edges_s[0] or not before_s < pin.start_s <= begins_s:
                return True
    return False


def stands_as_pinned(problem: Problem, service: Service, slot: int, stands: dict[int, int]) -> bool:
    """Whether the replicas per node (by index) of one slot are what the pins of a service ask for."""
    begins_s = problem.grid.edges_s[slot]
    asked = (pin for pin in problem.pins if pin.is_service and pin.work == service.name)
    for pin in (pin for pin in asked if pin.start_s is None or pin.start_s <= begins_s):
        if sum(count for node, count in stands.items() if _is_at(problem, node, pin.node or "")) < pin.replicas:
            return False
    return True


def is_told_apart(problem: Problem, node: int) -> str | None:
    """Return the name of a single node that a pin or the earlier plan names, None of any other."""
    name = problem.cluster.nodes[node]
    named = {pin.node for pin in problem.pins} | {there for stop in problem.stops for there in stop.nodes}
    if problem.earlier is not None:
        named |= {there for stay in problem.earlier.jobs for there, _ in stay.nodes} | {
            one.node for one in problem.earlier.replicas
        }
    return name if name in named else None


def workers_moved(problem: Problem, job: Job, start_slot: int, places: dict[str, int]) -> int:
    """Workers of a waiting job that the earlier plan had elsewhere, or all of them where it had it at another time."""
    if job.name in {stop.job for stop in problem.stops}:
        return sum(places.values())
    for stay in problem.earlier.jobs if problem.earlier is not None and job.state is not JobState.RUNNING else ():
        if stay.job == job.name:
            if stay.start_s != problem.grid.edges_s[start_slot]:
                return sum(places.values())
            kept = sum(min(places.get(node, 0), workers) for node, workers in stay.nodes)
            return sum(places.values()) - kept
    return 0


def gave_way(problem: Problem, starts: dict[str, list[tuple[int, list[int]]]]) -> bool:
    """Whether on a node of each stopped job a more urgent one starts before it would have ended.

    starts: slot and nodes of each piece, by job.
    """
    by_name = {job.name: job for job in problem.jobs}
    for stop in problem.stops:
        instead = [
            name
            for name, pieces in starts.items()
            for slot, nodes in pieces
            if by_name[name].priority > stop.priority
            and by_name[name].state is not JobState.RUNNING
            and problem.grid.edges_s[slot] < stop.until_s
            and any(problem.cluster.nodes[node] in stop.nodes for node in nodes)
        ]
        if not instead:
            return False
    return True


def replicas_moved(problem: Problem, service: Service, slot: int, places: dict[str, int]) -> int:
    """Replicas of a slot beyond what the earlier plan had on their nodes in it; 0 where it had no such slot or service."""
    earlier = problem.earlier
    span = (problem.grid.edges_s[slot], problem.grid.edges_s[slot + 1])
    if earlier is None or span not in set(zip(earlier.edges_s[:-1], earlier.edges_s[1:], strict=True)):
        return 0
    of_service = [one for one in earlier.replicas if one.service == service.name]
    if not of_service:
        return 0
    before = {one.node: one.replicas for one in of_service if one.start_s == span[0]}
    return sum(max(0, count - before.get(node, 0)) for node, count in places.items())


def _is_at(problem: Problem, node: int, place: str) -> bool:
    name = problem.cluster.nodes[node]
    return place in (name, problem.cluster.pool_of_node[name].name)


def _says(selector: str, facts: dict[str, str]) -> bool:
    parts = [part.split("=") for part in selector.replace(",", " ").split()]
    return all(facts.get(field, "") in value.split("|") for field, value in parts)


def _work(work: Job | Service) -> dict[str, str]:
    if isinstance(work, Service):
        return {"kind": "service", "service": work.name, "tenant": work.tenant, "priority": f"{work.priority}"}
    return {"kind": work.kind.value, "job": work.name, "tenant": work.tenant, "priority": f"{work.priority}"}


def _nodes(pool: Pool) -> dict[str, str]:
    return {**dict(pool.labels), "node": pool.name, "zone": pool.zone or "", "market": pool.market.value}
