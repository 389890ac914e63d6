"""Forecasts and demand as Parquet, and back: the table `forecast` of the output, and the demand that a plan serves.

Step and notes of a series have no column: they stand in the file's metadata. A file made elsewhere may lack them; then the step
is what lies between its rows.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.forecast import QUANTILES, Forecast
from schedplan.model.problem import Demand
from schedplan.tables.artefact_columns import Cells, columns_bytes, columns_in, parquet_bytes, parquet_table, result_schema
from schedplan.tables.artefact_folder import write_bytes_whole
from schedplan.tables.artefact_record import MALFORMED, NEWER, Fields, Json, parse_object
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.dictionary.forecast import FORECAST
from schedplan.timegrid import TimeGrid

SCHEMA_VERSION, _MAJOR = "1.0", "1"
BAND_LEVELS = (80, 95)

_METADATA_KEY = b"schedplan"
_QUANTILE = re.compile(r"q(\d{1,2}(?:\.\d{1,6})?)", re.ASCII)
_BAND = re.compile(r"(lo|hi)-(\d{1,2})", re.ASCII)

DEMAND = Dictionary(
    name="demand",
    title="demand (plan): the requests that a plan serves",
    key=("service", "ds"),
    written=True,
    columns=(
        Column("service", Kind.TEXT, "service", required=True),
        Column("ds", Kind.TIMESTAMP, "begin of the slot", required=True),
        Column(
            "peak_rps", Kind.FLOAT, "largest rate in the slot at the quantile planned for", "requests/s", required=True, at_least=0
        ),
        Column("mean_rps", Kind.FLOAT, "expected mean rate over the slot", "requests/s", required=True, at_least=0),
    ),
)


def write_forecast(path: Path, forecasts: tuple[Forecast, ...], *, force: bool = False, inputs: tuple[Path, ...] = ()) -> None:
    """Put forecasts at `path` as Parquet, whole or not at all; an earlier forecast is replaced. Raises OutputError."""
    is_forecast = force or _holds_forecast(path)
    write_bytes_whole(path, forecast_bytes(forecasts), force=is_forecast, inputs=inputs)


def read_forecast(path: Path) -> tuple[Forecast, ...]:
    """Return the forecasts of a Parquet file, in its order; InputError where it can't be read as such."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: can't be read: {problem.strerror}") from None
    return forecasts_in(content, str(path))


def forecast_bytes(forecasts: tuple[Forecast, ...]) -> bytes:
    """Return forecasts as Parquet: unique_id, ds, y_hat, one column per quantile, bands, model, cutoff."""
    schema = _forecast_schema(forecasts)
    data: dict[str, list[object]] = {name: [] for name in schema.names}
    for forecast in forecasts:
        for name, cells in _cells_of(forecast, tuple(data)).items():
            data[name].extend(cells)
    series: Json = {forecast.unique_id: _about_series(forecast) for forecast in forecasts}
    about = json.dumps({"kind": "forecast", "schema_version": SCHEMA_VERSION, "series": series}, sort_keys=True)
    return parquet_bytes(pa.table(data, schema=schema).replace_schema_metadata({_METADATA_KEY: about.encode("ascii")}))


def forecasts_in(content: bytes, file: str) -> tuple[Forecast, ...]:
    """Return the forecasts in Parquet `content`, in its order; InputError where a column is missing or a value off."""
    table = parquet_table(content, file)
    layout = _layout_of(table, file)
    about = _about_of(table, file)
    ids = table.column("unique_id").to_pylist()
    bounds = [row for row in range(len(ids)) if row == 0 or ids[row] != ids[row - 1]]
    if len({ids[row] for row in bounds}) < len(bounds):
        raise InputError(
            f"{file}: the rows of one unique_id do not stand together", code=MALFORMED, hint="Sort it by unique_id and ds."
        )
    ends = [*bounds[1:], len(ids)]
    return tuple(
        _forecast_of(table.slice(first, end - first), layout, about, file) for first, end in zip(bounds, ends, strict=True)
    )


def _about_series(forecast: Forecast) -> dict[str, Json]:
    about: dict[str, Json] = {
        "step_s": forecast.step_s,
        "notes": list(forecast.notes),
        "levels": list(forecast.quantile_levels),
    }
    return about if forecast.expected_mae is None else {**about, "expected_mae": forecast.expected_mae}


def demand_bytes(demands: tuple[Demand, ...], grid: TimeGrid) -> bytes:
    """Return demand as Parquet: one row per service and slot."""
    slots = range(grid.n_slots)
    columns: dict[str, Cells] = {
        "service": [demand.service for demand in demands for _ in slots],
        "ds": [grid.slot_start_s(slot) for _ in demands for slot in slots],
        "peak_rps": [float(value) for demand in demands for value in demand.peak_rps],
        "mean_rps": [float(value) for demand in demands for value in demand.mean_rps],
    }
    return columns_bytes(columns, DEMAND)


def demands_in(content: bytes, grid: TimeGrid, file: str) -> tuple[Demand, ...]:
    """Return the demand in Parquet `content`; InputError unless each service has one row per slot of `grid`, in order."""
    table = columns_in(content, DEMAND, file)
    n_slots = grid.n_slots
    starts = np.asarray(grid.edges_s[:-1], dtype=np.int64)
    names = table.column("service").to_pylist()
    instants = _seconds(table.column("ds"))
    demands = []
    for first in range(0, len(names), n_slots):
        rows = slice(first, first + n_slots)
        if set(names[rows]) != {names[first]} or not np.array_equal(instants[rows], starts):
            raise InputError(f"{file}: service {names[first]!r} has not one row per slot of the plan", code=MALFORMED)
        peak, mean = (table.column(name).to_numpy()[rows].astype(np.float64) for name in ("peak_rps", "mean_rps"))
        demands.append(Demand(names[first], peak, mean))
    return tuple(demands)


def is_forecast(path: Path) -> bool:
    """Return whether a file holds forecasts of this tool."""
    return path.suffix == ".parquet" and _holds_forecast(path)


def _holds_forecast(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        return _about_of(parquet_table(path.read_bytes(), str(path)), str(path)) is not None
    except (InputError, OSError):
        return False


def _forecast_schema(forecasts: tuple[Forecast, ...]) -> pa.Schema:
    """Return the schema for forecasts: that of the table, its quantiles and bands optional, and any others they have."""
    levels = sorted({*QUANTILES, *(level for forecast in forecasts for level in forecast.quantile_levels)})
    bands = sorted({*BAND_LEVELS, *(percent for forecast in forecasts for percent, _, _ in forecast.bands)})
    numbers = [_quantile_name(level) for level in levels] + [f"{side}-{percent}" for percent in bands for side in ("lo", "hi")]
    fields = {field.name: field for field in result_schema(FORECAST)}
    optional = [pa.field(name, pa.float64()) for name in numbers]
    return pa.schema([fields["unique_id"], fields["ds"], fields["y_hat"], *optional, fields["model"], fields["cutoff"]])


def _quantile_name(level: float) -> str:
    return f"q{round(level * 100, 6):g}"


def _cells_of(forecast: Forecast, names: tuple[str, ...]) -> dict[str, list[object]]:
    """Return the cells of a forecast by column; None in the columns of quantiles and bands that it does not have."""
    h = len(forecast.mean)
    numbers = {_quantile_name(level): row for level, row in zip(forecast.quantile_levels, forecast.quantiles, strict=True)}
    for percent, lower, upper in forecast.bands:
        numbers[f"lo-{percent}"], numbers[f"hi-{percent}"] = lower, upper
    cells: dict[str, list[object]] = {name: [None] * h for name in names}
    cells["unique_id"] = [forecast.unique_id] * h
    cells["ds"] = [(forecast.cutoff_s + forecast.step_s * idx) * 1000 for idx in range(h)]
    cells["y_hat"] = [float(value) for value in forecast.mean]
    for name, row in numbers.items():
        cells[name] = [float(value) for value in row]
    cells["model"] = [forecast.model] * h
    cells["cutoff"] = [forecast.cutoff_s * 1000] * h
    return cells


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns of a file are quantiles (level, name) and bands (percent), in rising order."""

    quantiles: tuple[tuple[float, str], ...]
    bands: tuple[int, ...]


def _layout_of(table: pa.Table, file: str) -> _Layout:
    """Return the layout of a file's columns, which may stand in any order; InputError where one is missing or of another type."""
    names = table.column_names
    repeated = sorted({name for name in names if names.count(name) > 1})
    types = {
        "unique_id": pa.types.is_string,
        "ds": _is_utc,
        "y_hat": pa.types.is_float64,
        "model": pa.types.is_string,
        "cutoff": _is_utc,
    }
    quantiles = sorted((round(float(match[1]) / 100, 8), match[0]) for match in map(_QUANTILE.fullmatch, names) if match)
    sides = [match for match in map(_BAND.fullmatch, names) if match]
    bands = sorted({int(match[2]) for match in sides})
    types |= {name: pa.types.is_float64 for _, name in quantiles}
    types |= {f"{side}-{percent}": pa.types.is_float64 for percent in bands for side in ("lo", "hi")}
    wrong = [name for name, fits in types.items() if name not in names or not fits(table.schema.field(names.index(name)).type)]
    wrong += [name for name in ("unique_id", "ds", "y_hat", "model", "cutoff") if name in names and table.column(name).null_count]
    if repeated or wrong or not quantiles:
        what = ", ".join(dict.fromkeys(repeated + wrong)) or "q50, q80, q90, q95, q99"
        raise InputError(
            f"{file}: not a forecast: its column {what} is missing, of another type, empty in places or there twice",
            code=MALFORMED,
            hint="It needs unique_id, ds (UTC), y_hat, at least one quantile such as q95, model and cutoff.",
        )
    return _Layout(tuple(quantiles), tuple(bands))


def _is_utc(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _about_of(table: pa.Table, file: str) -> Fields | None:
    """Return what the file's metadata say of its series; None for a file made elsewhere."""
    content = (table.schema.metadata or {}).get(_METADATA_KEY)
    if content is None:
        return None
    about = Fields(parse_object(content, file), file)
    if about.text("kind") != "forecast":
        raise about.refusal("kind", "forecast")
    if about.text("schema_version").split(".")[0] != _MAJOR:
        raise InputError(f"{file}: a forecast of schema version {about.text('schema_version')}, too new to be read", code=NEWER)
    return about.within("series")


def _forecast_of(rows: pa.Table, layout: _Layout, about: Fields | None, file: str) -> Forecast:
    unique_id: str = rows.column("unique_id")[0].as_py()
    series = about.within(unique_id) if about is not None else None
    instants = _seconds(rows.column("ds"))
    start_s = int(instants[0])
    step_s = series.whole("step_s") if series is not None else _step_between(instants, int(_seconds(rows.column("cutoff"))[0]))
    if step_s <= 0 or not np.array_equal(instants, start_s + step_s * np.arange(len(instants))):
        raise InputError(f"{file}: series {unique_id!r}: its rows are not on one regular grid", code=MALFORMED)
    levels, quantiles = _quantiles_of(rows, layout, series, unique_id, file)
    return Forecast(
        unique_id=unique_id,
        model=rows.column("model")[0].as_py(),
        cutoff_s=start_s,
        step_s=step_s,
        mean=_read_finite(rows.column("y_hat").to_numpy(), "y_hat", file),
        quantile_levels=levels,
        quantiles=quantiles,
        bands=_bands_of(rows, layout, file),
        notes=series.texts("notes") if series is not None else (),
        expected_mae=series.optional_number("expected_mae") if series is not None else None,
    )


def _quantiles_of(
    rows: pa.Table, layout: _Layout, series: Fields | None, unique_id: str, file: str
) -> tuple[tuple[float, ...], NDArray[np.float64]]:
    """Return the levels that a series has and their rows; the levels exactly as they were written, where that is known."""
    present = [(level, name) for level, name in layout.quantiles if rows.column(name).null_count == 0]
    if not present:
        raise InputError(f"{file}: series {unique_id!r} has no quantile without empty cells", code=MALFORMED)
    exact = series.numbers("levels") if series is not None else tuple(level for level, _ in present)
    if [_quantile_name(level) for level in exact] != [name for _, name in present] and series is not None:
        raise series.refusal("levels", "the levels of its columns")
    quantiles = np.array([_read_finite(rows.column(name).to_numpy(), name, file) for _, name in present])
    if (np.diff(quantiles, axis=0) < 0).any():
        raise InputError(f"{file}: series {unique_id!r}: a higher quantile lies below a lower one", code=MALFORMED)
    return exact, quantiles


def _bands_of(rows: pa.Table, layout: _Layout, file: str) -> tuple[tuple[int, NDArray[np.float64], NDArray[np.float64]], ...]:
    bands = []
    for percent in layout.bands:
        lower, upper = (rows.column(f"{side}-{percent}") for side in ("lo", "hi"))
        if lower.null_count == 0 and upper.null_count == 0:
            low, high = (_read_finite(side.to_numpy(), f"band {percent}", file) for side in (lower, upper))
            bands.append((percent, low, high))
    return tuple(bands)


def _step_between(instants: NDArray[np.int64], cutoff_s: int) -> int:
    """Return the step of a series that does not state it; of a single row, what lies between it and its last history."""
    return int(instants[1] - instants[0]) if len(instants) > 1 else int(instants[0]) - cutoff_s


def _seconds(column: pa.ChunkedArray) -> NDArray[np.int64]:
    seconds: NDArray[np.int64] = column.cast(pa.timestamp("s", tz="UTC"), safe=False).cast(pa.int64()).to_numpy()
    return seconds


def _read_finite(values: NDArray[np.float64], name: str, file: str) -> NDArray[np.float64]:
    if not np.isfinite(values).all():
        raise InputError(f"{file}: {name} has a value that is not finite", code=MALFORMED)
    return values.astype(np.float64)
