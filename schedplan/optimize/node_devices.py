"""Single devices of single nodes, exactly: which of them each worker holds, from its start to its end.

On a cell of several nodes a sum over all devices is all the model has; here every device of a node has its own rows. They are
built where sums are not enough: for profiles, for shares of devices, and for gangs bound to one device group.

Sets: uses u of a node with W workers a gang, n whole devices or s slices or a profile q each; devices d, groups B of devices.
Formula: Σ_d h[u,d] = n w[u] (whole), Σ_d h[u,d] = w[u] (shares), Σ_{d, starts} b[u,d,start] = w[u] (profiles); per device and slot
A Σ h + Σ s h + Σ a_q b <= A; a use bound to a group: Σ_{d in B} = W n g[u,B], Σ_B g[u,B] = gangs.
"""

from __future__ import annotations

from dataclasses import dataclass

from ortools.sat.python import cp_model

from schedplan.measures.gang_family import is_in_one_group
from schedplan.model.cluster import Pool
from schedplan.optimize.layout import Layout
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Variables
from schedplan.packing.footprint import Footprint, device_alone, footprint

MOST_VARIABLES = 20_000
"""Of all nodes together; a larger model keeps to the sums, which bound it all the same."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What may stand on a node over a span of slots: workers in all; where grouped, gangs of `per_gang` in one group each."""

    job: str
    workers: Amount
    gangs: Amount
    per_gang: int
    print: Footprint
    slots: range
    grouped: bool

    def n_variables(self, devices: int) -> int:
        """Return how many variables its devices take."""
        return devices * (1 if self.print.profile is None else len(self.print.profile.starts))


@dataclass(frozen=True, slots=True)
class _Held:
    """An amount of a claim on one device: what one unit takes of its slices, and of its memory slices as bits."""

    amount: cp_model.IntVar
    slices: int
    mask: int
    slots: range


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of every cell that is one node and whose devices sums do not settle."""
    claims = _claims(variables)
    chosen = [
        (cell.pool, claims[cell.idx])
        for cell in variables.layout.cells
        if cell.count == 1 and _needs_devices(cell.pool, claims[cell.idx])
    ]
    if sum(claim.n_variables(pool.gpus) for pool, of_node in chosen for claim in of_node) <= MOST_VARIABLES:
        for pool, of_node in chosen:
            _add_node(variables, rows, pool, of_node)


def may_be_needed(layout: Layout) -> bool:
    """Whether single devices may have to be told apart: a cell of one node, and work in parts of devices or bound to a group."""
    single = [cell.pool for cell in layout.cells if cell.count == 1]
    shapes = {one.job.shape for one in layout.classes} | {service.shape for service in layout.problem.services}
    is_grouped = any(is_in_one_group(one.job) for one in layout.classes)
    in_parts = (footprint(pool, shape) for pool in single for shape in shapes)
    return bool(single) and (is_grouped or any(taken.profile is not None or taken.share_slices for taken in in_parts))


def _claims(variables: Variables) -> tuple[list[Claim], ...]:
    """Return what may stand on each cell and takes devices."""
    layout = variables.layout
    found: tuple[list[Claim], ...] = tuple([] for _ in layout.cells)
    for start in variables.starts:
        job = layout.classes[start.column.class_idx].job
        slots = range(start.column.start_slot, start.column.end_edge)
        for cell_idx, workers in start.workers:
            taken = footprint(layout.cells[cell_idx].pool, job.shape)
            grouped = is_in_one_group(job)
            if taken.slices:
                found[cell_idx].append(Claim(job.name, workers, start.gangs, start.column.workers, taken, slots, grouped))
    for service, replicas, alone in zip(layout.problem.services, variables.replicas, variables.alone, strict=True):
        for cell_idx, amounts in replicas.items():
            pool = layout.cells[cell_idx].pool
            taken = device_alone(pool) if cell_idx in alone else footprint(pool, service.shape)
            for slot, amount in enumerate(alone.get(cell_idx, amounts)):
                if taken.slices:
                    found[cell_idx].append(Claim(service.name, amount, amount, 1, taken, range(slot, slot + 1), grouped=False))
    return found


def _needs_devices(pool: Pool, claims: list[Claim]) -> bool:
    """Whether sums do not settle which devices work holds: intervals of whole devices fit wherever their number does."""
    if any(claim.print.profile is not None for claim in claims):
        return True
    has_groups = pool.device_groups > 1 and any(claim.grouped for claim in claims)
    return has_groups or (pool.gpus > 1 and any(claim.print.share_slices for claim in claims))


def _add_node(variables: Variables, rows: Rows, pool: Pool, claims: list[Claim]) -> None:
    held: list[list[_Held]] = [[] for _ in range(pool.gpus)]
    for number, claim in enumerate(claims):
        mine = [_on_device(variables, claim, pool, f"{pool.name},{number},{device}") for device in range(pool.gpus)]
        asked = claim.workers * max(claim.print.devices, 1)
        rows.always(cp_model.LinearExpr.sum([one.amount for of_device in mine for one in of_device]) == asked)
        if claim.grouped and pool.device_groups > 1:
            _bind_to_group(variables, rows, pool, claim, mine)
        for device, of_device in enumerate(mine):
            held[device].extend(of_device)
    for of_device in held:
        _add_device(rows, pool, of_device)


def _on_device(variables: Variables, claim: Claim, pool: Pool, name: str) -> list[_Held]:
    new = variables.model.new_int_var
    profile = claim.print.profile
    if profile is not None:
        return [
            _Held(new(0, 1, f"b[{name},{start}]"), profile.compute, profile.mask(start), claim.slots) for start in profile.starts
        ]
    slices = pool.slices_per_gpu if claim.print.devices else claim.print.share_slices
    return [_Held(new(0, pool.slices_per_gpu // slices, f"h[{name}]"), slices, 0, claim.slots)]


def _bind_to_group(variables: Variables, rows: Rows, pool: Pool, claim: Claim, mine: list[list[_Held]]) -> None:
    size = pool.gpus // pool.device_groups
    per_gang = claim.per_gang * max(claim.print.devices, 1)
    gangs = [variables.model.new_int_var(0, size, f"g[{pool.name},{claim.job},{group}]") for group in range(pool.device_groups)]
    rows.always(cp_model.LinearExpr.sum(gangs) == claim.gangs)
    for group, amount in enumerate(gangs):
        inside = [one.amount for of_device in mine[group * size : (group + 1) * size] for one in of_device]
        rows.when(f"device_group {claim.job}", cp_model.LinearExpr.sum(inside) == per_gang * amount)


def _add_device(rows: Rows, pool: Pool, held: list[_Held]) -> None:
    """Slices and, where profiles stand, every memory slice: at most what one device has, where the set of uses changes."""
    seen: set[tuple[int, ...]] = set()
    for slot in sorted({one.slots.start for one in held}):
        here = [one for one in held if slot in one.slots]
        key = tuple(one.amount.index for one in here)
        if key in seen:
            continue
        seen.add(key)
        rows.always(cp_model.LinearExpr.sum([one.amount * one.slices for one in here]) <= pool.slices_per_gpu)
        for bit in range(max(one.mask for one in here).bit_length()):
            covering = [one.amount for one in here if one.mask >> bit & 1]
            if len(covering) > 1:
                rows.when(f"slices {pool.name}", cp_model.LinearExpr.sum(covering) <= 1)
