"""Rows of `load` and `forecast` as series and forecasts on regular grids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.model.forecast import QUANTILES, Forecast, Series
from schedplan.tables import cumulative
from schedplan.tables.faults import Code
from schedplan.tables.regrid import Regrid, regrid
from schedplan.tables.table_rows import TableRows
from schedplan.timegrid import format_instant

MAX_INTERVALS = 20_000_000
_IRREGULAR_SHOWN = 5
_OFF_GRID = (
    "Correct the times, or put rows together to regular intervals: [forecast] freq (--freq 1h), and agg where a sum is meant."
)


def series(rows: TableRows, asked: Regrid | None = None) -> tuple[Series, ...]:
    """Return one series per unique_id, by name. Step = commonest difference of its times; what is missing between is NaN.

    asked: how rows are put together to intervals, where they are. Times off the grid, single rows where there is nothing else, and
    units that differ are noted in `rows.faults`; series of a single row among others are left out, which `rows.notes` tell.
    """
    instants, values, units = _instants(rows), _numbers(rows, "y"), rows.texts("unit")
    found = _as_given(rows, instants, values, units) if asked is None else _together(rows, instants, values, units, asked)
    rows.notes += [note for one in found if (note := cumulative.told(one.unique_id, one.values)) is not None]
    return found


def _as_given(
    rows: TableRows, instants: NDArray[np.int64], values: NDArray[np.float64], units: list[str | None]
) -> tuple[Series, ...]:
    found, single = [], []
    for unique_id, order in _groups(rows, instants):
        if len(order) == 1:
            single.append((unique_id, order))
            continue
        step_s = _step_s(rows, unique_id, instants, order)
        if step_s is None:
            continue
        positions = (instants[order] - instants[order[0]]) // step_s
        regular = np.full(int(positions[-1]) + 1, np.nan)
        regular[positions] = values[order]
        found.append(Series(unique_id, int(instants[order[0]]), step_s, regular, _unit(rows, order, units)))
    _tell_single(rows, single, are_alone=not found)
    return tuple(found)


def _together(
    rows: TableRows, instants: NDArray[np.int64], values: NDArray[np.float64], units: list[str | None], asked: Regrid
) -> tuple[Series, ...]:
    found, single, left_out = [], [], 0
    for unique_id, order in _groups(rows, instants):
        native_s = _native_s(instants[order]) or asked.step_s
        if native_s is None:
            single.append((unique_id, order))
            continue
        step_s = asked.step_s or native_s
        if step_s < native_s:
            told = f"rows of the series {unique_id} are {native_s} s apart, more than the {step_s} s asked for"
            rows.fault(
                int(order[0]), Code.IRREGULAR, told, column="ds", hint="Ask for intervals at least as long as those of the file."
            )
            continue
        if _too_many(rows, unique_id, instants[order], order, step_s):
            continue
        regular = regrid(instants[order], values[order], native_s, asked)
        left_out += regular.left_out
        found.append(Series(unique_id, regular.start_s, regular.step_s, regular.values, _unit(rows, order, units)))
    _tell_single(rows, single, are_alone=not found)
    if found:
        made = sum(len(each.values) for each in found)
        rest = f"; {left_out} rows of intervals begun at their ends were left out" if left_out else ""
        rows.notes.append(f"load: {rows.n_rows} rows were put together to {made} intervals, by {asked.together.value}{rest}")
    return tuple(found)


def _native_s(times: NDArray[np.int64]) -> int | None:
    """Return the commonest difference of times that differ; None where all are one."""
    lengths, counts = np.unique(np.diff(np.unique(times)), return_counts=True)
    return int(lengths[np.argmax(counts)]) if len(lengths) else None


def _tell_single(rows: TableRows, single: list[tuple[str, NDArray[np.int64]]], *, are_alone: bool) -> None:
    """Note loads of a single row, which are left out; where there are no others, they are faults."""
    for unique_id, order in single:
        if are_alone:
            _single_row(rows, unique_id, order)
        else:
            rows.notes.append(f"load: the series {unique_id} has a single row, so its interval is not known: it is left out")


def _single_row(rows: TableRows, unique_id: str, order: NDArray[np.int64]) -> None:
    hint = "Give at least two rows, so that the length of an interval is known."
    rows.fault(int(order[0]), Code.IRREGULAR, f"the series {unique_id} has a single row", column="ds", hint=hint)


def _too_many(rows: TableRows, unique_id: str, times: NDArray[np.int64], order: NDArray[np.int64], step_s: int) -> bool:
    """Note a series of more intervals than can be held, and say whether it is one."""
    n_intervals = int(times[-1] - times[0]) // step_s + 1
    if n_intervals > MAX_INTERVALS:
        message = f"the series {unique_id} spans {n_intervals} intervals of {step_s} s"
        rows.fault(int(order[-1]), Code.TOO_LARGE, message, column="ds", expected=f"at most {MAX_INTERVALS}")
    return n_intervals > MAX_INTERVALS


def forecasts(rows: TableRows) -> tuple[Forecast, ...]:
    """Return one forecast per unique_id, by name, from quantiles made elsewhere; gaps and falling quantiles are faults."""
    instants = _instants(rows)
    mean = _numbers(rows, "y_hat")
    quantiles = np.array([_numbers(rows, f"q{round(level * 100)}") for level in QUANTILES])
    models = rows.names("model")
    found = []
    for unique_id, order in _groups(rows, instants):
        step_s = _step_s(rows, unique_id, instants, order)
        if step_s is None:
            continue
        _refuse_gap(rows, instants, order, step_s)
        _refuse_falling(rows, quantiles, order)
        start_s = int(instants[order[0]])
        found.append(
            Forecast(unique_id, models[order[0]], start_s, step_s, mean[order], QUANTILES, quantiles[:, order], _bands(rows, order))
        )
    return tuple(found)


def _instants(rows: TableRows) -> NDArray[np.int64]:
    return np.asarray(rows.arrow.column("ds").cast(pa.int64()).to_numpy(), dtype=np.int64)


def _numbers(rows: TableRows, name: str) -> NDArray[np.float64]:
    return np.asarray(rows.arrow.column(name).to_numpy(), dtype=np.float64)


def _groups(rows: TableRows, instants: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield (unique_id, indices of its rows by time), ids by name."""
    encoded = rows.arrow.column("unique_id").combine_chunks().dictionary_encode()
    ids = encoded.dictionary.to_pylist()
    codes = np.asarray(encoded.indices.to_numpy(), dtype=np.int64)
    order = np.lexsort((instants, codes))
    bounds = np.searchsorted(codes[order], np.arange(len(ids) + 1))
    for code in sorted(range(len(ids)), key=lambda code: str(ids[code])):
        yield ids[code], order[bounds[code] : bounds[code + 1]]


def _step_s(rows: TableRows, unique_id: str, instants: NDArray[np.int64], order: NDArray[np.int64]) -> int | None:
    """Return the step of a series, None where it has none (then a fault is noted)."""
    times = instants[order]
    if len(times) < 2:
        _single_row(rows, unique_id, order)
        return None
    lengths, counts = np.unique(np.diff(times), return_counts=True)
    step_s = int(lengths[np.argmax(counts)])
    off_grid = np.flatnonzero((times - times[0]) % step_s)
    for position in off_grid[:_IRREGULAR_SHOWN]:
        more = f"; {len(off_grid)} rows of the series are off the grid" if len(off_grid) > _IRREGULAR_SHOWN else ""
        rows.fault(
            int(order[position]),
            Code.IRREGULAR,
            f"the time is not on the grid of series {unique_id}{more}",
            column="ds",
            seen=format_instant(int(times[position])),
            expected=f"{format_instant(int(times[0]))} and every {step_s} s from there",
            hint=_OFF_GRID,
        )
    return None if _too_many(rows, unique_id, times, order, step_s) or off_grid.size else step_s


def _unit(rows: TableRows, order: NDArray[np.int64], units: list[str | None]) -> str | None:
    first: str | None = None
    for idx in order.tolist():
        first = first or units[idx]
        if units[idx] is not None and units[idx] != first:
            rows.fault(
                idx, Code.CONTRADICTION, "the series has another unit before", column="unit", seen=units[idx], expected=first
            )
            break
    return first


def _refuse_gap(rows: TableRows, instants: NDArray[np.int64], order: NDArray[np.int64], step_s: int) -> None:
    for position in np.flatnonzero(np.diff(instants[order]) != step_s):
        idx = int(order[position + 1])
        rows.fault(
            idx, Code.IRREGULAR, "a forecast has no gaps; the interval before is missing", column="ds", expected=f"{step_s} s steps"
        )


def _refuse_falling(rows: TableRows, quantiles: NDArray[np.float64], order: NDArray[np.int64]) -> None:
    for idx in order[np.any(np.diff(quantiles[:, order], axis=0) < 0, axis=0)].tolist():
        rows.fault(
            idx, Code.CONTRADICTION, "a higher quantile is below a lower one", column="q50", expected="q50 <= q80 <= ... <= q99"
        )


def _bands(rows: TableRows, order: NDArray[np.int64]) -> tuple[tuple[int, NDArray[np.float64], NDArray[np.float64]], ...]:
    bands = []
    for level in (80, 95):
        low, high = (rows.arrow.column(f"{end}-{level}") for end in ("lo", "hi"))
        if low.null_count == 0 and high.null_count == 0:
            bands.append((level, _numbers(rows, f"lo-{level}")[order], _numbers(rows, f"hi-{level}")[order]))
    return tuple(bands)
