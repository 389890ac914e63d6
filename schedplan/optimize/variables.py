"""The variables of one model, as small records. It adds no rule beyond their ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, overload

import numpy as np
from ortools.sat.python import cp_model

from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.pieces import Piece
from schedplan.measures.warm_up import lag_minutes
from schedplan.optimize.layout import Column, Layout
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.optimize.start_indices import StartIndices, cells_of, has_own_workers
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
    starts: Sequence[Start]
    left_out: tuple[cp_model.IntVar, ...]
    replicas: tuple[dict[int, tuple[cp_model.IntVar, ...]], ...]
    serving: tuple[dict[int, tuple[cp_model.IntVar, ...]], ...]
    alone: tuple[dict[int, tuple[cp_model.IntVar, ...]], ...]
    on: tuple[tuple[Amount, ...], ...]
    requested: tuple[tuple[cp_model.IntVar, ...], ...]

    @cached_property
    def indices(self) -> StartIndices:
        """The variables of the starts as arrays."""
        return StartIndices.of(self.layout)

    def usable(self, cell_idx: int, slot: int) -> Amount:
        """Return the nodes of a cell that can carry work in a slot: those paid for less those still starting up."""
        requested = self.requested[cell_idx]
        if not requested:
            return self.on[cell_idx][slot]
        grid = self.layout.problem.grid
        startup_minutes = self.layout.cells[cell_idx].pool.startup_minutes
        starting = [requested[earlier] for earlier in range(slot + 1) if not _is_up(grid.end_edge(earlier, startup_minutes), slot)]
        return self.on[cell_idx][slot] - cp_model.LinearExpr.sum(starting)


class UnmadeStarts(Sequence[Start]):
    """The starts of a layout of very many, each made when it is asked for; their variables are in the model, without names."""

    def __init__(self, layout: Layout, model: cp_model.CpModel) -> None:
        self._layout, self._model = layout, model
        self.indices = StartIndices.of(layout)
        counts = [layout.classes[column.class_idx].count for column in layout.columns]
        upper = np.zeros(len(counts) + len(self.indices.worker), dtype=np.int64)
        upper[self.indices.gangs] = counts
        for number, column, cell_idx in zip(
            self.indices.worker.tolist(), self.indices.worker_column.tolist(), self.indices.worker_cell.tolist(), strict=True
        ):
            upper[number] = most_workers(layout, layout.columns[column], cell_idx)
        for most in upper.tolist():
            model.new_int_var(0, most, "")

    def __len__(self) -> int:
        return len(self.indices.gangs)

    @overload
    def __getitem__(self, number: int) -> Start: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Start, ...]: ...

    def __getitem__(self, number: int | slice) -> Start | tuple[Start, ...]:
        if isinstance(number, slice):
            return tuple(self[one] for one in range(*number.indices(len(self))))
        layout, column, first = self._layout, self._layout.columns[number], int(self.indices.gangs[number])
        gangs, job_class = self._model.get_int_var_from_proto_index(first), layout.classes[column.class_idx]
        if job_class.fixed is not None:
            return Start(column, gangs, tuple((cell_idx, gangs * workers) for cell_idx, workers in job_class.fixed))
        cells = cells_of(layout, column)
        if not has_own_workers(layout, column):
            return Start(column, gangs, tuple((cell_idx, gangs * column.workers) for cell_idx in cells))
        own = (self._model.get_int_var_from_proto_index(first + 1 + nth) for nth in range(len(cells)))
        return Start(column, gangs, tuple(zip(cells, own, strict=True)))


def variables(layout: Layout, model: cp_model.CpModel, *, is_wide: bool = False) -> Variables:
    """Return the variables of a layout in a new model; is_wide: without an object for every start."""
    slots = range(layout.problem.grid.n_slots)
    starts = UnmadeStarts(layout, model) if is_wide else tuple(_start(layout, column, model) for column in layout.columns)
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
    job_class = layout.classes[column.class_idx]
    name = f"{column.class_idx},{column.site_idx},{column.start_slot},{column.workers}"
    if column.piece is not Piece.WHOLE:
        name += f",{column.end_edge},{column.piece.value}"
    gangs = model.new_int_var(0, job_class.count, f"x[{name}]")
    if job_class.fixed is not None:
        return Start(column, gangs, tuple((cell_idx, gangs * workers) for cell_idx, workers in job_class.fixed))
    if not has_own_workers(layout, column):
        return Start(column, gangs, tuple((cell_idx, gangs * column.workers) for cell_idx in cells_of(layout, column)))
    return Start(
        column,
        gangs,
        tuple(
            (cell_idx, model.new_int_var(0, most_workers(layout, column, cell_idx), f"w[{name},{cell_idx}]"))
            for cell_idx in cells_of(layout, column)
        ),
    )


def most_workers(layout: Layout, column: Column, cell_idx: int) -> int:
    """Return how many workers of all gangs of a column one of its cells takes at most."""
    site = layout.site(column)
    per_node = site.per_node[site.cells.index(cell_idx)]
    return min(layout.classes[column.class_idx].count * column.workers, layout.cells[cell_idx].count * per_node)


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
