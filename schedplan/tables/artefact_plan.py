"""A plan as the content of its files, and back. It knows what stands in which file, not how files are put in their place.

plan.json tells everything at once and names the SHA-256 of the others; placements, replicas, nodes and unplaced are tables. The
decisions are not written apart: they follow from the tables, and a plan whose tables tell other decisions is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.findings import Measure
from schedplan.model.plan import (
    Baseline,
    Decisions,
    JobPart,
    Placement,
    Plan,
    ReplicaPart,
    ReplicaRow,
    WaterfallStep,
    jobs_in_pieces,
)
from schedplan.tables.artefact_columns import columns_bytes
from schedplan.tables.artefact_context import PlanContext
from schedplan.tables.artefact_forecast import demand_bytes, demands_in, forecast_bytes, forecasts_in
from schedplan.tables.artefact_goals import front_from, policies_from, rates_from, stages_from
from schedplan.tables.artefact_plan_record import context_from, context_values, plan_values, proof_from, term_from
from schedplan.tables.artefact_plan_tables import (
    node_columns,
    node_use_from,
    placement_columns,
    placements_from,
    replica_columns,
    replicas_from,
    unplaced_columns,
    unplaced_from,
)
from schedplan.tables.artefact_record import MALFORMED, Fields, Json, opened, sealed, sha256_of
from schedplan.tables.dictionary.placements import PLACEMENTS
from schedplan.tables.dictionary.plan_nodes import PLAN_NODES
from schedplan.tables.dictionary.replicas import REPLICAS
from schedplan.tables.dictionary.unplaced import UNPLACED
from schedplan.timegrid import TimeGrid, format_instant

KIND = "plan"
SCHEMA_VERSION = "1.0"
RECORD = "plan.json"
PLACEMENTS_FILE, REPLICAS_FILE, NODES_FILE = "placements.parquet", "replicas.parquet", "nodes.parquet"
UNPLACED_FILE, FORECAST_FILE, DEMAND_FILE = "unplaced.parquet", "forecast.parquet", "demand.parquet"
TABLE_FILES = (PLACEMENTS_FILE, REPLICAS_FILE, NODES_FILE, UNPLACED_FILE)
OPTIONAL_FILES = (FORECAST_FILE, DEMAND_FILE)


def plan_files(plan: Plan, context: PlanContext) -> tuple[tuple[str, bytes], ...]:
    """Return the files of a plan as (name, content), plan.json last.

    Raises ValueError where the plan contradicts itself: tables that tell other decisions, a number that is not finite.
    """
    _refuse_contradiction(plan, context)
    files = [
        (PLACEMENTS_FILE, columns_bytes(placement_columns(plan.placements), PLACEMENTS)),
        (REPLICAS_FILE, columns_bytes(replica_columns(plan.replicas), REPLICAS)),
        (NODES_FILE, columns_bytes(node_columns(plan, context), PLAN_NODES)),
        (UNPLACED_FILE, columns_bytes(unplaced_columns(plan.unplaced), UNPLACED)),
    ]
    if context.forecasts:
        files.append((FORECAST_FILE, forecast_bytes(context.forecasts)))
    if context.demands:
        files.append((DEMAND_FILE, demand_bytes(context.demands, context.grid)))
    manifest: dict[str, Json] = {name: sha256_of(content) for name, content in files}
    record = {**plan_values(plan), **context_values(context), "files": manifest}
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
    context = _context(record, files, folder)
    placements = placements_from(files[PLACEMENTS_FILE], f"{folder}/{PLACEMENTS_FILE}")
    replicas = replicas_from(files[REPLICAS_FILE], f"{folder}/{REPLICAS_FILE}")
    on, node_use = node_use_from(files[NODES_FILE], context, f"{folder}/{NODES_FILE}")
    plan = Plan(
        decisions=_decisions(placements, replicas, on, context, folder),
        proof=proof_from(record),
        terms=tuple(term_from(row) for row in record.rows("terms")),
        measures=tuple(
            Measure(row.text("name"), row.optional_number("value"), row.text("unit"), row.text_pairs("labels"))
            for row in record.rows("measures")
        ),
        placements=placements,
        replicas=replicas,
        node_use=node_use,
        unplaced=unplaced_from(files[UNPLACED_FILE], f"{folder}/{UNPLACED_FILE}"),
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


def _context(record: Fields, files: Mapping[str, bytes], folder: str) -> PlanContext:
    told = context_from(record)
    return replace(
        told,
        demands=demands_in(files[DEMAND_FILE], told.grid, f"{folder}/{DEMAND_FILE}") if DEMAND_FILE in files else (),
        forecasts=forecasts_in(files[FORECAST_FILE], f"{folder}/{FORECAST_FILE}") if FORECAST_FILE in files else (),
    )


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
