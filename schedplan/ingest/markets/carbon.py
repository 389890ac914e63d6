"""Reader `carbon`: carbon intensity by region, constant or over time, as several providers publish it.

Sources: GoogleCloudPlatform/region-carbon-info, mlco2/codecarbon, Electricity Maps' yearly files, dos-group/lets-wait-awhile
(2026-11). Their figures have terms of their own; none comes with schedplan.
"""

from __future__ import annotations

import numpy as np

from schedplan.ingest.csv_reader import UTC_ALWAYS, CsvReader, Form, draft_of
from schedplan.ingest.source_file import SourceRows
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile

_UNIT = "gCO2e/kWh"
_LIFE_CYCLE = "Carbon Intensity gCO₂eq/kWh (LCA)"
_DIRECT = "Carbon Intensity gCO₂eq/kWh (direct)"
_GRID = "Grid carbon intensity (gCO2eq / kWh)"

GOOGLE = Dictionary(
    name="carbon google",
    title="Google's grid intensity by region, one row per region",
    key=("Google Cloud Region",),
    columns=(
        Column("Google Cloud Region", Kind.TEXT, "region", required=True),
        Column(_GRID, Kind.FLOAT, "intensity", _UNIT, required=True, at_least=0),
    ),
)
CODECARBON = Dictionary(
    name="carbon codecarbon",
    title="CodeCarbon's list of cloud regions",
    columns=(
        Column("provider", Kind.TEXT, "cloud", required=True),
        Column("region", Kind.TEXT, "region", required=True),
        Column("impact", Kind.FLOAT, "intensity", _UNIT, required=True, null_ok=True, at_least=0),
    ),
)
ELECTRICITY_MAPS = Dictionary(
    name="carbon electricity maps",
    title="hourly intensity of one zone",
    columns=(
        Column("Datetime (UTC)", Kind.TIMESTAMP, "begin of the hour", required=True),
        Column("Zone Id", Kind.TEXT, "zone", required=True),
        Column(_DIRECT, Kind.FLOAT, "intensity of generation alone", _UNIT, required=True, null_ok=True, at_least=0),
        Column(_LIFE_CYCLE, Kind.FLOAT, "intensity over the life cycle", _UNIT, required=True, null_ok=True, at_least=0),
        Column("Data Estimated", Kind.BOOLEAN, "estimated"),
    ),
)
LETS_WAIT_AWHILE = Dictionary(
    name="carbon lets-wait-awhile",
    title="intensity of one country in quarters of an hour",
    key=("Time",),
    columns=(
        Column("Time", Kind.TIMESTAMP, "begin", required=True),
        Column("Carbon Intensity", Kind.FLOAT, "intensity", _UNIT, required=True, null_ok=True, at_least=0),
    ),
)
_NO_VALUE = "states no intensity"


def _constant(rows: SourceRows, region: str, value: str, said: str) -> tuple[TableFile, ...]:
    draft = draft_of("carbon", rows, (region, value))
    for number, name, intensity in zip(
        rows.file.rows.tolist(), rows.column(region).to_pylist(), rows.column(value).to_pylist(), strict=True
    ):
        if intensity is None:
            draft.drop(_NO_VALUE)
        else:
            draft.add(number, {"region": name, "g_per_kwh": intensity})
    draft.note(len(draft.rows), said)
    return (draft.file(),)


def _google(rows: SourceRows) -> tuple[TableFile, ...]:
    return _constant(rows, "Google Cloud Region", _GRID, "intensity is the mean of a year, so it holds at all times")


def _codecarbon(rows: SourceRows) -> tuple[TableFile, ...]:
    clouds = ", ".join(sorted(set(rows.column("provider").to_pylist())))
    said = f"intensity holds at all times; impact is in gCO2e/kWh; clouds in the list: {clouds}"
    return _constant(rows, "region", "impact", said)


def _electricity_maps(rows: SourceRows) -> tuple[TableFile, ...]:
    draft = draft_of("carbon", rows, ("Datetime (UTC)", "Zone Id", _LIFE_CYCLE))
    times = rows.integers("Datetime (UTC)").tolist()
    for number, zone, ds, value in zip(
        rows.file.rows.tolist(), rows.column("Zone Id").to_pylist(), times, rows.column(_LIFE_CYCLE).to_pylist(), strict=True
    ):
        if value is None:
            draft.drop(_NO_VALUE)
        else:
            draft.add(number, {"region": zone, "ds": ds, "g_per_kwh": value})
    estimated = sum(bool(flag) for flag in rows.column("Data Estimated").to_pylist())
    draft.note(len(draft.rows), "the intensity over the life cycle (LCA) is taken, not that of generation alone; times are UTC")
    draft.note(estimated, f"{estimated} of {rows.n_rows} values are estimates of the provider")
    return (draft.file(),)


def _lets_wait_awhile(rows: SourceRows) -> tuple[TableFile, ...]:
    draft = draft_of("carbon", rows, ("Time", "Carbon Intensity"))
    region = plain_name(rows.file.path).removesuffix(".csv")
    times = rows.integers("Time")
    for number, ds, value in zip(rows.file.rows.tolist(), times.tolist(), rows.column("Carbon Intensity").to_pylist(), strict=True):
        if value is None:
            draft.drop(_NO_VALUE)
        else:
            draft.add(number, {"region": region, "ds": ds, "g_per_kwh": value})
    steps = np.diff(np.sort(times))
    gaps = int(np.count_nonzero(steps > np.median(steps))) if len(steps) else 0
    draft.note(gaps, f"{gaps} steps are longer than the others; the value before holds on")
    draft.caution(len(draft.rows), f"the file names no region; it is called {region} after the file, and nodes.region must be, too")
    return (draft.file(),)


CARBON = CsvReader(
    name="carbon",
    description="carbon intensity: regions of Google and CodeCarbon, hours of Electricity Maps, quarters of lets-wait-awhile",
    tables=("carbon",),
    forms=(
        Form(GOOGLE, _google),
        Form(CODECARBON, _codecarbon),
        Form(ELECTRICITY_MAPS, _electricity_maps, UTC_ALWAYS),
        Form(LETS_WAIT_AWHILE, _lets_wait_awhile, is_whole=True),
    ),
)
