"""`--machine`: the nodes of a log that states none, as they are said or as its demand suggests. It places nothing on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from math import ceil

import numpy as np

from schedplan.errors import InputError, UsageError
from schedplan.model.cluster import Pool
from schedplan.model.workload import Job
from schedplan.tables.faults import Code
from schedplan.tables.holdings import holdings

AUTO = "auto"
POOL_NAME = "machine"
TARGET_UTILIZATION = 0.7
MILLI_SLICES = 1000
_MOST_NODES, _MOST_SIZE = 1_000_000, 100_000
_STATED = re.compile(r"(\d{1,9})\s*x\s*(\d{1,9})\s*(gpu|cpu)s?", re.ASCII | re.IGNORECASE)


class MachineResource(Enum):
    """What the size of a node counts."""

    GPU = "gpu"
    CPU = "cpu"

    @property
    def plural(self) -> str:
        return "devices" if self is MachineResource.GPU else "cores"

    def asked_per_worker(self, job: Job) -> float:
        """Return what one worker of a job asks of it."""
        return job.shape.gpus if self is MachineResource.GPU else job.shape.cpus


# Our choice of the commonest sizes: an eight-device server, and one of 64 cores.
_COMMONEST_SIZE = {MachineResource.GPU: 8, MachineResource.CPU: 64}


@dataclass(frozen=True, slots=True)
class NodeCount:
    """`count` nodes with `size` devices or cores each."""

    count: int
    size: int
    resource: MachineResource


@dataclass(frozen=True, slots=True)
class Machine:
    """What `--machine` says. stated None: `auto`, so the nodes follow from the demand of the jobs."""

    stated: NodeCount | None


def parse_machine(text: str) -> Machine:
    """Return the machine that `40x8gpu`, `16x64cpu` or `auto` says; UsageError for anything else."""
    if text.strip().lower() == AUTO:
        return Machine(None)
    match = _STATED.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"--machine {text!r} is no machine",
            hint="Give COUNTxSIZE with gpu or cpu, such as 40x8gpu for 40 nodes of 8 devices or 16x64cpu, or auto.",
        )
    count, size = int(match.group(1)), int(match.group(2))
    if not (1 <= count <= _MOST_NODES and 1 <= size <= _MOST_SIZE):
        raise UsageError(
            f"--machine {text!r}: {count} nodes of {size} are out of range",
            hint=f"There are 1 to {_MOST_NODES} nodes of 1 to {_MOST_SIZE}.",
        )
    return Machine(NodeCount(count, size, MachineResource(match.group(3).lower())))


def machine_pool(machine: Machine, jobs: tuple[Job, ...]) -> tuple[Pool, str]:
    """Return the pool of a machine, and a sentence on what it is and what of `jobs` it can't hold.

    `auto`: nodes of 8 devices (64 cores where no job asks for a device; larger where a worker needs more), as many as hold the
    mean demand at 70 % utilization. Cores and memory of a machine counted in devices are unknown, so never a limit; devices can
    be shared in thousandths where a job asks for a share. Raises InputError where `auto` finds no demand.
    """
    stated = machine.stated
    if stated is None:
        stated, said = _from_demand(jobs)
    else:
        said = f"as --machine says: {_nodes(stated)}"
    is_gpu = stated.resource is MachineResource.GPU
    shared = is_gpu and any(0 < job.shape.gpus < 1 for job in jobs)
    pool = Pool(
        name=POOL_NAME,
        count=stated.count,
        min_count=stated.count,
        max_count=stated.count,
        gpus=stated.size if is_gpu else 0,
        slices_per_gpu=MILLI_SLICES if shared else 1,
        cpus=None if is_gpu else float(stated.size),
    )
    shares = f"; devices are shared in steps of 1/{MILLI_SLICES}" if shared else ""
    limits = "cores and memory" if is_gpu else "memory"
    return pool, f"the machine is {said}{shares}; its {limits} are not known and no limit, its price is 0{_misfits(stated, jobs)}"


def _from_demand(jobs: tuple[Job, ...]) -> tuple[NodeCount, str]:
    resource = MachineResource.GPU if any(job.shape.gpus > 0 for job in jobs) else MachineResource.CPU
    held = holdings(jobs)
    asked = np.array([job.workers * resource.asked_per_worker(job) for job in held.jobs])
    span_s = int(held.end_s.max() - held.start_s.min()) if held.jobs else 0
    if not span_s or not asked.any():
        raise InputError(
            f"--machine auto: no job states both when it began and how long it ran, or none asks for {resource.plural}",
            code=Code.EMPTY_CELL.value,
            hint="Say the machine, such as --machine 40x8gpu, or give start_time or submit_time and runtime_minutes.",
        )
    mean = float(asked @ held.seconds) / span_s
    size = max(_COMMONEST_SIZE[resource], *(ceil(resource.asked_per_worker(job)) for job in jobs))
    stated = NodeCount(max(ceil(mean / TARGET_UTILIZATION / size), 1), size, resource)
    left = f", {held.without_interval} jobs without times or length left aside" if held.without_interval else ""
    said = (
        f"made up: {_nodes(stated)}, for a mean demand of {mean:.1f} {resource.plural}{left} at a utilization of"
        f" {TARGET_UTILIZATION:.0%}"
    )
    return stated, said


def _nodes(stated: NodeCount) -> str:
    return f"{stated.count} nodes of {stated.size} {stated.resource.plural}"


def _misfits(stated: NodeCount, jobs: tuple[Job, ...]) -> str:
    """Return what of the jobs the machine can't hold, as further clauses; empty where it holds all."""
    resource, total = stated.resource, stated.count * stated.size
    wide = sum(resource.asked_per_worker(job) > stated.size for job in jobs)
    large = sum(job.workers * resource.asked_per_worker(job) > total for job in jobs)
    choosy = sum(bool(job.shape.accelerators) for job in jobs)
    without = sum(job.shape.gpus > 0 for job in jobs) if resource is MachineResource.CPU else 0
    clauses = (
        (wide, f"with a worker larger than a node of {stated.size} {resource.plural}"),
        (large, f"larger than all its {total} {resource.plural}"),
        (choosy, "that ask for a device model, which it does not state"),
        (without, "that ask for devices, of which it has none"),
    )
    return "".join(f"; jobs {told}: {count}" for count, told in clauses if count)
