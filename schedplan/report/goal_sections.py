"""What a plan says of its goals beyond weights: the stages of one made goal by goal, and the front between two goals."""

from __future__ import annotations

from collections.abc import Callable

from schedplan.model.front import Front, PointStatus
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.report.charts import ChartPoint, PointChart
from schedplan.report.document import Block, Cell, Column, Facts, FactValue, Kind, Paragraph, Section, Table, finite
from schedplan.report.figures import number_text

FRONT_TABLE = "front-points"
_WORDS = {
    "latency": "Waiting, weighed by priority",
    "utilization": "Paid for but idle",
    "cost": "Cost",
    "carbon": "Carbon",
    "unplaced": "Work left out",
}
_NOISE = 1e-12
_KILO = {"gCO2e": ("kg CO2e", 1000.0)}
_STATUS = {PlanStatus.OPTIMAL: "proven best", PlanStatus.FEASIBLE: "best found"}


def stages_section(plan: Plan) -> Section:
    """Return the stages of a plan made goal by goal; no block for any other plan."""
    columns = (
        Column("goal", "Goal, in this order"),
        Column("value", "Best", Kind.NUMBER, is_mixed=True),
        Column("bound", "Proven bound", Kind.NUMBER, is_mixed=True),
        Column("unit", "Unit"),
        Column("gap", "Gap", Kind.SHARE, digits=2),
        Column("status", "Status"),
        Column("held_at", "Then held at", Kind.NUMBER, is_mixed=True),
        Column("ended_at", "In this plan", Kind.NUMBER, is_mixed=True),
    )
    ended = {term.name: finite(term.value) for term in plan.terms}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            _WORDS[stage.goal],
            stage.value,
            _without_noise(stage.bound),
            stage.unit,
            stage.gap,
            _STATUS.get(stage.status, stage.status.value),
            stage.held_at,
            ended.get(stage.goal),
        )
        for stage in plan.stages
    )
    caption = (
        "Each goal was solved for alone, with those above it held at their best and a millionth of it; what freedom was left then"
        " went to the weighted objective."
    )
    return Section("stages", "Goal by goal", (Table("stages-table", "", columns, rows, caption),) if rows else ())


def _without_noise(bound: float | None) -> float | None:
    """Return a bound without what the arithmetic of a solver leaves of zero."""
    return 0.0 if bound is not None and abs(bound) < _NOISE else bound


def front_section(problem: Problem, plan: Plan) -> Section:
    """Return the front between two goals, as a chart and a table; no block where none was asked for."""
    front = plan.front
    if front is None:
        return Section("front", "Between two goals", ())
    blocks: list[Block] = [Paragraph((_front_words(front),))]
    blocks.append(_chart(plan, front))
    blocks.append(_table(problem, front))
    return Section("front", f"Between {_word(front.goals[0])} and {_word(front.goals[1])}", tuple(blocks))


def front_facts(front: Front | None) -> FactValue:
    """Return a front for machines, None where there is none."""
    if front is None:
        return None
    points = tuple(
        Facts(
            (
                (front.goals[0], finite(point.first)),
                (front.goals[1], finite(point.second)),
                ("held_at", finite(point.held_at)),
                ("price", finite(point.price)),
                ("objective", finite(point.objective)),
                ("minimised", finite(point.minimised)),
                ("bound", finite(point.bound)),
                ("gap", finite(point.gap)),
                ("status", point.status.value),
                *((("cost", finite(point.cost)),) if "cost" not in front.goals else ()),
            )
        )
        for point in front.points
    )
    return Facts(
        (
            ("goals", front.goals),
            ("units", front.units),
            ("asked", front.asked),
            ("is_whole", front.is_whole),
            ("solves", front.solves),
            ("told", front.told),
            ("points", points),
        )
    )


def stages_facts(plan: Plan) -> FactValue:
    """Return the stages of a plan for machines."""
    return tuple(
        Facts(
            (
                ("goal", stage.goal),
                ("value", finite(stage.value)),
                ("unit", stage.unit),
                ("bound", finite(stage.bound)),
                ("gap", finite(stage.gap)),
                ("status", stage.status.value),
                ("held_at", finite(stage.held_at)),
            )
        )
        for stage in plan.stages
    )


def stages_sentence(plan: Plan) -> str:
    """Return how well a plan made goal by goal is proven, in a sentence."""
    order = ", then ".join(_word(stage.goal) for stage in plan.stages)
    open_stages = [_word(stage.goal) for stage in plan.stages if stage.status is not PlanStatus.OPTIMAL]
    if open_stages:
        return f"Goal by goal ({order}), each held at the best that was found; not proven best: {', '.join(open_stages)}."
    if plan.proof.status is PlanStatus.OPTIMAL:
        return f"Goal by goal ({order}), each held at its best: proven optimal at every stage."
    return f"Goal by goal ({order}), each held at its proven best; the weighted objective beside them is not proven."


def _front_words(front: Front) -> str:
    first, second = (_word(goal) for goal in front.goals)
    count = len(front.points)
    if count == 1 and not front.is_whole:
        return f"The search ended after one point of the front between {first} and {second}; more was not looked for."
    if count == 1:
        proven = "proven" if front.points[0].status is PointStatus.OPTIMAL else "found to be"
        said = f"The two do not pull apart: one plan is {proven} best in both, so the front has one point, not {front.asked}."
        return f"{said} {front.told}".strip()
    if front.is_whole and count < front.asked:
        return f"The front has {count} points, and no more than these: the less {second}, the more {first}."
    return f"{count} points of the front: the less {second}, the more {first}, and none of them is beaten in both."


def _chart(plan: Plan, front: Front) -> PointChart:
    (x_title, x_factor), (y_title, y_factor) = (_axis(goal, unit) for goal, unit in zip(front.goals, front.units, strict=True))
    points = tuple(
        ChartPoint(
            one.second / y_factor,
            one.first / x_factor,
            f"point {number}: {number_text(one.first / x_factor)} and {number_text(one.second / y_factor)}",
        )
        for number, one in enumerate(front.points, start=1)
    )
    own = {term.name: term.value for term in plan.terms}
    marked: tuple[ChartPoint, ...] = ()
    if all(goal in own for goal in front.goals):
        marked = (ChartPoint(own[front.goals[1]] / y_factor, own[front.goals[0]] / x_factor, "this plan, by the weights"),)
    caption = "Each dot is a plan of its own that the check accepts; the ring is the plan that the weights of the project choose."
    return PointChart("front-chart", "", caption, y_title, x_title, "front", points, "this plan", marked)


def _table(problem: Problem, front: Front) -> Table:
    (first_title, first_factor), (second_title, second_factor) = (
        _axis(goal, unit) for goal, unit in zip(front.goals, front.units, strict=True)
    )
    first_unit, second_unit = (_KILO.get(unit, (unit, 1.0))[0] for unit in front.units)
    price_title, price_of = _price(front, first_unit, second_unit, second_factor / first_factor)
    others = () if "cost" in front.goals else (Column("cost", "Cost", Kind.MONEY, problem.currency, 0),)
    columns = (
        Column("point", "Point", Kind.COUNT),
        Column(front.goals[0], first_title, Kind.NUMBER),
        Column(front.goals[1], second_title, Kind.NUMBER),
        Column("price", price_title, Kind.NUMBER),
        *others,
        Column("objective", "Objective by the weights", Kind.NUMBER, digits=4, is_detail=True),
        Column("gap", "Gap", Kind.SHARE, digits=2),
        Column("status", "Status"),
    )
    rows = tuple(
        (
            number,
            one.first / first_factor,
            one.second / second_factor,
            None if one.price is None else price_of(one.price),
            *((one.cost,) if others else ()),
            one.objective,
            one.gap,
            "proven" if one.status is PointStatus.OPTIMAL else "best found",
        )
        for number, one in enumerate(front.points, start=1)
    )
    caption = (
        "The price is that of the way to the next point: one unit less of one goal, in the other. A gap is to the proven bound of"
        " what the point minimises. No point leaves out more work than it must."
    )
    return Table(FRONT_TABLE, "", columns, rows, caption)


def _price(front: Front, first_unit: str, second_unit: str, factor: float) -> tuple[str, Callable[[float], float]]:
    """Return the title of the price between two points, and how it follows from that of the front: in money where one is cost."""
    if front.goals[1] == "cost":
        return f"{second_unit} for 1 {first_unit} less", lambda price: 1 / (price * factor)
    return f"{first_unit} for 1 {second_unit} less", lambda price: price * factor


def _axis(goal: str, unit: str) -> tuple[str, float]:
    shown, factor = _KILO.get(unit, (unit, 1.0))
    return f"{_WORDS[goal]} ({shown})", factor


def _word(goal: str) -> str:
    word = _WORDS[goal].partition(",")[0].lower()
    return "idle capacity" if goal == "utilization" else word
