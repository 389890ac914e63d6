"""The instance of a static placement: types of nodes, classes of jobs, and what each takes of the other, in integers.

Nodes that differ in nothing but their name are one type, jobs likewise one class. A unit is what stands on one node as a whole:
one worker, or a whole gang that must share a node. It holds data only, no solver object and no node's content.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import job_refusal
from schedplan.measures.gang_family import gang_family
from schedplan.measures.work import job_size
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.optimize.constraints.topology import domain_of, domains_asked, is_on_one_node
from schedplan.optimize.static.quota_cuts import QuotaCut, quota_cuts
from schedplan.packing.footprint import (
    UNBOUNDED,
    cpu_capacity_micro,
    footprint,
    memory_capacity_micro,
    resource_capacity_micro,
)

Integers = NDArray[np.int64]
DEVICES = -1


@dataclass(frozen=True, slots=True)
class Need:
    """What one unit takes of one node: whole devices, or `shares` shares of `size` slices, each of a single device; and amounts.

    amounts: millionths, in the order of Instance.resources.
    """

    whole: int
    shares: int
    size: int
    amounts: tuple[int, ...]


@dataclass(frozen=True)
class NodeType:
    """Nodes that are alike. `pool` stands for them; node_idx their rows in Cluster.nodes; capacity in millionths [resource]."""

    idx: int
    pool: Pool
    node_idx: NDArray[np.intp]
    devices: int
    slices: int
    capacity: Integers
    price: float

    @property
    def count(self) -> int:
        return len(self.node_idx)


@dataclass(frozen=True)
class JobClass:
    """Jobs that are alike, by name. units: per job; weight: urgency x size of one unit, exactly."""

    idx: int
    jobs: tuple[Job, ...]
    units: int
    weight: Fraction

    @property
    def job(self) -> Job:
        """The job that stands for the class."""
        return self.jobs[0]

    @property
    def demand(self) -> int:
        """Units of all its jobs."""
        return self.units * len(self.jobs)


@dataclass(frozen=True)
class Instance:
    """needs[class][type]: None where the type may not hold it. families[class][type]: a gang of several units stays in one.

    bundles: classes whose jobs, the rows of one gang, stand all or none. held: what stands already of each of `quota_cuts`.
    """

    problem: Problem
    resources: tuple[str, ...]
    types: tuple[NodeType, ...]
    classes: tuple[JobClass, ...]
    needs: tuple[tuple[Need | None, ...], ...]
    families: tuple[tuple[int, ...], ...]
    bundles: tuple[tuple[int, ...], ...] = ()
    held: tuple[float, ...] = ()

    @cached_property
    def bundle_of(self) -> dict[int, tuple[int, ...]]:
        """The bundle of each class that is in one."""
        return {k: bundle for bundle in self.bundles for k in bundle}

    @cached_property
    def cuts(self) -> tuple[QuotaCut, ...]:
        """What quotas let tenants hold, as sums."""
        return quota_cuts(self.problem)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weight of one unit of each class, float64 [class]."""
        return np.array([float(one.weight) for one in self.classes])

    @cached_property
    def demand(self) -> Integers:
        """Units of each class, int64 [class]."""
        return np.array([one.demand for one in self.classes], dtype=np.int64)

    def weighed(self, weights: tuple[Fraction, ...]) -> Instance:
        """Return the same instance with other weights of a unit of each class."""
        classes = tuple(replace(one, weight=weight) for one, weight in zip(self.classes, weights, strict=True))
        return replace(self, classes=classes)

    @property
    def n_nodes(self) -> int:
        return sum(one.count for one in self.types)


def instance(problem: Problem, *, is_relaxed: bool = False) -> Instance:
    """Return the instance of a static problem: all nodes a plan may use, and all jobs.

    Pinned jobs, which stand before any other, are in it only where is_relaxed, and there as if they had no pin.

    A gang that must share a device group takes whole groups of nodes that have several, so that its plan holds; is_relaxed: only
    what it asks for, as a bound must have it.
    """
    shapes = dict.fromkeys((*(job.shape for job in problem.jobs), *(service.shape for service in problem.services)))
    resources = ("cpus", "memory_gib", *sorted({name for shape in shapes for name, _ in shape.resources}))
    types = _types(problem, resources)
    jobs = problem.jobs if is_relaxed else tuple(job for job in problem.jobs if job.name not in problem.pin_of_job)
    classes = _classes(problem, jobs)
    needs = tuple(tuple(_need(one.job, node_type.pool, resources, is_relaxed) for node_type in types) for one in classes)
    families = tuple(_families(problem, one.job, types) for one in classes)
    return Instance(problem, resources, types, classes, needs, families, () if is_relaxed else _bundles(problem, classes))


def need_of(shape: WorkerShape, pool: Pool, resources: tuple[str, ...], workers: int = 1) -> Need:
    """Return what `workers` of a shape take of one node of a pool."""
    print_ = footprint(pool, shape)
    named = dict(print_.resources)
    amounts = (print_.cpu_micro, print_.memory_micro, *(named.get(name, 0) for name in resources[2:]))
    taken = tuple(workers * amount for amount in amounts)
    if print_.share_slices and print_.share_slices < pool.slices_per_gpu:
        return Need(0, workers, print_.share_slices, taken)
    return Need(workers * (print_.devices or bool(print_.share_slices)), 0, 0, taken)


def capacity_of(pool: Pool, resources: tuple[str, ...]) -> tuple[int, ...]:
    """Return what one node of a pool offers of each resource, millionths; UNBOUNDED where it is not known."""
    named = (resource_capacity_micro(pool, name) for name in resources[2:])
    return (cpu_capacity_micro(pool), memory_capacity_micro(pool), *named)


def _types(problem: Problem, resources: tuple[str, ...]) -> tuple[NodeType, ...]:
    asked = domains_asked(problem.jobs)
    members: dict[tuple[object, ...], list[int]] = defaultdict(list)
    pools: dict[tuple[object, ...], Pool] = {}
    for pool in problem.cluster.pools:
        if pool.nodes == 0:
            continue
        key = (_alike(pool, asked), float(problem.price_per_h(pool)[0]))
        pools.setdefault(key, pool)
        members[key].extend(problem.cluster.node_idx[name] for name in pool.node_names()[: pool.nodes])
    return tuple(
        NodeType(
            idx,
            pools[key],
            np.array(rows, dtype=np.intp),
            pools[key].gpus,
            pools[key].slices_per_gpu,
            np.array(capacity_of(pools[key], resources), dtype=np.int64),
            float(problem.price_per_h(pools[key])[0]),
        )
        for idx, (key, rows) in enumerate(members.items())
    )


def _alike(pool: Pool, asked: tuple[str, ...]) -> Pool:
    """Return a pool without what makes no difference to where work may stand or what that costs."""
    return replace(
        pool,
        name="",
        count=1,
        min_count=0,
        max_count=1,
        region=None,
        zone=pool.zone if "zone" in asked else None,
        rack=pool.rack if "rack" in asked else None,
        block=pool.block if "block" in asked else None,
        price_per_hour=0.0,
        labels=(),
        caches=(),
    )


def _classes(problem: Problem, given: tuple[Job, ...]) -> tuple[JobClass, ...]:
    members: dict[Job, list[Job]] = defaultdict(list)
    for job in given:
        members[_alike_job(problem, job)].append(job)
    classes = []
    for idx, jobs in enumerate(members.values()):
        job = jobs[0]
        units = 1 if is_on_one_node(job.topology) else job.workers
        weight = Fraction(job_size(problem.cluster, job)) * problem.urgency[job.priority] / units
        classes.append(JobClass(idx, tuple(sorted(jobs, key=lambda one: one.name)), units, weight))
    return tuple(classes)


def _bundles(problem: Problem, classes: tuple[JobClass, ...]) -> tuple[tuple[int, ...], ...]:
    members: dict[str, list[int]] = defaultdict(list)
    for one in classes:
        if one.job.gang is not None and one.job.name in problem.gang_rows:
            members[one.job.gang].append(one.idx)
    return tuple(tuple(found) for found in members.values())


def _alike_job(problem: Problem, job: Job) -> Job:
    """Return a job without what makes no difference to where it may stand, what it weighs and what hangs on it."""
    topology = Topology.CLUSTER if job.topology is Topology.ANY else job.topology
    return Job(
        "",
        priority=job.priority,
        required=job.required,
        workers=job.workers,
        shape=job.shape,
        spot_ok=job.spot_ok,
        topology=topology,
        tenant=job.tenant if job.tenant in problem.quota_tenants else Job("").tenant,
        gang=job.gang if job.name in problem.gang_rows else None,
    )


def _need(job: Job, pool: Pool, resources: tuple[str, ...], is_relaxed: bool) -> Need | None:
    if job_refusal(pool, job) is not None:
        return None
    if not is_on_one_node(job.topology):
        return need_of(job.shape, pool, resources)
    return need_of(job.shape, pool, resources, job.workers) if is_relaxed else need_on_one_node(job, pool, resources)


def need_on_one_node(job: Job, pool: Pool, resources: tuple[str, ...]) -> Need:
    """Return what a gang takes that stands on one node as a whole: whole device groups where it must share one of several."""
    need = need_of(job.shape, pool, resources, job.workers)
    if job.topology is Topology.DEVICE_GROUP and pool.device_groups > 1 and (need.whole or need.shares):
        return replace(need, whole=ceil(pool.gpus / pool.device_groups), shares=0, size=0)
    return need


def _families(problem: Problem, job: Job, types: tuple[NodeType, ...]) -> tuple[int, ...]:
    numbers: dict[tuple[str, ...], int] = {}
    keys = [(domain_of(one.pool, job.topology) or "", *gang_family(problem, one.pool)) for one in types]
    return tuple(numbers.setdefault(key, len(numbers)) for key in keys)


def is_unknown(capacity: int) -> bool:
    """Whether a capacity in millionths stands for one that is not known."""
    return capacity >= UNBOUNDED


def can_hold(node_type: NodeType, need: Need | None) -> bool:
    """Whether one node of a type, with nothing on it, has room for a need."""
    if need is None or need.whole > node_type.devices or need.shares * need.size > node_type.devices * node_type.slices:
        return False
    return bool((np.array(need.amounts, dtype=np.int64) <= node_type.capacity).all())


def is_tall(need: Need | None, node_type: NodeType, item: int, part: int) -> bool:
    """Whether part + 1 units of a need never share one node, by whole devices or by a resource; a millionth is forgiven."""
    if need is None:
        return False
    if item == DEVICES:
        return need.whole * (part + 1) > node_type.devices
    return (need.amounts[item] - 1) * (part + 1) > int(node_type.capacity[item]) + 1
