"""What the sample best-effort-fill must show: research in the gaps of a chat, in pieces, and what each leave is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.check.rules import parse_rules
from schedplan.check.verdict import judge
from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.errors import InputError
from schedplan.explain.why import explain
from schedplan.measures.feasibility import violations
from schedplan.model.plan import Plan
from schedplan.report.plan_document import plan_document
from schedplan.workflows.check import measured
from schedplan.workflows.earlier import earlier_plan
from schedplan.workflows.optimize import Planned, save
from schedplan.workflows.project import open_project
from schedplan.workflows.simulate import simulate_options, simulate_project
from schedplan.workflows.verify import verify_plan
from tests.samples.conftest import SAMPLES, planned

RESEARCH = {"embed": (7, 2, 5), "evaluate": (9, 5, 10), "sweep": (9, 2, 5)}
"""Hours of work, minutes of a checkpoint and of a restart."""


@pytest.fixture(scope="module")
def filled() -> Planned:
    return planned("best-effort-fill")


@pytest.fixture(scope="module")
def whole() -> Planned:
    return planned("best-effort-fill", "rules.best_effort=[]")


def measure(plan: Plan, name: str) -> float:
    found = next(one.value for one in plan.measures if one.name == name and not one.labels)
    assert found is not None
    return found


def test_no_gap_of_the_day_holds_research_in_one_piece(whole: Planned) -> None:
    assert sorted(RESEARCH) == sorted(row.name for row in whole.plan.unplaced)


def test_in_pieces_all_of_it_is_done_and_no_request_pays_for_it(filled: Planned, whole: Planned) -> None:
    assert () == filled.plan.unplaced
    assert () == violations(filled.prepared.problem, filled.plan.decisions)
    assert (1, 1) == (measure(filled.plan, "deadline_hits"), measure(filled.plan, "slo_attainment"))
    # two owned nodes at 24 USD for 24 h, whatever runs on them
    assert (pytest.approx(1152), pytest.approx(1152)) == (measure(filled.plan, "cost"), measure(whole.plan, "cost"))
    # 8 x 9 + 4 x 9 + 4 x 7 device-hours of work more, of 16 x 24
    assert measure(filled.plan, "utilization") >= measure(whole.plan, "utilization") + 136 / 384


def test_the_rules_of_the_sample_hold(filled: Planned) -> None:
    rules = load_settings(SAMPLES / "best-effort-fill").check.rules

    assert judge(parse_rules(rules), measured(filled.plan), None).passed


@pytest.mark.parametrize("job", RESEARCH)
def test_its_pieces_hold_for_its_work_and_what_leaving_takes(filled: Planned, job: str) -> None:
    hours, checkpoint, restart = RESEARCH[job]
    rows = [row for row in filled.plan.placements if row.job == job]
    booked_h = sum(row.end_s - row.start_s for row in rows) / 3600
    leaving_h = (len(rows) - 1) * (checkpoint + restart) / 60

    assert len(rows) > 1
    # never less than the work, and less than a slot more
    assert 0 <= booked_h - leaving_h - hours < 1


def test_it_is_told_for_whom_a_job_leaves(filled: Planned) -> None:
    told = explain(filled.prepared.problem, filled.plan, "embed")

    assert told.verdict.startswith("job embed runs in ")
    assert any("service chat has" in reason.message for reason in told.reasons if reason.rule == "pieces")


def test_its_record_is_read_back_verified_and_not_replayed(filled: Planned, tmp_path: Path) -> None:
    settings = load_settings(SAMPLES / "best-effort-fill")
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    save(filled, project, tmp_path / "plan")
    earlier = earlier_plan(tmp_path / "plan")

    assert () == verify_plan(tmp_path / "plan", SAMPLES / "best-effort-fill").findings
    # what ran in pieces has no place to keep to
    assert ["index"] == [stay.job for stay in earlier.jobs]
    with pytest.raises(InputError) as caught:
        simulate_project(project, simulate_options(plan=tmp_path / "plan"))
    assert "SP1116" == caught.value.code


def test_the_report_tells_workers_and_pieces(filled: Planned) -> None:
    document = plan_document(filled.prepared.problem, filled.plan)
    rows = {row[0]: row for row in next(one for one in document.tables() if one.block_id == "jobs").rows}
    starts = len([row for row in filled.plan.placements if row.job == "sweep"])

    # one worker, however often it comes back
    assert 1 == rows["sweep"][1]
    assert str(rows["sweep"][2]).endswith(f", in {starts} pieces")
