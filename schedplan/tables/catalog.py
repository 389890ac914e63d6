"""All dictionaries by name, and what people read of them. It loads nothing heavy, so that `schedplan schema` answers at once."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from schedplan.errors import UsageError
from schedplan.tables.column import Dictionary
from schedplan.tables.dictionary.carbon import CARBON
from schedplan.tables.dictionary.events import EVENTS
from schedplan.tables.dictionary.forecast import FORECAST
from schedplan.tables.dictionary.jobs import JOBS
from schedplan.tables.dictionary.jobs_out import JOBS_OUT
from schedplan.tables.dictionary.latency_samples import LATENCY_SAMPLES
from schedplan.tables.dictionary.links import LINKS
from schedplan.tables.dictionary.load import LOAD
from schedplan.tables.dictionary.nodes import NODES
from schedplan.tables.dictionary.offers import OFFERS
from schedplan.tables.dictionary.outages import OUTAGES
from schedplan.tables.dictionary.pins import PINS
from schedplan.tables.dictionary.placements import PLACEMENTS
from schedplan.tables.dictionary.plan_nodes import PLAN_NODES
from schedplan.tables.dictionary.prices import PRICES
from schedplan.tables.dictionary.quotas import QUOTAS
from schedplan.tables.dictionary.replicas import REPLICAS
from schedplan.tables.dictionary.replicas_out import REPLICAS_OUT
from schedplan.tables.dictionary.services import SERVICES
from schedplan.tables.dictionary.services_out import SERVICES_OUT
from schedplan.tables.dictionary.speeds import SPEEDS
from schedplan.tables.dictionary.timeline import TIMELINE
from schedplan.tables.dictionary.unplaced import UNPLACED

INPUT_TABLES: tuple[Dictionary, ...] = (
    NODES,
    JOBS,
    SERVICES,
    LOAD,
    SPEEDS,
    QUOTAS,
    PRICES,
    CARBON,
    OUTAGES,
    PINS,
    EVENTS,
    LATENCY_SAMPLES,
    LINKS,
    OFFERS,
    FORECAST,
)
PLAN_TABLES: tuple[Dictionary, ...] = (PLACEMENTS, REPLICAS, PLAN_NODES, UNPLACED)
SIMULATION_TABLES: tuple[Dictionary, ...] = (TIMELINE, JOBS_OUT, SERVICES_OUT, REPLICAS_OUT)
ALL_TABLES: tuple[Dictionary, ...] = INPUT_TABLES + PLAN_TABLES + SIMULATION_TABLES
_BY_NAME = {dictionary.name: dictionary for dictionary in ALL_TABLES}


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """One column as `schedplan schema` prints it."""

    name: str
    type: str
    unit: str
    default: str
    honoured: bool
    description: str


def find_dictionary(name: str) -> Dictionary | None:
    """Return the dictionary of a table, None where there is no such table."""
    return _BY_NAME.get(name)


def dictionary(name: str) -> Dictionary:
    """Return the dictionary of a table; UsageError with the nearest name where there is none."""
    found = find_dictionary(name)
    if found is not None:
        return found
    near = get_close_matches(name, _BY_NAME, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Tables: {', '.join(_BY_NAME)}."
    raise UsageError(f"there is no table {name!r}", hint=hint)


def schema_rows(name: str) -> tuple[SchemaRow, ...]:
    """Return the columns of a table in the order of its dictionary; UsageError for an unknown table."""
    return tuple(
        SchemaRow(column.name, column.type_text, column.unit, column.default_text, column.honoured, column.description)
        for column in dictionary(name).columns
    )


def markdown(name: str) -> str:
    """Return a table's columns as a Markdown table, one line per column; UsageError for an unknown table."""
    lines = ["| column | type | unit | default | meaning |", "|---|---|---|---|---|"]
    for row in schema_rows(name):
        meaning = row.description if row.honoured else f"{row.description} (read, not acted on yet)"
        lines.append(
            "| " + " | ".join(_markdown_cell(text) for text in (row.name, row.type, row.unit, row.default, meaning)) + " |"
        )
    return "\n".join(lines) + "\n"


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|")
