"""A fleet as large organisations run it: four device models owned, reserved, on demand and on spot, tenants with quotas, services
with a daily wave, and gangs that arrive with the working day. The same shape and seed give the same files.

It knows nothing of planning.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from itertools import accumulate
from math import cos, exp, pi
from pathlib import Path

START = datetime(2026, 12, 1, tzinfo=UTC)
DEVICES = 8
"""Devices of every node."""
MODELS = (("H100", 0.30, 80, 2.0, 4.0), ("A100", 0.35, 40, 1.0, 2.0), ("L40S", 0.20, 48, 0.8, 1.2), ("T4", 0.15, 16, 0.35, 0.4))
"""(name, share of the nodes, GiB of a device, speed against an A100, price of a device-hour when reserved)."""
MARKETS = (("reserved", 0.5, 1.0, 0.0), ("on_demand", 0.3, 2.0, 0.0), ("spot", 0.2, 0.7, 0.02))
"""(market, share of a model's nodes, price against reserved, interruptions of a node per hour)."""
TENANTS = (("search", 0.35), ("vision", 0.30), ("speech", 0.20), ("research", 0.15))
"""(tenant, share of the jobs and of the devices it is promised)."""


class Gangs(Enum):
    """(workers, devices of each, weight) of the gangs there are: seven shapes each."""

    POWERS = ((1, 1, 0.30), (1, 2, 0.20), (1, 4, 0.18), (1, 8, 0.16), (2, 8, 0.10), (4, 8, 0.04), (8, 8, 0.02))
    ODD = ((1, 1, 0.26), (1, 3, 0.22), (1, 5, 0.16), (1, 6, 0.14), (3, 8, 0.08), (5, 4, 0.08), (6, 6, 0.06))
    PARTS = ((2, 1, 0.24), (3, 2, 0.20), (2, 3, 0.18), (4, 2, 0.14), (2, 5, 0.10), (6, 3, 0.08), (12, 2, 0.06))


@dataclass(frozen=True, slots=True)
class Fleet:
    """Numbers of nodes and jobs, hours of the horizon; is_free_form: run times of any minute, else of 1 to 6 whole hours."""

    nodes: int
    jobs: int
    hours: int = 24
    gangs: Gangs = Gangs.POWERS
    is_free_form: bool = False
    weights: tuple[float, float, float] = (0.5, 0.3, 0.2)
    seed: int = 1


def write_fleet_day(folder: Path, fleet: Fleet) -> None:
    """Write the project of a fleet; work and services together ask for some four fifths of what the devices hold."""
    source = random.Random(f"{fleet.nodes}/{fleet.jobs}/{fleet.seed}")
    services = [f"service-{idx:02}" for idx in range(max(1, min(8, fleet.nodes // 25)))]
    tables = {
        "nodes": [
            "node,count,accelerator,gpu_memory_gib,market,price_per_hour,interruptions_per_hour,gpus,startup_minutes,zone",
            *_pools(fleet.nodes),
        ],
        "speeds": ["accelerator,kind,speed", *(f"{name},training,{speed}" for name, _, _, speed, _ in MODELS)],
        "jobs": [
            "job,kind,tenant,submit_time,workers,gpus_per_worker,runtime_minutes,priority,accelerators,gpu_memory_gib,"
            "deadline,deadline_kind,spot_ok,checkpoint_minutes,restart_minutes",
            *_jobs(fleet, source),
        ],
        "quotas": ["tenant,nominal,max,borrow_price", *_quotas(fleet.nodes)],
        "services": [
            "service,slo_ms,service_ms,service_cv,concurrency,gpus_per_replica,accelerators",
            *(f"{name},400,100,0.5,8,1,{'A100|H100' if idx % 2 else 'A100|L40S'}" for idx, name in enumerate(services)),
        ],
        "load": ["unique_id,ds,y", *(row for name in services for row in _load(source, name, fleet, len(services)))],
    }
    (folder / "schedplan.toml").write_text(_settings(fleet), encoding="utf-8")
    for name, lines in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _settings(fleet: Fleet) -> str:
    inputs = "\n".join(f'{name} = "{name}.csv"' for name in ("nodes", "jobs", "services", "load", "speeds", "quotas"))
    latency, utilization, cost = fleet.weights
    return f"""[project]
name = "fleet-day"
[inputs]
{inputs}
[horizon]
start = 2026-12-01T00:00:00Z
hours = {fleet.hours}
step_minutes = 60
[objective]
latency = {latency}
utilization = {utilization}
cost = {cost}
"""


def _parts(total: int, shares: tuple[float, ...]) -> list[int]:
    """Return whole numbers that add up to the total and follow the shares, none of them 0 where the total allows it."""
    edges = [round(total * edge) for edge in accumulate(shares)]
    edges[-1] = total
    return [max(1 if total >= len(shares) else 0, end - begin) for begin, end in zip([0, *edges[:-1]], edges, strict=True)]


def _pools(nodes: int) -> Iterator[str]:
    by_model = _parts(nodes, tuple(share for _, share, _, _, _ in MODELS))
    for (model, _, memory_gib, _, device_price), of_model in zip(MODELS, by_model, strict=True):
        by_market = _parts(of_model, tuple(share for _, share, _, _ in MARKETS))
        for (market, _, factor, rate), count in zip(MARKETS, by_market, strict=True):
            if count:
                price = DEVICES * device_price * factor
                yield f"{model.lower()}-{market},{count},{model},{memory_gib},{market},{price:g},{rate},{DEVICES},0,z1"


def _jobs(fleet: Fleet, source: random.Random) -> Iterator[str]:
    """Give the jobs' rows. Run times are such that jobs ask for 0.65 of what the devices, by their speeds, hold in all."""
    held_h = DEVICES * fleet.nodes * fleet.hours * sum(share * speed for _, share, _, speed, _ in MODELS)
    largest = max(1, fleet.nodes // 12)
    shapes = [shape for shape in fleet.gangs.value if shape[0] * shape[1] <= DEVICES * largest]
    mean_devices = sum(workers * gpus * weight for workers, gpus, weight in shapes) / sum(weight for *_, weight in shapes)
    mean_h = 0.65 * held_h / (fleet.jobs * mean_devices)
    for idx in range(fleet.jobs):
        yield f"job-{idx:07},{_job(fleet, source, shapes, mean_h)}"


def _job(fleet: Fleet, source: random.Random, shapes: list[tuple[int, int, float]], mean_h: float) -> str:
    workers, gpus, _ = source.choices(shapes, [weight for *_, weight in shapes])[0]
    minutes = _minutes(fleet, source, mean_h)
    submit = START + timedelta(minutes=_arrival_minutes(source, fleet.hours * 60 - minutes))
    priority = source.choice((0, 0, 0, 1, 1, 2))
    tenant = source.choices([name for name, _ in TENANTS], [share for _, share in TENANTS])[0]
    accelerators = source.choice(("", "", "A100|H100", "H100")) if gpus == DEVICES else source.choice(("", "", "", "A100|L40S"))
    memory_gib = source.choice(("", "", "24", "40"))
    deadline, kind = "", ""
    if source.random() < 0.25:
        kind = source.choice(("hard", "soft", "soft"))
        deadline = (submit + timedelta(minutes=round(minutes * source.uniform(1.5, 4)) + 180)).isoformat()
    is_spot_ok = "true" if source.random() < 0.4 else "false"
    return (
        f"training,{tenant},{submit.isoformat()},{workers},{gpus},{minutes},{priority},{accelerators},{memory_gib},"
        f"{deadline},{kind},{is_spot_ok},30,5"
    )


def _minutes(fleet: Fleet, source: random.Random, mean_h: float) -> int:
    """Return a run time on the reference device: of any minute and log-normal, or of whole hours."""
    if fleet.is_free_form:
        sigma = 0.8
        drawn_h = mean_h * exp(source.gauss(-sigma * sigma / 2, sigma))
        return round(60 * min(max(drawn_h, 0.1), fleet.hours / 3))
    longest = max(1, min(round(2 * mean_h), fleet.hours // 3))
    return 60 * source.randint(1, longest)


def _arrival_minutes(source: random.Random, latest: float) -> int:
    """Return a minute of arrival: a fifth waits from the start, the rest comes by a daily wave with its peak at 14 o'clock."""
    if source.random() < 0.2 or latest <= 0:
        return 0
    while True:
        minute = source.uniform(0, latest)
        if source.random() < 0.55 - 0.45 * cos(2 * pi * (minute / 60 - 2) / 24):
            return int(minute)


def _quotas(nodes: int) -> Iterator[str]:
    """Give each tenant its share of the devices, and let it borrow up to 1.6 times as much, at a price."""
    for name, share in TENANTS:
        nominal = round(DEVICES * nodes * share)
        yield f"{name},{nominal},{round(1.6 * nominal)},0.2"


def _load(source: random.Random, name: str, fleet: Fleet, n_services: int) -> Iterator[str]:
    """Give two weeks of hourly load: a daily wave with noise of a twentieth; all services take about a tenth of the devices."""
    mean_rps = 0.1 * DEVICES * fleet.nodes / n_services * 55
    for before in range(14 * 24, 0, -1):
        when = START - timedelta(hours=before)
        wave = mean_rps * (1 - 0.6 * cos(2 * pi * (when.hour - 3) / 24)) * source.uniform(0.95, 1.05)
        yield f"{name},{when.isoformat()},{wave:.3f}"
