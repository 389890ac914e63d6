"""plan.json of a plan: status, proof, terms, measures and context as values, and back. It knows none of the tables beside it."""

from __future__ import annotations

from dataclasses import fields as fields_of
from datetime import UTC

from schedplan.model.findings import Measure
from schedplan.model.forecast import Quality
from schedplan.model.plan import ConflictItem, Edit, Plan, PlanStatus, Price, Proof, Repair, Term, Unplaced
from schedplan.tables.artefact_context import InputRecord, PlanContext, SettingsSnapshot
from schedplan.tables.artefact_goals import (
    FRONT,
    POLICIES,
    RATES,
    STAGES,
    front_values,
    policies_values,
    rates_values,
    stages_values,
)
from schedplan.tables.artefact_record import Fields, Json, optional_float
from schedplan.timegrid import TimeGrid, format_instant, parse_instant

_MAX_SLOTS, _MAX_SLOT_S = 1_000_000, 366 * 86400


def plan_values(plan: Plan) -> dict[str, Json]:
    """Return what plan.json tells of a plan; ValueError where the labels of a measure are out of order."""
    proof = plan.proof
    return {
        "status": proof.status.value,
        "objective": optional_float(proof.objective),
        "bound": optional_float(proof.bound),
        "gap": optional_float(proof.gap),
        "gap_avoidable": optional_float(proof.gap_avoidable),
        "route": proof.route,
        "work": [{"name": name, "value": float(value)} for name, value in proof.work],
        "conflict": [
            {"rule": item.rule, "subject": item.subject, "evidence": item.evidence, "group": item.group} for item in proof.conflict
        ],
        "repairs": [
            {"change": repair.change, "cost": optional_float(repair.cost), "edits": [_edit_values(edit) for edit in repair.edits]}
            for repair in proof.repairs
        ],
        "prices": [{"pool": price.pool, "item": price.item, "value": float(price.value)} for price in proof.prices],
        "terms": [_term_values(term) for term in plan.terms],
        "measures": [
            {"name": measure.name, "value": optional_float(measure.value), "unit": measure.unit, "labels": _labels(measure)}
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


def context_values(context: PlanContext) -> dict[str, Json]:
    """Return what plan.json tells of the context of a plan, its nodes and slots among it."""
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


def proof_from(record: Fields) -> Proof:
    """Return the proof that a record tells; InputError where a value is off."""
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


def term_from(row: Fields) -> Term:
    """Return the term of a row; InputError where a value is off."""
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


def context_from(record: Fields) -> PlanContext:
    """Return the context that a record tells, still without demands and forecasts; InputError where a value is off."""
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
        quality=tuple(_quality_from(row) for row in record.rows("forecast_quality")),
    )


def _edit_values(edit: Edit) -> dict[str, Json]:
    return {"table": edit.table, "row": edit.row, "column": edit.column, "value": edit.value}


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
        "repair_cost": optional_float(row.repair_cost),
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


def _prices_from(record: Fields) -> tuple[Price, ...]:
    """The prices of the bound; a record of an earlier minor version has none."""
    if "prices" not in record.values:
        return ()
    return tuple(Price(row.text("pool"), row.text("item"), row.number("value")) for row in record.rows("prices"))


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
