"""Plausible values: numbers that are allowed and still look like a slip, most often of a unit."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.model.cluster import Market
from schedplan.model.findings import Finding, Severity
from schedplan.validate.rule import Rule, listed
from schedplan.validate.subject import Subject

# Our choice: no node sold today has as many cores or as much memory.
_MOST_CORES = 4096.0
_MOST_MEMORY_GIB = 65_536.0


def _free_nodes(subject: Subject) -> Iterator[Finding]:
    for pool in subject.cluster.pools:
        if pool.market in (Market.ON_DEMAND, Market.SPOT) and pool.price_per_hour == 0:
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
)
