"""Reader `prices`: price lists of AWS and GCP as flat files, and catalogs with the columns of SkyPilot's.

Sources: karpenter-provider-aws and kubernetes/autoscaler (AWS, GCP), skypilot-org/skypilot-catalog (2026-11). A catalog is a
person's own copy; none comes with schedplan.
"""

from __future__ import annotations

from typing import Any

from schedplan.ingest.csv_reader import CsvReader, Form, draft_of
from schedplan.ingest.markets.offer import offer, tell_offers
from schedplan.ingest.source_file import SourceRows
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

_MIB_PER_GIB = 1024
_MOST = 1_000_000_000
_NO_PRICE = "states no price"


def _price(name: str, description: str, required: bool = True) -> Column:
    return Column(name, Kind.FLOAT, description, "USD/h", required=required, null_ok=True, at_least=0)


AWS = Dictionary(
    name="prices aws",
    title="AWS on-demand prices, one row per instance type",
    key=("region", "instance_type"),
    columns=(
        Column("cloud", Kind.TEXT, "cloud"),
        Column("region", Kind.TEXT, "region", required=True),
        Column("instance_type", Kind.TEXT, "instance type", required=True, forbidden="/"),
        Column("vcpu", Kind.INTEGER, "cores", required=True, at_least=0, at_most=_MOST),
        Column("memory_mb", Kind.INTEGER, "memory", "MiB", required=True, at_least=0, at_most=_MOST),
        Column("gpu_count", Kind.INTEGER, "devices", required=True, at_least=0, at_most=100_000),
        Column("arch", Kind.TEXT, "architecture"),
        _price("on_demand_usd_per_hour", "on-demand price"),
    ),
)
GCP = Dictionary(
    name="prices gcp",
    title="GCP on-demand and preemptible prices, one row per machine type",
    key=("machine_type",),
    columns=(
        Column("cloud", Kind.TEXT, "cloud"),
        Column("machine_type", Kind.TEXT, "machine type", required=True, forbidden="/"),
        _price("on_demand_usd_per_hour", "on-demand price"),
        _price("preemptible_usd_per_hour", "spot price"),
    ),
)
ATTACHED = Dictionary(
    name="prices of attached devices",
    title="prices of devices that are attached to a machine",
    columns=(
        Column("gpu_model", Kind.TEXT, "device model", required=True),
        _price("on_demand_usd_per_gpu_hour", "on-demand price of one device"),
        _price("preemptible_usd_per_gpu_hour", "spot price of one device"),
    ),
)
CATALOG = Dictionary(
    name="prices catalog",
    title="catalog with the columns of SkyPilot's, one row per instance type and region",
    columns=(
        Column("InstanceType", Kind.TEXT, "instance type", required=True, null_ok=True, forbidden="/"),
        Column("vCPUs", Kind.FLOAT, "cores", required=True, null_ok=True, at_least=0),
        Column("MemoryGiB", Kind.FLOAT, "memory", "GiB", required=True, null_ok=True, at_least=0),
        Column("AcceleratorName", Kind.TEXT, "device model", required=True, null_ok=True),
        Column("AcceleratorCount", Kind.FLOAT, "devices", required=True, null_ok=True, at_least=0),
        Column("Region", Kind.TEXT, "region", required=True),
        Column("AvailabilityZone", Kind.TEXT, "zone"),
        _price("Price", "on-demand price"),
        _price("SpotPrice", "spot price"),
    ),
)


def _aws(rows: SourceRows) -> tuple[TableFile, ...]:
    used = ("region", "instance_type", "vcpu", "memory_mb", "gpu_count", "on_demand_usd_per_hour")
    draft = draft_of("nodes", rows, used)
    unnamed = 0
    for number, (region, name, cpus, memory, gpus, price) in _numbered(rows, used):
        if price is None:
            draft.drop(_NO_PRICE)
            continue
        unnamed += bool(gpus)
        draft.add(
            number,
            offer(name, "on_demand", price, region=region, cpus=float(cpus), memory_gib=memory / _MIB_PER_GIB, gpus=gpus),
        )
    draft.note(unnamed, f"{unnamed} types have devices of a model that the list does not state")
    draft.note(len(draft.rows), "memory_mb counts MiB, as the sizes show (96 GiB are 98304)")
    tell_offers(draft, "USD")
    return (draft.file(),)


def _gcp(rows: SourceRows) -> tuple[TableFile, ...]:
    used = ("machine_type", "on_demand_usd_per_hour", "preemptible_usd_per_hour")
    draft = draft_of("nodes", rows, used)
    without = 0
    for number, (name, price, spot) in _numbered(rows, used):
        if price is None and spot is None:
            draft.drop(_NO_PRICE)
        if price is not None:
            draft.add(number, offer(name, "on_demand", price))
        if spot is not None:
            draft.add(number, offer(name, "spot", spot))
        without += spot is None
    draft.note(without, f"{without} types have no spot price, so no row of the market spot")
    draft.caution(len(draft.rows), "the list states no devices, cores and memory; give them in a table nodes of the same names")
    tell_offers(draft, "USD")
    return (draft.file(),)


def _attached(rows: SourceRows) -> tuple[TableFile, ...]:
    draft = draft_of("nodes", rows, ())
    draft.refuse_file(
        "these are prices of single devices that are attached to a machine, and a row of nodes has the price of a whole node",
        "Add them to the machine's price in nodes.price_per_hour; 0 means that the machine's price holds them already.",
    )


def _catalog(rows: SourceRows) -> tuple[TableFile, ...]:
    used = (
        *("InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount", "Region", "AvailabilityZone"),
        *("Price", "SpotPrice"),
    )
    draft = draft_of("nodes", rows, used)
    missing = {"Price": 0, "SpotPrice": 0}
    seen: set[str] = set()
    for number, (name, cpus, memory, model, gpus, region, zone, price, spot) in _numbered(rows, used):
        missing["Price"] += price is None
        missing["SpotPrice"] += spot is None
        place = "@".join(part for part in (name or model, zone or region) if part)
        if name is None or (price is None and spot is None):
            draft.drop("names no instance type" if name is None else _NO_PRICE)
            continue
        if place in seen:
            draft.drop("repeats an earlier row's type and region")
            continue
        seen.add(place)
        shape = {"region": region, "zone": zone, "accelerator": model, "gpus": int(gpus or 0), "cpus": cpus, "memory_gib": memory}
        if price is not None:
            draft.add(number, offer(place, "on_demand", price, **shape))
        if spot is not None:
            draft.add(number, offer(place, "spot", spot, **shape))
    for column, count in missing.items():
        draft.note(count, f"{count} rows have no {column}, so no row of that market")
    tell_offers(draft, "USD")
    return (draft.file(),)


def _numbered(rows: SourceRows, names: tuple[str, ...]) -> list[tuple[int, tuple[Any, ...]]]:
    """Return (row, values of columns) of every row."""
    columns = [rows.column(name).to_pylist() for name in names]
    return list(zip(rows.file.rows.tolist(), zip(*columns, strict=True), strict=True))


PRICES = CsvReader(
    name="prices",
    description="price lists of AWS and GCP as CSV, and catalogs with SkyPilot's columns (Verda, Lambda, Azure, ...)",
    tables=("nodes",),
    forms=(Form(AWS, _aws), Form(GCP, _gcp), Form(CATALOG, _catalog), Form(ATTACHED, _attached)),
)
