"""Reader `lingjun`: which switches a host of Alibaba's Lingjun cluster hangs on.

Source: alibaba/alibaba-lingjun-dataset-2023 (2026-11).
"""

from __future__ import annotations

from schedplan.ingest.csv_reader import CsvReader, Form
from schedplan.ingest.source_file import SourceRows, as_table
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

HOSTS = Dictionary(
    name="lingjun hosts",
    title="topo.csv: one row per host",
    key=("ip",),
    columns=(
        Column("ip", Kind.TEXT, "host, a hash", required=True, forbidden="/"),
        Column("DSW", Kind.TEXT, "core switch", required=True),
        Column("PSW", Kind.TEXT, "aggregation switch", required=True),
        Column("ASW", Kind.TEXT, "switch of the rack", required=True),
    ),
)


def _hosts(rows: SourceRows) -> tuple[TableFile, ...]:
    columns = {"node": rows.column("ip"), "rack": rows.column("ASW"), "block": rows.column("PSW")}
    counts = ", ".join(f"{len(set(rows.column(name).to_pylist()))} {name}" for name in ("DSW", "PSW", "ASW"))
    notes = (
        f"{rows.n_rows} hosts on {counts}; the switch of the rack is the rack, that of aggregation the block",
        "the file states no devices, cores and memory; give them in a table nodes of the same names",
    )
    return (as_table(rows, "nodes", columns, notes if rows.n_rows else (), left_aside=("DSW",)),)


LINGJUN = CsvReader("lingjun", "Alibaba Lingjun 2023: topo.csv, switches of each host", ("nodes",), (Form(HOSTS, _hosts),))
