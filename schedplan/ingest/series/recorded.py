"""Reader `series`: values at times, one or several series a file, in the forms that public data sets have, as the table `load`.

Sources: numenta/NAB, alibaba/ServeGen, alibaba/clusterdata cluster-trace-v2026-GenAI, the NASA-HTTP log (2026-11). What a file does
not state (a unit, a zone, a date) is said, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.ingest.csv_reader import CsvReader, Form, draft_of
from schedplan.ingest.draft import Draft
from schedplan.ingest.source_file import SourceRows
from schedplan.ingest.undated import EPOCH_S, SAID
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile

_PERCENT = 100.0
_ALL = "all"
_MOST_S = 5_000_000_000


@dataclass(frozen=True, slots=True)
class Measured:
    """A column of values. name: of its series, empty for that of the file. unit: of y. per_step: the value counts a step."""

    column: str
    name: str
    unit: str | None
    per_step: bool = False
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Which column tells the time, whether it dates it, which ones are values, and which tell series apart.

    gap: a row in which all these columns are 0 records nothing. is_sum: values of one time add up.
    """

    time: str
    values: tuple[Measured, ...]
    is_dated: bool = True
    apart: str | None = None
    gap: tuple[str, ...] = ()
    is_sum: bool = False


def _convert(shape: Shape) -> Callable[[SourceRows], tuple[TableFile, ...]]:
    def convert(rows: SourceRows) -> tuple[TableFile, ...]:
        used = (shape.time, *(value.column for value in shape.values), *((shape.apart,) if shape.apart else ()))
        draft = draft_of("load", rows, (*used, *shape.gap))
        times = _times(rows, shape)
        step_s = _step_s(times)
        is_gap = (
            np.all([rows.floats(name) == 0 for name in shape.gap], axis=0) if shape.gap else np.zeros(rows.n_rows, dtype=np.bool_)
        )
        parts = rows.column(shape.apart).to_pylist() if shape.apart else [None] * rows.n_rows
        for value in shape.values:
            _add(draft, rows, value, times, np.where(is_gap, np.nan, rows.floats(value.column)), parts, step_s, shape.is_sum)
        _tell(draft, rows, shape, times, step_s, int(np.count_nonzero(is_gap)))
        return (draft.file(),)

    return convert


def _times(rows: SourceRows, shape: Shape) -> NDArray[np.int64]:
    """Return the begin of each row in seconds since 1970; int64 [n]."""
    if shape.is_dated and rows.source.column(shape.time).kind is Kind.TIMESTAMP:
        return rows.integers(shape.time)
    seconds = rows.floats(shape.time)
    return np.floor(seconds if shape.is_dated else seconds + EPOCH_S).astype(np.int64)


def _step_s(times: NDArray[np.int64]) -> int:
    """Return the commonest step between different times, 0 where there is none."""
    steps = np.diff(np.unique(times))
    if not len(steps):
        return 0
    values, counts = np.unique(steps, return_counts=True)
    return int(values[np.argmax(counts)])


def _add(
    draft: Draft,
    rows: SourceRows,
    value: Measured,
    times: NDArray[np.int64],
    amounts: NDArray[np.float64],
    parts: list[str | None],
    step_s: int,
    is_sum: bool,
) -> None:
    name = plain_name(draft.path).rsplit(".", 1)[0]
    scale = value.factor / step_s if value.per_step and step_s else value.factor
    sums: dict[tuple[str, int], tuple[int, float]] = {}
    for number, ds, amount, part in zip(rows.file.rows.tolist(), times.tolist(), amounts.tolist(), parts, strict=True):
        pieces = [piece for piece in (value.name, part if part is not None else None) if piece]
        key = (f"{name}:{':'.join(pieces)}" if pieces else name, ds)
        if is_sum and key in sums:
            sums[key] = (sums[key][0], sums[key][1] + amount)
        elif is_sum:
            sums[key] = (number, amount)
        else:
            draft.add(number, _row(key, amount * scale, value.unit))
    for key, (number, total) in sums.items():
        draft.add(number, _row(key, total * scale, value.unit))


def _row(key: tuple[str, int], amount: float, unit: str | None) -> dict[str, str | int | float | bool | None]:
    return {"unique_id": key[0], "ds": key[1], "y": None if np.isnan(amount) else amount, "unit": unit}


def _tell(draft: Draft, rows: SourceRows, shape: Shape, times: NDArray[np.int64], step_s: int, gaps: int) -> None:
    draft.rows_used = rows.n_rows
    steps = np.diff(np.unique(times))
    longer = int(np.count_nonzero(steps > step_s))
    draft.note(bool(step_s), f"the step is {step_s} s")
    draft.note(longer, f"{longer} steps are longer than that; what is missing there is a gap, not 0")
    draft.note(gaps, f"{gaps} rows record nothing at all (all 0), which is a gap and not idle load")
    draft.note(not shape.is_dated and rows.n_rows, SAID)
    counted = [value.column for value in shape.values if value.per_step]
    draft.note(bool(counted) and bool(step_s), f"{', '.join(counted)} counts a whole step, so y is the count / {step_s} s")
    unknown = [value.column for value in shape.values if value.unit is None]
    draft.caution(bool(unknown) and rows.n_rows, f"the unit of {', '.join(unknown)} is not stated; y is the value as it stands")
    twice = rows.n_rows - len(draft.rows) // max(len(shape.values), 1)
    draft.note(shape.is_sum and twice, f"{twice} rows share time and series with another and are added to it")


def _dictionary(name: str, *columns: Column) -> Dictionary:
    return Dictionary(name=f"series {name}", title=f"series of the form {name}", columns=columns)


def _number(name: str, description: str = "value", required: bool = True) -> Column:
    return Column(name, Kind.FLOAT, description, required=required, null_ok=True, at_least=0)


def _time(name: str) -> Column:
    return Column(name, Kind.TIMESTAMP, "begin of the interval", required=True)


def _seconds(name: str) -> Column:
    return Column(name, Kind.FLOAT, "begin of the interval", "s", required=True, at_least=0, at_most=_MOST_S)


def _text(name: str, description: str) -> Column:
    return Column(name, Kind.TEXT, description, required=True)


_TEXT_PART = Column("container_ip", Kind.TEXT, "container", required=True, null_ok=True)
_FORMS = (
    (
        _dictionary("nab", _time("timestamp"), Column("value", Kind.FLOAT, "value", required=True, null_ok=True, at_least=0)),
        Shape("timestamp", (Measured("value", "", None),)),
        True,
    ),
    (
        _dictionary("requests", _time("timestamp"), _number("requests", "requests in the interval")),
        Shape("timestamp", (Measured("requests", "", "requests/s", per_step=True),)),
        True,
    ),
    (
        _dictionary("servegen total", _seconds("window_start_s"), _number("rate_rps"), _number("active_clients")),
        Shape("window_start_s", (Measured("rate_rps", "", "requests/s"),), is_dated=False, gap=("rate_rps", "active_clients")),
        True,
    ),
    (
        _dictionary(
            "servegen clients",
            Column("client", Kind.TEXT, "client", required=True),
            _seconds("window_start_s"),
            _number("rate_rps"),
            _number("cv"),
        ),
        Shape("window_start_s", (Measured("rate_rps", "client", "requests/s"),), is_dated=False, apart="client"),
        False,
    ),
    (
        _dictionary("genai hourly", _time("hour"), _number("requests"), _number("exec_seconds")),
        Shape(
            "hour",
            (Measured("requests", "", "requests/s", per_step=True), Measured("exec_seconds", "busy", "devices", per_step=True)),
        ),
        True,
    ),
    (
        _dictionary(
            "philly hourly",
            _time("hour"),
            _number("jobs_submitted"),
            _number("gpus_requested"),
            _number("gpus_in_use_if_started_at_submit"),
        ),
        Shape(
            "hour",
            (
                Measured("gpus_in_use_if_started_at_submit", "", "devices"),
                Measured("jobs_submitted", "jobs_submitted", "jobs/s", per_step=True),
            ),
        ),
        True,
    ),
    (
        _dictionary(
            "genai qps",
            _seconds("timestamp_anon"),
            _number("value"),
            _TEXT_PART,
            _text("request_type", "sort of request"),
        ),
        Shape("timestamp_anon", (Measured("value", "", "requests/s"),), apart="request_type", is_sum=True),
        True,
    ),
    (
        _dictionary("genai containers", _seconds("timestamp_anon"), _number("value"), _TEXT_PART),
        Shape("timestamp_anon", (Measured("value", "", None),), apart="container_ip", is_sum=True),
        True,
    ),
)
SERIES = CsvReader(
    name="series",
    description="recorded series: NAB, ServeGen windows, request counts, hourly demand, samples of containers",
    tables=("load",),
    forms=tuple(Form(dictionary, _convert(shape), is_whole=is_whole) for dictionary, shape, is_whole in _FORMS),
)
