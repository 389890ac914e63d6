"""The tables of a plan (placements, replicas, nodes, unplaced) as columns, and back. It knows neither plan.json nor decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.cluster import Market
from schedplan.model.plan import NodeUse, Placement, Plan, ReplicaRow, Unplaced
from schedplan.tables.artefact_columns import Cells, columns_in, seconds_of
from schedplan.tables.artefact_context import PlanContext
from schedplan.tables.artefact_record import MALFORMED, optional_float
from schedplan.tables.dictionary.placements import PLACEMENTS
from schedplan.tables.dictionary.plan_nodes import PLAN_NODES
from schedplan.tables.dictionary.replicas import REPLICAS
from schedplan.tables.dictionary.unplaced import UNPLACED


def placement_columns(rows: tuple[Placement, ...]) -> dict[str, Cells]:
    """Return the columns of the table `placements`."""
    return {
        "job": [row.job for row in rows],
        "worker_first": [row.worker_first for row in rows],
        "worker_last": [row.worker_last for row in rows],
        "node": [row.node for row in rows],
        "start": [row.start_s for row in rows],
        "end": [row.end_s for row in rows],
        "run_end": [row.run_end_s for row in rows],
        "devices": [float(row.devices) for row in rows],
        "device_slots": [row.device_slots or None for row in rows],
        "market": [row.market for row in rows],
        "cost": [float(row.cost) for row in rows],
        "fallback_pool": [row.fallback_pool for row in rows],
        "switch_by": [row.switch_by_s for row in rows],
        "reason": [row.reason or None for row in rows],
    }


def replica_columns(rows: tuple[ReplicaRow, ...]) -> dict[str, Cells]:
    """Return the columns of the table `replicas`."""
    return {
        "service": [row.service for row in rows],
        "ds": [row.ds_s for row in rows],
        "slot_minutes": [float(row.slot_minutes) for row in rows],
        "node": [row.node for row in rows],
        "replicas": [row.replicas for row in rows],
        "requested_at": [row.requested_at_s for row in rows],
        "latency_ms": [optional_float(row.latency_ms) for row in rows],
        "cost": [float(row.cost) for row in rows],
    }


def node_columns(plan: Plan, context: PlanContext) -> dict[str, Cells]:
    """Return a row per node and slot, nodes in their order; none where the plan has no use of nodes, since nothing is on then."""
    use, grid = plan.node_use, context.grid
    if use is None:
        return {name: [] for name in PLAN_NODES.column_names}
    n_nodes = len(use.nodes)
    names = pa.DictionaryArray.from_arrays(pa.array(np.repeat(np.arange(n_nodes), grid.n_slots)), pa.array(use.nodes, pa.string()))
    return {
        "node": names.cast(pa.string()),
        "ds": np.tile(np.asarray(grid.edges_s[:-1], dtype=np.int64), n_nodes),
        "slot_minutes": np.tile(grid.hours * 60.0, n_nodes),
        "on": use.on.ravel(),
        "devices_used": use.devices_used.ravel(),
        "busy_devices": use.busy_devices.ravel(),
        "devices_stranded": use.devices_stranded.ravel(),
        "cost": use.cost.ravel(),
        "energy_kwh": pa.array(use.energy_kwh.ravel(), pa.float64(), mask=np.isnan(use.energy_kwh.ravel())),
        "carbon_g": pa.array(use.carbon_g.ravel(), pa.float64(), mask=np.isnan(use.carbon_g.ravel())),
    }


def unplaced_columns(rows: tuple[Unplaced, ...]) -> dict[str, Cells]:
    """Return the columns of the table `unplaced`."""
    return {
        "kind": [row.kind for row in rows],
        "name": [row.name for row in rows],
        "count": [row.count for row in rows],
        "rule": [row.rule for row in rows],
        "evidence": [row.evidence for row in rows],
        "repair": [row.repair or None for row in rows],
        "repair_cost": [optional_float(row.repair_cost) for row in rows],
    }


def placements_from(content: bytes, file: str) -> tuple[Placement, ...]:
    """Return the placements of a file; InputError where it is no such table or a row is no placement."""
    table = columns_in(content, PLACEMENTS, file)
    columns = _lists(table)
    rows = tuple(
        Placement(
            job=job,
            worker_first=first,
            worker_last=last,
            node=node,
            start_s=start_s,
            end_s=end_s,
            run_end_s=run_end_s,
            devices=devices,
            device_slots=device_slots or "",
            market=market,
            cost=cost,
            fallback_pool=fallback_pool,
            switch_by_s=switch_by_s,
            reason=reason or "",
        )
        for (
            job,
            first,
            last,
            node,
            start_s,
            end_s,
            run_end_s,
            devices,
            device_slots,
            market,
            cost,
            fallback_pool,
            switch_by_s,
            reason,
        ) in zip(*(columns[name] for name in PLACEMENTS.column_names), strict=True)
    )
    markets = {market.value for market in Market}
    for number, row in enumerate(rows, start=1):
        if not (0 <= row.worker_first <= row.worker_last and row.start_s < row.end_s and row.market in markets):
            raise InputError(f"{file}: row {number} (job {row.job!r}) is no placement", code=MALFORMED)
    return rows


def replicas_from(content: bytes, file: str) -> tuple[ReplicaRow, ...]:
    """Return the replicas of a file; InputError where it is no such table or a count is below 0."""
    columns = _lists(columns_in(content, REPLICAS, file))
    rows = tuple(ReplicaRow(*cells) for cells in zip(*(columns[name] for name in REPLICAS.column_names), strict=True))
    for number, row in enumerate(rows, start=1):
        if row.replicas < 0:
            raise InputError(f"{file}: row {number} (service {row.service!r}) has {row.replicas} replicas", code=MALFORMED)
    return rows


def node_use_from(content: bytes, context: PlanContext, file: str) -> tuple[NDArray[np.bool_], NodeUse | None]:
    """Return what is on, bool [node, slot], and the use of nodes; None where the file has no rows.

    InputError where the file has other nodes or slots than the context.
    """
    table = columns_in(content, PLAN_NODES, file)
    shape = (len(context.nodes), context.grid.n_slots)
    if table.num_rows == 0:
        return np.zeros(shape, dtype=np.bool_), None
    starts = np.tile(np.asarray(context.grid.edges_s[:-1], dtype=np.int64), shape[0])
    if table.num_rows != shape[0] * shape[1] or not np.array_equal(np.asarray(seconds_of(table.column("ds"))), starts):
        raise InputError(f"{file}: not one row per node and slot of the plan", code=MALFORMED)
    names = table.column("node").to_pylist()
    if any(names[row] != context.nodes[row // shape[1]] for row in range(table.num_rows)):
        raise InputError(f"{file}: its nodes are not those of the plan", code=MALFORMED)
    on = _matrix(table, "on", shape).astype(np.bool_)
    amounts = {
        name: _matrix(table, name, shape).astype(np.float64)
        for name in ("devices_used", "busy_devices", "devices_stranded", "cost", "energy_kwh", "carbon_g")
    }
    return on, NodeUse(nodes=context.nodes, on=on, **amounts)


def unplaced_from(content: bytes, file: str) -> tuple[Unplaced, ...]:
    """Return the work without a place of a file; InputError where it is no such table."""
    columns = _lists(columns_in(content, UNPLACED, file))
    return tuple(
        Unplaced(kind, name, count, rule, evidence, repair or "", repair_cost)
        for kind, name, count, rule, evidence, repair, repair_cost in zip(
            *(columns[name] for name in UNPLACED.column_names), strict=True
        )
    )


def _lists(table: pa.Table) -> dict[str, list[Any]]:
    """Return the columns as lists, instants in seconds."""
    return {
        field.name: seconds_of(column) if pa.types.is_timestamp(field.type) else column.to_pylist()
        for field, column in zip(table.schema, table.columns, strict=True)
    }


def _matrix(table: pa.Table, name: str, shape: tuple[int, int]) -> NDArray[np.generic]:
    """Return a column as an array over [node, slot]; NaN where a cell is empty."""
    matrix: NDArray[np.generic] = table.column(name).to_numpy().reshape(shape)
    return matrix
