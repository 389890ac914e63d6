"""Themes of what is decided about places beforehand: rules of selector on selector, outages, pins, an earlier plan."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.measures.forbidding import with_rules
from schedplan.measures.pins import with_pins
from schedplan.measures.stops import with_stopped
from schedplan.model.cluster import Market
from schedplan.model.earlier import Earlier, Stay, Stood
from schedplan.model.forbid import parse_forbid
from schedplan.model.outage import Outage
from schedplan.model.pin import Pin
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Placed, WorkerShape
from schedplan.optimize.reference.plan import reference
from tests.oracle.drawing import HOUR_S, START_S, a_pool, a_problem, device_pools, of_tenants, some_jobs, with_services

RULES = (
    "kind=training on edge=true",
    "kind=batch on edge=false",
    "tenant=a on edge=true",
    "tenant=b priority=0 on tier=x|y",
    "priority=5|9 on tier=x, edge=true",
    "kind=service on tier=y",
    "tenant=a on market=on_demand",
)


def _rules(source: random.Random) -> Problem:
    """One to three rules over labels and markets; some of the work is required, or a service."""
    pools = []
    for idx, nodes in enumerate(source.choice(([2, 1], [1, 1, 1], [2, 2]))):
        labels = (("edge", source.choice(("true", "false"))), ("tier", source.choice("xyz")))
        pools.append(replace(a_pool(source, f"p{idx}", nodes, source.choice((1, 2))), labels=labels))
    jobs = of_tenants(source, some_jobs(source, source.randint(2, 5)), "ab")
    jobs = [replace(job, required=source.random() < 0.15, workers=source.choice((1, 1, 2))) for job in jobs]
    problem = a_problem(source, pools, jobs, n_slots=3)
    if source.random() < 0.4:
        problem = with_services(source, problem, 1)
        any_market = tuple(replace(service, markets=tuple(Market)[:3]) for service in problem.services)
        problem = replace(problem, services=any_market)
    texts = source.sample(RULES, source.randint(1, 3))
    return with_rules(replace(problem, forbid=tuple(parse_forbid(text) for text in texts)))


def _outages(source: random.Random) -> Problem:
    """One to three outages of nodes, pools and zones, some within a slot; running work, services, start-up and minima beside."""
    pools = []
    for idx, nodes in enumerate(source.choice(([2, 1], [1, 1, 1], [2, 2], [3]))):
        zone = source.choice(("z1", "z2", None))
        startup = source.choice((0.0, 0.0, 60.0))
        pools.append(replace(a_pool(source, f"p{idx}", nodes, source.choice((1, 2))), zone=zone, startup_minutes=startup))
    jobs = [replace(job, required=source.random() < 0.1) for job in some_jobs(source, source.randint(2, 4))]
    problem = a_problem(source, pools, jobs, n_slots=4)
    nodes = [name for pool in problem.cluster.pools for name in pool.node_names()[: pool.count]]
    if nodes and source.random() < 0.4:
        problem = replace(problem, jobs=(*problem.jobs, _runner(source, source.choice(nodes))))
    elif source.random() < 0.4:
        problem = with_services(source, problem, 1)
    return replace(problem, outages=tuple(_outage(source, problem) for _ in range(source.randint(1, 3))))


def _runner(source: random.Random, node: str) -> Job:
    return Job(
        "r",
        state=JobState.RUNNING,
        shape=WorkerShape(gpus=1.0),
        placement=(Placed(node, 1),),
        submit_s=START_S,
        start_s=START_S,
        runtime_minutes=float(source.choice((60, 120, 240))),
    )


def _outage(source: random.Random, problem: Problem) -> Outage:
    start_s = START_S + source.choice((0, 0, 1, 2)) * HOUR_S + source.choice((0, 0, 600))
    end_s = start_s + source.choice((600, 1800, HOUR_S, 2 * HOUR_S))
    zones = [pool.zone for pool in problem.cluster.pools if pool.zone]
    if zones and source.random() < 0.3:
        return Outage(source.choice(zones), start_s, end_s, is_domain=True)
    return Outage(source.choice((*problem.cluster.nodes, *problem.cluster.by_name)), start_s, end_s)


def _pins(source: random.Random) -> Problem:
    """One to three pins: jobs on a node or pool, at a time, or both, now and then where they can't be; replicas of a service."""
    problem = a_problem(source, device_pools(source), some_jobs(source, source.randint(2, 4)), n_slots=source.choice((3, 4)))
    if source.random() < 0.4:
        problem = with_services(source, problem, 1)
    places = tuple(dict.fromkeys((*problem.cluster.nodes, *problem.cluster.by_name)))
    jobs = source.sample(problem.jobs, source.randint(0 if problem.services else 1, 2))
    pins = [_pin_of(source, job.name, places) for job in jobs]
    for service in problem.services:
        start_s = source.choice((None, None, START_S + HOUR_S + 60))
        pins.append(Pin(service.name, source.choice(places), start_s, source.choice((1, 1, 2)), is_service=True))
    return with_pins(problem, tuple(pins))


def _pin_of(source: random.Random, job: str, places: tuple[str, ...]) -> Pin:
    start_s = source.choice((None, START_S, START_S + HOUR_S, START_S + HOUR_S + 600, START_S + 2 * HOUR_S))
    node = None if start_s is not None and source.random() < 0.3 else source.choice(places)
    return Pin(job, node, start_s)


def _earlier(source: random.Random) -> Problem:
    """A problem beside the reference plan of a like one, some of it shifted: jobs at other times, a node lost, demand grown."""
    problem = a_problem(source, device_pools(source), some_jobs(source, source.randint(2, 4)), n_slots=source.choice((3, 4)))
    if source.random() < 0.35:
        problem = with_services(source, problem, 1)
    found = reference(problem)
    edges_s = problem.grid.edges_s
    stays: dict[str, dict[str, int]] = {}
    starts: dict[str, int] = {}
    for part in found.parts:
        stays.setdefault(part.job, {})[part.node] = part.workers
        starts[part.job] = edges_s[min(part.start_slot + source.choice((0, 0, 0, 1)), problem.grid.n_slots - 1)]
    jobs = tuple(Stay(name, starts[name], tuple(sorted(nodes.items()))) for name, nodes in sorted(stays.items()))
    kept = [part for part in found.replicas if source.random() < 0.8]
    replicas = tuple(Stood(one.service, edges_s[one.slot], edges_s[one.slot + 1], one.node, one.replicas) for one in kept)
    earlier = Earlier("0" * 64, edges_s[: source.choice((len(edges_s), 3))], jobs, replicas)
    if source.random() < 0.4:
        problem = replace(problem, outages=(Outage(source.choice(problem.cluster.nodes), START_S, START_S + 2 * HOUR_S),))
    return replace(problem, earlier=earlier)


def _preempt(source: random.Random) -> Problem:
    """One or two running jobs stopped, with and without checkpoints, beside what is more and less urgent."""
    pools = [a_pool(source, "p0", 2, 2, Market.OWNED), replace(a_pool(source, "p1", 1, 2, Market.ON_DEMAND), count=1)]
    jobs = some_jobs(source, source.randint(2, 3))
    nodes = source.sample(("p0/1", "p0/2", "p1"), source.randint(1, 2))
    running, rows = [], []
    for idx, node in enumerate(nodes):
        row = Job(
            f"r{idx}",
            priority=source.choice((0, 0, 5)),
            shape=WorkerShape(gpus=float(source.choice((1, 2)))),
            runtime_minutes=float(source.choice((90, 180, 240))),
            submit_s=START_S - 2 * HOUR_S,
            checkpoint_minutes=source.choice((None, 20.0, 30.0)),
            restart_minutes=source.choice((0.0, 10.0)),
        )
        begun_s = START_S - source.choice((0, 1500, HOUR_S))
        running.append(replace(row, state=JobState.RUNNING, placement=(Placed(node, 1),), start_s=begun_s))
        rows.append(row)
    problem = a_problem(source, pools, [*jobs, *running], n_slots=4)
    return with_stopped(problem, tuple(source.sample(rows, source.randint(1, len(rows)))))


THEMES = {"rules": _rules, "outages": _outages, "pins": _pins, "earlier": _earlier, "preempt": _preempt}
