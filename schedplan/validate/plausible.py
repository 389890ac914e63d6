"""Plausible values: numbers that are allowed and still look like a slip, most often of a unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import log
from statistics import median

from schedplan.model.cluster import Market, Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.workload import Job
from schedplan.validate.rule import Rule, about_jobs, listed
from schedplan.validate.subject import Subject

# Our choice: no node sold today has as many cores or as much memory.
_MOST_CORES = 4096.0
_MOST_MEMORY_GIB = 65_536.0
# Our choice: prices of one device model differ by market, term and region, and not by this much.
_PRICE_FACTOR = 20.0


def _free_nodes(subject: Subject) -> Iterator[Finding]:
    priced = {name for name, price in subject.priced if price > 0}
    for pool in subject.cluster.pools:
        if pool.market in (Market.ON_DEMAND, Market.SPOT) and pool.price_per_hour == 0 and pool.name not in priced:
            message = f"its nodes are {pool.market.value} and cost nothing"
            hint = "Give price_per_hour, or prices; a cost of 0 makes every other node look dear."
            yield Finding("SP1240", Severity.WARNING, f"pool {pool.name}", message, hint, column="price_per_hour")


def _units(subject: Subject) -> Iterator[Finding]:
    for pool in subject.cluster.pools:
        if pool.cpus is not None and pool.cpus > _MOST_CORES:
            message = f"a node has {pool.cpus:g} cores"
            yield Finding(
                "SP1241", Severity.WARNING, f"pool {pool.name}", message, "Are these thousandths of a core?", column="cpus"
            )
        if pool.memory_gib is not None and pool.memory_gib > _MOST_MEMORY_GIB:
            message = f"a node has {pool.memory_gib:g} GiB of memory"
            yield Finding("SP1241", Severity.WARNING, f"pool {pool.name}", message, "Are these MiB or bytes?", column="memory_gib")


def _times(subject: Subject) -> Iterator[Finding]:
    early = tuple(
        job for job in subject.jobs if job.start_s is not None and job.submit_s is not None and job.start_s < job.submit_s
    )
    if early:
        message = "start_time is before submit_time, so that their waiting would be negative"
        hint = "Are the columns swapped, or in two time zones?"
        yield Finding("SP1243", Severity.WARNING, about_jobs(early), message, hint, column="start_time")
    for factor, told in ((60.0, "seconds"), (1 / 60, "hours")):
        odd = tuple(job for job in subject.jobs if _ran_minutes(job) and _is_about(job, factor))
        if odd:
            job = odd[0]
            message = (
                f"runtime_minutes is {job.runtime_minutes:g}, and from start_time to end_time are {_ran_minutes(job):g} min"
                + (f" (the first of {len(odd)})" if len(odd) > 1 else "")
            )
            hint = f"Are these {told}? `schedplan ingest --unit runtime_minutes={told[0]}` converts them."
            yield Finding("SP1243", Severity.WARNING, about_jobs(odd), message, hint, column="runtime_minutes")


def _ran_minutes(job: Job) -> float:
    """Return the minutes from start to end, 0 where one is not known."""
    return 0.0 if job.start_s is None or job.end_s is None else (job.end_s - job.start_s) / 60


def _is_about(job: Job, factor: float) -> bool:
    """Return whether the run time is, within a hundredth, a multiple of the minutes from start to end."""
    return job.runtime_minutes is not None and abs(job.runtime_minutes / (factor * _ran_minutes(job)) - 1) < 0.01


def _prices(subject: Subject) -> Iterator[Finding]:
    """Prices per device against the median of the pools of the same model, and spot against on demand."""
    by_model: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for pool, price in _priced(subject):
        if pool.accelerator is not None and pool.gpus and price > 0:
            by_model[pool.accelerator].append((pool.name, price / pool.gpus))
    for model, prices in by_model.items():
        middle = median(price for _, price in prices)
        for name, price in dict(sorted(prices, key=lambda one: abs(log(one[1] / middle)))).items():
            if not 1 / _PRICE_FACTOR < price / middle < _PRICE_FACTOR:
                message = f"a device costs {price:g} per hour, and {middle:g} is the median of what those of {model} cost"
                hint = "Is this a price per minute, month or whole cluster, or in another currency?"
                yield Finding("SP1244", Severity.WARNING, f"pool {name}", message, hint, column="price_per_hour")
    yield from _dear_spot(subject)


def _priced(subject: Subject) -> Iterator[tuple[Pool, float]]:
    yield from ((pool, pool.price_per_hour) for pool in subject.cluster.pools)
    yield from ((subject.cluster.by_name[name], price) for name, price in subject.priced if name in subject.cluster.by_name)


def _dear_spot(subject: Subject) -> Iterator[Finding]:
    def shape(pool: Pool) -> tuple[object, ...]:
        return (pool.accelerator, pool.gpus, pool.gpu_memory_gib, pool.cpus, pool.memory_gib, pool.region)

    paid = {shape(pool): pool for pool in subject.cluster.pools if pool.market is Market.ON_DEMAND and pool.price_per_hour > 0}
    for pool in subject.cluster.pools:
        other = paid.get(shape(pool)) if pool.market is Market.SPOT else None
        if other is not None and pool.price_per_hour > other.price_per_hour:
            message = f"it costs {pool.price_per_hour:g} per hour on spot, and {other.price_per_hour:g} on demand ({other.name})"
            yield Finding(
                "SP1244", Severity.WARNING, f"pool {pool.name}", message, "Are the prices swapped?", column="price_per_hour"
            )


def _unknown_size(subject: Subject) -> Iterator[Finding]:
    shapes = [*(job.shape for job in subject.open_jobs), *(service.shape for service in subject.services)]
    asks = {"cpus": any(shape.cpus > 0 for shape in shapes), "memory_gib": any(shape.memory_gib > 0 for shape in shapes)}
    for column, is_asked in asks.items():
        names = tuple(pool.name for pool in subject.cluster.pools if getattr(pool, column) is None)
        if is_asked and names:
            message = f"{column} of {listed(names)} is unknown and sets no limit, yet work asks for it"
            yield Finding("SP1242", Severity.NOTE, "nodes", message, f"Give {column} to have it respected.", column=column)


RULES = (
    Rule("SP1240", "free-nodes", "Nodes that are paid by the hour have the price 0, so that using them looks free.", _free_nodes),
    Rule(
        "SP1241",
        "units",
        "Cores or memory of a node are beyond anything that is built; the column's unit is cores and GiB.",
        _units,
    ),
    Rule("SP1242", "unknown-size", "Work asks for cores or memory, and some nodes don't say how much they have.", _unknown_size),
    Rule(
        "SP1243",
        "odd-times",
        "What the log says of a job's times does not fit: it started before it was submitted, or its run time is sixty times, or a"
        " sixtieth of, what lies between its start and its end, which is most often a unit.",
        _times,
    ),
    Rule(
        "SP1244",
        "odd-price",
        "A device costs twenty times, or a twentieth of, the median of its model; or a node costs more on spot than the same node"
        " does on demand. Most often that is a slip of unit or currency, or two columns are swapped.",
        _prices,
    ),
)
