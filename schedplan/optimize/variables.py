"""The variables of one model, as small records. It adds no rule beyond their ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ortools.sat.python import cp_model

from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.pieces import Piece
from schedplan.measures.warm_up import lag_minutes
from schedplan.optimize.layout import Column, Layout
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.packing.footprint import shares_alone

Amount: TypeAlias = cp_model.LinearExpr | int


@dataclass(frozen=True, slots=True)
class Start:
    """x[c,site,t] gangs of a column, and w[c,cell,t], the workers they put on each cell of the site."""

    column: Column
    gangs: cp_model.IntVar
    workers: tuple[tuple[int, Amount], ...]


@dataclass(frozen=True)
class Variables:
    """All variables of one model.

    left_out[c] u; replicas[service][cell][t] k; serving[service][cell][t] q, those of them that serve (k itself where a replica
    serves at once); alone[service][cell][t] d, devices held for shares of a dedicated service, where it takes such;
    on[cell][t] y, nodes paid for; requested[cell][t] z, nodes switched on with
    slot t (only where the start-up of a cell matters, else empty).
    """

    model: cp_model.CpModel
    layout: Layout
    starts: tuple[Start, ...]
    left_out: tuple[cp_model.IntVar, ...]
    replicas: tuple[dict[int, tuple[cp_model.IntVar, ...]], ...]
    serving: tuple[dict[int, tuple[cp_model.IntVar, ...]], ...]
    alone: tuple[dict[int, tuple[cp_model.IntVar, ...]], ...]
    on: tuple[tuple[Amount, ...], ...]
    requested: tuple[tuple[cp_model.IntVar, ...], ...]

    def usable(self, cell_idx: int, slot: int) -> Amount:
        """Return the nodes of a cell that can carry work in a slot: those paid for less those still starting up."""
        requested = self.requested[cell_idx]
        if not requested:
            return self.on[cell_idx][slot]
        grid = self.layout.problem.grid
        startup_minutes = self.layout.cells[cell_idx].pool.startup_minutes
        starting = [requested[earlier] for earlier in range(slot + 1) if not _is_up(grid.end_edge(earlier, startup_minutes), slot)]
        return self.on[cell_idx][slot] - cp_model.LinearExpr.sum(starting)


def variables(layout: Layout, model: cp_model.CpModel) -> Variables:
    """Return the variables of a layout in a new model."""
    slots = range(layout.problem.grid.n_slots)
    starts = tuple(_start(layout, column, model) for column in layout.columns)
    left_out = tuple(model.new_int_var(0, job_class.count, f"u[{job_class.idx}]") for job_class in layout.classes)
    replicas = tuple(
        {
            cell_idx: tuple(
                model.new_int_var(0, most, f"k[{service_idx},{cell_idx},{slot}]")
                for slot, most in enumerate(_most_replicas(layout, service_idx, cell_idx))
            )
            for cell_idx in cells
        }
        for service_idx, cells in enumerate(layout.service_cells)
    )
    on = tuple(tuple(_on(layout, cell_idx, slot, model) for slot in slots) for cell_idx in range(len(layout.cells)))
    requested = tuple(
        tuple(model.new_int_var(0, cell.count, f"z[{cell.idx},{slot}]") for slot in slots)
        if cell.pool.startup_minutes > 0 and not cell.pool.market.is_sunk
        else ()
        for cell in layout.cells
    )
    serving = tuple(
        {cell_idx: _serving(layout, service_idx, cell_idx, stands, model) for cell_idx, stands in by_cell.items()}
        for service_idx, by_cell in enumerate(replicas)
    )
    alone = tuple(
        {
            cell_idx: tuple(model.new_int_var(0, cell.count * cell.pool.gpus, f"d[{idx},{cell_idx},{slot}]") for slot in slots)
            for cell_idx in by_cell
            if shares_alone((cell := layout.cells[cell_idx]).pool, layout.problem.services[idx])
        }
        for idx, by_cell in enumerate(replicas)
    )
    return Variables(model, layout, starts, left_out, replicas, serving, alone, on, requested)


def _is_up(edge: int | None, slot: int) -> bool:
    return edge is not None and edge <= slot


def _start(layout: Layout, column: Column, model: cp_model.CpModel) -> Start:
    job_class, site = layout.classes[column.class_idx], layout.site(column)
    name = f"{column.class_idx},{column.site_idx},{column.start_slot},{column.workers}"
    if column.piece is not Piece.WHOLE:
        name += f",{column.end_edge},{column.piece.value}"
    gangs = model.new_int_var(0, job_class.count, f"x[{name}]")
    if job_class.fixed is not None:
        return Start(column, gangs, tuple((cell_idx, gangs * workers) for cell_idx, workers in job_class.fixed))
    if len(site.cells) == 1:
        return Start(column, gangs, ((site.cells[0], gangs * column.workers),))
    most = job_class.count * column.workers
    return Start(
        column,
        gangs,
        tuple(
            (cell_idx, model.new_int_var(0, min(most, layout.cells[cell_idx].count * per_node), f"w[{name},{cell_idx}]"))
            for cell_idx, per_node in zip(site.cells, site.per_node, strict=True)
            if not layout.is_closed(cell_idx, column.start_slot, column.end_edge)
        ),
    )


def _most_replicas(layout: Layout, service_idx: int, cell_idx: int) -> tuple[int, ...]:
    """The most replicas a cell holds, per slot; 0 where its devices are too slow for the target at the slot's demand."""
    cell, service = layout.cells[cell_idx], layout.problem.services[service_idx]
    most = workers_per_node(cell.pool, service.shape) * cell.count
    least = least_replicas_by_slot(layout.problem, service, cell.pool.accelerator)
    return tuple(0 if needed is None or layout.is_closed(cell_idx, slot, slot + 1) else most for slot, needed in enumerate(least))


def _serving(
    layout: Layout, service_idx: int, cell_idx: int, stands: tuple[cp_model.IntVar, ...], model: cp_model.CpModel
) -> tuple[cp_model.IntVar, ...]:
    if lag_minutes(layout.problem.services[service_idx], layout.cells[cell_idx].pool) <= 0:
        return stands
    return tuple(
        model.new_int_var(0, max(amount.proto.domain), f"q[{service_idx},{cell_idx},{slot}]") for slot, amount in enumerate(stands)
    )


def _on(layout: Layout, cell_idx: int, slot: int, model: cp_model.CpModel) -> Amount:
    cell = layout.cells[cell_idx]
    if cell.min_on == cell.count:
        return cell.count
    return model.new_int_var(cell.min_on, cell.count, f"y[{cell_idx},{slot}]")
