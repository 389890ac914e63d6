"""The replicas of a replay."""

from __future__ import annotations

from schedplan.tables.column import Column, Dictionary, Kind

REPLICAS_OUT = Dictionary(
    name="replicas_out",
    title="where and how long each replica of a service stood in a replay, by service, then time",
    columns=(
        Column("service", Kind.TEXT, "the service it is about", required=True),
        Column("node", Kind.TEXT, "single node", required=True),
        Column("asked", Kind.TIMESTAMP, "when the autoscaler asked for it", required=True),
        Column("taken", Kind.TIMESTAMP, "when it took its place", required=True),
        Column("ready", Kind.TIMESTAMP, "from when on it served; null where it went before"),
        Column("gone", Kind.TIMESTAMP, "when it gave its place back", required=True),
        Column("devices", Kind.FLOAT, "held there", "devices, else cores", required=True),
        Column("reason", Kind.TEXT, "why it went", required=True),
    ),
)
