"""Table `placements` of a plan: which workers run where and when."""

from schedplan.tables.column import Column, Dictionary, Kind

PLACEMENTS = Dictionary(
    name="placements",
    title="placements (plan): which workers of a job run on which node, and when",
    key=("job", "worker_first"),
    written=True,
    columns=(
        Column("job", Kind.TEXT, "job", required=True),
        Column("worker_first", Kind.INTEGER, "first worker of the row, counted from 0", required=True, at_least=0),
        Column("worker_last", Kind.INTEGER, "last worker of the row", required=True, at_least=0),
        Column("node", Kind.TEXT, "single node", required=True),
        Column("start", Kind.TIMESTAMP, "start", required=True),
        Column("end", Kind.TIMESTAMP, "end of the slots booked", required=True),
        Column("run_end", Kind.TIMESTAMP, "start + run time", required=True),
        Column("devices", Kind.FLOAT, "devices held", "devices", required=True, at_least=0),
        Column("device_slots", Kind.TEXT, "devices by number, e.g. 0,1, or slices of one, e.g. 0:0-2"),
        Column("market", Kind.CHOICE, "market of the node", required=True, choices=("owned", "reserved", "on_demand", "spot")),
        Column("cost", Kind.FLOAT, "share of the node price with expected rework", "currency", required=True),
        Column("fallback_pool", Kind.TEXT, "pool to switch to if spot nodes are lost; empty: none has room"),
        Column("switch_by", Kind.TIMESTAMP, "latest safe instant of the switch"),
        Column("reason", Kind.TEXT, "why there and then"),
    ),
)
