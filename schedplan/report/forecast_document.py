"""What forecasts say: how good each was out of sample, its fan, and every value as a table."""

from __future__ import annotations

import numpy as np

from schedplan.forecast.record import Record
from schedplan.model.findings import Severity
from schedplan.model.forecast import Forecast, Quality, Series
from schedplan.report.decision_section import DecidedSeries, decision_facts, decision_section
from schedplan.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Facts,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Table,
    finite,
)
from schedplan.report.figures import counted
from schedplan.report.load_charts import fan_chart, record_chart
from schedplan.report.quality_table import quality_table

CHARTS_SHOWN = 12


def forecast_document(
    forecasts: tuple[Forecast, ...],
    qualities: tuple[Quality, ...] = (),
    histories: tuple[Series, ...] = (),
    tables: tuple[Table, ...] = (),
    *,
    title: str = "Forecast",
    timezone: str = "UTC",
    quantile: float | None = None,
    notes: tuple[str, ...] = (),
    decided: tuple[DecidedSeries, ...] | None = None,
    records: tuple[tuple[str, Record], ...] = (),
) -> Document:
    """Return the document of forecasts.

    histories: what they were made from, found by `unique_id`. quantile: the one a plan provides for. tables: more to show,
    such as the scores of other forecasters. notes: what was assumed of all of them. decided: their decision backtests, None where
    those were not asked for. records: their backtests by `unique_id`.
    """
    sections = (
        _answer(forecasts, qualities, notes),
        decision_section(decided or ()),
        _charts(forecasts, histories, quantile),
        _backtests(records, histories),
        Section("more", "More", tables),
        Section("values-section", "All values", (_values(forecasts),), SectionRole.DETAIL),
    )
    return Document(
        kind="forecast",
        title=title,
        timezone=timezone,
        sections=tuple(section for section in sections if section.blocks),
        facts=Facts(
            (
                ("quality", tuple(_quality_facts(one) for one in qualities)),
                *(() if decided is None else (("decisions", decision_facts(decided)),)),
            )
        ),
        main_table="values",
    )


def _answer(forecasts: tuple[Forecast, ...], qualities: tuple[Quality, ...], notes: tuple[str, ...]) -> Section:
    made = [one for one in forecasts if one.has_values]
    failed = len(forecasts) - len(made)
    rest = f", {failed} could not be" if failed else ""
    blocks: list[Block] = [Paragraph((f"{counted(len(made), 'load')} forecast{rest}.",), is_headline=True)]
    if made:
        first = made[0]
        end_s = first.cutoff_s + first.step_s * len(first.mean)
        blocks.append(Paragraph(("From ", Quantity(first.cutoff_s, Kind.INSTANT), " to ", Quantity(end_s, Kind.INSTANT), ".")))
    if qualities:
        blocks.append(quality_table(qualities))
    blocks += [Notice(Severity.NOTE, note) for note in notes]
    blocks += [Notice(_weight(one), f"{one.unique_id}: {note}") for one in forecasts for note in one.notes]
    return Section("answer", "The answer", tuple(blocks), SectionRole.ANSWER)


def _weight(forecast: Forecast) -> Severity:
    return Severity.NOTE if forecast.has_values else Severity.WARNING


def _charts(forecasts: tuple[Forecast, ...], histories: tuple[Series, ...], quantile: float | None) -> Section:
    history_of = {series.unique_id: series for series in histories}
    made = [forecast for forecast in forecasts if forecast.has_values]
    blocks: list[Block] = [
        fan_chart(forecast, history_of.get(forecast.unique_id), quantile, number)
        for number, forecast in enumerate(made[:CHARTS_SHOWN], start=1)
    ]
    left = len(made) - CHARTS_SHOWN
    if left > 0:
        blocks.append(Paragraph((f"{counted(left, 'more load')} in the table of values.",)))
    return Section("charts", "What is expected", tuple(blocks))


def _backtests(records: tuple[tuple[str, Record], ...], histories: tuple[Series, ...]) -> Section:
    unit_of = {series.unique_id: series.unit or "" for series in histories}
    blocks = tuple(
        record_chart(unique_id, record, unit_of.get(unique_id, ""), number)
        for number, (unique_id, record) in enumerate(records[:CHARTS_SHOWN], start=1)
    )
    return Section("backtests", "What was forecast before, and what came", blocks)


def _values(forecasts: tuple[Forecast, ...]) -> Table:
    levels = forecasts[0].quantile_levels if forecasts else ()
    columns = (
        Column("unique_id", "Series"),
        Column("ds", "From", Kind.INSTANT),
        Column("y_hat", "Mean", Kind.NUMBER),
        *(Column(f"q{level * 100:.4g}", f"P{level * 100:.4g}", Kind.NUMBER) for level in levels),
        Column("model", "Model", is_detail=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for forecast in (one for one in forecasts if one.has_values):
        at_levels = np.array([forecast.at(level) for level in levels])
        for idx, mean in enumerate(forecast.mean):
            quantiles = (finite(float(value)) for value in at_levels[:, idx])
            rows.append(
                (
                    forecast.unique_id,
                    forecast.cutoff_s + forecast.step_s * idx,
                    finite(float(mean)),
                    *quantiles,
                    forecast.model,
                )
            )
    return Table("values", "", columns, tuple(rows), "One row per series and interval; an interval begins at its time.")


def _quality_facts(one: Quality) -> Facts:
    return Facts(
        (
            ("unique_id", one.unique_id),
            ("model", one.model),
            ("folds", one.folds),
            ("mase", finite(one.mase)),
            ("wape", finite(one.wape)),
            ("relative_mae", finite(one.relative_mae)),
            ("coverage_80", finite(one.coverage_80)),
            ("coverage_95", finite(one.coverage_95)),
            ("exceedance_95", finite(one.exceedance_95)),
            ("verdict", one.verdict),
        )
    )
