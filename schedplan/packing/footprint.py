"""What one worker takes of one kind of node, in integers. It does not know what else stands there."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.cluster import Pool
from schedplan.model.workload import WorkerShape
from schedplan.units import milli_down, milli_up, slices_of

UNBOUNDED = 1 << 40


@dataclass(frozen=True, slots=True)
class Footprint:
    """Integers a worker takes: whole devices, or slices of one device; cores and GiB in thousandths; other resources likewise.

    slices counts all device slices it takes (devices x slices per device for whole ones).
    """

    devices: int
    share_slices: int
    slices: int
    cpu_milli: int
    memory_milli: int
    resources: tuple[tuple[str, int], ...]


def footprint(pool: Pool, shape: WorkerShape) -> Footprint:
    """Return what one worker of `shape` takes on a node of `pool`."""
    is_share = 0 < shape.gpus < 1
    devices = 0 if is_share else round(shape.gpus)
    share_slices = slices_of(shape.gpus, pool.slices_per_gpu) if is_share else 0
    return Footprint(
        devices=devices,
        share_slices=share_slices,
        slices=share_slices + devices * pool.slices_per_gpu,
        cpu_milli=milli_up(shape.cpus),
        memory_milli=milli_up(shape.memory_gib),
        resources=tuple((name, milli_up(amount)) for name, amount in shape.resources),
    )


def cpu_capacity_milli(pool: Pool) -> int:
    """Return the cores of a node in thousandths; UNBOUNDED where they are not known."""
    return UNBOUNDED if pool.cpus is None else milli_down(pool.cpus)


def memory_capacity_milli(pool: Pool) -> int:
    """Return the memory of a node in thousandths of a GiB; UNBOUNDED where it is not known."""
    return UNBOUNDED if pool.memory_gib is None else milli_down(pool.memory_gib)


def resource_capacity_milli(pool: Pool, name: str) -> int:
    """Return the amount of a named resource on a node in thousandths; 0 where the node has none."""
    return milli_down(dict(pool.resources).get(name, 0.0))
