"""Every constraint by its cases: feasible, infeasible and borderline, with the arithmetic beside them in the file."""

from __future__ import annotations

import pytest

from schedplan.measures.feasibility import violations
from schedplan.measures.runs import end_edges
from schedplan.measures.work import placed_workers
from schedplan.model.plan import Plan
from schedplan.optimize.solve import optimize
from tests.optimize.problems import Case, cases

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case) -> None:
    plan = optimize(case.problem)
    starts = {part.job: part.start_slot for part in sorted(plan.decisions.parts, key=lambda part: -part.start_slot)}
    nodes = {job: sorted({part.node for part in plan.decisions.parts if part.job == job}) for job in starts}
    replicas = [
        sum(part.replicas for part in plan.decisions.replicas if part.slot == slot) for slot in range(case.problem.grid.n_slots)
    ]
    seen = {
        "status": plan.proof.status.value,
        "starts": starts,
        "nodes": nodes,
        "workers": placed_workers(plan.decisions.parts),
        "pieces": pieces(plan),
        "ends": end_edges(case.problem, plan.decisions.parts),
        "utilization_idle": next((pytest.approx(term.value) for term in plan.terms if term.name == "utilization"), None),
        "replicas": replicas,
        "device_slots": {placed.job: placed.device_slots for placed in plan.placements},
        "on_slots": int(plan.decisions.on.sum()),
        "conflict": [f"{item.rule} {item.subject}" for item in plan.proof.conflict],
        "repairs": [repair.change for repair in plan.proof.repairs],
        "cost": whole(plan, "cost"),
        "missed_requests": whole(plan, "missed_requests"),
        "slo_attainment": whole(plan, "slo_attainment"),
        "unplaced_share": next((pytest.approx(term.value) for term in plan.terms if term.name == "unplaced"), None),
        "latency_h": next((pytest.approx(term.value) for term in plan.terms if term.name == "latency"), None),
        "borrow_cost": whole(plan, "borrow_cost"),
        "carbon_g": whole(plan, "carbon_g"),
        "moved_devices": whole(plan, "moved_devices"),
        "moved_replica_devices": whole(plan, "moved_replica_devices"),
        "left_out": sorted(set(case.problem.job_by_name) - set(starts)) if plan.proof.objective is not None else [],
    }

    assert case.expect == {key: seen[key] for key in case.expect}
    if plan.proof.objective is not None:
        assert () == violations(case.problem, plan.decisions)


def pieces(plan: Plan) -> dict[str, list[list[int]]]:
    """Return [start slot, end edge] of every piece of each job that runs in several."""
    found: dict[str, set[tuple[int, int]]] = {}
    for part in plan.decisions.parts:
        if part.end_edge is not None:
            found.setdefault(part.job, set()).add((part.start_slot, part.end_edge))
    return {job: [list(span) for span in sorted(spans)] for job, spans in found.items()}


def whole(plan: Plan, name: str) -> object:
    """Return a measure of the whole plan, to compare with; None where the plan has none."""
    found = next((measure.value for measure in plan.measures if measure.name == name and not measure.labels), None)
    return None if found is None else pytest.approx(found)
