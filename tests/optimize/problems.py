"""Problems from case files: nodes, jobs, services and demand as tables of plain values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from schedplan.measures.forbidding import with_rules
from schedplan.measures.pins import with_pins
from schedplan.measures.stops import with_stopped
from schedplan.model.best_effort import parse_best_effort
from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool, Speed, Taint
from schedplan.model.earlier import Earlier, Stay, Stood
from schedplan.model.forbid import parse_forbid
from schedplan.model.outage import Outage, OutageKind
from schedplan.model.pin import Pin
from schedplan.model.problem import AtMost, Demand, Intensity, Limits, MissedDemand, Objective, Problem, Reserve
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.slices import share_of
from schedplan.model.workload import (
    DeadlineKind,
    Job,
    JobKind,
    JobState,
    Placed,
    Service,
    Toleration,
    Topology,
    WorkerShape,
)
from schedplan.timegrid import TimeGrid

CASES = Path(__file__).parents[1] / "cases" / "optimize"
SHAPE_KEYS = ("gpus", "cpus", "memory_gib", "gpu_memory_gib", "max_per_node", "slice_profile")


@dataclass(frozen=True)
class Case:
    """One case: a problem, and what its plan must be."""

    name: str
    problem: Problem
    expect: dict[str, Any]


def cases() -> list[Case]:
    """Return every case of every file, named `file: title`."""
    found = []
    for path in sorted(CASES.glob("*.toml")):
        for case in tomllib.loads(path.read_text())["case"]:
            found.append(Case(f"{path.stem}: {case['title']}", problem(case), case["expect"]))
    return found


def problem(case: dict[str, Any]) -> Problem:
    """Return the problem of a case: slots of 60 minutes from 1970 on unless it says otherwise; instants in hours."""
    grid = TimeGrid.regular(0, case.get("step_minutes", 60), case.get("slots", 4))
    plain = Problem(
        name="case",
        grid=grid,
        cluster=Cluster(
            tuple(sorted((_pool(row) for row in case["nodes"]), key=lambda pool: pool.name)),
            tuple(Speed(**row) for row in case.get("speeds", ())),
        ),
        jobs=tuple(sorted((_job(row) for row in case.get("jobs", ())), key=lambda job: job.name)),
        services=tuple(_service(row) for row in case.get("services", ())),
        demands=tuple(
            Demand(row["service"], np.array(row["rps"], dtype=float), np.array(row["rps"], dtype=float))
            for row in case.get("demand", ())
        ),
        objective=_objective(case.get("objective", {})),
        limits=_limits(case.get("limits", {})),
        quotas=tuple(_quota(row) for row in case.get("quotas", ())),
        outages=tuple(_outage(row) for row in case.get("outages", ())),
        forbid=tuple(parse_forbid(text) for text in case.get("rules", ())),
        best_effort=tuple(parse_best_effort(text) for text in case.get("best_effort", ())),
        intensities=tuple(Intensity(region, np.array(g, dtype=float)) for region, g in sorted(case.get("intensities", {}).items())),
    )
    plain = replace(plain, earlier=_earlier(case["earlier"], grid) if "earlier" in case else None)
    whole = with_pins(with_rules(plain), tuple(_pin(row) for row in case.get("pins", ())))
    stopped = [row for row in case.get("jobs", ()) if row["name"] in case.get("stopped", ())]
    return with_stopped(whole, tuple(replace(_job(row), placement=()) for row in stopped))


def _objective(row: dict[str, Any]) -> Objective:
    values = dict(row)
    held = tuple(AtMost(goal, value) for goal, value in values.pop("at_most", {}).items())
    return Objective(at_most=held, **values)


def _pool(row: dict[str, Any]) -> Pool:
    values = dict(row)
    market = Market(values.pop("market", "owned"))
    count = values.get("count", 1)
    values.setdefault("max_count", count)
    values.setdefault("min_count", count if market.is_sunk else 0)
    taints = tuple(Taint(*text.split(":")) for text in values.pop("taints", ()))
    status = NodeStatus(values.pop("status", "ready"))
    resources = tuple(sorted(values.pop("resources", {}).items()))
    labels = tuple(sorted(values.pop("labels", {}).items()))
    caches = tuple(values.pop("caches", ()))
    return Pool(market=market, taints=taints, status=status, resources=resources, labels=labels, caches=caches, **values)


def _shape(values: dict[str, Any]) -> WorkerShape:
    tolerations = tuple(Toleration(*text.split("=")) for text in values.pop("tolerations", ()))
    resources = tuple(sorted(values.pop("resources", {}).items()))
    accelerators = tuple(values.pop("accelerators", ()))
    taken = {key: values.pop(key) for key in SHAPE_KEYS if key in values}
    if "slice_profile" in taken:
        taken["gpus"] = share_of(taken["slice_profile"])
    return WorkerShape(tolerations=tolerations, resources=resources, accelerators=accelerators, **taken)


def _job(row: dict[str, Any]) -> Job:
    values = dict(row)
    shape = _shape(values)
    for key in ("earliest_start", "deadline", "submit", "start"):
        if key in values:
            values[f"{key}_s"] = round(values.pop(key) * 3600)
    for key, kind in (("topology", Topology), ("deadline_kind", DeadlineKind), ("state", JobState), ("kind", JobKind)):
        if key in values:
            values[key] = kind(values[key])
    placement = tuple(Placed(node, workers) for node, workers in values.pop("placement", {}).items())
    values["after"] = tuple(values.get("after", ()))
    values.setdefault("runtime_minutes", 60.0)
    return Job(shape=shape, placement=placement, **values)


def _limits(row: dict[str, Any]) -> Limits:
    values = dict(row)
    missed = MissedDemand(values.pop("missed_demand", "forbid"))
    return Limits(missed_demand=missed, reserve=Reserve(values.pop("reserve", "none")), **values)


def _quota(row: dict[str, Any]) -> Quota:
    values = dict(row)
    return Quota(resource=QuotaResource(values.pop("resource", "gpus")), **values)


def _earlier(row: dict[str, Any], grid: TimeGrid) -> Earlier:
    """`jobs = [[name, hour, { node = workers }]]`, `replicas = [[service, slot, node, count]]`, in the slots of the grid."""
    jobs = tuple(Stay(job, round(hour * 3600), tuple(sorted(nodes.items()))) for job, hour, nodes in row.get("jobs", ()))
    edges_s = grid.edges_s
    replicas = tuple(
        Stood(service, edges_s[slot], edges_s[slot + 1], node, count) for service, slot, node, count in row.get("replicas", ())
    )
    return Earlier("0" * 64, edges_s, jobs, replicas)


def _pin(row: dict[str, Any]) -> Pin:
    start_s = round(row["start"] * 3600) if "start" in row else None
    return Pin(row.get("job") or row["service"], row.get("node"), start_s, row.get("replicas", 1), "service" in row)


def _outage(row: dict[str, Any]) -> Outage:
    values = dict(row)
    kind = OutageKind(values.pop("kind", "maintenance"))
    place = values.pop("domain", None)
    start_s, end_s = (round(values.pop(key) * 3600) for key in ("start", "end"))
    return Outage(place or values["node"], start_s, end_s, kind, is_domain=place is not None)


def _service(row: dict[str, Any]) -> Service:
    values = dict(row)
    shape = _shape(values)
    if values.get("slo_quantile") == "mean":
        values["slo_quantile"] = None
    if "markets" in values:
        values["markets"] = tuple(Market(name) for name in values["markets"])
    if "spread" in values:
        values["spread"] = tuple(values["spread"])
    return Service(shape=shape, **values)
