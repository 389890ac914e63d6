"""The jobs of a replay."""

from __future__ import annotations

from schedplan.tables.column import Column, Dictionary, Kind

JOBS_OUT = Dictionary(
    name="jobs_out",
    title="when and where each job of a replay ran, by submission",
    columns=(
        Column("job", Kind.TEXT, "the job it is about", required=True),
        Column("submit", Kind.TIMESTAMP, "from when it might run", required=True),
        Column("start", Kind.TIMESTAMP, "of its first run; null where it never ran to its end"),
        Column("end", Kind.TIMESTAMP, "null where it never started"),
        Column(
            "state",
            Kind.CHOICE,
            "timeout: ended by its limit; pending: never started",
            required=True,
            choices=("completed", "timeout", "pending"),
        ),
        Column("wait_s", Kind.INTEGER, "start - submit", "s"),
        Column(
            "node",
            Kind.PLACED,
            "workers per node in its last run; null where it never started or only the sum of the machine was kept",
        ),
    ),
)
