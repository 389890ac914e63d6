"""Corruption: every field of a plan's tables that is not what its decisions give, by name.

The decisions are read back from the tables, checked against every rule, accounted for afresh, and compared field by field,
number by number. What cannot be recomputed here (a reference plan, a bound, forecast quality) is checked for consistency, or
against what the caller recomputed.

    SP3121 decisions    the tables and the plan's decisions disagree, or cannot be read back
    SP3122 placements   SP3123 replicas   SP3124 nodes   SP3125 measures   SP3126 objective and proof
    SP3127 unplaced     SP3128 warnings   SP3129 baselines and waterfall
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from math import isclose

import numpy as np

from schedplan.measures.accounting import Account, account
from schedplan.measures.baselines import baselines, waterfall
from schedplan.measures.exchange import exchange_rates
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, Scale, terms, total
from schedplan.measures.rules.case import CODES
from schedplan.model.findings import Finding, Measure, Severity
from schedplan.model.plan import (
    Baseline,
    Decisions,
    JobPart,
    NodeUse,
    Placement,
    Plan,
    PlanStatus,
    Proof,
    Rate,
    ReplicaPart,
    ReplicaRow,
    Term,
    Unplaced,
    WaterfallStep,
    jobs_in_pieces,
)
from schedplan.model.problem import Problem

TOLERANCE = 1e-9
OPTIMAL_WITHIN = 1e-9
NOT_RECOMPUTED = ("forecast_",)
_Row = Placement | ReplicaRow | Measure | Term | Rate | Baseline | WaterfallStep | Unplaced
_Key = tuple[object, ...]


def corrupted(
    problem: Problem,
    plan: Plan,
    normalisation: Normalisation | None = None,
    *,
    unplaced: Sequence[Unplaced] | None = None,
    unavoidable: float | None = None,
) -> tuple[Finding, ...]:
    """Return broken rules first, then every field that differs from a fresh account; empty for a sound plan.

    normalisation: the scales recomputed from the reference plan; without them the plan's own are taken, and only their arithmetic
    is checked. unplaced, unavoidable: the rows of work left out, and the part of F that no plan avoids, as the caller recomputed
    them; without them the names of the rows alone are checked, and the avoidable gap is not. A plan that says infeasible or unknown
    must be empty; one without any baseline makes no claim about them.
    """
    if plan.proof.status in (PlanStatus.INFEASIBLE, PlanStatus.UNKNOWN):
        return tuple(_not_empty(plan))
    unread = tuple(_unreadable(problem, plan))
    if unread or plan.node_use is None:
        return unread
    decisions = _read_back(problem, plan, plan.node_use)
    found = list(violations(problem, decisions))
    row_key = ("job", "node", "start_s") if jobs_in_pieces(plan.placements) else ("job", "node")
    if any(finding.code == CODES["place"] for finding in found):
        return tuple(found)
    fresh = account(problem, decisions)
    found += _decisions(plan.decisions, decisions)
    found += _rows("SP3122", "placement", plan.placements, fresh.placements, row_key)
    found += _rows("SP3123", "replicas", plan.replicas, fresh.replicas, ("service", "ds_s", "node"))
    found += _node_use(plan.node_use, fresh.node_use)
    found += _measures(plan, fresh)
    found += _objective(problem, plan, fresh, normalisation)
    found += _proof(plan.proof, unavoidable)
    found += _unplaced(problem, plan, decisions)
    if unplaced is not None:
        found += _rows("SP3127", "unplaced", plan.unplaced, unplaced, ("kind", "name"))
    found += _warnings(plan, fresh)
    if plan.baselines or plan.waterfall:
        found += _rows("SP3129", "baseline", plan.baselines, baselines(problem, decisions), ("name",))
        found += _rows("SP3129", "waterfall step", plan.waterfall, waterfall(problem, decisions), ("name",))
    return tuple(found)


def _not_empty(plan: Plan) -> Iterator[Finding]:
    if plan.placements or plan.replicas or plan.decisions.parts or plan.decisions.replicas:
        yield _finding("SP3121", "plan", f"says {plan.proof.status.value} and places work all the same")


def _unreadable(problem: Problem, plan: Plan) -> Iterator[Finding]:
    if plan.node_use is None:
        yield _finding("SP3121", "nodes", "the plan has no table of nodes")
    elif plan.node_use.nodes != problem.cluster.nodes or plan.node_use.on.shape != (
        len(problem.cluster.nodes),
        problem.grid.n_slots,
    ):
        yield _finding("SP3121", "nodes", "the plan's nodes or slots are not those of the problem")
    for placement in plan.placements:
        if problem.grid.starting_slot(placement.start_s) is None:
            yield _finding("SP3122", f"placement {placement.job}", f"start_s {placement.start_s} is the start of no slot")
    for row in plan.replicas:
        if problem.grid.starting_slot(row.ds_s) is None:
            yield _finding("SP3123", f"replicas {row.service}", f"ds_s {row.ds_s} is the start of no slot")


def _read_back(problem: Problem, plan: Plan, node_use: NodeUse) -> Decisions:
    grid = problem.grid
    in_pieces = jobs_in_pieces(plan.placements)
    parts = [
        JobPart(
            row.job,
            row.node,
            grid.release_slot(row.start_s),
            row.worker_last - row.worker_first + 1,
            grid.deadline_edge(row.end_s) if row.job in in_pieces else None,
        )
        for row in plan.placements
    ]
    stands = [ReplicaPart(row.service, grid.release_slot(row.ds_s), row.node, row.replicas) for row in plan.replicas]
    return Decisions(tuple(sorted(parts)), tuple(sorted(stands)), node_use.on)


def _decisions(kept: Decisions, read: Decisions) -> Iterator[Finding]:
    if tuple(sorted(kept.parts)) != read.parts:
        yield _finding("SP3121", "parts", "the placements are not the plan's decisions about jobs")
    if tuple(sorted(kept.replicas)) != read.replicas:
        yield _finding("SP3121", "replicas", "the rows of replicas are not the plan's decisions about services")
    if not np.array_equal(kept.on, read.on):
        yield _finding("SP3121", "on", "the nodes that are on are not the plan's decisions")


def _rows(code: str, noun: str, seen: Sequence[_Row], fresh: Sequence[_Row], key: tuple[str, ...]) -> Iterator[Finding]:
    """Differences of two tables by key: rows that are missing, doubled or too many, then fields."""
    expected = _by_key(fresh, key)
    found = _by_key(seen, key)
    if len(found) < len(seen):
        yield _finding(code, noun, f"{len(seen) - len(found)} of its rows stand there twice")
    for name in [name for name in expected if name not in found]:
        yield _finding(code, f"{noun} {_words(name)}", "is missing")
    for name, row in found.items():
        if name not in expected:
            yield _finding(code, f"{noun} {_words(name)}", "should not be there")
            continue
        for field in fields(row):
            value, wanted = getattr(row, field.name), getattr(expected[name], field.name)
            if not _same(value, wanted):
                yield _finding(code, f"{noun} {_words(name)}", f"{field.name} is {value!r}; recomputed: {wanted!r}")


def _by_key(rows: Sequence[_Row], key: tuple[str, ...]) -> dict[_Key, _Row]:
    return {tuple(getattr(row, name) for name in key): row for row in rows}


def _node_use(seen: NodeUse, fresh: NodeUse) -> Iterator[Finding]:
    for field in fields(seen):
        if field.name == "nodes":
            continue
        value, wanted = np.asarray(getattr(seen, field.name)), np.asarray(getattr(fresh, field.name))
        if value.shape != wanted.shape:
            yield _finding("SP3124", "nodes", f"{field.name} has the shape {value.shape}; recomputed: {wanted.shape}")
            continue
        for row, slot in np.argwhere(~np.isclose(value, wanted, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))[:20]:
            subject = f"node {fresh.nodes[row]}, slot {slot}"
            yield _finding("SP3124", subject, f"{field.name} is {value[row, slot]}; recomputed: {wanted[row, slot]}")


def _measures(plan: Plan, fresh: Account) -> Iterator[Finding]:
    wanted: dict[_Key, Measure] = {(measure.name, measure.labels): measure for measure in fresh.measures}
    proof: Mapping[str, float | None] = {"gap": plan.proof.gap, "gap_avoidable": plan.proof.gap_avoidable}
    ours = [measure for measure in plan.measures if (measure.name, measure.labels) in wanted]
    yield from _rows("SP3125", "measure", ours, fresh.measures, ("name", "labels"))
    for measure in plan.measures:
        if (measure.name, measure.labels) in wanted or measure.name.startswith(NOT_RECOMPUTED):
            continue
        if measure.name not in proof or measure.labels:
            yield _finding("SP3125", f"measure {measure.name}", "is not a measure of this plan")
        elif not _same(measure.value, proof[measure.name]):
            message = f"value is {measure.value!r}; the proof says {proof[measure.name]!r}"
            yield _finding("SP3125", f"measure {measure.name}", message)


def _objective(problem: Problem, plan: Plan, fresh: Account, normalisation: Normalisation | None) -> Iterator[Finding]:
    scales = normalisation or _own_scales(plan)
    wanted = terms(problem, fresh.goals, scales)
    yield from _rows("SP3126", "term", plan.terms, wanted, ("name",))
    if plan.rates:
        yield from _rows("SP3126", "exchange rate", plan.rates, exchange_rates(wanted), ("what",))
    if tuple(term.name for term in plan.terms) == tuple(term.name for term in wanted):
        objective = total(wanted)
        if plan.proof.objective is None or not _same(plan.proof.objective, objective):
            yield _finding("SP3126", "objective", f"is {plan.proof.objective!r}; the recomputed terms sum to {objective!r}")


def _own_scales(plan: Plan) -> Normalisation:
    """The scales that the plan itself states; a goal without a term has nothing between reference and ideal."""
    stated = {term.name: Scale(term.reference, term.ideal, term.size) for term in plan.terms}
    nothing = Scale(0.0, 0.0)
    unplaced = stated.get("unplaced", nothing).reference
    latency, utilization, cost, carbon = (stated.get(goal, nothing) for goal in ("latency", "utilization", "cost", "carbon"))
    return Normalisation(latency, utilization, cost, carbon, unplaced)


def _proof(proof: Proof, unavoidable: float | None) -> Iterator[Finding]:
    """gap = (objective - bound) / |objective|; where the objective is 0, 0 at a bound of 0 and else none."""
    if proof.conflict or proof.repairs:
        yield _finding("SP3126", "conflict", "a plan that places work tells of a conflict all the same")
    if proof.objective is None or proof.bound is None:
        if proof.gap is not None or proof.status is PlanStatus.OPTIMAL:
            yield _finding("SP3126", "proof", "states a gap or an optimum without objective and bound")
        return
    above = proof.objective - proof.bound
    slack = TOLERANCE * max(1.0, abs(proof.objective))
    if above < -slack:
        yield _finding("SP3126", "bound", f"{proof.bound!r} is above the objective {proof.objective!r}")
    if not _gap_agrees(proof, above):
        yield _finding("SP3126", "gap", f"is {proof.gap!r}; objective {proof.objective!r} and bound {proof.bound!r} do not give it")
    if proof.status is PlanStatus.OPTIMAL and above >= OPTIMAL_WITHIN * max(1.0, abs(proof.objective)):
        yield _finding("SP3126", "status", f"says optimal; the objective is {above:g} above the bound")
    if unavoidable is not None:
        yield from _avoidable(proof, proof.objective - unavoidable, above)


def _avoidable(proof: Proof, objective: float, above: float) -> Iterator[Finding]:
    """The same gap, of what is left of the objective without the part that no plan avoids; where that is nothing, it is noise."""
    if proof.status is PlanStatus.OPTIMAL:
        wanted = 0.0
    elif abs(objective) <= TOLERANCE * max(1.0, abs(proof.objective or 0.0)):
        return
    else:
        wanted = max(above, 0.0) / abs(objective)
    if proof.gap_avoidable is None or not isclose(proof.gap_avoidable, wanted, rel_tol=1e-6, abs_tol=TOLERANCE):
        yield _finding("SP3126", "gap_avoidable", f"is {proof.gap_avoidable!r}; recomputed: {wanted!r}")


def _gap_agrees(proof: Proof, above: float) -> bool:
    """An optimum has a gap of 0; rounding never makes one negative."""
    if proof.status is PlanStatus.OPTIMAL:
        return proof.gap == 0
    if not proof.objective:
        return proof.gap == (0.0 if proof.bound == 0 else None)
    return proof.gap is not None and abs(proof.gap - max(above, 0.0) / abs(proof.objective)) <= TOLERANCE


def _unplaced(problem: Problem, plan: Plan, decisions: Decisions) -> Iterator[Finding]:
    placed = {part.job for part in decisions.parts}
    wanted = {job.name for job in problem.jobs if job.name not in placed}
    told = [row.name for row in plan.unplaced if row.kind == "job"]
    for name in sorted(wanted - set(told)):
        yield _finding("SP3127", f"job {name}", "is left out and not told in the table of unplaced work")
    for name in sorted(set(told) - wanted):
        yield _finding("SP3127", f"job {name}", "is told as unplaced and is placed, or no job of the problem")
    if len(told) > len(set(told)):
        yield _finding("SP3127", "unplaced", "tells a job twice")


def _warnings(plan: Plan, fresh: Account) -> Iterator[Finding]:
    for warning in fresh.warnings:
        if warning not in plan.warnings:
            yield _finding("SP3128", "warnings", f"a warning is missing: {warning}")


def _same(value: object, wanted: object) -> bool:
    """Numbers within the tolerance where one is a float; whole numbers, among them instants, exactly."""
    if isinstance(value, float) and isinstance(wanted, int | float):
        return isclose(value, wanted, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(wanted, float) and isinstance(value, int):
        return isclose(value, wanted, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return value == wanted


def _words(key: _Key) -> str:
    return " ".join(str(part) for part in key if part != ())


def _finding(code: str, subject: str, message: str) -> Finding:
    return Finding(code, Severity.ERROR, subject, message)
