"""What one worker takes of one kind of node, in integers. It does not know what else stands there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.model.cluster import Pool
from schedplan.model.slices import SliceProfile
from schedplan.model.workload import Service, WorkerShape
from schedplan.units import micro, slices_of

UNBOUNDED = 1 << 52


@dataclass(frozen=True, slots=True)
class Footprint:
    """Integers a worker takes: whole devices, or slices of one device; cores and GiB in millionths; other resources likewise.

    slices counts all device slices it takes (devices x slices per device for whole ones). profile: where a named profile is asked
    for, what it is on these devices; share_slices are then its compute slices.
    """

    devices: int
    share_slices: int
    slices: int
    cpu_micro: int
    memory_micro: int
    resources: tuple[tuple[str, int], ...]
    profile: SliceProfile | None = None


def footprint(pool: Pool, shape: WorkerShape) -> Footprint:
    """Return what one worker of `shape` takes on a node of `pool`."""
    profile = pool.profile(shape.slice_profile)
    is_share = profile is not None or 0 < shape.gpus < 1
    devices = 0 if is_share else round(shape.gpus)
    share_slices = 0
    if is_share:
        share_slices = slices_of(shape.gpus, pool.slices_per_gpu) if profile is None else profile.compute
    return Footprint(
        devices=devices,
        share_slices=share_slices,
        slices=share_slices + devices * pool.slices_per_gpu,
        cpu_micro=micro(shape.cpus),
        memory_micro=micro(shape.memory_gib),
        resources=tuple((name, micro(amount)) for name, amount in shape.resources),
        profile=profile,
    )


def device_alone(pool: Pool) -> Footprint:
    """Return what a device takes of a node that is held whole for shares of one service, beside what these take otherwise."""
    return Footprint(1, 0, pool.slices_per_gpu, 0, 0, ())


def without_devices(print_: Footprint) -> Footprint:
    """Return the cores, memory and other resources of a footprint."""
    return replace(print_, devices=0, share_slices=0, slices=0, profile=None)


def shares_alone(pool: Pool, service: Service) -> int:
    """Return how many replicas of a dedicated service one device holds where they take shares of it, which nobody else may join;
    0 where they do not, or need not be told apart."""
    print_ = footprint(pool, service.shape)
    return pool.slices_per_gpu // print_.share_slices if service.dedicated and print_.share_slices else 0


def shape_on_nodes(service: Service) -> WorkerShape:
    """Return what a replica takes when it is put on a node by hand: a whole device where its share may not be joined by others.

    Two replicas of the service could share it; who counts devices exactly may put them there.
    """
    is_share = 0 < service.shape.gpus < 1 or service.shape.slice_profile is not None
    return replace(service.shape, gpus=1.0, slice_profile=None) if service.dedicated and is_share else service.shape


def cpu_capacity_micro(pool: Pool) -> int:
    """Return the cores of a node in millionths; UNBOUNDED where they are not known."""
    return UNBOUNDED if pool.cpus is None else micro(pool.cpus)


def memory_capacity_micro(pool: Pool) -> int:
    """Return the memory of a node in millionths of a GiB; UNBOUNDED where it is not known."""
    return UNBOUNDED if pool.memory_gib is None else micro(pool.memory_gib)


def resource_capacity_micro(pool: Pool, name: str) -> int:
    """Return the amount of a named resource on a node in millionths; 0 where the node has none."""
    return micro(dict(pool.resources).get(name, 0.0))
