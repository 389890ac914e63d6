"""A plan as the content of its files, and back. It knows what stands in which file, not how files are put in their place.

plan.json tells everything at once and names the SHA-256 of the others; placements, replicas, nodes and unplaced are tables. The
decisions are not written apart: they follow from the tables, and a plan whose tables tell other decisions is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of
from datetime import UTC
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.cluster import Market
from schedplan.model.findings import Measure
from schedplan.model.forecast import Quality
from schedplan.model.plan import (
    Baseline,
    ConflictItem,
    Decisions,
    Edit,
    JobPart,
    NodeUse,
    Placement,
    Plan,
    PlanStatus,
    Price,
    Proof,
    Repair,
    ReplicaPart,
    ReplicaRow,
    Term,
    Unplaced,
    WaterfallStep,
    jobs_in_pieces,
)
from schedplan.tables.artefact_columns import Cells, columns_bytes, columns_in, seconds_of
from schedplan.tables.artefact_context import InputRecord, PlanContext, SettingsSnapshot
from schedplan.tables.artefact_forecast import demand_bytes, demands_in, forecast_bytes, forecasts_in
from schedplan.tables.artefact_goals import (
    FRONT,
    POLICIES,
    RATES,
    STAGES,
    front_from,
    front_values,
    policies_from,
    policies_values,
    rates_from,
    rates_values,
    stages_from,
    stages_values,
)
from schedplan.tables.artefact_record import MALFORMED, Fields, Json, opened, sealed, sha256_of
from schedplan.tables.dictionary.placements import PLACEMENTS
from schedplan.tables.dictionary.plan_nodes import PLAN_NODES
from schedplan.tables.dictionary.replicas import REPLICAS
from schedplan.tables.dictionary.unplaced import UNPLACED
from schedplan.timegrid import TimeGrid, format_instant, parse_instant

KIND = "plan"
SCHEMA_VERSION = "1.0"
RECORD = "plan.json"
PLACEMENTS_FILE, REPLICAS_FILE, NODES_FILE = "placements.parquet", "replicas.parquet", "nodes.parquet"
UNPLACED_FILE, FORECAST_FILE, DEMAND_FILE = "unplaced.parquet", "forecast.parquet", "demand.parquet"
TABLE_FILES = (PLACEMENTS_FILE, REPLICAS_FILE, NODES_FILE, UNPLACED_FILE)
OPTIONAL_FILES = (FORECAST_FILE, DEMAND_FILE)

_MAX_SLOTS, _MAX_SLOT_S = 1_000_000, 366 * 86400


def plan_files(plan: Plan, context: PlanContext) -> tuple[tuple[str, bytes], ...]:
    """Return the files of a plan as (name, content), plan.json last.

    Raises ValueError where the plan contradicts itself: tables that tell other decisions, a number that is not finite.
    """
    _refuse_contradiction(plan, context)
    files = [
        (PLACEMENTS_FILE, columns_bytes(_placement_columns(plan.placements), PLACEMENTS)),
        (REPLICAS_FILE, columns_bytes(_replica_columns(plan.replicas), REPLICAS)),
        (NODES_FILE, columns_bytes(_node_columns(plan, context), PLAN_NODES)),
        (UNPLACED_FILE, columns_bytes(_unplaced_columns(plan.unplaced), UNPLACED)),
    ]
    if context.forecasts:
        files.append((FORECAST_FILE, forecast_bytes(context.forecasts)))
    if context.demands:
        files.append((DEMAND_FILE, demand_bytes(context.demands, context.grid)))
    manifest: dict[str, Json] = {name: sha256_of(content) for name, content in files}
    record = {**_plan_values(plan), **_context_values(context), "files": manifest}
    return (*files, (RECORD, sealed({"kind": KIND, "schema_version": SCHEMA_VERSION, **record})))


def record_fields(content: bytes, file: str) -> Fields:
    """Return the fields of a plan.json; InputError where it is none, is damaged or of another major version."""
    return opened(content, file=file, kind=KIND, major=int(SCHEMA_VERSION.split(".", maxsplit=1)[0]))


def manifest_of(record: Fields) -> tuple[tuple[str, str], ...]:
    """Return (name, SHA-256) of the files of a plan; InputError for a name that is none of a plan's, or one that lacks."""
    manifest = record.text_pairs("files")
    names = {name for name, _ in manifest}
    if not names.issuperset(TABLE_FILES) or not names.issubset((*TABLE_FILES, *OPTIONAL_FILES)):
        raise record.refusal("files", f"the files {', '.join(TABLE_FILES)}")
    return manifest


def plan_of(record: Fields, files: Mapping[str, bytes], folder: str) -> tuple[Plan, PlanContext]:
    """Return the plan and its context from its record and the verified content of its files; InputError where a value is off."""
    context = _context_from(record, files, folder)
    placements = _placements_from(files[PLACEMENTS_FILE], f"{folder}/{PLACEMENTS_FILE}")
    replicas = _replicas_from(files[REPLICAS_FILE], f"{folder}/{REPLICAS_FILE}")
    on, node_use = _node_use_from(files[NODES_FILE], context, f"{folder}/{NODES_FILE}")
    plan = Plan(
        decisions=_decisions(placements, replicas, on, context, folder),
        proof=_proof_from(record),
        terms=tuple(_term_from(row) for row in record.rows("terms")),
        measures=tuple(
            Measure(row.text("name"), row.optional_number("value"), row.text("unit"), row.text_pairs("labels"))
            for row in record.rows("measures")
        ),
        placements=placements,
        replicas=replicas,
        node_use=node_use,
        unplaced=_unplaced_from(files[UNPLACED_FILE], f"{folder}/{UNPLACED_FILE}"),
        warnings=record.texts("warnings"),
        baselines=tuple(
            Baseline(row.text("name"), row.text("description"), row.number("cost")) for row in record.rows("baselines")
        ),
        waterfall=tuple(
            WaterfallStep(row.text("name"), row.number("amount"), row.text("description")) for row in record.rows("waterfall")
        ),
        seed=record.whole("seed"),
        stages=stages_from(record),
        front=front_from(record),
        rates=rates_from(record),
        policies=policies_from(record),
    )
    return plan, context


def _refuse_contradiction(plan: Plan, context: PlanContext) -> None:
    decisions = plan.decisions
    if decisions.on.shape != (len(context.nodes), context.grid.n_slots):
        raise ValueError(f"the plan tells of {decisions.on.shape} nodes and slots, its context of others")
    use = plan.node_use
    if use is not None and (use.nodes != context.nodes or not np.array_equal(use.on, decisions.on)):
        raise ValueError("the use of nodes is not that of the plan's decisions")
    if use is None and decisions.on.any():
        raise ValueError("nodes are on, and the plan does not tell what they do")
    told = _decisions(plan.placements, plan.replicas, decisions.on, context, "the plan")
    if told.parts != decisions.parts or told.replicas != decisions.replicas:
        raise ValueError("placements and replicas tell other decisions than the plan's")


def _decisions(
    placements: tuple[Placement, ...],
    replicas: tuple[ReplicaRow, ...],
    on: NDArray[np.bool_],
    context: PlanContext,
    folder: str,
) -> Decisions:
    """Return the decisions that tables tell; rows of one job on one node from one start are one part, with an end of its own where
    its job starts more than once."""
    nodes, in_pieces = frozenset(context.nodes), jobs_in_pieces(placements)
    workers: dict[tuple[str, str, int, int | None], int] = {}
    for row in placements:
        end_edge = _edge(row.end_s, context.grid, folder) if row.job in in_pieces else None
        key = (row.job, _known(row.node, nodes, folder), _slot(row.start_s, context.grid, folder), end_edge)
        workers[key] = workers.get(key, 0) + row.worker_last - row.worker_first + 1
    standing: dict[tuple[str, int, str], int] = {}
    for replica in replicas:
        place = (replica.service, _slot(replica.ds_s, context.grid, folder), _known(replica.node, nodes, folder))
        standing[place] = standing.get(place, 0) + replica.replicas
    parts = sorted(JobPart(job, node, slot, count, end) for (job, node, slot, end), count in workers.items())
    stands = sorted(ReplicaPart(service, slot, node, count) for (service, slot, node), count in standing.items())
    return Decisions(tuple(parts), tuple(stands), on)


def _slot(instant_s: int, grid: TimeGrid, folder: str) -> int:
    slot = grid.starting_slot(instant_s)
    if slot is None:
        raise InputError(f"{folder}: no slot of the plan begins at {format_instant(instant_s)}", code=MALFORMED)
    return slot


def _edge(instant_s: int, grid: TimeGrid, folder: str) -> int:
    if instant_s not in grid.edges_s:
        raise InputError(f"{folder}: no slot of the plan ends at {format_instant(instant_s)}", code=MALFORMED)
    return grid.edges_s.index(instant_s)


def _known(node: str, nodes: frozenset[str], folder: str) -> str:
    if node not in nodes:
        raise InputError(f"{folder}: the node {node!r} is none of the plan's", code=MALFORMED)
    return node


def _plan_values(plan: Plan) -> dict[str, Json]:
    proof = plan.proof
    return {
        "status": proof.status.value,
        "objective": _float(proof.objective),
        "bound": _float(proof.bound),
        "gap": _float(proof.gap),
        "gap_avoidable": _float(proof.gap_avoidable),
        "route": proof.route,
        "work": [{"name": name, "value": float(value)} for name, value in proof.work],
        "conflict": [
            {"rule": item.rule, "subject": item.subject, "evidence": item.evidence, "group": item.group} for item in proof.conflict
        ],
        "repairs": [
            {"change": repair.change, "cost": _float(repair.cost), "edits": [_edit_values(edit) for edit in repair.edits]}
            for repair in proof.repairs
        ],
        "prices": [{"pool": price.pool, "item": price.item, "value": float(price.value)} for price in proof.prices],
        "terms": [_term_values(term) for term in plan.terms],
        "measures": [
            {"name": measure.name, "value": _float(measure.value), "unit": measure.unit, "labels": _labels(measure)}
            for measure in plan.measures
        ],
        "unplaced": [_unplaced_values(row) for row in plan.unplaced],
        "warnings": list(plan.warnings),
        "baselines": [{"name": row.name, "description": row.description, "cost": float(row.cost)} for row in plan.baselines],
        "waterfall": [{"name": row.name, "amount": float(row.amount), "description": row.description} for row in plan.waterfall],
        "seed": plan.seed,
        STAGES: stages_values(plan.stages),
        FRONT: front_values(plan.front),
        RATES: rates_values(plan.rates),
        POLICIES: policies_values(plan.policies),
    }


def _float(value: float | None) -> Json:
    return None if value is None else float(value)


def _labels(measure: Measure) -> Json:
    if list(measure.labels) != sorted(dict(measure.labels).items()):
        raise ValueError(f"the labels of measure {measure.name} repeat or are not in the order of their names")
    return dict(measure.labels)


def _term_values(term: Term) -> Json:
    return {
        "name": term.name,
        "value": float(term.value),
        "unit": term.unit,
        "weight": float(term.weight),
        "divisor": float(term.divisor),
        "reference": float(term.reference),
        "ideal": float(term.ideal),
        "in_conflict": bool(term.in_conflict),
        "size": float(term.size),
        "contribution": float(term.contribution),
    }


def _unplaced_values(row: Unplaced) -> Json:
    return {
        "kind": row.kind,
        "name": row.name,
        "count": row.count,
        "rule": row.rule,
        "evidence": row.evidence,
        "repair": row.repair,
        "repair_cost": _float(row.repair_cost),
    }


def _context_values(context: PlanContext) -> dict[str, Json]:
    settings = context.settings
    return {
        "project": {
            "name": context.project,
            "currency": context.currency,
            "timezone": context.timezone,
            "quantile": float(context.quantile),
        },
        "horizon": {"start": format_instant(context.grid.start_s), "slots": _slots_values(context.grid)},
        "nodes": list(context.nodes),
        "assumptions": list(context.assumptions),
        "inputs": [{"path": row.path, "table": row.table, "sha256": row.sha256} for row in context.inputs],
        "settings": {
            "path": settings.path,
            "sha256": settings.sha256,
            "values": [{"key": key, "value": value} for key, value in settings.values],
        },
        "versions": dict(context.versions),
        "forecast_quality": [_quality_values(row) for row in context.quality],
    }


def _slots_values(grid: TimeGrid) -> Json:
    """Return the lengths of the slots as runs of equal ones."""
    runs: list[list[int]] = []
    for start_s, end_s in zip(grid.edges_s, grid.edges_s[1:], strict=False):
        if runs and runs[-1][1] == end_s - start_s:
            runs[-1][0] += 1
        else:
            runs.append([1, end_s - start_s])
    return [{"count": count, "seconds": seconds} for count, seconds in runs]


def _quality_values(row: Quality) -> Json:
    return {field.name: getattr(row, field.name) for field in fields_of(row)}


def _placement_columns(rows: tuple[Placement, ...]) -> dict[str, Cells]:
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


def _replica_columns(rows: tuple[ReplicaRow, ...]) -> dict[str, Cells]:
    return {
        "service": [row.service for row in rows],
        "ds": [row.ds_s for row in rows],
        "slot_minutes": [float(row.slot_minutes) for row in rows],
        "node": [row.node for row in rows],
        "replicas": [row.replicas for row in rows],
        "requested_at": [row.requested_at_s for row in rows],
        "latency_ms": [_float(row.latency_ms) for row in rows],
        "cost": [float(row.cost) for row in rows],
    }


def _node_columns(plan: Plan, context: PlanContext) -> dict[str, Cells]:
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


def _unplaced_columns(rows: tuple[Unplaced, ...]) -> dict[str, Cells]:
    return {
        "kind": [row.kind for row in rows],
        "name": [row.name for row in rows],
        "count": [row.count for row in rows],
        "rule": [row.rule for row in rows],
        "evidence": [row.evidence for row in rows],
        "repair": [row.repair or None for row in rows],
        "repair_cost": [_float(row.repair_cost) for row in rows],
    }


def _edit_values(edit: Edit) -> dict[str, Json]:
    return {"table": edit.table, "row": edit.row, "column": edit.column, "value": edit.value}


def _proof_from(record: Fields) -> Proof:
    return Proof(
        status=record.choice("status", PlanStatus),
        objective=record.optional_number("objective"),
        bound=record.optional_number("bound"),
        gap=record.optional_number("gap"),
        gap_avoidable=record.optional_number("gap_avoidable"),
        route=record.text("route"),
        work=tuple((row.text("name"), row.number("value")) for row in record.rows("work")),
        conflict=tuple(
            ConflictItem(row.text("rule"), row.text("subject"), row.text("evidence"), row.whole("group"))
            for row in record.rows("conflict")
        ),
        repairs=tuple(
            Repair(
                row.text("change"),
                row.optional_number("cost"),
                tuple(
                    Edit(edit.text("table"), edit.text("row"), edit.text("column"), edit.text("value"))
                    for edit in row.rows("edits")
                ),
            )
            for row in record.rows("repairs")
        ),
        prices=_prices_from(record),
    )


def _prices_from(record: Fields) -> tuple[Price, ...]:
    """The prices of the bound; a record of an earlier minor version has none."""
    if "prices" not in record.values:
        return ()
    return tuple(Price(row.text("pool"), row.text("item"), row.number("value")) for row in record.rows("prices"))


def _term_from(row: Fields) -> Term:
    if row.number("divisor") == 0:
        raise row.refusal("divisor", "a number other than 0")
    return Term(
        name=row.text("name"),
        value=row.number("value"),
        unit=row.text("unit"),
        weight=row.number("weight"),
        divisor=row.number("divisor"),
        reference=row.number("reference"),
        ideal=row.number("ideal"),
        in_conflict=row.flag("in_conflict"),
        size=row.number("size"),
    )


def _context_from(record: Fields, files: Mapping[str, bytes], folder: str) -> PlanContext:
    project, settings, grid = record.within("project"), record.within("settings"), _grid_from(record.within("horizon"))
    nodes = record.texts("nodes")
    if len(set(nodes)) < len(nodes):
        raise record.refusal("nodes", "names that differ")
    return PlanContext(
        project=project.text("name"),
        grid=grid,
        nodes=nodes,
        currency=project.text("currency"),
        timezone=project.text("timezone"),
        quantile=project.number("quantile"),
        inputs=tuple(InputRecord(row.text("path"), row.text("table"), row.text("sha256")) for row in record.rows("inputs")),
        settings=SettingsSnapshot(
            settings.optional_text("path"),
            settings.optional_text("sha256"),
            tuple((row.text("key"), row.text("value")) for row in settings.rows("values")),
        ),
        versions=record.text_pairs("versions"),
        assumptions=record.texts("assumptions"),
        demands=demands_in(files[DEMAND_FILE], grid, f"{folder}/{DEMAND_FILE}") if DEMAND_FILE in files else (),
        forecasts=forecasts_in(files[FORECAST_FILE], f"{folder}/{FORECAST_FILE}") if FORECAST_FILE in files else (),
        quality=tuple(_quality_from(row) for row in record.rows("forecast_quality")),
    )


def _grid_from(horizon: Fields) -> TimeGrid:
    edges = [_instant(horizon, "start")]
    for run in horizon.rows("slots"):
        count, seconds = run.whole("count"), run.whole("seconds")
        if not (0 < count <= _MAX_SLOTS and 0 < seconds <= _MAX_SLOT_S) or len(edges) + count > _MAX_SLOTS:
            raise run.refusal("count", f"at most {_MAX_SLOTS} slots in all, each of at least a second")
        for _ in range(count):
            edges.append(edges[-1] + seconds)
    if len(edges) < 2:
        raise horizon.refusal("slots", "at least one slot")
    return TimeGrid(tuple(edges))


def _instant(fields: Fields, key: str) -> int:
    try:
        return parse_instant(fields.text(key), UTC)[0]
    except ValueError:
        raise fields.refusal(key, "a time such as 2026-12-01T00:00:00Z") from None


def _quality_from(row: Fields) -> Quality:
    return Quality(
        unique_id=row.text("unique_id"),
        model=row.text("model"),
        folds=row.whole("folds"),
        mase=row.optional_number("mase"),
        wape=row.optional_number("wape"),
        relative_mae=row.optional_number("relative_mae"),
        coverage_80=row.optional_number("coverage_80"),
        coverage_95=row.optional_number("coverage_95"),
        exceedance_95=row.optional_number("exceedance_95"),
        verdict=row.text("verdict"),
    )


def _placements_from(content: bytes, file: str) -> tuple[Placement, ...]:
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


def _replicas_from(content: bytes, file: str) -> tuple[ReplicaRow, ...]:
    columns = _lists(columns_in(content, REPLICAS, file))
    rows = tuple(ReplicaRow(*cells) for cells in zip(*(columns[name] for name in REPLICAS.column_names), strict=True))
    for number, row in enumerate(rows, start=1):
        if row.replicas < 0:
            raise InputError(f"{file}: row {number} (service {row.service!r}) has {row.replicas} replicas", code=MALFORMED)
    return rows


def _unplaced_from(content: bytes, file: str) -> tuple[Unplaced, ...]:
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


def _node_use_from(content: bytes, context: PlanContext, file: str) -> tuple[NDArray[np.bool_], NodeUse | None]:
    """Return what is on, bool [node, slot], and the use of nodes; None where the file has no rows."""
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


def _matrix(table: pa.Table, name: str, shape: tuple[int, int]) -> NDArray[np.generic]:
    """Return a column as an array over [node, slot]; NaN where a cell is empty."""
    matrix: NDArray[np.generic] = table.column(name).to_numpy().reshape(shape)
    return matrix
