"""Table `carbon`: intensity of the grid per region."""

from schedplan.tables.column import Column, Dictionary, Kind

CARBON = Dictionary(
    name="carbon",
    title="carbon: intensity of electricity per region",
    key=("region", "ds"),
    columns=(
        Column("region", Kind.TEXT, "region, as in nodes", required=True),
        Column("ds", Kind.TIMESTAMP, "from when it holds; empty: always"),
        Column("g_per_kwh", Kind.FLOAT, "intensity", "gCO2e/kWh", required=True, at_least=0),
    ),
)
