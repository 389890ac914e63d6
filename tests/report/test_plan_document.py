"""What a plan says in words, for each way it can end."""

from dataclasses import replace
from datetime import UTC

import pytest

from schedplan.model.findings import Measure
from schedplan.model.plan import ConflictItem, Plan, PlanStatus, Repair, Unplaced
from schedplan.model.problem import Problem
from schedplan.report.charts import Waterfall
from schedplan.report.document import Document, KeyValues, Notice, Paragraph, Table, Tone
from schedplan.report.figures import written_parts
from schedplan.report.plan_document import plan_document
from schedplan.report.plan_facts import placed_words


def words(document: Document) -> str:
    return " ".join(written_parts(block.parts, UTC) for block in document.blocks() if isinstance(block, Paragraph))


def table(document: Document, block_id: str) -> Table:
    return next(one for one in document.tables() if one.block_id == block_id)


def test_the_headline_names_cost_and_baseline(problem: Problem, plan: Plan) -> None:
    # 113 on-demand node-hours x 300 + 10 x 4 x 100 = 37,900; 1 - 37,900 / 96,000 = 60.5 %
    text = words(plan_document(problem, plan))

    assert text.startswith("37,900 CNY for 24 h: 60.5 % less than “whole pool always on”.")
    assert "Proven optimal: under these inputs, rules and weights no plan is better." in text
    assert "Every service meets its latency target in every slot. The one job is placed." in text


def test_every_baseline_is_named_with_what_is_saved(problem: Problem, plan: Plan) -> None:
    rows = table(plan_document(problem, plan), "baselines-table").rows

    assert [(row[0], round(row[2], 3)) for row in rows if isinstance(row[2], float)] == [
        ("whole pool always on", 0.605),
        ("inference always on, training on demand", 0.549),
        ("everything on demand", 0.737),
        ("sized for the peak", 0.455),
    ]


def test_the_waterfall_leads_from_the_baseline_to_the_plan(problem: Problem, plan: Plan) -> None:
    (waterfall,) = (block for block in plan_document(problem, plan).blocks() if isinstance(block, Waterfall))

    assert (waterfall.steps[0].name, waterfall.steps[0].amount) == ("whole pool always on", 96000.0)
    assert (waterfall.steps[-1].name, waterfall.steps[-1].amount) == ("this plan", 37900.0)
    assert sum(step.amount for step in waterfall.steps[:-1]) == pytest.approx(37900.0)


def test_warnings_are_on_the_first_screen(problem: Problem, plan: Plan) -> None:
    five = replace(plan, warnings=("a", "b", "c", "d", "e"))
    first, *_ = plan_document(problem, five).sections
    notices = [block.text for block in first.blocks if isinstance(block, Notice)]

    assert notices == ["a", "b", "c"]
    assert "2 more warnings below." in words(plan_document(problem, five))


def test_slack_and_nodes_of_each_job(problem: Problem, plan: Plan) -> None:
    (row,) = table(plan_document(problem, plan), "jobs").rows

    start_s = problem.grid.start_s
    assert ("nightly-training", 10, "10 nodes of spot-a100", start_s + 7200, start_s + 21600, 0) == row[:6]


def test_a_feasible_plan_tells_its_gap(problem: Problem, plan: Plan) -> None:
    feasible = replace(plan, proof=replace(plan.proof, status=PlanStatus.FEASIBLE, gap=0.0123))
    document = plan_document(problem, feasible)

    assert document.badge == "Feasible"
    assert "within 1.23 % of the best possible" in words(document)


def test_an_infeasible_problem_names_conflict_and_repairs(problem: Problem, plan: Plan) -> None:
    proof = replace(
        plan.proof,
        status=PlanStatus.INFEASIBLE,
        objective=None,
        gap=None,
        conflict=(ConflictItem("window", "job x", "4 h of work in 3 h"),),
        repairs=(Repair("end the window at 07:00", None),),
    )
    empty = Plan(plan.decisions, proof)
    document = plan_document(problem, empty)

    assert words(document).startswith("No plan can meet every rule at once.")
    assert table(document, "conflict-rules").rows == (("window", "job x", "4 h of work in 3 h"),)
    assert table(document, "repairs").rows == (("end the window at 07:00", None, ""),)


def test_no_plan_within_the_limits_is_no_proof(problem: Problem, plan: Plan) -> None:
    document = plan_document(problem, Plan(plan.decisions, replace(plan.proof, status=PlanStatus.UNKNOWN, gap=None)))

    assert "That is no proof that there is none" in words(document)


def test_what_is_left_out_comes_with_rule_evidence_and_repair(problem: Problem, plan: Plan) -> None:
    left = Unplaced("job", "big", 1, "capacity", "needs 16, the largest node has 8", "add a node", 5.0)
    document = plan_document(problem, replace(plan, unplaced=(left,), placements=()))

    assert ("big", "job", 1, "capacity", "needs 16, the largest node has 8", "add a node", 5.0) == table(
        document, "unplaced-table"
    ).rows[0]
    assert "The one job is left out." in words(document)


def test_work_left_out_stands_right_below_the_headline_and_its_section_right_below_the_answer(problem: Problem, plan: Plan) -> None:
    left = tuple(Unplaced("job", name, 1, "capacity", "needs 16, there are 8", "add a node") for name in "abcde")
    document = plan_document(problem, replace(plan, unplaced=left))
    answer, following, *_ = document.sections
    headline, *notices = answer.blocks[:5]

    assert isinstance(headline, Paragraph)
    assert headline.is_headline
    assert [one.text for one in notices if isinstance(one, Notice)] == [
        "left out: a (needs 16, there are 8)",
        "left out: b (needs 16, there are 8)",
        "left out: c (needs 16, there are 8)",
        "left out: and 2 more",
    ]
    assert following.block_id == "unplaced"


@pytest.mark.parametrize(
    ("placed", "total", "expected"),
    [
        (0, 1, "The one job is left out"),
        (1, 1, "The one job is placed"),
        (0, 2, "Neither of the 2 jobs is placed"),
        (1, 2, "1 of 2 jobs is placed"),
        (2, 2, "Both jobs are placed"),
        (0, 3, "None of the 3 jobs is placed"),
        (2, 3, "2 of 3 jobs are placed"),
        (1200, 1200, "All 1,200 jobs are placed"),
    ],
)
def test_how_many_jobs_are_placed_in_words(placed: int, total: int, expected: str) -> None:
    assert expected == placed_words(placed, total)


@pytest.mark.parametrize(("gap", "tone"), [(9e-7, Tone.GOOD), (1e-6, Tone.CAUTION), (None, Tone.CAUTION)])
def test_a_gap_too_small_for_a_figure_is_no_caution(problem: Problem, plan: Plan, gap: float | None, tone: Tone) -> None:
    document = plan_document(problem, replace(plan, proof=replace(plan.proof, status=PlanStatus.FEASIBLE, gap=gap)))
    (key,) = (block for block in document.blocks() if isinstance(block, KeyValues) and block.is_key)

    assert (tone, tone) == (document.badge_tone, key.entries[-1].tone)


def test_requests_out_of_time_are_told(problem: Problem, plan: Plan) -> None:
    measures = tuple(one for one in plan.measures if one.name != "slo_attainment")
    document = plan_document(problem, replace(plan, measures=(*measures, Measure("slo_attainment", 0.992, ""))))

    assert "99.2 % of the requests fall into slots that meet their latency target." in words(document)


def test_a_plan_without_prices_talks_of_jobs(problem: Problem, plan: Plan) -> None:
    free = replace(plan, measures=(Measure("cost", 0.0, "CNY"),), baselines=(), waterfall=())

    assert words(plan_document(problem, free)).startswith("The one job is placed over 24 h.")


def test_a_dearer_plan_says_so(problem: Problem, plan: Plan) -> None:
    first = replace(plan.baselines[0], cost=30000.0)
    text = words(plan_document(problem, replace(plan, baselines=(first,))))

    assert text.startswith("37,900 CNY for 24 h: 26.3 % more than “whole pool always on”.")  # 37.9 / 30 = 1.2633
