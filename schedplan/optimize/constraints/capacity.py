"""capacity: what runs on a cell in a slot fits the devices, cores, memory and other resources of its usable nodes.

Sets: cells p of identical nodes with capacity C_r per resource r, slots t; work running in t = starts whose booking covers t.
Formula: Σ_c demand_rc w[c,p,t'] + Σ_s demand_rs k[s,p,t] <= C_r · usable[p,t], for every r that is known. Where shares of
devices are in play, also Σ f_k(share) w <= devices, f_k the dual feasible functions (optimize/dual_feasible.py). Work that
takes nothing that is known: Σ w <= M · usable[p,t]. Shares of a dedicated service take whole devices: k <= floor(A / s) d, A slices
a device, s of them a replica, and d devices count in the rows above.
Intuition: a resource that the inventory does not state is never binding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ortools.sat.python import cp_model

from schedplan.measures.gang_family import is_in_one_group
from schedplan.model.cluster import Pool
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.dual_feasible import FUNCTIONS, lifted, scale
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Start, Variables
from schedplan.packing.footprint import (
    UNBOUNDED,
    Footprint,
    cpu_capacity_micro,
    device_alone,
    footprint,
    memory_capacity_micro,
    resource_capacity_micro,
    shares_alone,
    without_devices,
)


@dataclass(frozen=True, slots=True)
class Use:
    """An amount of work on a cell in a slot: `workers` blocks, each taking `per_block` workers' footprints on one node.

    grouped: each block inside one device group of its node.
    """

    workers: Amount
    per_block: int
    footprint: Footprint
    grouped: bool = False


Work: TypeAlias = tuple[tuple[list[Use], ...], ...]


@dataclass(frozen=True, slots=True)
class Resource:
    """A counted resource of a cell: capacity of one node, and what one block of a use takes of it."""

    name: str
    capacity: int
    of: Callable[[Footprint], int]

    def demand(self, use: Use) -> int:
        return use.per_block * self.of(use.footprint)


def add(variables: Variables, work: Work, rows: Rows) -> None:
    """Add the rows of `capacity`."""
    _add_alone(variables, rows)
    of_jobs = sum(job_class.count * job_class.job.workers for job_class in variables.layout.classes)
    for cell in variables.layout.cells:
        known = resources(variables, cell.idx)
        for slot, uses in enumerate(work[cell.idx]):
            usable = variables.usable(cell.idx, slot)
            for resource in (*known, *_devices_of_shares(cell.pool, uses)):
                terms = [use.workers * resource.demand(use) for use in uses if resource.demand(use)]
                if terms:
                    rows.always(cp_model.LinearExpr.sum(terms) <= resource.capacity * usable)
            _add_presence(rows, usable, known, uses, of_jobs + _most_replicas(variables, cell.idx, slot))


def _add_alone(variables: Variables, rows: Rows) -> None:
    """Devices enough for the shares of a dedicated service, on each of which it is alone."""
    layout = variables.layout
    for service, replicas, alone in zip(layout.problem.services, variables.replicas, variables.alone, strict=True):
        for cell_idx, devices in alone.items():
            per_device = shares_alone(layout.cells[cell_idx].pool, service)
            for amount, held in zip(replicas[cell_idx], devices, strict=True):
                rows.always(amount <= per_device * held)


def work(variables: Variables) -> Work:
    """Return the uses that may stand on each cell in each slot, [cell][slot]."""
    layout = variables.layout
    found: Work = tuple(tuple([] for _ in range(layout.problem.grid.n_slots)) for _ in layout.cells)
    for start in variables.starts:
        job = layout.classes[start.column.class_idx].job
        for cell_idx, workers in start.workers:
            use = _job_use(layout.cells[cell_idx].pool, job, workers, start)
            for slot in range(start.column.start_slot, start.column.end_edge):
                found[cell_idx][slot].append(use)
    for service, replicas, alone in zip(layout.problem.services, variables.replicas, variables.alone, strict=True):
        for cell_idx, amounts in replicas.items():
            pool = layout.cells[cell_idx].pool
            taken, devices = footprint(pool, service.shape), alone.get(cell_idx)
            for slot, amount in enumerate(amounts):
                if devices is None:
                    found[cell_idx][slot].append(Use(amount, 1, taken))
                else:
                    found[cell_idx][slot].append(Use(amount, 1, without_devices(taken)))
                    found[cell_idx][slot].append(Use(devices[slot], 1, device_alone(pool)))
    return found


def resources(variables: Variables, cell_idx: int) -> tuple[Resource, ...]:
    """Return the resources of a cell whose capacity is known."""
    pool = variables.layout.cells[cell_idx].pool
    named = sorted(
        {name for job_class in variables.layout.classes for name, _ in job_class.job.shape.resources}
        | {name for service in variables.layout.problem.services for name, _ in service.shape.resources}
    )
    rows = [
        Resource("devices", pool.gpus * pool.slices_per_gpu, lambda print_: print_.slices),
        Resource("cpus", cpu_capacity_micro(pool), lambda print_: print_.cpu_micro),
        Resource("memory", memory_capacity_micro(pool), lambda print_: print_.memory_micro),
        *(Resource(name, resource_capacity_micro(pool, name), _amount_of(name)) for name in named),
    ]
    return tuple(row for row in rows if 0 < row.capacity < UNBOUNDED)


def _amount_of(name: str) -> Callable[[Footprint], int]:
    return lambda print_: dict(print_.resources).get(name, 0)


def _job_use(pool: Pool, job: Job, workers: Amount, start: Start) -> Use:
    if is_on_one_node(job.topology) and job.state is not JobState.RUNNING:
        return Use(start.gangs, start.column.workers, footprint(pool, job.shape), is_in_one_group(job))
    return Use(workers, 1, footprint(pool, job.shape))


def _devices_of_shares(pool: Pool, uses: Sequence[Use]) -> tuple[Resource, ...]:
    """Return the devices as the dual feasible functions see them, where any share is in play: shares never span two devices."""
    if not any(use.footprint.share_slices for use in uses):
        return ()
    return tuple(Resource(f"devices of shares {k}", pool.gpus * scale(k), _device_values(pool, k)) for k in FUNCTIONS)


def _device_values(pool: Pool, k: int) -> Callable[[Footprint], int]:
    def value(print_: Footprint) -> int:
        return print_.devices * scale(k) + lifted(print_.share_slices, pool.slices_per_gpu, k)

    return value


def _add_presence(rows: Rows, usable: Amount, known: Sequence[Resource], uses: Sequence[Use], most: int) -> None:
    """Work that takes nothing that is counted still needs a node to stand on; most: all that may stand there at once."""
    weightless = [use.workers for use in uses if not any(resource.demand(use) for resource in known)]
    if weightless:
        rows.always(cp_model.LinearExpr.sum(weightless) <= most * usable)


def _most_replicas(variables: Variables, cell_idx: int, slot: int) -> int:
    """Return the replicas that the variables of a cell allow in a slot."""
    return sum(max(on_cell[cell_idx][slot].proto.domain) for on_cell in variables.replicas if cell_idx in on_cell)
