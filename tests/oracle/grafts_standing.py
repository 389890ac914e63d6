"""Grafts of what is decided about places beforehand: rules of selector on selector, outages, pins, an earlier plan."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.measures.forbidding import with_rules
from schedplan.measures.pins import with_pins
from schedplan.model.earlier import Earlier, Stay, Stood
from schedplan.model.forbid import parse_forbid
from schedplan.model.outage import Outage
from schedplan.model.pin import Pin
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from schedplan.optimize.reference.plan import reference
from tests.oracle.drawing import HOUR_S, START_S


def _rules(source: random.Random, problem: Problem) -> Problem | None:
    """A label on some pools, and a rule that keeps training or services off them."""
    if problem.forbid:
        return None
    pools = tuple(replace(pool, labels=(("edge", source.choice(("true", "false"))),)) for pool in problem.cluster.pools)
    text = source.choice(("kind=training on edge=true", "kind=batch on edge=true", "kind=service on edge=true"))
    cluster = replace(problem.cluster, pools=pools)
    return with_rules(replace(problem, cluster=cluster, forbid=(parse_forbid(text),)))


def _outages(source: random.Random, problem: Problem) -> Problem | None:
    """An outage of one node for half an hour or two hours."""
    if problem.outages:
        return None
    start_s = START_S + source.choice((0, 1, 2)) * HOUR_S
    outage = Outage(source.choice(problem.cluster.nodes), start_s, start_s + source.choice((1800, 2 * HOUR_S)))
    return replace(problem, outages=(outage,))


def _pins(source: random.Random, problem: Problem) -> Problem | None:
    """One waiting job pinned to a node or pool, or to a start."""
    waiting = [job for job in problem.jobs if job.state is JobState.PENDING]
    if problem.pins or not waiting:
        return None
    places = (*problem.cluster.nodes, *problem.cluster.by_name)
    name = source.choice(waiting).name
    pin = source.choice((Pin(name, source.choice(places)), Pin(name, None, START_S + HOUR_S)))
    return with_pins(problem, (pin,))


def _earlier(source: random.Random, problem: Problem) -> Problem | None:
    """The reference plan as the earlier one, some of its jobs an hour later."""
    if problem.earlier is not None:
        return None
    found, edges_s = reference(problem), problem.grid.edges_s
    stays: dict[str, dict[str, int]] = {}
    starts: dict[str, int] = {}
    for part in found.parts:
        stays.setdefault(part.job, {})[part.node] = part.workers
        starts[part.job] = edges_s[part.start_slot] + source.choice((0, 0, HOUR_S))
    jobs = tuple(Stay(name, starts[name], tuple(sorted(nodes.items()))) for name, nodes in sorted(stays.items()))
    replicas = tuple(Stood(one.service, edges_s[one.slot], edges_s[one.slot + 1], one.node, one.replicas) for one in found.replicas)
    return replace(problem, earlier=Earlier("0" * 64, edges_s, jobs, replicas))


GRAFTS = {"rules": _rules, "outages": _outages, "pins": _pins, "earlier": _earlier}
