"""Supply: which nodes must be paid for so that given work can stand where it stands. It places nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.timegrid import TimeGrid


def close_supply(problem: Problem, has_work: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return the fewest paid slots, bool [node, slot], under which nodes with work are up; None where none do.

    Owned and reserved nodes are on throughout. Any other is switched on for its work, start-up included, bridged over gaps
    no longer than its start-up, and the first min_count nodes of a pool fill up what is missing to min_count.
    """
    on = np.zeros_like(has_work)
    for pool in problem.cluster.pools:
        for number, name in enumerate(pool.node_names()):
            node_idx = problem.cluster.node_idx[name]
            if pool.market.is_sunk:
                on[node_idx] = number < pool.count
                continue
            row = paid_slots(problem.grid, has_work[node_idx], pool.startup_minutes, is_warm=number < pool.count)
            if row is None:
                return None
            on[node_idx] = row
        _fill_up(problem, pool, on)
    return on


def paid_slots(grid: TimeGrid, has_work: NDArray[np.bool_], startup_minutes: float, *, is_warm: bool) -> NDArray[np.bool_] | None:
    """Return the slots in which one node is paid for its work, bool [n_slots]; None where its start-up comes too late."""
    on = has_work.copy()
    if startup_minutes <= 0:
        return on
    is_up_before = is_warm
    for slot in range(grid.n_slots):
        if not has_work[slot] or (slot > 0 and on[slot - 1]) or (slot == 0 and is_up_before):
            continue
        request = request_slot(grid, slot, startup_minutes)
        last_on = next((earlier for earlier in range(slot - 1, -1, -1) if on[earlier]), None)
        since = last_on + 1 if last_on is not None else 0
        bridged = last_on is not None or is_up_before
        if request is not None and request >= since:
            on[request:slot] = True
        elif bridged:
            on[since:slot] = True
        else:
            return None
    return on


def request_slot(grid: TimeGrid, slot: int, startup_minutes: float) -> int | None:
    """Return the latest slot in which a node must be requested to carry work in `slot`; None before the grid."""
    latest_s = grid.slot_start_s(slot) - startup_minutes * 60
    fitting = [earlier for earlier in range(slot + 1) if grid.slot_start_s(earlier) <= latest_s + 1e-6]
    return fitting[-1] if fitting else None


def _fill_up(problem: Problem, pool: Pool, on: NDArray[np.bool_]) -> None:
    if pool.market.is_sunk or pool.min_count == 0:
        return
    rows = [problem.cluster.node_idx[name] for name in pool.node_names()[: pool.max_count]]
    for slot in range(problem.grid.n_slots):
        missing = pool.min_count - int(on[rows, slot].sum())
        for node_idx in rows:
            if missing <= 0:
                break
            if not on[node_idx, slot]:
                on[node_idx, slot] = True
                missing -= 1
