"""The services of a replay."""

from __future__ import annotations

from schedplan.tables.column import Column, Dictionary, Kind

SERVICES_OUT = Dictionary(
    name="services_out",
    title="how the requests of each service fared, one row per stretch in which its rate and its replicas stay as they are",
    columns=(
        Column("service", Kind.TEXT, "the service it is about", required=True),
        Column("start", Kind.TIMESTAMP, "from when", required=True),
        Column("end", Kind.TIMESTAMP, "until when", required=True),
        Column("rate_rps", Kind.FLOAT, "requests that reach the replicas", "requests/s", required=True),
        Column("wanted", Kind.INTEGER, "replicas that the autoscaler asks for", required=True),
        Column("ready", Kind.INTEGER, "replicas that serve", required=True),
        Column("backlog_start", Kind.FLOAT, "requests that wait beyond the steady state, at the start", required=True),
        Column("backlog_end", Kind.FLOAT, "the same at the end", required=True),
        Column("late", Kind.FLOAT, "requests that miss the SLO", required=True),
        Column(
            "latency_ms",
            Kind.FLOAT,
            "mean over the requests of what the SLO's quantile takes; null where nothing serves or nothing is asked",
            "ms",
        ),
        Column("busy", Kind.FLOAT, "replicas kept busy", required=True),
    ),
)
