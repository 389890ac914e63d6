"""device_group: all workers of a gang that asks for it stand inside one device group of their node, beside what else stands there.

Sets: nodes of G devices in equal groups of G/B; gangs c of W_c workers with n_c whole devices, s_c slices or a profile each.
Formula: on a single node g[c,B] gangs in group B, Σ_B g = x, and the devices that c holds in B are W_c n_c g[c,B], from start to
end (optimize/node_devices.py). On a cell of several nodes, for the dual feasible functions f_k: Σ f_k(share of a group) <= usable
groups, a bound gang as one item, all other work device by device.
Intuition: two gangs of five devices do not fit a node of two groups of four, and what stands across groups breaks both.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.optimize.constraints.capacity import Use, Work
from schedplan.optimize.dual_feasible import FUNCTIONS, lifted, scale
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, work: Work, rows: Rows) -> None:
    """Add the rows of `device_group` on cells of several nodes; those of single nodes stand with their devices."""
    for cell in variables.layout.cells:
        if cell.count == 1 or cell.pool.device_groups == 1:
            continue
        size = cell.pool.gpus // cell.pool.device_groups * cell.pool.slices_per_gpu
        for slot, uses in enumerate(work[cell.idx]):
            if not any(use.grouped for use in uses):
                continue
            for k in FUNCTIONS:
                terms = [use.workers * value for use in uses if (value := _value(use, cell.pool.slices_per_gpu, size, k))]
                if terms:
                    groups = scale(k) * cell.pool.device_groups * variables.usable(cell.idx, slot)
                    rows.when(f"device_group {cell.pool.name}", cp_model.LinearExpr.sum(terms) <= groups)


def _value(use: Use, per_device: int, size: int, k: int) -> int:
    """Return scale(k) f_k of what a use takes of a group of `size` slices: a bound gang at once, else device by device."""
    if use.grouped:
        return lifted(use.per_block * use.footprint.slices, size, k)
    if use.footprint.devices:
        return use.per_block * use.footprint.devices * lifted(per_device, size, k)
    return use.per_block * lifted(use.footprint.share_slices, size, k)
