"""A small plan by hand: two nodes, two slots, a gang on spot, a service, one job left out; every field filled at least once."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

import numpy as np

from schedplan.model.findings import Measure
from schedplan.model.forecast import Forecast, Quality
from schedplan.model.front import Front, FrontPoint, PointStatus
from schedplan.model.plan import (
    Baseline,
    ConflictItem,
    Decisions,
    JobPart,
    NodeUse,
    Placement,
    Plan,
    PlanStatus,
    Proof,
    Rate,
    Repair,
    ReplicaPart,
    ReplicaRow,
    Stage,
    Term,
    Unplaced,
    WaterfallStep,
)
from schedplan.model.problem import Demand
from schedplan.tables.artefacts import InputRecord, PlanContext, SettingsSnapshot
from schedplan.timegrid import TimeGrid, parse_instant

START_S = parse_instant("2026-12-01T00:00:00Z", None)[0]  # type: ignore[arg-type]
GRID = TimeGrid((START_S, START_S + 3600, START_S + 5400))
NODES = ("od/1", "spot")


def handmade_plan() -> Plan:
    """Return the plan: job train on both nodes from slot 0, service web with one replica in each slot."""
    on = np.array([[True, True], [True, False]])
    amounts = np.array([[1.0, 0.1], [2.0, 0.0]])
    return Plan(
        decisions=Decisions(
            (JobPart("train", "od/1", 0, 1), JobPart("train", "spot", 0, 2)),
            (ReplicaPart("web", 0, "od/1", 1), ReplicaPart("web", 1, "od/1", 2)),
            on,
        ),
        proof=Proof(
            PlanStatus.FEASIBLE,
            objective=1.1,
            bound=1.0,
            gap=0.1 / 1.1,
            gap_avoidable=None,
            route="CP-SAT on the whole model",
            work=(("branches", 12.0), ("solutions", 3.0)),
            conflict=(ConflictItem("window", "job late", "needs 3 h, has 2 h"),),
            repairs=(Repair("one more node", 12.5), Repair("a later deadline", None)),
        ),
        terms=(Term("cost", 17.5, "USD", 0.2, 3.5, 20.0, 16.5, True), Term("carbon", 0.0, "gCO2e", 0.0, 1.0, 0.0, 0.0, False)),
        measures=(
            Measure("cost", 17.5, "USD"),
            Measure("latency_ms", None, "ms", (("quantile", "0.95"), ("service", "web"))),
            Measure("utilization", 0.7000000000000001, "1"),
        ),
        placements=(
            Placement(
                "train", 0, 0, "od/1", START_S, START_S + 3600, START_S + 3000, 0.5, "0:0-2", "on_demand", 0.1, "od", START_S, "x"
            ),
            Placement("train", 1, 2, "spot", START_S, START_S + 3600, START_S + 3000, 2.0, "0,1", "spot", 1 / 3),
        ),
        replicas=(
            ReplicaRow("web", START_S, 60.0, "od/1", 1, START_S - 600, 43.21, 1.25),
            ReplicaRow("web", START_S + 3600, 30.0, "od/1", 2, START_S + 3000, None, 0.1),
        ),
        node_use=NodeUse(
            NODES,
            on,
            amounts,
            amounts / 3,
            amounts * 0,
            amounts * 7,
            np.array([[0.25, 0.125], [np.nan, np.nan]]),
            np.array([[90.0, 45.0], [np.nan, np.nan]]),
        ),
        unplaced=(
            Unplaced("job", "007", 1, "window", "needs 3 h; its window is 2 h", "end it by 05:00", 12.5),
            Unplaced("job", '</script>"\n', 2, "capacity", "9 > 8", "", None),
        ),
        warnings=("a warning", "Zweite Warnung: größer", "\u2028"),
        baselines=(Baseline("peak", "all day for the peak", 61600.0),),
        waterfall=(WaterfallStep("spot", -3.25, "train on spot"),),
        seed=7,
        stages=(
            Stage("unplaced", 0.0, "share", 0.0, 0.0, PlanStatus.OPTIMAL, 1e-6),
            Stage("cost", 17.5, "USD", 17.0, 0.5 / 17.5, PlanStatus.FEASIBLE, 17.5000175),
        ),
        front=Front(
            goals=("cost", "carbon"),
            units=("USD", "gCO2e"),
            points=(
                FrontPoint(17.5, 90.5, None, 0.1, 1.1, 17.5, 1.05, 1.05, 0.0, PointStatus.OPTIMAL),
                FrontPoint(19.5, 70.5, 80.0, None, 1.2, 19.5, 1.15, None, None, PointStatus.FEASIBLE),
            ),
            asked=5,
            is_whole=False,
            solves=7,
        ),
        rates=(Rate("1 kg CO2e", 1 / 3, "USD"),),
    )


def handmade_context() -> PlanContext:
    """Return the context of the plan, with demand and a forecast."""
    rows = np.array([[1.0, 2.0], [1.5, 2.5], [1.75, 2.5], [2.0, 3.0], [2.0, 4.0]])
    return PlanContext(
        project="shop",
        grid=GRID,
        nodes=NODES,
        currency="CNY",
        timezone="Asia/Shanghai",
        quantile=0.95,
        inputs=(InputRecord("data/jobs.csv", "jobs", "ab" * 32), InputRecord("nodes.csv", "nodes", "cd" * 32)),
        settings=SettingsSnapshot("schedplan.toml", "ef" * 32, (("limits.budget_per_day", "90000"), ("solver.seed", "7"))),
        versions=(("ortools", "9.15.1"), ("python", "3.11"), ("schedplan", "0.1.0")),
        assumptions=("devices of node spot: 8",),
        demands=(Demand("web", np.array([3.5, 4.0]), np.array([2.0, 1 / 3])),),
        forecasts=(
            Forecast(
                "web",
                "sarima",
                START_S,
                3600,
                np.array([1.25, 2.25]),
                (0.5, 0.8, 0.9, 0.95, 0.99),
                rows,
                ((80, rows[0] / 2, rows[2]), (95, rows[0] / 4, rows[3])),
                ("one gap filled",),
            ),
        ),
        quality=(Quality("web", "sarima", 5, 0.9, None, 0.8, 0.79, 0.94, 0.05, "better than seasonal naive"),),
    )


def without_arrays(record: object) -> object:
    """Return a record as nested tuples that can be compared: arrays as (shape, type, text of the values), NaN equal to NaN."""
    if isinstance(record, np.ndarray):
        return (record.shape, str(record.dtype), tuple(repr(value) for value in record.ravel().tolist()))
    if is_dataclass(record):
        return tuple((field.name, without_arrays(getattr(record, field.name))) for field in fields(record))
    if isinstance(record, tuple):
        return tuple(without_arrays(item) for item in record)
    return record


def infeasible_plan() -> Plan:
    """Return a plan without decisions: the answer that there is none."""
    empty = Decisions((), (), np.zeros((2, 2), dtype=np.bool_))
    return replace(Plan(empty, Proof(PlanStatus.INFEASIBLE, None, None, None, None, "arithmetic")), warnings=("none",))
