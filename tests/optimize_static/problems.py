"""Small static problems, and an oracle that tries every placement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, product

from schedplan.measures.eligibility import job_refusal
from schedplan.measures.work import importance
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.problem import Demand, Objective, Problem
from schedplan.model.workload import Job, Service, Topology, WorkerShape
from schedplan.timegrid import TimeGrid
from schedplan.units import slices_of

NOON_S = 1_800_000_000 - 1_800_000_000 % 3600


def node(
    name: str, gpus: int = 1, cpus: float | None = 8.0, memory_gib: float | None = 32.0, slices: int = 100, **more: object
) -> Pool:
    """Return a pool of one node."""
    return Pool(name, gpus=gpus, cpus=cpus, memory_gib=memory_gib, slices_per_gpu=slices, **more)  # type: ignore[arg-type]


def pod(name: str, gpus: float = 0.0, cpus: float = 0.0, memory_gib: float = 0.0, **more: object) -> Job:
    """Return a job of the one hour that static placements last."""
    return Job(name, shape=WorkerShape(gpus, cpus, memory_gib), runtime_minutes=60.0, **more)  # type: ignore[arg-type]


def static(
    pools: tuple[Pool, ...], jobs: tuple[Job, ...], services: tuple[Service, ...] = (), demands: tuple[Demand, ...] = ()
) -> Problem:
    """Return a static problem of one hour."""
    return Problem(
        "small",
        TimeGrid.regular(NOON_S, 60, 1),
        Cluster(tuple(sorted(pools, key=lambda pool: pool.name))),
        tuple(sorted(jobs, key=lambda job: job.name)),
        services,
        demands,
        Objective(0.0, 0.0, 0.0, 0.0, unplaced=1.0),
        is_static=True,
    )


def most_weight(problem: Problem) -> float:
    """Return the most weighed size that any placement holds, by trying all of them."""
    choices = [tuple(_choices(problem, job)) for job in problem.jobs]
    fits = lru_cache(maxsize=None)(lambda name, held: _fits(problem, name, held))
    best = 0.0
    for placement in product(*choices):
        weight = sum(importance(problem, job) for job, where in zip(problem.jobs, placement, strict=True) if where)
        if weight <= best or not _keeps_ties(problem, placement):
            continue
        held: dict[str, list[str]] = {}
        for job, where in zip(problem.jobs, placement, strict=True):
            for name in where:
                held.setdefault(name, []).append(job.name)
        if all(fits(name, tuple(jobs)) for name, jobs in held.items()):
            best = weight
    return best


def _keeps_ties(problem: Problem, placement: tuple[tuple[str, ...], ...]) -> bool:
    """Rows of gangs together, pinned jobs where they are pinned, quotas of devices: a cap each, or what one cohort is promised."""
    where_of = {job.name: where for job, where in zip(problem.jobs, placement, strict=True)}
    for rows in problem.gang_rows.values():
        if len({bool(where_of[job.name]) for job in rows}) > 1:
            return False
    for pin in problem.pins:
        if set(where_of[pin.work]) != {pin.node}:
            return False
    held = {quota.tenant: 0.0 for quota in problem.quotas}
    for job in problem.jobs:
        if job.tenant in held and where_of[job.name]:
            held[job.tenant] += job.workers * job.shape.gpus
    if any(quota.max is not None and held[quota.tenant] > quota.max + 1e-6 for quota in problem.quotas):
        return False
    cohort = [quota for quota in problem.quotas if quota.parent is not None]
    kept = {quota.tenant: 0.0 if quota.lend is None else quota.nominal - quota.lend for quota in cohort}
    promised = sum(quota.nominal for quota in cohort)
    return not cohort or sum(max(held[name], least) for name, least in kept.items()) <= promised + 1e-6


def _choices(problem: Problem, job: Job) -> Iterator[tuple[str, ...]]:
    """Nowhere, or a node for each worker: all on one where the topology says so, else of one device model and market."""
    yield ()
    open_to = [pool for pool in problem.cluster.pools if job_refusal(pool, job) is None]
    for pools in combinations_with_replacement(open_to, job.workers):
        is_one_kind = len({(pool.accelerator, pool.market, pool.cluster) for pool in pools}) == 1
        if is_one_kind and (job.topology is not Topology.NODE or len({pool.name for pool in pools}) == 1):
            yield tuple(pool.name for pool in pools)


def _fits(problem: Problem, name: str, held: tuple[str, ...]) -> bool:
    pool = problem.cluster.by_name[name]
    shapes = [problem.job_by_name[job].shape for job in held]
    if pool.cpus is not None and sum(shape.cpus for shape in shapes) > pool.cpus + 1e-6:
        return False
    if pool.memory_gib is not None and sum(shape.memory_gib for shape in shapes) > pool.memory_gib + 1e-6:
        return False
    if any(
        shape.max_per_node is not None and held.count(job) > shape.max_per_node for job, shape in zip(held, shapes, strict=True)
    ):
        return False
    wholes = [pool.slices_per_gpu] * sum(round(shape.gpus) for shape in shapes if shape.gpus >= 1)
    shares = [slices_of(shape.gpus, pool.slices_per_gpu) for shape in shapes if 0 < shape.gpus < 1]
    return packs(tuple(sorted((*wholes, *shares), reverse=True)), (pool.slices_per_gpu,) * pool.gpus)


def packs(items: tuple[int, ...], free: tuple[int, ...]) -> bool:
    """Whether items fit bins, by trying every bin for each."""
    if not items:
        return True
    return any(packs(items[1:], (*free[:at], left - items[0], *free[at + 1 :])) for at, left in enumerate(free) if left >= items[0])
