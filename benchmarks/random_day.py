"""A project of a given number of nodes for one day; the same size gives the same files. It knows nothing of planning."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from math import cos, pi
from pathlib import Path

START = datetime(2026, 12, 1, tzinfo=UTC)
SETTINGS = """[project]
name = "random-day"
[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
services = "services.csv"
load = "load.csv"
[horizon]
start = 2026-12-01T00:00:00Z
hours = 24
step_minutes = 60
"""


def write_random_day(folder: Path, size: int) -> None:
    """Write a project of `size` nodes (at least 3) of 8 devices, half of them owned; 5 jobs a node, a service per 10 nodes."""
    source, rented = random.Random(size), max(1, size // 4)
    services = [f"service-{idx:03}" for idx in range(max(1, size // 10))]
    markets = [f"mine,{size - 2 * rented},owned,12,0", f"rented,{rented},on_demand,30,0", f"spot,{rented},spot,10,0.02"]
    tables = {
        "nodes": ["node,count,market,price_per_hour,interruptions_per_hour,gpus", *(f"{market},8" for market in markets)],
        "jobs": [
            "job,submit_time,workers,gpus_per_worker,runtime_minutes,priority,spot_ok,checkpoint_minutes",
            *(f"job-{idx:05},{_job(source)}" for idx in range(5 * size)),
        ],
        "services": [
            "service,slo_ms,service_ms,service_cv,concurrency,gpus_per_replica",
            *(f"{name},400,100,0.5,8,1" for name in services),
        ],
        "load": ["unique_id,ds,y", *(row for name in services for row in _load(source, name))],
    }
    (folder / "schedplan.toml").write_text(SETTINGS, encoding="utf-8")
    for name, lines in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _job(source: random.Random) -> str:
    submit = START + timedelta(minutes=15 * source.randrange(72))
    workers, gpus = source.choice(((1, 1), (1, 2), (1, 4), (2, 4), (2, 8), (4, 2)))
    minutes, priority = source.choice((60, 120, 120, 180, 240, 360)), source.choice((0, 0, 0, 5))
    return f"{submit.isoformat()},{workers},{gpus},{minutes},{priority},{'true' if source.random() < 0.3 else 'false'},30"


def _load(source: random.Random, name: str) -> list[str]:
    """Return two weeks of hourly load: a daily wave between 60 and 300 requests/s with noise of a twentieth."""
    hours = [START - timedelta(hours=before) for before in range(14 * 24, 0, -1)]
    waves = [180 - 120 * cos(2 * pi * (when.hour - 4) / 24) for when in hours]
    return [f"{name},{when.isoformat()},{wave * source.uniform(0.95, 1.05):.3f}" for when, wave in zip(hours, waves, strict=True)]
