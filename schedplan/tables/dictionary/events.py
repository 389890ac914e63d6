"""Table `events`: what is known of the future."""

from schedplan.tables.column import Column, Dictionary, Kind

EVENTS = Dictionary(
    name="events",
    title="events: what is known in advance and moves demand, such as a promotion",
    columns=(
        Column("unique_id", Kind.TEXT, "series it moves; empty: all"),
        Column("start", Kind.TIMESTAMP, "begin", required=True),
        Column("end", Kind.TIMESTAMP, "end", required=True),
        Column("name", Kind.TEXT, "name of the event", required=True),
        Column(
            "value",
            Kind.FLOAT,
            "strength beside other events of its name; without any in the past: factor of the load",
            default=1.0,
            above=0,
        ),
    ),
)
