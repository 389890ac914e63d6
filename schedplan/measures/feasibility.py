"""Feasibility: every rule that decisions break, by name and with numbers. It has never heard of a solver.

SP3101 place      no job twice, all names known, every instant inside the horizon
SP3102 capacity   devices, cores, memory, other resources and workers per node, per node and slot; shares on single devices
SP3103 gang       all workers at once, in one cluster, on one accelerator, in one market; rows of one gang together or not at all
SP3104 topology   all workers inside the domain the job asks for
SP3105 window     start at or after the release and what it waits for; booked end by the hard deadline and the horizon
SP3106 spot       only what may run on spot nodes, or in a market, stands there
SP3107 service    replicas enough for target and load, within their bounds, spread and held as asked
SP3108 budget     what is paid in a day, with the rework of what starts in it and what is borrowed in it
SP3109 supply     work only on nodes that are there, on and up; sunk nodes all on, others between their least and most
SP3110 required   a required job is placed
SP3111 running    what runs stays where it runs
SP3112 eligible   accelerator, memory, size, taints: a node may hold what stands on it
SP3113 quota      what counts for a tenant or cohort is at most what it may hold, or what runs already
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.devices import assign_devices
from schedplan.measures.eligibility import refusal, service_refusal, shape_refusal
from schedplan.measures.gang_family import domain_of, is_on_one_node, spot_market
from schedplan.measures.latency import latency_ms, least_replicas
from schedplan.measures.quotas import TenantHoldings, allowed, borrow_costs, is_above
from schedplan.measures.runs import runs_of
from schedplan.measures.spot import rework_h
from schedplan.measures.work import node_share, run_minutes
from schedplan.model.cluster import Market, NodeStatus, Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, Topology, WorkerShape
from schedplan.timegrid import format_local

FORGIVEN = 1e-6
CODES = {
    "place": "SP3101",
    "capacity": "SP3102",
    "gang": "SP3103",
    "topology": "SP3104",
    "window": "SP3105",
    "spot": "SP3106",
    "service": "SP3107",
    "budget": "SP3108",
    "supply": "SP3109",
    "required": "SP3110",
    "running": "SP3111",
    "eligible": "SP3112",
    "quota": "SP3113",
}


def violations(problem: Problem, decisions: Decisions) -> tuple[Finding, ...]:
    """Return one finding per broken rule and subject, in the order of the rules; empty where decisions are feasible.

    Names or slots that the problem does not have are told alone: nothing else can be checked before.
    """
    case = _Case(problem, decisions)
    unreadable = tuple(_unreadable(case))
    if unreadable:
        return unreadable
    rules = (_place, _eligible, _gang, _topology, _window, _supply, _capacity, _service, _quota, _budget, _required, _running)
    return tuple(finding for rule in rules for finding in rule(case))


def broken(rule: str, subject: str, message: str, hint: str | None = None) -> Finding:
    """Return an error finding of one of the rules of CODES."""
    return Finding(CODES[rule], Severity.ERROR, subject, message, hint)


@dataclass(frozen=True)
class _Case:
    problem: Problem
    decisions: Decisions

    @cached_property
    def parts_of(self) -> dict[str, list[JobPart]]:
        found: dict[str, list[JobPart]] = {}
        for part in sorted(self.decisions.parts):
            found.setdefault(part.job, []).append(part)
        return found

    @cached_property
    def replicas_of(self) -> dict[str, dict[int, list[ReplicaPart]]]:
        """Parts per service and slot."""
        found: dict[str, dict[int, list[ReplicaPart]]] = {service.name: {} for service in self.problem.services}
        for part in sorted(self.decisions.replicas):
            found[part.service].setdefault(part.slot, []).append(part)
        return found

    def pool(self, node: str) -> Pool:
        return self.problem.cluster.pool_of_node[node]

    def row(self, node: str) -> int:
        return self.problem.cluster.node_idx[node]

    def when(self, slot: int) -> str:
        return self.at(self.problem.grid.edges_s[slot])

    def at(self, instant_s: int) -> str:
        return format_local(instant_s, self.problem.zone)

    def end_edge(self, part: JobPart) -> int | None:
        job = self.problem.job_by_name[part.job]
        return self.problem.grid.end_edge(part.start_slot, run_minutes(self.problem, job, self.pool(part.node)))

    def slots(self, part: JobPart) -> slice:
        end = self.end_edge(part)
        return slice(part.start_slot, self.problem.grid.n_slots if end is None else end)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Whether a node is on and past its start-up, bool [node, slot]."""
        found = np.zeros_like(self.decisions.on)
        for pool in self.problem.cluster.pools:
            for number, name in enumerate(pool.node_names()):
                row = self.row(name)
                is_warm = pool.market.is_sunk or number < pool.count
                found[row] = self._up(self.decisions.on[row], pool, is_warm)
        return found

    def _up(self, on: NDArray[np.bool_], pool: Pool, is_warm: bool) -> NDArray[np.bool_]:
        edges_s = self.problem.grid.edges_s
        up = np.zeros_like(on)
        ready_s = float(edges_s[0]) if is_warm else None
        for slot, is_on in enumerate(on):
            if not is_on:
                ready_s = None
                continue
            if ready_s is None:
                ready_s = edges_s[slot] + pool.startup_minutes * 60.0
            up[slot] = edges_s[slot] >= ready_s - FORGIVEN
        return up


def _unreadable(case: _Case) -> Iterator[Finding]:
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


def _place(case: _Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        nodes = [part.node for part in parts]
        if len(set(nodes)) < len(nodes):
            yield broken("place", f"job {name}", f"has two parts on one node: {', '.join(nodes)}")
        placed = sum(part.workers for part in parts)
        if placed > job.workers:
            yield broken("place", f"job {name}", f"{placed} workers are placed; the job has {job.workers}")
    for name, by_slot in case.replicas_of.items():
        for slot, stands in by_slot.items():
            nodes = [stand.node for stand in stands]
            if len(set(nodes)) < len(nodes):
                yield broken("place", f"service {name}", f"has two parts on one node at {case.when(slot)}: {', '.join(nodes)}")


def _eligible(case: _Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        for part in parts:
            pool = case.pool(part.node)
            refused = shape_refusal(pool, job.shape) if _stays(case, job, part.node) else refusal(pool, job.shape)
            if refused is not None:
                yield broken("eligible", f"job {name}", f"stands on {part.node}: {refused.message} ({refused.rule})")
            if pool.market is Market.SPOT and not job.spot_ok:
                yield broken("spot", f"job {name}", f"stands on {part.node}, which is spot; the job is not marked spot_ok")
    for service in case.problem.services:
        stands = [stand for by_slot in case.replicas_of[service.name].values() for stand in by_slot]
        for pool in dict.fromkeys(case.pool(stand.node) for stand in stands):
            refused = service_refusal(pool, service)
            if refused is not None:
                rule = "spot" if refused.rule == "market" else "eligible"
                yield broken(rule, f"service {service.name}", f"stands on {pool.name}: {refused.message} ({refused.rule})")


def _stays(case: _Case, job: Job, node: str) -> bool:
    """Whether a running job stands where it already runs, on a node that takes no new work."""
    is_there = node in {placed.node for placed in job.placement} or case.pool(node).name in {
        placed.node for placed in job.placement
    }
    return job.state is JobState.RUNNING and is_there and case.pool(node).status is NodeStatus.CORDONED


def _gang(case: _Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        placed = sum(part.workers for part in parts)
        if placed < job.workers:
            yield broken("gang", f"job {name}", f"{placed} of {job.workers} workers are placed; all start together or none does")
        starts = sorted({part.start_slot for part in parts})
        if len(starts) > 1:
            yield broken("gang", f"job {name}", f"its workers start at {' and '.join(case.when(slot) for slot in starts)}")
        if job.state is not JobState.RUNNING:
            yield from _family(case, name, parts)
    yield from _rows_of_gangs(case)


def _family(case: _Case, name: str, parts: list[JobPart]) -> Iterator[Finding]:
    pools = [case.pool(part.node) for part in parts]
    families = {
        "cluster": sorted({pool.cluster for pool in pools}),
        "accelerator": sorted({pool.accelerator or "none" for pool in pools}),
        "market": sorted({pool.market.value for pool in pools}),
    }
    for kind, values in families.items():
        if len(values) > 1:
            yield broken("gang", f"job {name}", f"its workers stand in more than one {kind}: {', '.join(values)}")
    if len({spot_market(pool, case.problem.price_per_h(pool)) for pool in pools}) > 1:
        names = ", ".join(sorted({pool.name for pool in pools}))
        yield broken(
            "gang", f"job {name}", f"its workers stand on spot nodes of more than one price, reclaim rate or size: {names}"
        )


def _rows_of_gangs(case: _Case) -> Iterator[Finding]:
    members: dict[str, list[str]] = {}
    for job in case.problem.jobs:
        if job.gang is not None:
            members.setdefault(job.gang, []).append(job.name)
    for gang, names in sorted(members.items()):
        placed = [name for name in names if name in case.parts_of]
        if placed and len(placed) < len(names):
            missing = ", ".join(name for name in names if name not in case.parts_of)
            yield broken("gang", f"gang {gang}", f"{len(placed)} of its {len(names)} jobs are placed; left out: {missing}")
        starts = sorted({case.parts_of[name][0].start_slot for name in placed})
        if len(starts) > 1:
            yield broken("gang", f"gang {gang}", f"its jobs start at {' and '.join(case.when(slot) for slot in starts)}")


def _topology(case: _Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        job = case.problem.job_by_name[name]
        if job.topology in (Topology.ANY, Topology.CLUSTER) or job.state is JobState.RUNNING:
            continue
        domains = sorted({_domain(job.topology, case.pool(part.node), part.node) or "none" for part in parts})
        if len(domains) > 1 or "none" in domains:
            kind = "node" if job.topology is Topology.DEVICE_GROUP else job.topology.value
            yield broken("topology", f"job {name}", f"needs one {kind} for all workers; they stand in: {', '.join(domains)}")


def _domain(topology: Topology, pool: Pool, node: str) -> str | None:
    return node if is_on_one_node(topology) else domain_of(pool, topology)


def _window(case: _Case) -> Iterator[Finding]:
    ends_s: dict[str, int] = {}
    for name, parts in case.parts_of.items():
        job, subject = case.problem.job_by_name[name], f"job {name}"
        start_s = case.problem.grid.slot_start_s(min(part.start_slot for part in parts))
        if job.release_s is not None and job.state is not JobState.RUNNING and start_s < job.release_s:
            yield broken("window", subject, f"starts at {case.at(start_s)}, before its release at {case.at(job.release_s)}")
        edges = [case.end_edge(part) for part in parts]
        known = [edge for edge in edges if edge is not None]
        if len(known) < len(edges):
            yield broken("window", subject, f"begun at {case.at(start_s)} it is not over when the horizon ends")
            continue
        ends_s[name] = case.problem.grid.edges_s[max(known)]
        if job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD and ends_s[name] > job.deadline_s:
            late = f"its booked end {case.at(ends_s[name])} is after its deadline {case.at(job.deadline_s)}"
            yield broken("window", subject, late)
    yield from _after(case, ends_s)


def _after(case: _Case, ends_s: dict[str, int]) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        start_s = case.problem.grid.slot_start_s(parts[0].start_slot)
        for before in case.problem.job_by_name[name].after:
            if before not in case.problem.job_by_name:
                continue
            if before not in case.parts_of:
                yield broken("window", f"job {name}", f"waits for {before}, which is left out")
            elif before in ends_s and ends_s[before] > start_s:
                yield broken(
                    "window", f"job {name}", f"starts at {case.at(start_s)}, before {before} ends at {case.at(ends_s[before])}"
                )


def _supply(case: _Case) -> Iterator[Finding]:
    on = case.decisions.on
    for pool in case.problem.cluster.pools:
        count = on[[case.row(name) for name in pool.node_names()]].sum(axis=0)
        least, most = (pool.count, pool.count) if pool.market.is_sunk else (pool.min_count, pool.max_count)
        wrong = np.flatnonzero((count < least) | (count > most))
        if len(wrong):
            bounds = f"{least}" if least == most else f"{least} to {most}"
            seen = f"{count[wrong[0]]} nodes are on at {case.when(int(wrong[0]))} ({len(wrong)} slots)"
            yield broken("supply", f"pool {pool.name}", f"{seen}; {pool.market.value} pays for {bounds}")
    for node, pieces in _work_on(case).items():
        has_work = np.zeros(case.problem.grid.n_slots, dtype=np.bool_)
        for _, slots in pieces:
            has_work[slots] = True
        idle = np.flatnonzero(has_work & ~case.usable[case.row(node)])
        if len(idle):
            slot = int(idle[0])
            work = next(name for name, slots in pieces if slots.start <= slot < slots.stop)
            state = "switched on, but not up yet" if on[case.row(node), slot] else "not on"
            yield broken("supply", f"node {node}", f"holds {work} at {case.when(slot)}, when it is {state} ({len(idle)} slots)")


def _work_on(case: _Case) -> dict[str, list[tuple[str, slice]]]:
    """Per node with work: the name and the slots of each piece of it, jobs first."""
    found: dict[str, list[tuple[str, slice]]] = {}
    for part in case.decisions.parts:
        found.setdefault(part.node, []).append((f"job {part.job}", case.slots(part)))
    for stand in case.decisions.replicas:
        found.setdefault(stand.node, []).append((f"service {stand.service}", slice(stand.slot, stand.slot + 1)))
    return dict(sorted(found.items()))


def _capacity(case: _Case) -> Iterator[Finding]:
    held = _Held(case)
    for node, kinds in held.by_node.items():
        pool = case.pool(node)
        offered = {"cpus": pool.cpus, "memory_gib": pool.memory_gib, **dict(pool.resources)}
        for kind, amounts in kinds.items():
            has = offered.get(kind, 0.0)
            over = np.flatnonzero(amounts > (np.inf if has is None else has) + FORGIVEN)
            if len(over):
                seen = f"{amounts[over[0]]:g} {kind} are held at {case.when(int(over[0]))}"
                yield broken("capacity", f"node {node}", f"{seen}; it has {has:g} ({len(over)} slots)")
    yield from _per_node(case)
    devices = assign_devices(case.problem, runs_of(case.problem, case.decisions), case.decisions.replicas)
    for found in devices.unassigned:
        when = "" if found.slot is None else f" at {case.when(found.slot)}"
        yield broken("capacity", f"node {found.node}", f"devices: {found.message}{when}")


class _Held:
    """Cores, memory and other resources held per node, float64 [n_slots] each, under the names the pools use."""

    def __init__(self, case: _Case) -> None:
        self.case = case
        self.by_node: dict[str, dict[str, NDArray[np.float64]]] = {}
        for part in case.decisions.parts:
            self._add(part.node, case.slots(part), part.workers, case.problem.job_by_name[part.job].shape)
        for stand in case.decisions.replicas:
            shape = case.problem.service_by_name[stand.service].shape
            self._add(stand.node, slice(stand.slot, stand.slot + 1), stand.replicas, shape)
        self.by_node = dict(sorted(self.by_node.items()))

    def _add(self, node: str, slots: slice, count: int, shape: WorkerShape) -> None:
        for kind, amount in (("cpus", shape.cpus), ("memory_gib", shape.memory_gib), *shape.resources):
            if amount > 0:
                empty = np.zeros(self.case.problem.grid.n_slots)
                self.by_node.setdefault(node, {}).setdefault(kind, empty)[slots] += count * amount


def _per_node(case: _Case) -> Iterator[Finding]:
    for part in case.decisions.parts:
        most = case.problem.job_by_name[part.job].shape.max_per_node
        if most is not None and part.workers > most:
            yield broken("capacity", f"job {part.job}", f"{part.workers} workers stand on {part.node}; at most {most} may")
    for stand in case.decisions.replicas:
        most = case.problem.service_by_name[stand.service].shape.max_per_node
        if most is not None and stand.replicas > most:
            when = case.when(stand.slot)
            message = f"{stand.replicas} replicas stand on {stand.node} at {when}; at most {most} may"
            yield broken("capacity", f"service {stand.service}", message)


def _service(case: _Case) -> Iterator[Finding]:
    for service in case.problem.services:
        by_slot = case.replicas_of[service.name]
        counts = [sum(stand.replicas for stand in by_slot.get(slot, [])) for slot in range(case.problem.grid.n_slots)]
        yield from _bounds(case, service, counts)
        yield from _holds(case, service, counts)
        for slot in range(case.problem.grid.n_slots):
            yield from _target(case, service, slot, by_slot.get(slot, []))
            yield from _spread(case, service, slot, by_slot.get(slot, []))


def _bounds(case: _Case, service: Service, counts: list[int]) -> Iterator[Finding]:
    most = service.max_replicas
    for slot, count in enumerate(counts):
        if count < service.min_replicas:
            message = f"{count} replicas at {case.when(slot)}; the least is {service.min_replicas}"
            yield broken("service", f"service {service.name}", message)
        if most is not None and count > most:
            yield broken("service", f"service {service.name}", f"{count} replicas at {case.when(slot)}; the most is {most}")


def _holds(case: _Case, service: Service, counts: list[int]) -> Iterator[Finding]:
    changes = [slot for slot in range(1, len(counts)) if counts[slot] != counts[slot - 1]]
    for earlier, later in pairwise(changes):
        held_minutes = (case.problem.grid.slot_start_s(later) - case.problem.grid.slot_start_s(earlier)) / 60.0
        if held_minutes < service.min_hold_minutes - FORGIVEN:
            message = f"the number of replicas changes at {case.when(earlier)} and again {held_minutes:g} min later"
            yield broken("service", f"service {service.name}", f"{message}; the least is {service.min_hold_minutes:g} min")


def _target(case: _Case, service: Service, slot: int, stands: list[ReplicaPart]) -> Iterator[Finding]:
    """Target and load at the demand planned for: by the latency model on one accelerator, by shares of each one's need on a mix."""
    demand = case.problem.demand_of.get(service.name)
    rate = 0.0 if demand is None else float(demand.peak_rps[slot]) * (1.0 - service.cache_hit_ratio)
    if rate <= 0:
        return
    subject, when = f"service {service.name}", case.when(slot)
    mix: dict[str | None, int] = {}
    for stand in stands:
        accelerator = case.pool(stand.node).accelerator
        mix[accelerator] = mix.get(accelerator, 0) + stand.replicas
    if not mix:
        yield broken("service", subject, f"no replica at {when}; {rate:g} requests/s are to be served")
    elif len(mix) == 1:
        ((accelerator, count),) = mix.items()
        yield from _single_target(case, service, slot, case.problem.service_ms(service, accelerator), count)
    else:
        yield from _mixed_target(case, service, slot, mix)


def _single_target(case: _Case, service: Service, slot: int, service_ms: float, count: int) -> Iterator[Finding]:
    subject, when = f"service {service.name}", case.when(slot)
    rate = float(case.problem.demand_of[service.name].peak_rps[slot]) * (1.0 - service.cache_hit_ratio)
    load, limit = rate * service_ms / 1000.0 / (count * service.concurrency), case.problem.limits.max_utilization
    if load > limit + 1e-12:
        yield broken("service", subject, f"load {load:.4%} of {count} replicas at {when}; the limit is {limit:.4%}")
    found_ms = latency_ms(service_ms, service.service_cv, service.slo_quantile, count * service.concurrency, rate)
    if found_ms is None:
        yield broken("service", subject, f"no steady state with {count} replicas at {when}: load {load:.4%}")
    elif found_ms > service.slo_ms:
        message = f"latency {found_ms:.1f} ms with {count} replicas at {when}; the target is {service.slo_ms:g} ms"
        yield broken("service", subject, message)


def _mixed_target(case: _Case, service: Service, slot: int, mix: dict[str | None, int]) -> Iterator[Finding]:
    peak_rps = float(case.problem.demand_of[service.name].peak_rps[slot])
    covered = 0.0
    for accelerator, count in mix.items():
        service_ms = case.problem.service_ms(service, accelerator)
        needed = least_replicas(service, service_ms, peak_rps, case.problem.limits.max_utilization)
        if needed is None:
            message = f"{count} replicas stand on {accelerator} at {case.when(slot)}, which no number of replicas makes fast enough"
            yield broken("service", f"service {service.name}", message)
            continue
        covered += count / needed
    # One part in 10^9 a replica is forgiven: whoever counts shares in integers rounds each of them up.
    if covered < 1.0 - 1e-9 * sum(mix.values()):
        counts = ", ".join(f"{count} on {accelerator}" for accelerator, count in mix.items())
        message = f"replicas at {case.when(slot)} ({counts}) cover {covered:.4f} of the demand planned for"
        yield broken("service", f"service {service.name}", message)


def _spread(case: _Case, service: Service, slot: int, stands: list[ReplicaPart]) -> Iterator[Finding]:
    if service.spread is None or not stands:
        return
    kind, least = service.spread
    domains = {_spread_domain(kind, case.pool(stand.node), stand.node) for stand in stands} - {None}
    if len(domains) < least:
        message = f"stands in {len(domains)} of at least {least} {kind}s at {case.when(slot)}"
        yield broken("service", f"service {service.name}", message)


def _spread_domain(kind: str, pool: Pool, node: str) -> str | None:
    by_kind = {"zone": pool.zone, "rack": pool.rack, "block": pool.block, "region": pool.region, "cluster": pool.cluster}
    return by_kind.get(kind, node)


def _quota(case: _Case) -> Iterator[Finding]:
    if not case.problem.ceilings:
        return
    holdings, running = TenantHoldings.of(case.problem, case.decisions), TenantHoldings.running(case.problem)
    for ceiling in case.problem.ceilings:
        counted, most = holdings.counted(ceiling), allowed(ceiling, running)
        over = np.flatnonzero(is_above(counted, most))
        if len(over):
            slot = int(over[0])
            unit = ceiling.scope.resource.value
            seen = f"{counted[slot]:g} {unit} count at {case.when(slot)} ({len(over)} slots)"
            limit = f"at most {most[slot]:g} may" + (", for they run already" if most[slot] > ceiling.limit else "")
            yield broken("quota", ceiling.subject, f"{seen}; {limit}", "raise the quota, or let its jobs wait")


def _budget(case: _Case) -> Iterator[Finding]:
    limit = case.problem.limits.budget_per_day
    if limit is None:
        return
    grid, problem = case.problem.grid, case.problem
    spent = borrow_costs(problem, case.decisions).by_slot
    for pool in problem.cluster.pools:
        rows = [case.row(name) for name in pool.node_names()]
        spent += case.decisions.on[rows].sum(axis=0) * problem.price_per_h(pool) * grid.hours
    for name, parts in case.parts_of.items():
        spent[parts[0].start_slot] += _rework_cost(case, problem.job_by_name[name], parts)
    for day, slots in grid.days(problem.zone):
        total = float(spent[list(slots)].sum())
        if total > limit + FORGIVEN * max(1.0, limit):
            message = f"{total:.2f} {problem.currency} are spent; the limit is {limit:.2f}"
            yield broken("budget", f"day {day}", message, "raise budget_per_day, or let jobs wait or run on cheaper nodes")


def _rework_cost(case: _Case, job: Job, parts: list[JobPart]) -> float:
    pools = [case.pool(part.node) for part in parts]
    rate = sum(pool.interruptions_per_hour for pool in pools if pool.market is Market.SPOT)
    work_h = max(run_minutes(case.problem, job, pool) for pool in pools) / 60.0
    checkpoint_h = None if job.checkpoint_minutes is None else job.checkpoint_minutes / 60.0
    repeated_h = rework_h(work_h, rate, checkpoint_h, job.checkpoint_cost_minutes / 60.0, job.restart_minutes / 60.0)
    prices = [float(case.problem.price_per_h(pool)[parts[0].start_slot]) * node_share(pool, job.shape) for pool in pools]
    return repeated_h * sum(part.workers * price for part, price in zip(parts, prices, strict=True))


def _required(case: _Case) -> Iterator[Finding]:
    for job in case.problem.jobs:
        if job.required and job.name not in case.parts_of:
            yield broken("required", f"job {job.name}", "is required and left out")


def _running(case: _Case) -> Iterator[Finding]:
    for job in case.problem.jobs:
        if job.state is not JobState.RUNNING:
            continue
        parts = case.parts_of.get(job.name, [])
        if not parts:
            yield broken("running", f"job {job.name}", "runs already and is left out")
            continue
        if any(part.start_slot != 0 for part in parts):
            yield broken("running", f"job {job.name}", f"runs already; the plan starts it at {case.when(parts[0].start_slot)}")
        yield from _moved(case, job, parts)


def _moved(case: _Case, job: Job, parts: list[JobPart]) -> Iterator[Finding]:
    """Workers against the placement they run in, which names nodes, or pools for any of their nodes."""
    left = {placed.node: 0 for placed in job.placement}
    for placed in job.placement:
        left[placed.node] += placed.workers
    if not left:
        return
    for part in parts:
        for name in dict.fromkeys((part.node, case.pool(part.node).name)):
            moved = min(left.get(name, 0), part.workers)
            if name in left and moved == part.workers:
                left[name] -= moved
                break
        else:
            stands = ", ".join(f"{placed.node}*{placed.workers}" for placed in job.placement)
            message = f"{part.workers} workers stand on {part.node}; the job runs on {stands}"
            yield broken("running", f"job {job.name}", message)
