"""Spending: every variable that costs money, with its price, per slot. Cost and budget read the same list."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ortools.sat.python import cp_model

from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.elastic import is_taken_back
from schedplan.optimize.constraints.quota import Borrowed
from schedplan.optimize.constraints.spot import fewest_nodes, rework_cost
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Start, Variables

Priced = tuple[Amount, float]


@dataclass(frozen=True)
class Spending:
    """(amount, currency per unit) of nodes paid for in a slot, of expected rework of work begun and of what is borrowed in it."""

    by_slot: tuple[tuple[Priced, ...], ...]


def spending(variables: Variables, borrowed: tuple[Borrowed, ...], rows: Rows) -> Spending:
    """Return what a plan pays, adding the rows that count the nodes of gangs on spot where single nodes are modelled."""
    layout = variables.layout
    problem = layout.problem
    found: dict[int, list[Priced]] = defaultdict(list)
    for cell, on in zip(layout.cells, variables.on, strict=True):
        price = problem.price_per_h(cell.pool)
        for slot, amount in enumerate(on):
            if price[slot] != 0:
                found[slot].append((amount, float(price[slot] * problem.grid.hours[slot])))
    for pool, slots in layout.outside:
        price = problem.price_per_h(pool)
        for slot in slots:
            found[slot].append((1, float(price[slot] * problem.grid.hours[slot])))
    for start in variables.starts:
        found[start.column.start_slot].extend(_rework(variables, rows, start))
    for one in borrowed:
        found[one.slot].append((one.amount, one.price))
    return Spending(tuple(tuple(found[slot]) for slot in range(problem.grid.n_slots)))


def _rework(variables: Variables, rows: Rows, start: Start) -> list[Priced]:
    layout, column = variables.layout, start.column
    job = layout.classes[column.class_idx].job
    site = layout.site(column)
    if not site.cells:
        return []
    pool = layout.cells[site.cells[0]].pool
    if not is_taken_back(pool):
        return []

    def cost(nodes: int) -> float:
        return rework_cost(layout.problem, job, pool, nodes, column.start_slot, column.workers)

    if layout.classes[column.class_idx].fixed is not None:
        return [(start.gangs, cost(len(site.cells)))]
    if len(site.cells) == 1 or layout.level is Level.POOLS:
        return [(start.gangs, cost(fewest_nodes(column.workers, max(site.per_node))))]
    most = min(column.workers, len(site.cells))
    counts = range(fewest_nodes(column.workers, max(site.per_node)), most + 1)
    chosen = {
        nodes: variables.model.new_bool_var(f"e[{column.class_idx},{column.start_slot},{column.workers},{nodes}]")
        for nodes in counts
    }
    occupied = []
    for (cell_idx, workers), per_node in zip(start.workers, site.per_node, strict=True):
        is_used = variables.model.new_bool_var(f"b[{column.class_idx},{column.start_slot},{column.workers},{cell_idx}]")
        rows.always(workers <= per_node * is_used)
        occupied.append(is_used)
    rows.always(cp_model.LinearExpr.sum(occupied) <= cp_model.LinearExpr.sum([flag * nodes for nodes, flag in chosen.items()]))
    rows.always(cp_model.LinearExpr.sum(list(chosen.values())) == start.gangs)
    return [(flag, cost(nodes)) for nodes, flag in chosen.items()]
