"""Load, replicas, nodes and cost over time, as charts. It reads a problem, a plan and forecasts and decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.record import Record
from schedplan.model.cluster import Market
from schedplan.model.forecast import Forecast, Series
from schedplan.model.plan import NodeUse, Plan
from schedplan.model.problem import Problem
from schedplan.model.workload import Service
from schedplan.report.charts import Band, Line, LineChart, LineRole, SlotChart, SlotSeries
from schedplan.report.document import finite

HISTORY_HORIZONS_SHOWN = 3
MOST_POOL_SERIES = 6
MS_PER_S = 1000.0


def capacity_chart(problem: Problem, plan: Plan, service: Service, number: int) -> LineChart:
    """Return load and what the replicas may carry at the project's `max_utilization`, requests/s per slot."""
    grid = problem.grid
    provided = provided_rps(problem, plan, service)
    lines: list[Line] = []
    demand = problem.demand_of.get(service.name)
    if demand is not None:
        lines.append(_step_line("expected", LineRole.EXPECTED, grid.edges_s, demand.mean_rps))
        lines.append(_step_line("planned for", LineRole.PLANNED_FOR, grid.edges_s, demand.peak_rps))
    lines.append(
        _step_line(f"carried at {problem.limits.max_utilization * 100:.4g} % load", LineRole.PROVIDED, grid.edges_s, provided)
    )
    caption = f"Requests per second of {service.name}: what is expected, what is planned for, and what its replicas can carry."
    return LineChart(f"capacity-{number}", f"Load and capacity: {service.name}", caption, "requests/s", tuple(lines))


def provided_rps(problem: Problem, plan: Plan, service: Service) -> NDArray[np.float64]:
    """Return the requests per second, before cache hits, at which the replicas reach `max_utilization`; float64 [n_slots]."""
    total = np.zeros(problem.grid.n_slots)
    for row in plan.replicas:
        slot = problem.grid.slot_of(row.ds_s)
        if row.service == service.name and slot is not None:
            accelerator = problem.cluster.pool_of_node[row.node].accelerator
            rate = service.concurrency * MS_PER_S / problem.service_ms(service, accelerator)
            total[slot] += row.replicas * rate
    return total * problem.limits.max_utilization / (1.0 - service.cache_hit_ratio)


def replica_chart(problem: Problem, plan: Plan, service: Service, number: int) -> SlotChart:
    """Return the replicas of a service per slot, stacked by market."""
    by_market: dict[str, NDArray[np.float64]] = {}
    for row in plan.replicas:
        slot = problem.grid.slot_of(row.ds_s)
        if row.service == service.name and slot is not None:
            market = market_words(problem.cluster.pool_of_node[row.node].market)
            by_market.setdefault(market, np.zeros(problem.grid.n_slots))[slot] += row.replicas
    caption = f"Replicas of {service.name} in each slot, by the market of their nodes."
    return SlotChart(
        f"replicas-{number}",
        f"Replicas: {service.name}",
        caption,
        "replicas",
        problem.grid.edges_s,
        _series(sorted(by_market.items())),
    )


def nodes_chart(problem: Problem, use: NodeUse) -> SlotChart:
    """Return the nodes that are paid for in each slot, by pool, or by market where there are many pools."""
    caption = "Nodes paid for in each slot, start-up included."
    return SlotChart(
        "nodes-on", "Nodes on", caption, "nodes", problem.grid.edges_s, _per_owner(problem, use, use.on.astype(np.float64))
    )


def cost_chart(problem: Problem, use: NodeUse) -> SlotChart:
    """Return what the nodes cost in each slot, by pool, or by market where there are many pools."""
    caption = f"What the nodes cost in each slot, {problem.currency}."
    return SlotChart(
        "cost-per-slot", "Cost per slot", caption, problem.currency, problem.grid.edges_s, _per_owner(problem, use, use.cost)
    )


def fan_chart(forecast: Forecast, history: Series | None, quantile: float | None, number: int) -> LineChart:
    """Return what was seen lately, what is expected, and the bands around it; `quantile` is the one planned for."""
    instants = tuple(forecast.cutoff_s + forecast.step_s * idx for idx in range(len(forecast.mean)))
    lines = [Line("expected", LineRole.EXPECTED, instants, _values(forecast.mean))]
    if quantile is not None:
        lines.append(Line(f"P{quantile * 100:.4g}, planned for", LineRole.PLANNED_FOR, instants, _values(forecast.at(quantile))))
    if history is not None:
        lines.insert(0, _history_line(history, HISTORY_HORIZONS_SHOWN * len(forecast.mean)))
    bands = tuple(
        Band(f"{level} % of outcomes", float(level), instants, _values(lower), _values(upper))
        for level, lower, upper in sorted(forecast.bands, key=lambda band: -band[0])
    )
    unit = (history.unit if history else None) or ""
    caption = f"{forecast.unique_id} by {forecast.model}: what was seen last, what is expected, and how far it may be off."
    return LineChart(f"forecast-{number}", f"Forecast: {forecast.unique_id}", caption, unit, tuple(lines), bands)


def record_chart(unique_id: str, record: Record, unit: str, number: int) -> LineChart:
    """Return the newest forecasts of the backtest one after the other, with what came."""
    instants = tuple(record.start_s + record.step_s * idx for idx in range(len(record.mean)))
    lines = (
        Line("came", LineRole.ACTUAL, instants, _values(record.actual)),
        Line("forecast", LineRole.EXPECTED, instants, _values(record.mean)),
        Line("P95", LineRole.PLANNED_FOR, instants, _values(record.p95)),
    )
    bands = (Band("80 % of outcomes", 80.0, instants, _values(record.low), _values(record.high)),)
    caption = (
        f"{unique_id} by {record.model}: the newest {len(record.origins_s)} forecasts of the backtest, each from what was known"
        " then, until the next, and what came."
    )
    return LineChart(f"backtest-{number}", f"Backtest: {unique_id}", caption, unit, lines, bands)


def market_words(market: Market) -> str:
    """Return `on-demand` for ON_DEMAND."""
    return market.value.replace("_", "-")


def _history_line(history: Series, steps: int) -> Line:
    first = max(len(history.values) - steps, 0)
    instants = tuple(history.start_s + history.step_s * idx for idx in range(first, len(history.values)))
    return Line("seen", LineRole.ACTUAL, instants, _values(history.values[first:]))


def _step_line(name: str, role: LineRole, edges_s: tuple[int, ...], values: NDArray[np.float64]) -> Line:
    held = _values(values)
    return Line(name, role, edges_s, (*held, held[-1]), is_step=True)


def _per_owner(problem: Problem, use: NodeUse, values: NDArray[np.float64]) -> tuple[SlotSeries, ...]:
    by_market = len(problem.cluster.pools) > MOST_POOL_SERIES
    sums: dict[str, NDArray[np.float64]] = {}
    for idx, node in enumerate(use.nodes):
        pool = problem.cluster.pool_of_node[node]
        owner = market_words(pool.market) if by_market else pool.name
        sums[owner] = sums.get(owner, np.zeros(problem.grid.n_slots)) + values[idx]
    return _series(list(sums.items()))


def _series(named: Sequence[tuple[str, NDArray[np.float64]]]) -> tuple[SlotSeries, ...]:
    return tuple(SlotSeries(name, tuple(float(value) for value in values)) for name, values in named if np.any(values))


def _values(values: NDArray[np.float64]) -> tuple[float | None, ...]:
    return tuple(finite(float(value)) for value in values)
