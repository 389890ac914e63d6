"""Table `speeds`: how fast work runs on a device model."""

from schedplan.tables.column import Column, Dictionary, Kind

SPEEDS = Dictionary(
    name="speeds",
    title="speeds: how fast work runs on a device model; a missing pair runs at speed 1",
    key=("accelerator", "kind"),
    columns=(
        Column("accelerator", Kind.TEXT, "device model", required=True),
        Column("kind", Kind.TEXT, "kind of job, `service`, or the name of one job or service", required=True),
        Column("speed", Kind.FLOAT, "speed, the reference device being 1", required=True, above=0),
    ),
)
