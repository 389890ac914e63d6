"""Between decisions and nodes: replicas put where they stand, and units that stand named as jobs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.instance import Instance, need_of
from schedplan.optimize.static.nodes import Hold, Nodes
from schedplan.packing.assignment import has_work
from schedplan.packing.supply import close_supply


def standing_replicas(problem: Problem) -> tuple[ReplicaPart, ...]:
    """Return where the replicas of all services stand before any job: the least of them, the cheapest nodes first."""
    return reference(replace(problem, jobs=())).replicas if problem.services else ()


def nodes_with(problem: Problem, whole: Instance, replicas: tuple[ReplicaPart, ...]) -> Nodes:
    """Return the nodes of an instance with replicas on them."""
    nodes = Nodes(whole)
    row_of = {problem.cluster.nodes[idx]: row for row, idx in enumerate(nodes.cluster_idx)}
    for part in replicas:
        need = need_of(problem.service_by_name[part.service].shape, problem.cluster.pool_of_node[part.node], whole.resources)
        for _ in range(part.replicas):
            nodes.take(row_of[part.node], None, need)
    return nodes


def decisions_of(problem: Problem, assembly: Assembly, replicas: tuple[ReplicaPart, ...]) -> Decisions:
    """Return the decisions that units on nodes are: jobs of a class by name, nodes in their order."""
    names = problem.cluster.nodes
    idx_of = assembly.nodes.cluster_idx
    parts: list[JobPart] = []
    for job_class, holds in zip(assembly.instance.classes, _gangs(assembly), strict=True):
        workers = job_class.job.workers if job_class.units == 1 else 1
        for job, held in zip(job_class.jobs, holds, strict=False):
            stands = Counter(names[idx_of[hold.node]] for hold in held)
            parts += [JobPart(job.name, node, 0, workers * units) for node, units in stands.items()]
    placed = tuple(sorted(parts))
    on = close_supply(problem, has_work(problem, placed, replicas))
    if on is None:
        raise AssertionError("without time no node starts too late")
    return Decisions(placed, replicas, on)


def _gangs(assembly: Assembly) -> list[list[list[Hold]]]:
    """Per class, the units of each job that is placed."""
    of_class: list[dict[int, list[Hold]]] = [{} for _ in assembly.instance.classes]
    for node, holds in enumerate(assembly.nodes.holds):
        for hold in holds:
            if hold.of is not None:
                family = assembly.instance.families[hold.of][int(assembly.nodes.type_of[node])]
                of_class[hold.of].setdefault(family, []).append(hold)
    found = []
    for job_class, by_family in zip(assembly.instance.classes, of_class, strict=True):
        units = job_class.units
        held = [by_family[family] for family in sorted(by_family)]
        found.append([holds[at : at + units] for holds in held for at in range(0, len(holds) - units + 1, units)])
    return found
