"""Reader `electricity`: hourly prices of power. It tells what the file is: no table holds the price of power."""

from __future__ import annotations

from schedplan.ingest.csv_reader import CsvReader, Form, draft_of
from schedplan.ingest.source_file import SourceRows
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

HOURLY = Dictionary(
    name="electricity prices",
    title="hourly prices of power",
    columns=(
        Column("Datetime (UTC)", Kind.TIMESTAMP, "begin", required=True),
        Column("Datetime (Local)", Kind.TIMESTAMP, "the same instant on the wall clock"),
        Column("Price (USD/MWh)", Kind.TEXT, "price; counted here, not read as a number", "USD/MWh", required=True, null_ok=True),
    ),
)


def _refuse(rows: SourceRows) -> tuple[TableFile, ...]:
    negative = sum((text or "").startswith("-") for text in rows.column("Price (USD/MWh)").to_pylist())
    draft = draft_of("prices", rows, ())
    draft.refuse_file(
        f"these are {rows.n_rows} hourly prices of power in USD/MWh, {negative} of them below 0; no table holds the price of power",
        "Give what a node-hour costs, power included, as price_per_hour in the table prices; carbon intensity is read by `carbon`.",
    )


ELECTRICITY = CsvReader(
    name="electricity",
    description="hourly prices of power (Electricity Maps' columns): told as what they are, for no table holds them",
    tables=("nothing",),
    forms=(Form(HOURLY, _refuse),),
)
