"""Who stands on which node when, as a Gantt chart. It reads a plan and decides nothing.

Cells are node x slot; equal neighbours become one bar. Many nodes are also shown by pools, or by kinds of nodes where the pools
are many.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.model.cluster import NodeStatus, Pool
from schedplan.model.plan import NodeUse, Plan
from schedplan.model.problem import Problem
from schedplan.report.charts import Bar, Gantt
from schedplan.report.figures import counted

MOST_NODE_ROWS = 5000
MOST_NODE_BARS = 10_000
FEW_ROWS = 40
MOST_SERVICE_GROUPS = 6
NAMES_SHOWN = 3
POOL_SHARE_STEPS = 20

IDLE, MIXED, SERVICES, BUSY_POOL = "on, idle", "jobs and services", "services", "nodes on"


@dataclass(frozen=True, slots=True)
class _Cell:
    group: str
    label: str
    share: float


@dataclass(frozen=True, slots=True)
class _Occupant:
    group: str
    name: str
    count: int


def gantts(problem: Problem, plan: Plan, use: NodeUse) -> tuple[Gantt, ...]:
    """Return the charts of nodes over the horizon: of every node, and before it the sums of many nodes.

    Single nodes are left out where there are more than 5,000, or more than 10,000 bars: what a page still shows at once.
    """
    if len(use.nodes) <= FEW_ROWS:
        return (_of_nodes(problem, plan, use),)
    summed = _of_groups(problem, use)
    if len(use.nodes) > MOST_NODE_ROWS:
        return (summed,)
    single = _of_nodes(problem, plan, use)
    return (summed, single) if len(single.bars) <= MOST_NODE_BARS else (summed,)


def _of_nodes(problem: Problem, plan: Plan, use: NodeUse) -> Gantt:
    occupants = _occupants(problem, plan)
    shown = [idx for idx in range(len(use.nodes)) if use.on[idx].any() or len(use.nodes) <= FEW_ROWS]
    bars: list[Bar] = []
    for row_idx, node_idx in enumerate(shown):
        cells = [
            _node_cell(problem, use, node_idx, slot, occupants.get((use.nodes[node_idx], slot), []))
            for slot in range(problem.grid.n_slots)
        ]
        bars += _merged(problem, row_idx, cells)
    hidden = len(use.nodes) - len(shown)
    more = f" {counted(hidden, 'node')} never paid for {'is' if hidden == 1 else 'are'} left out." if hidden else ""
    return _chart(problem, "Node", [use.nodes[idx] for idx in shown], bars, f"What runs on each node; empty: not paid for.{more}")


def _of_groups(problem: Problem, use: NodeUse) -> Gantt:
    """Return the nodes on of each pool; of each kind of nodes where there are more than 40 pools."""
    pool_of_node = problem.cluster.pool_of_node
    has_few_pools = len(problem.cluster.pools) <= FEW_ROWS
    name_of = {pool.name: pool.name if has_few_pools else _kind_of(pool) for pool in problem.cluster.pools}
    names = list(dict.fromkeys(name_of.values())) if has_few_pools else sorted(set(name_of.values()))
    group_of_node = np.array([names.index(name_of[pool_of_node[node].name]) for node in use.nodes])
    devices = np.array([float(pool_of_node[node].gpus) for node in use.nodes])
    bars: list[Bar] = []
    for row_idx in range(len(names)):
        members = group_of_node == row_idx
        cells = [_sum_cell(devices, use, members, slot) for slot in range(problem.grid.n_slots)]
        bars += _merged(problem, row_idx, cells)
    what = "pool" if has_few_pools else "kind of nodes"
    caption = f"Nodes on and devices in use of each {what}; the darker, the fuller. Empty: nothing paid for."
    chart = _chart(problem, "Pool" if has_few_pools else "Nodes", names, bars, caption)
    return replace(chart, block_id="pools", title="Pools over time" if has_few_pools else "Kinds of nodes over time")


def _kind_of(pool: Pool) -> str:
    market = pool.market.value.replace("_", "-")
    return f"{pool.gpus} × {pool.accelerator or 'device'}, {market}" if pool.gpus else f"no devices, {market}"


def _occupants(problem: Problem, plan: Plan) -> dict[tuple[str, int], list[_Occupant]]:
    found: dict[tuple[str, int], list[_Occupant]] = {}
    has_many_services = len(problem.services) > MOST_SERVICE_GROUPS
    for row in plan.replicas:
        slot = problem.grid.slot_of(row.ds_s)
        if slot is not None and row.replicas:
            group = SERVICES if has_many_services else row.service
            found.setdefault((row.node, slot), []).append(_Occupant(group, row.service, row.replicas))
    for placement in plan.placements:
        job = problem.job_by_name.get(placement.job)
        group = f"{job.kind.value} jobs" if job else "jobs"
        workers = placement.worker_last - placement.worker_first + 1
        for slot in _slots(problem, placement.start_s, placement.end_s):
            found.setdefault((placement.node, slot), []).append(_Occupant(group, placement.job, workers))
    return found


def _slots(problem: Problem, start_s: int, end_s: int) -> range:
    edges = problem.grid.edges_s
    return range(max(bisect_right(edges, start_s) - 1, 0), min(bisect_left(edges, end_s), problem.grid.n_slots))


def _node_cell(problem: Problem, use: NodeUse, node_idx: int, slot: int, occupants: list[_Occupant]) -> _Cell | None:
    pool = problem.cluster.pool_of_node[use.nodes[node_idx]]
    if not occupants:
        label = IDLE if pool.status is NodeStatus.READY else f"{pool.status.value}, paid for"
        return _Cell(IDLE, label, 0.0) if use.on[node_idx, slot] else None
    groups = sorted({occupant.group for occupant in occupants})
    gpus = pool.gpus
    share = min(float(use.devices_used[node_idx, slot]) / gpus, 1.0) if gpus else 1.0
    return _Cell(groups[0] if len(groups) == 1 else MIXED, _label(occupants), round(share, 3))


def _label(occupants: list[_Occupant]) -> str:
    names = [f"{one.name} ×{one.count}" if one.count > 1 else one.name for one in occupants[:NAMES_SHOWN]]
    more = len(occupants) - NAMES_SHOWN
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _sum_cell(devices: NDArray[np.float64], use: NodeUse, members: NDArray[np.bool_], slot: int) -> _Cell | None:
    """Return the cell of several nodes; devices: of each node, float64 [node]."""
    is_on = members & use.on[:, slot]
    on = int(is_on.sum())
    if not on:
        return None
    total = float(devices[is_on].sum())
    share = min(float(use.devices_used[members, slot].sum()) / total, 1.0) if total else 1.0
    rounded = round(share * POOL_SHARE_STEPS) / POOL_SHARE_STEPS
    used = f", {rounded * 100:.0f} % of their devices in use" if total else ""
    return _Cell(BUSY_POOL, f"{on:,} of {int(members.sum()):,} nodes on{used}", rounded)


def _merged(problem: Problem, row_idx: int, cells: list[_Cell | None]) -> list[Bar]:
    edges = problem.grid.edges_s
    bars: list[Bar] = []
    start = 0
    for slot in range(1, len(cells) + 1):
        if slot < len(cells) and cells[slot] == cells[start]:
            continue
        cell = cells[start]
        if cell is not None:
            bars.append(Bar(row_idx, edges[start], edges[slot], cell.group, cell.label, cell.share))
        start = slot
    return bars


def _chart(problem: Problem, row_title: str, rows: list[str], bars: list[Bar], caption: str) -> Gantt:
    groups = sorted({bar.group for bar in bars} - {IDLE})
    if any(bar.group == IDLE for bar in bars):
        groups.append(IDLE)
    grid = problem.grid
    return Gantt("nodes", "Nodes over time", caption, row_title, tuple(rows), tuple(groups), grid.start_s, grid.end_s, tuple(bars))
