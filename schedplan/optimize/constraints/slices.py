"""slices: a named profile holds neighbouring memory slices of one device from a legal start on, beside its compute slices.

Sets: profiles q with compute a_q, memory m_q and legal starts S_q on a device of A compute and M memory slices (A100: 7 and 8);
cells p, slots t; on a single node devices d; b[q,d,s] units of a use that start at s of d for as long as the use runs.
Formula: on a cell Σ a_q w <= A G usable (capacity), Σ m_q w + M whole <= M G usable, and for each set Q of profiles
Σ_{q in Q} w + k_Q whole <= k_Q G usable, k_Q the most units of Q on one device. On a single node also Σ_{d,s in S_q} b[q,d,s] = w,
Σ b covering memory slice i of d in t <= 1, and Σ a_q b + shares + A whole <= A per device and slot.
Intuition: two profiles 3g fill the memory and leave a compute slice that nothing can use; what stands where decides what fits.
Source of starts and sizes: NVIDIA's MIG user guide, per device model in model/slice_profiles.toml.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ortools.sat.python import cp_model

from schedplan.model.slices import Geometry
from schedplan.optimize.constraints.capacity import Use, Work
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Variables


def add(variables: Variables, work: Work, rows: Rows) -> None:
    """Add the rows of `slices` on cells; those on the devices of single nodes stand in optimize/node_devices.py."""
    for cell in variables.layout.cells:
        geometry = cell.pool.geometry
        if geometry is None:
            continue
        for slot, uses in enumerate(work[cell.idx]):
            if any(use.footprint.profile is not None for use in uses):
                _add_on_cell(rows, geometry, uses, cell.pool.gpus * variables.usable(cell.idx, slot), cell.pool.name)


def _add_on_cell(rows: Rows, geometry: Geometry, uses: Sequence[Use], devices: Amount, pool: str) -> None:
    """Memory slices in sum, and the most units of each set of profiles that one device holds."""
    rule = f"slices {pool}"
    memory = [
        use.workers * use.per_block * (use.footprint.devices * geometry.memory_slices + profile.memory)
        if (profile := use.footprint.profile) is not None
        else use.workers * use.per_block * use.footprint.devices * geometry.memory_slices
        for use in uses
    ]
    rows.when(rule, cp_model.LinearExpr.sum(memory) <= geometry.memory_slices * devices)
    whole = [use.workers * use.per_block * use.footprint.devices for use in uses if use.footprint.devices]
    for names, most in _sets(geometry, uses):
        chosen = [
            use.workers * use.per_block for use in uses if use.footprint.profile is not None and use.footprint.profile.name in names
        ]
        rows.when(rule, cp_model.LinearExpr.sum(chosen) + most * cp_model.LinearExpr.sum(whole) <= most * devices)


def _sets(geometry: Geometry, uses: Sequence[Use]) -> Iterator[tuple[frozenset[str], int]]:
    """Give the sets of profiles in use that no larger one of the same bound contains, each with the most units on one device."""
    used = sorted({use.footprint.profile.name for use in uses if use.footprint.profile is not None})
    bound = {
        frozenset(names): geometry.most(frozenset(names)) for size in range(1, len(used) + 1) for names in combinations(used, size)
    }
    for names, most in bound.items():
        if not any(most == bound[names | {other}] for other in used if other not in names):
            yield names, most
