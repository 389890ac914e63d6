"""How forecasts did out of sample, as a table."""

from __future__ import annotations

from schedplan.model.forecast import Quality
from schedplan.report.document import Column, Kind, Table, finite

_COLUMNS = (
    Column("unique_id", "Series"),
    Column("model", "Model"),
    Column("folds", "Folds", Kind.COUNT, is_detail=True),
    Column("mase", "MASE", Kind.NUMBER, digits=3),
    Column("wape", "WAPE", Kind.SHARE, is_detail=True),
    Column("relative_mae", "MAE ratio", Kind.NUMBER, digits=3),
    Column("coverage_80", "80 % holds", Kind.SHARE),
    Column("coverage_95", "95 % holds", Kind.SHARE),
    Column("exceedance_95", "above P95", Kind.SHARE, is_detail=True),
    Column("verdict", "Verdict"),
)


def quality_table(qualities: tuple[Quality, ...]) -> Table:
    """Return one row per series."""
    rows = tuple(
        (
            one.unique_id,
            one.model,
            one.folds,
            finite(one.mase),
            finite(one.wape),
            finite(one.relative_mae),
            finite(one.coverage_80),
            finite(one.coverage_95),
            finite(one.exceedance_95),
            one.verdict,
        )
        for one in qualities
    )
    caption = (
        "Judged on folds of the past that the forecaster had not seen. MAE ratio: against repeating the last season, "
        "below 1 is better. Holds: the share of actuals inside the band."
    )
    return Table("quality", "How good the forecast is", _COLUMNS, rows, caption)
