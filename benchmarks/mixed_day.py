"""A day of gangs on owned, on-demand and spot nodes of two device models; the same size and seed give the same files.

It knows nothing of planning.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from math import cos, pi
from pathlib import Path

START = datetime(2026, 12, 1, tzinfo=UTC)
SETTINGS = """[project]
name = "mixed-day"
[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
services = "services.csv"
load = "load.csv"
speeds = "speeds.csv"
[horizon]
start = 2026-12-01T00:00:00Z
hours = 24
step_minutes = 60
"""
GANGS = (((1, 1),), ((1, 2), (2, 1)), ((1, 4), (2, 2), (4, 1)), ((1, 8), (2, 4), (8, 1)), ((2, 8), (4, 4), (16, 1)))
"""(workers, devices of each) of gangs of 1, 2, 4, 8 and 16 devices; the last ones span nodes."""


def write_mixed_day(folder: Path, size: int, seed: int = 1, jobs_per_node: int = 5) -> None:
    """Write a project of `size` nodes (at least 4) of 8 devices in 4 pools, with work for some 80 % of the devices' day.

    The more jobs there are, the shorter they are: up to 8 hours at 5 jobs a node, up to 4 at 10.
    """
    source = random.Random(1000 * seed + size)
    on_demand, spot, fast = max(1, size // 4), max(1, size // 5), max(1, size // 6)
    owned = size - on_demand - spot - fast
    services = ("chat", "search")[: 1 if size < 8 else 2]
    tables = {
        "nodes": [
            "node,count,accelerator,market,price_per_hour,interruptions_per_hour,startup_minutes,gpus",
            f"owned,{owned},A100,owned,12,0,0,8",
            f"rented,{on_demand},A100,on_demand,30,0,0,8",
            f"spot,{spot},A100,spot,11,0.02,0,8",
            f"fast,{fast},H100,on_demand,60,0,0,8",
        ],
        "speeds": ["accelerator,kind,speed", "H100,batch,2"],
        "jobs": [
            "job,submit_time,workers,gpus_per_worker,runtime_minutes,priority,deadline,deadline_kind,spot_ok,checkpoint_minutes",
            *(f"job-{idx:05},{_job(source, 40 // jobs_per_node)}" for idx in range(jobs_per_node * size)),
        ],
        "services": [
            "service,slo_ms,service_ms,service_cv,concurrency,gpus_per_replica,accelerators",
            *(f"{name},400,100,0.5,8,1,A100" for name in services),
        ],
        "load": ["unique_id,ds,y", *(row for name in services for row in _load(source, name, size))],
    }
    (folder / "schedplan.toml").write_text(SETTINGS, encoding="utf-8")
    for name, lines in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _job(source: random.Random, most_hours: int) -> str:
    released = START + timedelta(hours=source.choice((0, 0, 0, *range(1, 20))))
    workers, gpus = source.choice(source.choice(GANGS))
    hours, priority = source.randint(1, most_hours), source.choice((0, 0, 1, 2))
    deadline, kind = "", ""
    if source.random() < 0.2:
        kind = source.choice(("hard", "soft"))
        deadline = (released + timedelta(hours=hours + source.randint(2, 8))).isoformat()
    is_spot_ok = "true" if source.random() < 0.4 else "false"
    return f"{released.isoformat()},{workers},{gpus},{60 * hours},{priority},{deadline},{kind},{is_spot_ok},30"


def _load(source: random.Random, name: str, size: int) -> list[str]:
    """Return two weeks of hourly load: a daily wave with noise of a twentieth that takes about a tenth of the devices."""
    hours = [START - timedelta(hours=before) for before in range(14 * 24, 0, -1)]
    waves = [size * (20 - 12 * cos(2 * pi * (when.hour - 4) / 24)) for when in hours]
    return [f"{name},{when.isoformat()},{wave * source.uniform(0.95, 1.05):.3f}" for when, wave in zip(hours, waves, strict=True)]
