"""Forecasts as a document: the fan, and every value."""

import numpy as np

from schedplan.model.findings import Severity
from schedplan.model.forecast import Forecast, Series
from schedplan.report.chart_table import chart_table
from schedplan.report.charts import LineChart
from schedplan.report.document import Notice
from schedplan.report.forecast_document import forecast_document

HOUR_S = 3600


def forecast() -> Forecast:
    mean = np.array([10.0, 20.0])
    return Forecast("web", "sarima", 4 * HOUR_S, HOUR_S, mean, (0.5, 0.9), np.array([mean, mean * 2]), ((80, mean - 1, mean + 1),))


def history() -> Series:
    return Series("web", 0, HOUR_S, np.array([1.0, np.nan, 3.0, 4.0]), "requests/s")


def test_every_value_is_in_the_table() -> None:
    (values,) = forecast_document((forecast(),), histories=(history(),)).tables()

    assert values.rows == (("web", 4 * HOUR_S, 10.0, 10.0, 20.0, "sarima"), ("web", 5 * HOUR_S, 20.0, 20.0, 40.0, "sarima"))


def test_the_fan_has_what_was_seen_what_is_expected_and_the_quantile_planned_for() -> None:
    document = forecast_document((forecast(),), histories=(history(),), quantile=0.9)
    (fan,) = (block for block in document.blocks() if isinstance(block, LineChart))

    assert [(line.name, line.values) for line in fan.lines] == [
        ("seen", (1.0, None, 3.0, 4.0)),
        ("expected", (10.0, 20.0)),
        ("P90, planned for", (20.0, 40.0)),
    ]
    assert (fan.bands[0].lower, fan.bands[0].upper, fan.unit) == ((9.0, 19.0), (11.0, 21.0), "requests/s")


def test_the_fan_as_a_table_is_about_the_time_ahead() -> None:
    document = forecast_document((forecast(),), histories=(history(),), quantile=0.9)
    (fan,) = (block for block in document.blocks() if isinstance(block, LineChart))

    assert chart_table(fan).rows == ((4 * HOUR_S, 10.0, 20.0, 9.0, 11.0), (5 * HOUR_S, 20.0, 40.0, 19.0, 21.0))


def test_a_load_that_could_not_be_forecast_is_told_without_rows() -> None:
    nothing = np.full(2, np.nan)
    bad = Forecast("idle", "none", 0, HOUR_S, nothing, (0.5, 0.9), np.array([nothing, nothing]), notes=("it has no value",))
    document = forecast_document((bad, forecast()), histories=(history(),))

    assert [Notice(Severity.WARNING, "idle: it has no value")] == [one for one in document.blocks() if isinstance(one, Notice)]
    assert {"web"} == {row[0] for row in document.tables()[0].rows}
    assert 1 == sum(isinstance(block, LineChart) for block in document.blocks())
