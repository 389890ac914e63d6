"""Writes the CSV inputs of the samples, the same bytes each time. It knows the numbers of the samples and nothing of schedplan.

python samples/generate.py [DIRECTORY]     default: the folder this file stands in
"""

from __future__ import annotations

import csv
import random
import sys
from datetime import datetime, timedelta, timezone
from math import cos, pi
from pathlib import Path
from statistics import NormalDist

Row = tuple[object, ...]

SHANGHAI = timezone(timedelta(hours=8))
PLANNED_DAY = datetime(2026, 12, 1, tzinfo=SHANGHAI)
HISTORY_HOURS = 28 * 24
TROUGH_RPS, PEAK_RPS, TROUGH_HOUR = 1_000.0, 10_000.0, 3
NOISE = 0.025
SEED = 20261201


def write_samples(root: Path) -> None:
    """Write the tables of every sample below `root`, one folder per sample."""
    _write_ecommerce_day(root / "ecommerce-day")
    _write_three_nodes(root / "three-nodes-1-1-2")


def mean_load_rps(hour_of_day: int) -> float:
    """Return the requests/s of an hour before noise: a sine with its trough at 03:00 and its peak at 15:00."""
    middle, swing = (PEAK_RPS + TROUGH_RPS) / 2, (PEAK_RPS - TROUGH_RPS) / 2
    return middle - swing * cos(2 * pi * (hour_of_day - TROUGH_HOUR) / 24)


def _write_ecommerce_day(folder: Path) -> None:
    _write_table(
        folder / "nodes.csv",
        ("node", "count", "min_count", "max_count", "cluster", "accelerator", "gpus", "gpu_memory_gib", "cpus", "memory_gib")
        + ("market", "price_per_hour", "interruptions_per_hour", "startup_minutes"),
        [
            ("ondemand", 10, 0, 10, "shop", "A100-SXM4-80GB", 1, 80, 16, 128, "on_demand", 300, 0, 0),
            ("spot", 10, 0, 10, "shop", "A100-SXM4-80GB", 1, 80, 16, 128, "spot", 100, 0.01, 0),
        ],
    )
    _write_table(
        folder / "jobs.csv",
        ("job", "kind", "tenant", "required", "submit_time", "workers", "gpus_per_worker", "cpus_per_worker")
        + (
            "memory_gib_per_worker",
            "runtime_minutes",
            "earliest_start",
            "deadline",
            "deadline_kind",
            "spot_ok",
            "checkpoint_minutes",
        ),
        [
            ("nightly-training", "training", "ranking", "true", _at(hour=0), 10, 1, 12, 96, 240)
            + (_at(hour=2), _at(hour=6), "hard", "true", 30),
        ],
    )
    _write_table(
        folder / "services.csv",
        ("service", "tenant", "slo_ms", "slo_quantile", "service_ms", "service_cv", "concurrency", "gpus_per_replica")
        + ("cpus_per_replica", "memory_gib_per_replica", "accelerators", "min_replicas", "markets", "dedicated"),
        [("recommender", "shop", 200, 0.95, 96, 0.3, 150, 1, 12, 96, "A100-SXM4-80GB", 1, "on_demand", "true")],
    )
    _write_table(folder / "load.csv", ("unique_id", "ds", "y", "unit"), _noisy_history())


def _noisy_history() -> list[Row]:
    """Return four weeks of hourly load up to the planned day, the sine times independent noise of 2.5 %."""
    source, noise = random.Random(SEED), NormalDist(1.0, NOISE)
    begin = PLANNED_DAY - timedelta(hours=HISTORY_HOURS)
    hours = [begin + timedelta(hours=hour) for hour in range(HISTORY_HOURS)]
    return [
        ("recommender", when.isoformat(), f"{mean_load_rps(when.hour) * _draw(noise, source):.1f}", "requests/s") for when in hours
    ]


def _draw(noise: NormalDist, source: random.Random) -> float:
    """Return one value of `noise` by inversion, which (unlike the shuffled methods) uses exactly one random number."""
    return noise.inv_cdf(min(max(source.random(), 1e-12), 1 - 1e-12))


def _write_three_nodes(folder: Path) -> None:
    _write_table(
        folder / "nodes.csv",
        ("node", "accelerator", "gpus", "price_per_hour"),
        [("n1", "A100-SXM4-80GB", 1, 1), ("n2", "A100-SXM4-80GB", 1, 1), ("n3", "A100-SXM4-80GB", 2, 2)],
    )
    _write_table(
        folder / "jobs.csv",
        ("job", "submit_time", "workers", "gpus_per_worker", "runtime_minutes"),
        [("A", "2026-12-01T07:00:00Z", 2, 1, 60), ("B", "2026-12-01T07:05:00Z", 1, 2, 60)],
    )


def _at(hour: int) -> str:
    return (PLANNED_DAY + timedelta(hours=hour)).isoformat()


def _write_table(path: Path, header: Row, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    write_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
