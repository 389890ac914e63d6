"""Table `latency_samples`: measured latencies."""

from schedplan.tables.column import Column, Dictionary, Kind

LATENCY_SAMPLES = Dictionary(
    name="latency_samples",
    title="latency_samples: latencies measured under a known load, by which the latency model is calibrated",
    columns=(
        Column("service", Kind.TEXT, "service; fewer than 10 rows of it and a device model calibrate nothing", required=True),
        Column("accelerator", Kind.TEXT, "device model; empty: no device"),
        Column("rate", Kind.FLOAT, "load while measuring, before cache hits", "requests/s", required=True, at_least=0),
        Column("replicas", Kind.INTEGER, "replicas that shared it", "replicas", required=True, at_least=1),
        Column("quantile", Kind.QUANTILE, "quantile of the latency, or mean", required=True),
        Column("latency_ms", Kind.FLOAT, "latency", "ms", required=True, above=0),
    ),
)
