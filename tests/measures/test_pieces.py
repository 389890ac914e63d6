"""Jobs in pieces: what they do, how long they wait, what is refused, and that a changed record of them is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.comparison import ComparedPlan, compare
from schedplan.measures.corruption import corrupted
from schedplan.measures.feasibility import violations
from schedplan.measures.runs import runs_of, waits_s
from schedplan.model.best_effort import parse_best_effort
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.earlier import Earlier, Stay
from schedplan.model.plan import Decisions, JobPart, Plan, PlanStatus, Proof
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

JOB = Job(
    "a",
    shape=WorkerShape(gpus=1.0),
    runtime_minutes=100.0,
    checkpoint_minutes=30.0,
    checkpoint_cost_minutes=5.0,
    restart_minutes=10.0,
)
FIRST, SECOND = JobPart("a", "m", 0, 1, 1), JobPart("a", "n", 2, 1, 3)


def problem(job: Job = JOB, **fields: object) -> Problem:
    pools = (Pool("m", gpus=1), Pool("n", gpus=1), Pool("s", 1, 0, 1, gpus=1, market=Market.SPOT, price_per_hour=1.0))
    rules = (parse_best_effort("job=a"),)
    return Problem("p", TimeGrid.regular(0, 60, 5), Cluster(pools), (job,), best_effort=rules, **fields)  # type: ignore[arg-type]


def decisions(*parts: JobPart) -> Decisions:
    on = np.zeros((3, 5), dtype=np.bool_)
    on[:2] = True
    on[2] = any(part.node == "s" for part in parts)
    return Decisions(tuple(sorted(parts)), (), on)


def told(*parts: JobPart, job: Job = JOB) -> list[str]:
    return [f"{found.code} {found.message}" for found in violations(problem(job), decisions(*parts))]


def test_pieces_are_runs_that_end_where_the_job_leaves_or_is_done() -> None:
    runs = runs_of(problem(), decisions(FIRST, SECOND))

    # 55 of 100 min before the checkpoint; then 10 to restart and 45 of work
    assert [(0, 3600), (7200, 7200 + 55 * 60)] == [(run.start_s, run.run_end_s) for run in runs]
    assert [pytest.approx(55 / 60), pytest.approx(50 / 60)] == [run.duty for run in runs]
    # from 0 to 02:55 it works for 100 min
    assert (pytest.approx((175 - 100) * 60),) == waits_s(problem(), runs)


def test_the_goals_count_the_wait_and_the_hours_of_work() -> None:
    goals = account(problem(), decisions(FIRST, SECOND)).goals

    # size: 1 of 3 devices x 3; 10 device-hours are paid, 55 + 50 min are busy
    assert pytest.approx(75 / 60) == goals.latency
    assert pytest.approx(10 - 105 / 60) == goals.utilization
    assert [] == told(FIRST, SECOND)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((replace(FIRST, end_edge=3), SECOND), "before the piece begun at 1970-01-01 00:00+00:00 ends"),
        ((replace(FIRST, end_edge=2),), "has an end of its own, and no second piece"),
        ((FIRST, replace(SECOND, end_edge=5)), "its work is done before the last slot of its last piece begins"),
        ((FIRST, replace(SECOND, node="s")), "a piece of it stands on s, which is spot; only a run in one piece may"),
    ],
)
def test_what_are_no_pieces_is_refused(parts: tuple[JobPart, ...], expected: str) -> None:
    job = replace(JOB, spot_ok=True)

    assert any(one.startswith("SP3119") and one.endswith(expected) for one in told(*parts, job=job))


def test_too_little_work_is_refused() -> None:
    # 55 + 50 of 106 min
    assert ["SP3119 its 2 pieces do 99.1% of its work"] == told(FIRST, SECOND, job=replace(JOB, runtime_minutes=106.0))


def test_a_piece_without_work_is_refused() -> None:
    # an hour of restart
    found = told(FIRST, SECOND, job=replace(JOB, restart_minutes=60.0))

    assert ["SP3119 the piece begun at 1970-01-01 02:00+00:00 is over before any work is done in it"] == found


def test_what_is_not_best_effort_runs_in_one_piece() -> None:
    task = replace(problem(), best_effort=())
    found = violations(task, decisions(FIRST, SECOND))

    assert ["runs in pieces; it may not: no selector of [rules] best_effort selects it"] == [one.message for one in found]


def test_each_piece_has_the_whole_gang() -> None:
    job = replace(JOB, workers=2)
    parts = (FIRST, replace(FIRST, node="n"), SECOND)

    assert ["SP3103 1 of 2 workers are placed; all start together or none does"] == told(*parts, job=job)


def test_a_job_cut_into_pieces_moves_as_a_whole() -> None:
    task = problem(earlier=Earlier("0" * 64, (0, 3600), (Stay("a", 0, (("m", 1),)),), ()))
    moved = next(one for one in account(task, decisions(FIRST, SECOND)).measures if one.name == "moved_devices")

    assert 1.0 == moved.value


def saved(*parts: JobPart) -> Plan:
    made = account(problem(), decisions(*parts))
    proof = Proof(PlanStatus.FEASIBLE, None, None, None, None, "by hand")
    rows = {"placements": made.placements, "node_use": made.node_use, "measures": made.measures, "warnings": made.warnings}
    return Plan(decisions(*parts), proof, **rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change", [{"end_s": 7200}, {"start_s": 3600}, {"node": "n"}, {"run_end_s": 1}, {"device_slots": "1"}, {"cost": 1.0}]
)
def test_a_changed_row_of_a_piece_is_refused(change: dict[str, object]) -> None:
    plan = saved(FIRST, SECOND)
    rows = (replace(plan.placements[0], **change), *plan.placements[1:])  # type: ignore[arg-type]

    assert 2 == len(plan.placements)
    assert () != corrupted(problem(), replace(plan, placements=rows))
    assert not any(found.code in ("SP3121", "SP3122") for found in corrupted(problem(), plan))


def test_other_pieces_are_a_change() -> None:
    later = replace(SECOND, start_slot=3, end_edge=4)
    grid = problem().grid
    change = compare(ComparedPlan(saved(FIRST, SECOND), grid), ComparedPlan(saved(FIRST, later), grid)).jobs

    assert [("a", ("in other pieces",))] == [(one.job, tuple(kind.value for kind in one.kinds)) for one in change]
