"""What could mend one rule of a conflict: changes of the inputs in words, the smallest of each kind first. It tries none of them.

A ladder is one kind of change in growing sizes; whoever tries it stops at the first that helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from schedplan.measures.eligibility import job_refusal, service_refusal
from schedplan.measures.forbidding import with_rules, without_rules
from schedplan.measures.pins import without_pins_of
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import ConflictItem
from schedplan.model.problem import MissedDemand, Problem, Reserve
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, Topology
from schedplan.optimize.repair.change import Change, with_job, with_service
from schedplan.optimize.repair.ease import eased
from schedplan.optimize.repair.quota_raise import raised, raised_for
from schedplan.optimize.requirement import alone_latency_ms
from schedplan.timegrid import format_local

MOST_MORE_NODES = 64
_WIDER = (Topology.DEVICE_GROUP, Topology.NODE, Topology.BLOCK, Topology.RACK, Topology.ZONE, Topology.CLUSTER)


Ladder = tuple[str, Iterator[Change]]
"""A key that is the same for the same kind of change, and its changes, the smallest first."""


def ladders(problem: Problem, conflict: tuple[ConflictItem, ...]) -> Iterator[Ladder]:
    """Give what could mend a conflict, each ladder once."""
    seen: set[str] = set()
    for item in conflict:
        for key, changes in _of_item(problem, item):
            if key not in seen:
                seen.add(key)
                yield key, changes


def _of_item(problem: Problem, item: ConflictItem) -> Iterator[Ladder]:
    kind, _, name = item.subject.partition(" ")
    if kind == "job" and name in problem.job_by_name:
        yield from _of_job(problem, problem.job_by_name[name], item.rule)
    elif kind == "service" and name in problem.service_by_name:
        yield from _of_service(problem, problem.service_by_name[name], item.rule)
    elif kind == "gang":
        yield f"gang {name}", iter((_apart(problem, name),))
    elif kind == "rule":
        yield f"rule {name}", _without_rules(problem, (name,))
    elif item.rule == "outage":
        yield f"outage {item.subject}", iter((_without_outage(problem, item.subject),))
    elif kind in ("tenant", "cohort"):
        ceiling = next(ceiling for ceiling in problem.ceilings if ceiling.subject == item.subject)
        yield f"quota {ceiling.key}", iter(raised(problem, ceiling))


def _of_job(problem: Problem, job: Job, rule: str) -> Iterator[Ladder]:
    if job.state is JobState.RUNNING:
        yield f"move {job.name}", iter((_moved(problem, job),))
        return
    if rule == "quota":
        larger = raised_for(problem, job)
        yield f"quota of {job.name}", iter(() if larger is None else (larger,))
    if rule == "rules":
        yield f"rules of {job.name}", _without_rules(problem, job.shape.rules)
    if rule == "after":
        yield f"after {job.name}", iter((_without_waiting(problem, job),))
    if rule == "gang" and job.gang is not None and job.name in problem.gang_rows:
        yield f"gang {job.gang}", iter((_apart(problem, job.gang),))
    if rule == "outage":
        for subject in dict.fromkeys(outage.subject for outage in problem.outages):
            yield f"outage {subject}", iter((_without_outage(problem, subject),))
    yield f"deadline {job.name}", _deadlines(problem, job)
    if rule not in ("window", "quota", "rules", "after", "outage"):
        yield from _more_nodes(problem, [pool for pool in problem.cluster.pools if _takes(pool, job)])
        yield f"min_workers {job.name}", _with_fewer(problem, job)
        yield f"spot {job.name}", _on_spot(problem, job)
        yield f"topology {job.name}", _wider(problem, job)
    pin = problem.pin_of_job.get(job.name)
    if pin is not None:
        yield f"pin {pin.subject}", iter((_without_pins(problem, pin.subject),))
    if job.required and (pin is None or not pin.makes_required):
        words = f"let job {job.name} be left out (required = false)"
        yield f"required {job.name}", iter((Change(words, with_job(problem, replace(job, required=False))),))


def _of_service(problem: Problem, service: Service, rule: str) -> Iterator[Ladder]:
    if any(pin.is_service and pin.work == service.name for pin in problem.pins):
        yield f"pin service {service.name}", iter((_without_pins(problem, f"service {service.name}"),))
    yield f"{rule} {service.name}", eased(problem, rule, service)
    yield f"target {service.name}", _targets(problem, service)
    if service.max_replicas is not None:
        words = f"lift max_replicas of service {service.name}"
        yield f"max_replicas {service.name}", iter((Change(words, with_service(problem, replace(service, max_replicas=None))),))
    yield from _more_nodes(problem, [pool for pool in problem.cluster.pools if service_refusal(pool, service) is None])
    yield f"spot {service.name}", _service_on_spot(problem, service)
    yield "utilization", _fuller(problem)
    yield "missed demand", _missed(problem)


def _without_pins(problem: Problem, subject: str) -> Change:
    return Change(f"take out the pin of {subject}", without_pins_of(problem, subject))


def _without_outage(problem: Problem, subject: str) -> Change:
    kept = tuple(outage for outage in problem.outages if outage.subject != subject)
    return Change(f"put off the outage of {subject}", replace(problem, outages=kept))


def _without_rules(problem: Problem, texts: tuple[str, ...]) -> Iterator[Change]:
    """Give the problem without each of the rules, then without all of them."""
    for taken_out in dict.fromkeys((*((text,) for text in texts), texts)):
        kept = tuple(rule for rule in problem.forbid if rule.text not in taken_out)
        named = " and ".join(repr(text) for text in taken_out)
        yield Change(f"take out the rule {named}", with_rules(replace(without_rules(problem), forbid=kept)))


def _moved(problem: Problem, job: Job) -> Change:
    """Return a running job as one that waits from the start of the horizon for any place."""
    waiting = replace(
        job, state=JobState.PENDING, required=True, placement=(), submit_s=None, start_s=None, earliest_start_s=problem.grid.start_s
    )
    return Change(f"stop running job {job.name} and place it anew", with_job(problem, waiting))


def _deadlines(problem: Problem, job: Job) -> Iterator[Change]:
    """Give ever later deadlines, from the first edge at which the shortest run could end, then a soft one."""
    if job.deadline_s is None or job.deadline_kind is not DeadlineKind.HARD:
        return
    grid = problem.grid
    release = grid.release_slot(job.release_s)
    minutes = [run_minutes(problem, job, pool) for pool in problem.cluster.pools if _takes(pool, job)]
    first = grid.end_edge(release, min(minutes)) if minutes and release < grid.n_slots else None
    if first is not None:
        edge, more = max(first, grid.deadline_edge(job.deadline_s) + 1), 1
        while edge <= grid.n_slots:
            later = ceil((grid.edges_s[edge] - job.deadline_s) / 60)
            if later > 0:
                moved = replace(job, deadline_s=grid.edges_s[edge])
                at = format_local(grid.edges_s[edge], problem.zone)
                yield Change(f"a deadline {later} min later for job {job.name} ({at})", with_job(problem, moved))
            if edge == grid.n_slots:
                break
            edge, more = min(edge + more, grid.n_slots), more * 2
    yield Change(f"a soft deadline for job {job.name}", with_job(problem, replace(job, deadline_kind=DeadlineKind.SOFT)))


def _without_waiting(problem: Problem, job: Job) -> Change:
    waits = ", ".join(problem.waits_for[job.name])
    return Change(f"let job {job.name} start without waiting for {waits}", with_job(problem, replace(job, after=())))


def _apart(problem: Problem, gang: str) -> Change:
    jobs = tuple(replace(job, gang=None) if job.gang == gang else job for job in problem.jobs)
    return Change(f"let the rows of gang {gang} start one by one", replace(problem, jobs=jobs))


def _takes(pool: Pool, job: Job) -> bool:
    refused = job_refusal(pool, job)
    return refused is None or refused.rule == "topology"


def _more_nodes(problem: Problem, pools: list[Pool]) -> Iterator[Ladder]:
    for pool in pools:
        yield f"nodes {pool.name}", _grown(problem, pool)


def _grown(problem: Problem, pool: Pool) -> Iterator[Change]:
    """Give a pool with 1, 2, 3, 4, 6, 8, 12 ... more nodes; of rented ones more may be rented, and none is there at the start."""
    running_on = {placed.node for job in problem.jobs for placed in job.placement} & set(pool.node_names())
    for more in _sizes():
        count = pool.count + more if pool.market.is_sunk else pool.count
        larger = replace(pool, count=count, max_count=pool.max_count + more)
        if not running_on <= set(larger.node_names()):
            return  # more digits would rename the nodes, and what runs there would be lost
        pools = tuple(larger if one is pool else one for one in problem.cluster.pools)
        words = f"{more} more node{'s' if more > 1 else ''} of {pool.name}"
        yield Change(words, replace(problem, cluster=replace(problem.cluster, pools=pools)))


def _sizes() -> Iterator[int]:
    """Give 1, 2, 3, 4, 6, 8, 12 ... up to the most."""
    more = 1
    while more <= MOST_MORE_NODES:
        yield more
        if more > 1 and more * 3 // 2 <= MOST_MORE_NODES:
            yield more * 3 // 2
        more *= 2


def _with_fewer(problem: Problem, job: Job) -> Iterator[Change]:
    """Give ever smaller min_workers for an elastic gang; one that is not may be unable to run with fewer."""
    fewer, less = job.least_workers - 1, 1
    while job.is_elastic and fewer >= 1:
        words = f"let job {job.name} run with {fewer} of its {job.workers} workers (min_workers)"
        yield Change(words, with_job(problem, replace(job, min_workers=fewer)))
        less *= 2
        fewer = max(fewer - less, 1) if fewer > 1 else 0


def _on_spot(problem: Problem, job: Job) -> Iterator[Change]:
    allowed = replace(job, spot_ok=True)
    if not job.spot_ok and any(pool.market is Market.SPOT and _takes(pool, allowed) for pool in problem.cluster.pools):
        yield Change(f"allow job {job.name} on spot nodes (spot_ok = true)", with_job(problem, allowed), f"job {job.name}")


def _service_on_spot(problem: Problem, service: Service) -> Iterator[Change]:
    allowed = replace(service, markets=(*service.markets, Market.SPOT))
    spot = (pool for pool in problem.cluster.pools if pool.market is Market.SPOT)
    if Market.SPOT not in service.markets and any(service_refusal(pool, allowed) is None for pool in spot):
        words = f"allow service {service.name} on spot nodes (markets)"
        yield Change(words, with_service(problem, allowed), f"service {service.name}")


def _wider(problem: Problem, job: Job) -> Iterator[Change]:
    """Give ever wider domains for a gang, none where it may span a cluster already."""
    if job.topology not in _WIDER:
        return
    for topology in _WIDER[_WIDER.index(job.topology) + 1 :]:
        words = f"let job {job.name} span a {topology.value} in place of one {job.topology.value}"
        yield Change(words, with_job(problem, replace(job, topology=topology)))


def _targets(problem: Problem, service: Service) -> Iterator[Change]:
    """Give the least target that a request can meet at all, where the one asked for is below it."""
    alone_ms = alone_latency_ms(problem, service)
    if alone_ms is None or alone_ms <= service.slo_ms:
        return
    reachable = float(ceil(alone_ms))
    words = f"a target of {reachable:g} ms in place of {service.slo_ms:g} ms for service {service.name}"
    yield Change(words, with_service(problem, replace(service, slo_ms=reachable)))


def _fuller(problem: Problem) -> Iterator[Change]:
    limits = problem.limits
    if limits.max_utilization < 1:
        words = f"max_utilization of 1 in place of {limits.max_utilization:g}"
        yield Change(words, replace(problem, limits=replace(limits, max_utilization=1.0)))


def _missed(problem: Problem) -> Iterator[Change]:
    limits = problem.limits
    if limits.missed_demand is MissedDemand.FORBID and limits.reserve is Reserve.NONE:
        words = 'let demand be missed at a price (missed_demand = "price")'
        yield Change(words, replace(problem, limits=replace(limits, missed_demand=MissedDemand.PRICE)))
