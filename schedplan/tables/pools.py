"""Rows of `nodes`, `speeds` and `prices` as the model's pools, speeds and price changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool, Speed, Taint
from schedplan.model.problem import PriceSeries
from schedplan.tables.cells import amounts_of, keys_of, pairs_of, taints_of
from schedplan.tables.faults import Code
from schedplan.tables.steps import slot_means
from schedplan.tables.table_rows import TableRows
from schedplan.timegrid import TimeGrid


@dataclass(frozen=True, slots=True)
class PriceChange:
    """From `ds_s` (seconds, UTC) on a node of `pool` costs `price_per_hour`, until the pool's next change."""

    pool: str
    ds_s: int
    price_per_hour: float


def pools(rows: TableRows) -> tuple[Pool, ...]:
    """Return the pools by name; contradictions within a row are noted in `rows.faults`."""
    names, markets = rows.names("node"), [Market(text) for text in rows.names("market")]
    bounds = _counts(rows, markets)
    columns = zip(
        names,
        bounds,
        rows.names("cluster"),
        rows.texts("region"),
        rows.texts("zone"),
        rows.texts("rack"),
        rows.texts("block"),
        rows.texts("accelerator"),
        rows.integers("gpus"),
        rows.floats_or_none("gpu_memory_gib"),
        rows.integers("slices_per_gpu"),
        rows.integers("device_groups"),
        rows.floats_or_none("cpus"),
        rows.floats_or_none("memory_gib"),
        [amounts_of(text) for text in rows.texts("resources")],
        markets,
        rows.floats("price_per_hour"),
        rows.floats("billing_minutes"),
        rows.floats("interruptions_per_hour"),
        rows.floats("startup_minutes"),
        rows.floats_or_none("power_idle_w"),
        rows.floats_or_none("power_max_w"),
        rows.floats("pue"),
        [NodeStatus(text) for text in rows.names("status")],
        [keys_of(text) for text in rows.texts("caches")],
        [pairs_of(text) for text in rows.texts("labels")],
        [tuple(Taint(*parts) for parts in taints_of(text)) for text in rows.texts("taints")],
        strict=True,
    )
    found = [Pool(name, *counts, *rest) for name, counts, *rest in columns]
    for idx, pool in enumerate(found):
        _refuse_contradictions(rows, idx, pool)
    return tuple(sorted(found, key=lambda pool: pool.name))


def speeds(rows: TableRows) -> tuple[Speed, ...]:
    """Return the speeds by device model and kind."""
    columns = zip(rows.names("accelerator"), rows.names("kind"), rows.floats("speed"), strict=True)
    return tuple(sorted((Speed(*row) for row in columns), key=lambda speed: (speed.accelerator, speed.kind)))


def price_changes(rows: TableRows, pool_names: frozenset[str]) -> tuple[PriceChange, ...]:
    """Return the changes by pool and time; a pool that is not in `pool_names` is a fault."""
    changes = []
    for idx, (name, ds_s, price) in enumerate(
        zip(rows.names("node"), rows.instants("ds"), rows.floats("price_per_hour"), strict=True)
    ):
        if name not in pool_names:
            hint = "A price is that of a whole row of nodes."
            rows.fault(
                idx,
                Code.REFERENCE,
                "there is no such row in nodes",
                column="node",
                seen=name,
                expected="a name in nodes",
                hint=hint,
            )
        elif ds_s is not None:
            changes.append(PriceChange(name, ds_s, price))
    return tuple(sorted(changes, key=lambda change: (change.pool, change.ds_s)))


def price_series(changes: tuple[PriceChange, ...], cluster: Cluster, grid: TimeGrid) -> tuple[PriceSeries, ...]:
    """Return the price of each changing pool per slot: the time-weighted mean of the prices that hold within it.

    Before a pool's first change its own price_per_hour holds. changes: by pool and time.
    """
    series = []
    for pool in cluster.pools:
        own = [change for change in changes if change.pool == pool.name]
        if own:
            steps = ((-np.inf, pool.price_per_hour), *((float(change.ds_s), change.price_per_hour) for change in own))
            series.append(PriceSeries(pool.name, slot_means(steps, grid)))
    return tuple(series)


def _counts(rows: TableRows, markets: list[Market]) -> list[tuple[int, int, int]]:
    """Return (count, min_count, max_count) of each row, the defaults filled in."""
    counts = rows.integers("count")
    least, most = rows.integers_or_none("min_count"), rows.integers_or_none("max_count")
    return [
        (count, (count if market.is_sunk else 0) if low is None else low, count if high is None else high)
        for count, low, high, market in zip(counts, least, most, markets, strict=True)
    ]


def _refuse_contradictions(rows: TableRows, idx: int, pool: Pool) -> None:
    if pool.min_count > pool.count:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "min_count is above count",
            column="min_count",
            seen=pool.min_count,
            expected=f"at most {pool.count}",
        )
    if pool.max_count < pool.count:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "max_count is below count",
            column="max_count",
            seen=pool.max_count,
            expected=f"at least {pool.count}",
        )
    if pool.gpus % pool.device_groups:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "the devices do not split into equal groups",
            column="device_groups",
            seen=pool.device_groups,
            expected=f"a divisor of gpus = {pool.gpus}",
        )
    if pool.power_idle_w is not None and pool.power_max_w is not None and pool.power_idle_w > pool.power_max_w:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "an idle node draws more than a used one",
            column="power_idle_w",
            seen=f"{pool.power_idle_w:g}",
            expected=f"at most power_max_w = {pool.power_max_w:g}",
        )
