"""Who may stand where: one worker against one empty node, by attributes and by size.

It knows nothing of time, of what else runs there, or of how many nodes a gang needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

from schedplan.measures.gang_family import domain_of
from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool, Taint
from schedplan.model.slices import geometries
from schedplan.model.workload import Job, Service, Toleration, Topology, WorkerShape
from schedplan.units import slices_of

FORGIVEN = 1e-6
MOST_WORKERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a node may not hold a worker. rule: status, accelerator, gpu_memory, devices, cpus, memory, resources, taint, market,
    slices, rules or topology; message: the fact and the limit in words."""

    rule: str
    message: str


def refusal(pool: Pool, shape: WorkerShape) -> Refusal | None:
    """Return why no node of `pool` holds one worker of `shape` even when empty, None where one does.

    What is unknown of a node (None) never refuses; a counted resource that the node does not name is 0 there.
    """
    return _status_refusal(pool) or shape_refusal(pool, shape)


def shape_refusal(pool: Pool, shape: WorkerShape) -> Refusal | None:
    """Return the same as `refusal` without a look at the status: what already runs on a cordoned node stays."""
    return (
        _attribute_refusal(pool, shape)
        or _taint_refusal(pool, shape.tolerations)
        or _size_refusal(pool, shape)
        or _rule_refusal(pool, shape)
    )


def job_refusal(pool: Pool, job: Job) -> Refusal | None:
    """Return why no worker of `job` may start on `pool`: its shape, the market, or a topology the pool cannot offer."""
    return refusal(pool, job.shape) or spot_refusal(pool, job) or topology_refusal(pool, job)


def service_refusal(pool: Pool, service: Service) -> Refusal | None:
    """Return why no replica of `service` may stand on `pool`."""
    return refusal(pool, service.shape) or market_refusal(pool, service)


def pools_for_job(cluster: Cluster, job: Job) -> list[Pool]:
    """Return the pools that have nodes and may hold a worker of `job`, in their order."""
    return [pool for pool in cluster.pools if pool.nodes and job_refusal(pool, job) is None]


def pools_for_service(cluster: Cluster, service: Service) -> list[Pool]:
    """Return the pools that have nodes and may hold a replica of `service`, in their order."""
    return [pool for pool in cluster.pools if pool.nodes and service_refusal(pool, service) is None]


def spot_refusal(pool: Pool, job: Job) -> Refusal | None:
    """Return a refusal of rule market where the pool is spot and the job does not allow it."""
    if pool.market is Market.SPOT and not job.spot_ok:
        return Refusal("market", f"the market of {pool.name} is spot and the job is not marked spot_ok")
    return None


def market_refusal(pool: Pool, service: Service) -> Refusal | None:
    """Return a refusal of rule market where the service may not run in the pool's market."""
    if pool.market in service.markets:
        return None
    allowed = ", ".join(market.value for market in service.markets) or "none"
    return Refusal("market", f"the market of {pool.name} is {pool.market.value}; the service may run on: {allowed}")


def topology_refusal(pool: Pool, job: Job) -> Refusal | None:
    """Return a refusal of rule topology where no domain of the asked kind on this pool can hold the whole gang."""
    if domain_of(pool, job.topology) is None:
        kind = job.topology.value
        return Refusal("topology", f"{pool.name} is in no {kind}; the job asks for one {kind}")
    if job.topology is Topology.NODE and workers_per_node(pool, job.shape) < job.least_workers:
        holds = workers_per_node(pool, job.shape)
        return Refusal("topology", f"a node of {pool.name} holds {holds} of the {job.least_workers} workers")
    if job.topology is Topology.DEVICE_GROUP and workers_per_group(pool, job.shape) < job.least_workers:
        return Refusal(
            "topology", f"a device group of {pool.name} holds {workers_per_group(pool, job.shape)} of {job.least_workers} workers"
        )
    return None


def workers_per_node(pool: Pool, shape: WorkerShape) -> int:
    """Return how many workers of `shape` an empty ready node of `pool` holds; 0 if refused, at most a million.

    Devices are given whole, or as shares of single devices; never a share of two.
    """
    return 0 if refusal(pool, shape) is not None else _fitting(pool, shape, pool.gpus)


def workers_per_group(pool: Pool, shape: WorkerShape) -> int:
    """Return how many workers of `shape` one device group of an empty ready node of `pool` holds; 0 if refused."""
    return 0 if refusal(pool, shape) is not None else _fitting(pool, shape, pool.gpus // pool.device_groups)


def _fitting(pool: Pool, shape: WorkerShape, devices: int) -> int:
    limits = [MOST_WORKERS]
    if shape.max_per_node is not None:
        limits.append(shape.max_per_node)
    if shape.gpus > 0:
        limits.append(_workers_on_devices(pool, devices, shape))
    limits += [floor(has / asks + FORGIVEN) for has, asks in _counted_asks(pool, shape) if has is not None]
    return min(limits)


def _workers_on_devices(pool: Pool, devices: int, shape: WorkerShape) -> int:
    geometry, profile = pool.geometry, pool.profile(shape.slice_profile)
    if geometry is not None and profile is not None:
        return devices * geometry.most(frozenset({profile.name}))
    if shape.gpus >= 1:
        return devices // ceil(shape.gpus - FORGIVEN)
    return devices * (pool.slices_per_gpu // slices_of(shape.gpus, pool.slices_per_gpu))


def _counted_asks(pool: Pool, shape: WorkerShape) -> list[tuple[float | None, float]]:
    """What the node has (None = unknown) beside what one worker asks, for each resource asked for."""
    offered = dict(pool.resources)
    asks: list[tuple[float | None, float]] = [(pool.cpus, shape.cpus), (pool.memory_gib, shape.memory_gib)]
    asks += [(offered.get(name, 0.0), amount) for name, amount in shape.resources]
    return [(has, amount) for has, amount in asks if amount > 0]


def _status_refusal(pool: Pool) -> Refusal | None:
    if pool.status is NodeStatus.READY:
        return None
    return Refusal("status", f"{pool.name} is {pool.status.value}; only ready nodes take new work")


def _attribute_refusal(pool: Pool, shape: WorkerShape) -> Refusal | None:
    if shape.accelerators and pool.accelerator not in shape.accelerators:
        wanted = " or ".join(shape.accelerators)
        return Refusal("accelerator", f"{pool.name} has {pool.accelerator or 'no accelerator'}; asked for: {wanted}")
    needs, has = shape.gpu_memory_gib, pool.gpu_memory_gib
    if needs is not None and has is not None and has < needs - FORGIVEN:
        return Refusal("gpu_memory", f"a device of {pool.name} has {has:g} GiB; asked for: {needs:g} GiB")
    return None if shape.slice_profile is None else _slices_refusal(pool, shape.slice_profile)


def _slices_refusal(pool: Pool, profile: str) -> Refusal | None:
    if pool.slices_per_gpu <= 1:
        return Refusal("slices", f"devices of {pool.name} are not sliced; asked for the profile {profile}")
    geometry = pool.geometry
    if geometry is None:
        named = pool.accelerator or "devices without a model"
        known = ", ".join(one.name for one in geometries())
        return Refusal(
            "slices",
            f"no profiles are known for {named} of {pool.name}, asked for {profile}; known by accelerator and gpu_memory_gib are"
            f" those of {known}",
        )
    if pool.slices_per_gpu != geometry.compute_slices:
        return Refusal(
            "slices",
            f"devices of {pool.name} have slices_per_gpu {pool.slices_per_gpu}; profiles of {geometry.name} need"
            f" {geometry.compute_slices}, asked for {profile}",
        )
    if profile not in geometry.by_name:
        return Refusal("slices", f"{geometry.name} of {pool.name} has no profile {profile}; it has: {geometry.known}")
    return None


def _taint_refusal(pool: Pool, tolerations: tuple[Toleration, ...]) -> Refusal | None:
    for taint in pool.taints:
        if taint.is_binding and not any(_tolerates(toleration, taint) for toleration in tolerations):
            return Refusal("taint", f"{pool.name} is tainted {taint.key}={taint.value}:{taint.effect}, which is not tolerated")
    return None


def _rule_refusal(pool: Pool, shape: WorkerShape) -> Refusal | None:
    broken = next((rule for rule in shape.rules if rule in pool.rules), None)
    return None if broken is None else Refusal("rules", f"{pool.name} is closed to it by the rule {broken!r}")


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    return toleration.key == taint.key and toleration.value in ("", taint.value)


def _size_refusal(pool: Pool, shape: WorkerShape) -> Refusal | None:
    if shape.gpus > 0 and _workers_on_devices(pool, pool.gpus, shape) < 1:
        return Refusal("devices", f"a node of {pool.name} has {pool.gpus} devices; one worker asks for {shape.gpus:g}")
    if pool.cpus is not None and shape.cpus > pool.cpus + FORGIVEN:
        return Refusal("cpus", f"a node of {pool.name} has {pool.cpus:g} cores; one worker asks for {shape.cpus:g}")
    if pool.memory_gib is not None and shape.memory_gib > pool.memory_gib + FORGIVEN:
        return Refusal("memory", f"a node of {pool.name} has {pool.memory_gib:g} GiB; one worker asks for {shape.memory_gib:g} GiB")
    offered = dict(pool.resources)
    for name, amount in shape.resources:
        if amount > offered.get(name, 0.0) + FORGIVEN:
            return Refusal(
                "resources", f"a node of {pool.name} has {offered.get(name, 0.0):g} {name}; one worker asks for {amount:g}"
            )
    return None
