"""What forecasts would have made a planner buy, as tables and charts. It decides nothing and prices nothing."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.forecast.decision import HINDSIGHT, Decided, Decision, EqualSlo
from schedplan.model.findings import Severity
from schedplan.report.charts import ChartPoint, Line, LineChart, LineRole, PointChart
from schedplan.report.document import (
    Block,
    Cell,
    Column,
    Facts,
    FactValue,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    Table,
    finite,
)
from schedplan.report.figures import number_text

CHARTS_SHOWN = 6
SHOWN_LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class DecidedSeries:
    """The decision backtest of one series, with what carries its load and the unit of what was paid for. model: the one used."""

    unique_id: str
    model: str
    decided: Decided
    carried: str
    unit: str


def decision_section(decided: tuple[DecidedSeries, ...]) -> Section:
    """Return the decision backtest of every series; no block where there is none."""
    judged = tuple(each for each in decided if each.decided.decisions)
    blocks: list[Block] = [Paragraph(_words(each)) for each in judged]
    blocks += [
        Notice(Severity.NOTE, f"{each.unique_id}: no decision backtest: {each.decided.why_not}")
        for each in decided
        if each.decided.why_not
    ]
    if judged:
        blocks += [_equal_table(judged), _table(judged)]
        for number, each in enumerate(judged[:CHARTS_SHOWN], start=1):
            blocks += [_frontier(each, number), *_record(each, number)]
    return Section("decision", "What it would have made you buy", tuple(blocks))


def decision_facts(decided: tuple[DecidedSeries, ...]) -> FactValue:
    """Return every decision for machines, all quantiles that were tried."""
    return tuple(
        Facts(
            (
                ("unique_id", each.unique_id),
                ("carried_by", each.carried),
                ("unit", each.unit),
                ("startup_s", each.decided.startup_s),
                ("replan_s", each.decided.replan_s),
                ("why_not", each.decided.why_not or None),
                ("decisions", tuple(_decision_facts(one, each.decided) for one in each.decided.decisions)),
                ("at_equal_slo", tuple(_equal_facts(one, each.decided) for one in each.decided.at_equal_slo)),
            )
        )
        for each in decided
    )


def _words(each: DecidedSeries) -> tuple[str | Quantity, ...]:
    decided = each.decided
    bound = decided.bound
    planned = [one for one in decided.at_equal_slo if one.model == each.model]
    words: list[str | Quantity] = [
        f"{each.unique_id}, carried by {each.carried}; ordered ",
        Quantity(decided.startup_s, Kind.DURATION),
        " ahead, every ",
        Quantity(decided.replan_s, Kind.DURATION),
        f". Perfect foresight would have paid {number_text(0.0 if bound is None else bound.paid_device_h)} {each.unit}",
    ]
    for one in planned:
        rivals = [
            other for other in decided.at_equal_slo if other.target == one.target and other.model in ("naive", "seasonal-naive")
        ]
        told = ", ".join(f"{other.model} {_paid_text(other)}" for other in rivals if other.model != one.model)
        words.append(f"; with {one.target:.0%} of the load in time {one.model} {_paid_text(one)}{f' ({told})' if told else ''}")
    return (*words, ".")


def _paid_text(one: EqualSlo) -> str:
    return "never gets there" if one.paid_device_h is None else number_text(one.paid_device_h)


def _table(judged: tuple[DecidedSeries, ...]) -> Table:
    columns = (
        Column("unique_id", "Series"),
        Column("model", "Model"),
        Column("by", "Ordered by"),
        Column("paid_device_h", "Paid, device-hours", Kind.NUMBER),
        Column("over_hindsight", "Over hindsight", Kind.SHARE, digits=1),
        Column("missed_intervals", "Intervals missed", Kind.SHARE, digits=2),
        Column("slo_attainment", "Load in time", Kind.SHARE, digits=2),
        Column("missed_device_h", "Lacking, device-hours", Kind.NUMBER, is_detail=True),
        Column("slack_mean", "Slack", Kind.SHARE, digits=1),
        Column("slack_p95", "Slack, P95", Kind.SHARE, digits=1),
    )
    rows = tuple(
        (each.unique_id, one.model, _by(one), *_figures(one, each.decided))
        for each in judged
        for one in each.decided.decisions
        if one.level is None or one.level in SHOWN_LEVELS or one.has_breaker
    )
    caption = (
        "One row per model and what was ordered: its mean, or one of its quantiles, also with a breaker that answers a load above"
        " it with what was measured last and a tenth. Paid counts devices while they start. Slack is the share of the devices on"
        " duty that was not needed, in all and in all but the slackest twentieth of the intervals."
    )
    return Table("decisions", "By model and quantile", columns, rows, caption)


def _figures(one: Decision, decided: Decided) -> tuple[Cell, ...]:
    outcome = one.outcome
    return (
        finite(outcome.paid_device_h),
        _over(outcome.paid_device_h, decided),
        outcome.missed_intervals,
        outcome.slo_attainment,
        finite(outcome.missed_device_h),
        outcome.slack_mean,
        outcome.slack_p95,
    )


def _equal_table(judged: tuple[DecidedSeries, ...]) -> Table:
    columns = (
        Column("unique_id", "Series"),
        Column("target", "Load in time", Kind.SHARE),
        Column("model", "Model"),
        Column("by", "Least that does"),
        Column("paid_device_h", "Paid, device-hours", Kind.NUMBER),
        Column("over_hindsight", "Over hindsight", Kind.SHARE, digits=1),
    )
    rows = tuple(
        (each.unique_id, one.target, one.model, _equal_by(one), one.paid_device_h, _over(one.paid_device_h, each.decided))
        for each in judged
        for one in each.decided.at_equal_slo
    )
    caption = "Every model at the same service: the quantile, or the headroom over its mean, is chosen knowing what came."
    return Table("equal-slo", "At equal service", columns, rows, caption)


def _frontier(each: DecidedSeries, number: int) -> PointChart:
    """Return what the model used pays for how much of the load, and beside it every other model."""
    own = [one for one in each.decided.decisions if one.model == each.model and one.level is not None and not one.has_breaker]
    others = [one for one in each.decided.decisions if one not in own]
    return PointChart(
        f"decision-frontier-{number}",
        f"Paid and missed: {each.unique_id}",
        f"Orders by rising quantiles of {each.model}, joined; by other models and by hindsight, marked.",
        each.unit,
        "intervals missed, %",
        each.model,
        tuple(ChartPoint(one.outcome.paid_device_h, one.outcome.missed_intervals * 100, _by(one)) for one in own),
        "other models and hindsight",
        tuple(
            ChartPoint(one.outcome.paid_device_h, one.outcome.missed_intervals * 100, f"{one.model} {_by(one)}".strip())
            for one in others
            if finite(one.outcome.paid_device_h) is not None
        ),
    )


def _record(each: DecidedSeries, number: int) -> tuple[LineChart, ...]:
    """Return what was ordered and what was needed, interval by interval."""
    decided = each.decided
    if decided.needed is None or decided.ordered is None:
        return ()
    instants = tuple(decided.start_s + decided.step_s * idx for idx in range(len(decided.needed)))
    lines = (
        Line("needed", LineRole.ACTUAL, instants, tuple(finite(float(value)) for value in decided.needed), is_step=True),
        Line("ordered", LineRole.PROVIDED, instants, tuple(finite(float(value)) for value in decided.ordered), is_step=True),
    )
    caption = f"What {each.model} would have ordered at the quantile that plans provide for, and what was needed."
    unit = each.unit.removesuffix("-hours")
    return (LineChart(f"decision-record-{number}", f"Ordered and needed: {each.unique_id}", caption, unit, lines),)


def _by(one: Decision) -> str:
    if one.model == HINDSIGHT:
        return "what was needed"
    level = "mean" if one.level is None else f"P{one.level * 100:.4g}"
    return f"{level}, breaker" if one.has_breaker else level


def _equal_by(one: EqualSlo) -> str:
    if one.level is not None:
        return f"P{one.level * 100:.4g}"
    return "none" if one.headroom is None else f"mean + {one.headroom:.0%}"


def _over(paid_device_h: float | None, decided: Decided) -> float | None:
    bound = decided.bound
    if paid_device_h is None or bound is None or not bound.paid_device_h > 0:
        return None
    return finite(paid_device_h / bound.paid_device_h - 1)


def _decision_facts(one: Decision, decided: Decided) -> Facts:
    outcome = one.outcome
    return Facts(
        (
            ("model", one.model),
            ("level", one.level),
            ("has_breaker", one.has_breaker),
            ("paid_device_h", finite(outcome.paid_device_h)),
            ("over_hindsight", _over(outcome.paid_device_h, decided)),
            ("missed_intervals", outcome.missed_intervals),
            ("slo_attainment", outcome.slo_attainment),
            ("missed_device_h", finite(outcome.missed_device_h)),
            ("slack_mean", outcome.slack_mean),
            ("slack_p95", outcome.slack_p95),
        )
    )


def _equal_facts(one: EqualSlo, decided: Decided) -> Facts:
    return Facts(
        (
            ("target", one.target),
            ("model", one.model),
            ("level", one.level),
            ("headroom", one.headroom),
            ("paid_device_h", one.paid_device_h),
            ("over_hindsight", _over(one.paid_device_h, decided)),
        )
    )
