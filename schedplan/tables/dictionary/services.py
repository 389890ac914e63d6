"""Table `services`: endless work behind a latency target."""

from schedplan.tables.column import Column, Dictionary, Kind

SERVICES = Dictionary(
    name="services",
    title="services: work that never ends, with a target for its latency",
    key=("service",),
    columns=(
        Column("service", Kind.TEXT, "name of the service", required=True),
        Column("series", Kind.TEXT, "unique_id of its demand in the table load", default_rule="service"),
        Column("tenant", Kind.TEXT, "leaf queue, account or namespace", default="default"),
        Column("priority", Kind.INTEGER, "higher is more urgent, where demand may be missed", default=0),
        Column("slo_ms", Kind.FLOAT, "latency that must be held", "ms", required=True, above=0),
        Column(
            "slo_quantile", Kind.QUANTILE, "share of requests that must be that fast, or mean", default="0.95", worth_saying=True
        ),
        Column("service_ms", Kind.FLOAT, "mean time of one request on the reference device", "ms", required=True, above=0),
        Column("service_cv", Kind.FLOAT, "its coefficient of variation", default=1.0, at_least=0, worth_saying=True),
        Column(
            "concurrency",
            Kind.INTEGER,
            "requests that a replica serves at once",
            "requests",
            1,
            at_least=1,
            at_most=1_000_000,
            worth_saying=True,
        ),
        Column(
            "gpus_per_replica",
            Kind.SHARE,
            "devices of one replica: below 1 a share of a single device, above 1 a whole number",
            "devices",
            0.0,
            at_least=0,
            worth_saying=True,
        ),
        Column("cpus_per_replica", Kind.FLOAT, "cores of one replica", "cores", 0.0, at_least=0),
        Column("memory_gib_per_replica", Kind.FLOAT, "memory of one replica", "GiB", 0.0, at_least=0),
        Column("resources_per_replica", Kind.AMOUNTS, "whatever else a replica takes, e.g. rdma=1"),
        Column("gpu_memory_gib", Kind.FLOAT, "least memory of a device", "GiB/device", at_least=0),
        Column("accelerators", Kind.ALTERNATIVES, "device models it can run on; empty: any"),
        Column("slice_profile", Kind.TEXT, "named MIG profile, e.g. 1g.10gb: legal places on one device; it says the share, too"),
        Column(
            "max_per_node", Kind.INTEGER, "most replicas on one node; empty: no limit", "replicas", at_least=1, at_most=1_000_000
        ),
        Column("tolerations", Kind.TOLERATIONS, "taints it tolerates"),
        Column("min_replicas", Kind.INTEGER, "least replicas in every slot", "replicas", 1, at_least=0, at_most=1_000_000),
        Column("max_replicas", Kind.INTEGER, "most replicas; empty: no limit", "replicas", at_least=0, at_most=1_000_000),
        Column(
            "min_hold_minutes",
            Kind.FLOAT,
            "least time between changes of the number of replicas",
            "min",
            0.0,
            at_least=0,
        ),
        Column(
            "markets",
            Kind.CHOICES,
            "markets it may run on",
            default="owned|reserved|on_demand",
            choices=("owned", "reserved", "on_demand", "spot"),
            worth_saying=True,
        ),
        Column("dedicated", Kind.BOOLEAN, "shares its devices with nobody", default=False),
        Column(
            "startup_minutes",
            Kind.FLOAT,
            "warm-up of a new replica, in which it holds its devices and serves nothing",
            "min",
            0.0,
            at_least=0,
        ),
        Column("affinity", Kind.TEXT, "cache key of its model"),
        Column(
            "load_minutes",
            Kind.FLOAT,
            "time to load the model where the cache key is missing, on top of the warm-up",
            "min",
            0.0,
            at_least=0,
        ),
        Column("spread", Kind.SPREAD, "least number of zones, racks, blocks, regions or nodes it stands in, e.g. zone:2"),
        Column("cache_hit_ratio", Kind.FLOAT, "share of requests that never reach a replica", default=0.0, at_least=0, below=1),
    ),
)
