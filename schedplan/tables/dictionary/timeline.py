"""The events of a replay."""

from __future__ import annotations

from schedplan.tables.column import Column, Dictionary, Kind

TIMELINE = Dictionary(
    name="timeline",
    title="what happened in a replay, one row per event and node, in the order of time",
    columns=(
        Column("time", Kind.TIMESTAMP, "when", required=True),
        Column(
            "event",
            Kind.CHOICE,
            "submit; take: workers take their place before their job runs; start; end; limit: ended by its time limit;"
            " stop: to run again later",
            required=True,
            choices=("submit", "take", "start", "end", "limit", "stop"),
        ),
        Column("job", Kind.TEXT, "the job it is about", required=True),
        Column("node", Kind.TEXT, "single node; null for submit, and where only the sum of the machine was kept"),
        Column(
            "devices",
            Kind.FLOAT,
            "taken or given back there; asked for by the whole job for submit",
            "devices, else cores",
            required=True,
        ),
        Column("reason", Kind.TEXT, "why it started or was stopped then"),
    ),
)
