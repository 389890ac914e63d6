"""What stands before anything is searched for, replicas of services and pinned jobs; and units that stand, named as jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schedplan.measures.feasibility import violations
from schedplan.model.plan import Decisions, JobPart, Plan, PlanStatus, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Service, WorkerShape
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.static.assembly import NOW, Assembly
from schedplan.optimize.static.instance import Instance, Need, need_of, need_on_one_node
from schedplan.optimize.static.nodes import Hold, Nodes
from schedplan.packing.allowance import Allowance
from schedplan.packing.assignment import has_work
from schedplan.packing.footprint import shares_alone
from schedplan.packing.supply import close_supply


@dataclass(frozen=True, slots=True)
class Standing:
    """Replicas of all services and parts of pinned jobs, and where none of all that can stand its plan with the conflict."""

    replicas: tuple[ReplicaPart, ...] = ()
    parts: tuple[JobPart, ...] = ()
    refusal: Plan | None = None


def standing_of(problem: Problem) -> Standing:
    """Return where services and pinned jobs stand: by the reference plan, else by the whole model of them alone."""
    jobs = tuple(job for job in problem.jobs if job.name in problem.pin_of_job)
    if not jobs and not problem.services:
        return Standing()
    alone = replace(problem, jobs=jobs)
    decisions = reference(alone)
    if violations(alone, decisions):
        # Late: see AtOneInstant.
        from schedplan.optimize.solve import optimize

        plan = optimize(alone, SolveOptions())
        if plan.proof.status is PlanStatus.INFEASIBLE:
            return Standing(refusal=plan)
        decisions = plan.decisions
    return Standing(decisions.replicas, decisions.parts)


def nodes_with(problem: Problem, whole: Instance, standing: Standing) -> Nodes:
    """Return the nodes of an instance with what stands on them."""
    nodes = Nodes(whole)
    row_of = {problem.cluster.nodes[idx]: row for row, idx in enumerate(nodes.cluster_idx)}
    needs = [(row_of[stand.node], need) for stand in standing.replicas for need in _replica_needs(problem, whole, stand)]
    needs += [(row_of[part.node], need) for part in standing.parts for need in _part_needs(problem, whole, part)]
    for row, need in sorted(needs, key=lambda taken: (taken[0], -taken[1].whole, -taken[1].size)):
        nodes.take(row, None, need)
    return nodes


def allowance_beside(problem: Problem, placed: Iterable[JobPart], replicas: Iterable[ReplicaPart]) -> Allowance:
    """Return what quotas still let tenants hold beside what is placed and serves."""
    allowance, pools = Allowance(problem), problem.cluster.pool_of_node
    for part in placed:
        allowance.add(problem.job_by_name[part.job], pools[part.node].accelerator, part.workers, NOW)
    for stand in replicas:
        allowance.add(problem.service_by_name[stand.service], pools[stand.node].accelerator, stand.replicas, NOW)
    return allowance


def held_of_cuts(problem: Problem, whole: Instance, standing: Standing) -> tuple[float, ...]:
    """Return what stands of each quota cut of an instance."""
    pools = problem.cluster.pool_of_node
    stands: list[tuple[str, WorkerShape, str, int]] = []
    for part in standing.parts:
        job = problem.job_by_name[part.job]
        stands.append((job.tenant, job.shape, part.node, part.workers))
    for stand in standing.replicas:
        service = problem.service_by_name[stand.service]
        stands.append((service.tenant, service.shape, stand.node, stand.replicas))
    return tuple(
        float(sum(count * cut.asked(tenant, shape, pools[node].accelerator) for tenant, shape, node, count in stands))
        for cut in whole.cuts
    )


def assembly_with(problem: Problem, whole: Instance, standing: Standing) -> Assembly:
    """Return an assembly on which nothing is placed beside what stands."""
    return Assembly(nodes_with(problem, whole, standing), allowance_beside(problem, standing.parts, standing.replicas))


def decisions_of(problem: Problem, assembly: Assembly, standing: Standing) -> Decisions:
    """Return the decisions that units on nodes are, beside what stands: jobs of a class by name, nodes in their order."""
    names = problem.cluster.nodes
    idx_of = assembly.nodes.cluster_idx
    parts: list[JobPart] = list(standing.parts)
    for job_class, holds in zip(assembly.instance.classes, _gangs(assembly), strict=True):
        workers = job_class.job.workers if job_class.units == 1 else 1
        for job, held in zip(job_class.jobs, holds, strict=False):
            stands = Counter(names[idx_of[hold.node]] for hold in held)
            parts += [JobPart(job.name, node, 0, workers * units) for node, units in stands.items()]
    placed = tuple(sorted(parts))
    on = close_supply(problem, has_work(problem, placed, standing.replicas))
    if on is None:
        raise AssertionError("without time no node starts too late")
    return Decisions(placed, standing.replicas, on)


def _replica_needs(problem: Problem, whole: Instance, stand: ReplicaPart) -> Sequence[Need]:
    """What replicas on one node take of it: each its own, shares of a dedicated service also the rest of their devices."""
    service: Service = problem.service_by_name[stand.service]
    pool = problem.cluster.pool_of_node[stand.node]
    need = need_of(service.shape, pool, whole.resources)
    per_device = shares_alone(pool, service)
    if not per_device or not need.shares:
        return [need] * stand.replicas
    devices = -(-stand.replicas // per_device)
    amounts = tuple(stand.replicas * amount for amount in need.amounts)
    return [Need(devices, 0, 0, amounts)]


def _part_needs(problem: Problem, whole: Instance, part: JobPart) -> Sequence[Need]:
    """What the workers of a pinned job on one node take of it: as a whole where they must share a device group."""
    job, pool = problem.job_by_name[part.job], problem.cluster.pool_of_node[part.node]
    if is_on_one_node(job.topology):
        return [need_on_one_node(job, pool, whole.resources)]
    return [need_of(job.shape, pool, whole.resources)] * part.workers


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
