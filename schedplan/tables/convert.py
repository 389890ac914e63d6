"""Tables as the model's records, all of them at once, with every fault across columns and files. It plans nothing."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.errors import Fault
from schedplan.model.cluster import Cluster
from schedplan.model.event import Event
from schedplan.model.forecast import Forecast, Series
from schedplan.model.latency_sample import LatencySample
from schedplan.model.outage import Outage
from schedplan.model.pin import Pin
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, Service
from schedplan.tables.carbon import IntensityChange, intensity_changes
from schedplan.tables.catalog import INPUT_TABLES
from schedplan.tables.events import events
from schedplan.tables.faults import raise_faults
from schedplan.tables.latency_samples import latency_samples
from schedplan.tables.outages import outages
from schedplan.tables.pins import pins
from schedplan.tables.pools import PriceChange, pools, price_changes, speeds
from schedplan.tables.quotas import quotas
from schedplan.tables.read import ColumnSlip, TableFile
from schedplan.tables.regrid import Regrid
from schedplan.tables.series import forecasts, series
from schedplan.tables.table_rows import assumption_note, inert_warnings, table_rows
from schedplan.tables.work import jobs, services


@dataclass(frozen=True)
class Content:
    """What the tables say. All records by name, price changes by pool and time, changes of intensity by region and time.

    notes: what was assumed or left aside while reading. warnings: columns that look misspelt (slips), and what the tables say and
    plans do not act on yet. load_notes: those of the notes that are on load.
    """

    cluster: Cluster
    jobs: tuple[Job, ...]
    services: tuple[Service, ...]
    series: tuple[Series, ...]
    forecasts: tuple[Forecast, ...]
    price_changes: tuple[PriceChange, ...]
    quotas: tuple[Quota, ...]
    intensity_changes: tuple[IntensityChange, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    slips: tuple[ColumnSlip, ...] = ()
    outages: tuple[Outage, ...] = ()
    latency_samples: tuple[LatencySample, ...] = ()
    pins: tuple[Pin, ...] = ()
    events: tuple[Event, ...] = ()
    load_notes: tuple[str, ...] = ()


def content(files: tuple[TableFile, ...], asked: Regrid | None = None) -> Content:
    """Return what files say; several files of one table add up. Raises InputError with the faults of all tables.

    asked: how rows of load are put together to intervals, where they are.
    """
    repeating = frozenset(("load",)) if asked is not None and asked.may_repeat else frozenset()
    rows = {table.name: table_rows(table, files, may_repeat=table.name in repeating) for table in INPUT_TABLES}
    found_pools = pools(rows["nodes"])
    found_services = services(rows["services"])
    found_jobs = jobs(rows["jobs"])
    cluster = Cluster(found_pools, speeds(rows["speeds"]))
    result = Content(
        cluster,
        found_jobs,
        found_services,
        series(rows["load"], asked),
        forecasts(rows["forecast"]),
        price_changes(rows["prices"], frozenset(pool.name for pool in found_pools)),
        quotas(rows["quotas"]),
        intensity_changes(rows["carbon"], frozenset(pool.region for pool in found_pools if pool.region is not None)),
        tuple(note for file in files for note in file.notes)
        + tuple(note for one in rows.values() for note in (*one.notes, assumption_note(one)) if note is not None),
        tuple(text for file in files for text in file.warnings)
        + tuple(text for one in rows.values() for text in inert_warnings(one)),
        tuple(slip for file in files for slip in file.slips),
        outages(rows["outages"], cluster),
        latency_samples(rows["latency_samples"]),
        pins(rows["pins"], cluster, tuple(job.name for job in found_jobs), tuple(service.name for service in found_services)),
        events(rows["events"]),
        load_notes=tuple(note for file in files if file.table == "load" for note in file.notes) + tuple(rows["load"].notes),
    )
    faults: tuple[Fault, ...] = tuple(fault for one in rows.values() for fault in one.faults)
    raise_faults(faults)
    return result
