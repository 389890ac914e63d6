"""Writes the CSV inputs of the samples, the same bytes each time. It knows the numbers of the samples and nothing of schedplan.

python samples/generate.py [DIRECTORY]     default: the folder this file stands in
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from math import cos, pi
from pathlib import Path
from statistics import NormalDist

Row = dict[str, object]

SHANGHAI = timezone(timedelta(hours=8))
PLANNED_DAY = datetime(2026, 12, 1, tzinfo=SHANGHAI)
HISTORY_HOURS = 28 * 24
TROUGH_RPS, PEAK_RPS, TROUGH_HOUR = 1_000.0, 10_000.0, 3
NOISE = 0.025
SEED = 20261201


def write_samples(root: Path) -> None:
    """Write the tables of every sample below `root`, one folder per sample."""
    _write_best_effort(root / "best-effort-fill")
    _write_capacity_gate(root / "ci-capacity-gate")
    _write_defrag(root / "defrag-7-6-7")
    _write_half_idle(root / "half-idle-half-queued")
    _write_ecommerce_day(root / "ecommerce-day")
    _write_three_nodes(root / "three-nodes-1-1-2")
    _write_carbon_shift(root / "carbon-shift")
    _write_gpu_slices(root / "gpu-slices")
    _write_tenants_quota(root / "tenants-quota")
    _write_training_window(root / "training-window-risk")
    _write_zone_loss(root / "zone-loss")


def mean_load_rps(hour_of_day: int) -> float:
    """Return the requests/s of an hour before noise: a sine with its trough at 03:00 and its peak at 15:00."""
    middle, swing = (PEAK_RPS + TROUGH_RPS) / 2, (PEAK_RPS - TROUGH_RPS) / 2
    return middle - swing * cos(2 * pi * (hour_of_day - TROUGH_HOUR) / 24)


def _write_best_effort(folder: Path) -> None:
    """Write two nodes of 8 devices that a chat fills in two peaks of the day, and research that may have what it leaves."""
    h100 = {"accelerator": "H100-SXM5-80GB", "gpus": 8, "market": "owned", "price_per_hour": 24}
    _write_table(folder / "nodes.csv", [{"node": node} | h100 for node in ("n1", "n2")])
    chat = {"service": "chat", "tenant": "product", "priority": 100, "slo_ms": 500, "slo_quantile": 0.95}
    request = {"service_ms": 100, "service_cv": 1, "concurrency": 10, "gpus_per_replica": 1, "min_replicas": 1}
    _write_table(folder / "services.csv", [chat | request])
    rates = [170] * 7 + [430] + [1_240] * 3 + [520] * 3 + [1_240] * 4 + [520] * 4 + [170] * 2
    _write_table(
        folder / "load.csv",
        [{"unique_id": "chat", "ds": f"2026-12-01T{hour:02d}:00:00Z", "y": rate} for hour, rate in enumerate(rates)],
    )
    asked = [
        ("index", "product", 5, 0, 4, 240, 6, "", 0, 0),
        ("evaluate", "research", 0, 0, 8, 540, 24, 15, 5, 10),
        ("sweep", "research", 0, 0, 4, 540, 24, 15, 2, 5),
        ("embed", "research", 1, 6, 4, 420, 24, 15, 2, 5),
    ]
    jobs = [
        {
            "job": job,
            "kind": "batch",
            "tenant": tenant,
            "priority": priority,
            "submit_time": f"2026-12-01T{begin:02d}:00:00Z",
            "gpus_per_worker": gpus,
            "runtime_minutes": minutes,
            "deadline": f"2026-12-0{1 + end // 24}T{end % 24:02d}:00:00Z",
            "checkpoint_minutes": checkpoint,
            "checkpoint_cost_minutes": save,
            "restart_minutes": restart,
        }
        for job, tenant, priority, begin, gpus, minutes, end, checkpoint, save, restart in asked
    ]
    _write_table(folder / "jobs.csv", jobs)


def _write_defrag(folder: Path) -> None:
    """Write three nodes of 8 devices with 7, 6 and 7 of them in use, and a job that waits for 4 on one node."""
    _write_table(
        folder / "nodes.csv", [{"node": f"n{n}", "accelerator": "A100", "gpus": 8, "price_per_hour": 8} for n in (1, 2, 3)]
    )
    sizes = {"n1": (4, 2, 1), "n2": (4, 2), "n3": (4, 2, 1)}
    held = [_held(f"{node}-{gpus}", node, gpus, 480) for node, found in sizes.items() for gpus in found]
    _write_table(folder / "jobs.csv", [*held, _waiting("W", 1, 4, 120)])


def _write_half_idle(folder: Path) -> None:
    """Write eight nodes in two racks, half of them a quarter full, and three gangs that wait, each for a reason of its own."""
    racks = {"n1": "r1", "n2": "r1", "n3": "r2", "n4": "r2", "n5": "r1", "n6": "r1", "n7": "r2", "n8": "r2"}
    served = ("n6",)
    nodes = [
        {"node": node, "rack": rack, "accelerator": "L4" if node in served else "A100", "gpus": 8}
        | {"price_per_hour": 4 if node in served else 16}
        for node, rack in racks.items()
    ]
    _write_table(folder / "nodes.csv", nodes)
    books = [_held(f"notebook-{n}", f"n{n}", 2, 360) | {"tenant": "notebooks", "topology": "cluster"} for n in (1, 2, 3, 4)]
    full = [
        _held(f"train-{tenant}", node, 8, 360) | {"tenant": tenant, "topology": "cluster"}
        for node, tenant in (("n5", "vision"), ("n7", "speech"), ("n8", "text"))
    ]
    gangs = [
        _waiting("wide", 2, 8, 240) | {"tenant": "speech", "topology": "cluster"},
        _waiting("capped", 4, 2, 240) | {"tenant": "vision", "topology": "cluster"},
        _waiting("racked", 4, 4, 240) | {"tenant": "speech", "topology": "rack"},
    ]
    _write_table(folder / "jobs.csv", [row | {"accelerators": "A100"} for row in (*books, *full, *gangs)])
    _write_table(folder / "quotas.csv", [{"tenant": "vision", "nominal": 8, "max": 8}])
    search = {"service": "search", "tenant": "search", "slo_ms": 200, "slo_quantile": 0.95, "service_ms": 50, "service_cv": 0.5}
    _write_table(folder / "services.csv", [search | {"concurrency": 4, "gpus_per_replica": 1, "accelerators": "L4"}])
    begin = datetime(2026, 12, 1, 8, tzinfo=UTC)
    hours = [begin + timedelta(hours=hour) for hour in range(12)]
    _write_table(folder / "load.csv", [{"unique_id": "search", "ds": when.isoformat(), "y": 300} for when in hours])


def _held(job: str, node: str, gpus: int, minutes: int) -> Row:
    """Return a job that runs on a node since the horizon began."""
    begin = "2026-12-01T08:00:00Z"
    size = {"workers": 1, "gpus_per_worker": gpus, "runtime_minutes": minutes}
    return {"job": job, "state": "running", "start_time": begin, "placement": f"{node}*1"} | size


def _waiting(job: str, workers: int, gpus: int, minutes: int) -> Row:
    """Return a job that waits from the start of the horizon."""
    size = {"workers": workers, "gpus_per_worker": gpus, "runtime_minutes": minutes}
    return {"job": job, "state": "pending", "start_time": "", "placement": ""} | size


def _write_ecommerce_day(folder: Path) -> None:
    a100 = {"cluster": "shop", "accelerator": "A100-SXM4-80GB", "gpus": 1, "gpu_memory_gib": 80, "cpus": 16, "memory_gib": 128}
    ten = {"count": 10, "min_count": 0, "max_count": 10}
    ondemand = {"market": "on_demand", "price_per_hour": 300, "interruptions_per_hour": 0, "startup_minutes": 0}
    spot = {"market": "spot", "price_per_hour": 100, "interruptions_per_hour": 0.01, "startup_minutes": 0}
    _write_table(folder / "nodes.csv", [{"node": "ondemand"} | ten | a100 | ondemand, {"node": "spot"} | ten | a100 | spot])
    training = {"job": "nightly-training", "kind": "training", "tenant": "ranking", "required": "true", "submit_time": _at(hour=0)}
    gang = {"workers": 10, "gpus_per_worker": 1, "cpus_per_worker": 12, "memory_gib_per_worker": 96, "runtime_minutes": 240}
    window = {"earliest_start": _at(hour=2), "deadline": _at(hour=6), "deadline_kind": "hard"}
    _write_table(folder / "jobs.csv", [training | gang | window | {"spot_ok": "true", "checkpoint_minutes": 30}])
    recommender = {"service": "recommender", "tenant": "shop", "slo_ms": 200, "slo_quantile": 0.95}
    request = {"service_ms": 96, "service_cv": 0.3, "concurrency": 150}
    replica = {"gpus_per_replica": 1, "cpus_per_replica": 12, "memory_gib_per_replica": 96, "accelerators": "A100-SXM4-80GB"}
    place = {"min_replicas": 1, "markets": "on_demand", "dedicated": "true"}
    _write_table(folder / "services.csv", [recommender | request | replica | place])
    _write_table(folder / "load.csv", _noisy_history())


def _noisy_history() -> list[Row]:
    """Return four weeks of hourly load up to the planned day: the sine times independent noise of 2.5 %."""
    source, noise = random.Random(SEED), NormalDist(1.0, NOISE)
    begin = PLANNED_DAY - timedelta(hours=HISTORY_HOURS)
    hours = [begin + timedelta(hours=hour) for hour in range(HISTORY_HOURS)]
    loads = [mean_load_rps(when.hour) * _draw(noise, source) for when in hours]
    return [
        {"unique_id": "recommender", "ds": when.isoformat(), "y": f"{load:.1f}", "unit": "requests/s"}
        for when, load in zip(hours, loads, strict=True)
    ]


def _draw(noise: NormalDist, source: random.Random) -> float:
    """Return one value of `noise` by inversion: `random()` is promised to stay the same over versions of Python, `gauss` is not."""
    return noise.inv_cdf(min(max(source.random(), 1e-12), 1 - 1e-12))


def _write_gpu_slices(folder: Path) -> None:
    """One node of two A100 of 40 GB in MIG mode; long and short jobs of named profiles."""
    node = {
        "node": "mig",
        "accelerator": "A100-SXM4-40GB",
        "gpus": 2,
        "gpu_memory_gib": 40,
        "slices_per_gpu": 7,
        "price_per_hour": 4,
    }
    _write_table(folder / "nodes.csv", [node])
    asked = [
        ("notebook", 8, "1g.5gb", 180),
        ("embed", 8, "2g.10gb", 60),
        ("rerank", 8, "2g.10gb", 60),
        ("tune", 8, "2g.10gb", 180),
        ("eval", 8, "3g.20gb", 60),
        ("chat", 9, "4g.20gb", 120),
        ("train", 9, "7g.40gb", 60),
    ]
    jobs = [
        {"job": job, "submit_time": f"2026-12-01T{hour:02d}:00:00Z", "slice_profile": profile, "runtime_minutes": minutes}
        for job, hour, profile, minutes in asked
    ]
    _write_table(folder / "jobs.csv", jobs)


def _write_training_window(folder: Path) -> None:
    """The gang of ecommerce-day four times: 3.5 or 4 hours of work, reclaims of 1 or 5 % an hour."""
    device = {"accelerator": "A100-SXM4-80GB", "gpus": 1, "gpu_memory_gib": 80}
    steady = {"market": "on_demand", "price_per_hour": 300, "interruptions_per_hour": 0, "startup_minutes": 15, "labels": ""}
    pools = [{"node": "ondemand", "count": 40, "min_count": 0, "max_count": 40} | device | steady]
    for name, percent in (("calm", 1), ("stormy", 5)):
        spot = {"market": "spot", "price_per_hour": 100, "interruptions_per_hour": percent / 100, "startup_minutes": 0}
        size = {"count": 20, "min_count": 0, "max_count": 20}
        pools.append({"node": name} | size | device | spot | {"labels": f"reclaim={percent}"})
    _write_table(folder / "nodes.csv", pools)
    window = {"earliest_start": _at(hour=2), "deadline": _at(hour=6), "deadline_kind": "hard", "spot_ok": "true"}
    gang = {"kind": "training", "required": "true", "submit_time": _at(hour=0), "workers": 10, "gpus_per_worker": 1}
    jobs = [
        {"job": f"{tenant}-{name}", "tenant": tenant} | gang | {"runtime_minutes": minutes} | window | {"checkpoint_minutes": 30}
        for tenant in ("calm", "stormy")
        for name, minutes in (("3h30", 210), ("4h", 240))
    ]
    _write_table(folder / "jobs.csv", jobs)


def _write_three_nodes(folder: Path) -> None:
    device = {"accelerator": "A100-SXM4-80GB"}
    sizes = {"n1": 1, "n2": 1, "n3": 2}
    _write_table(folder / "nodes.csv", [{"node": node} | device | {"gpus": n, "price_per_hour": n} for node, n in sizes.items()])
    pair = {"job": "A", "submit_time": "2026-12-01T07:00:00Z", "workers": 2, "gpus_per_worker": 1, "runtime_minutes": 60}
    single = {"job": "B", "submit_time": "2026-12-01T07:05:00Z", "workers": 1, "gpus_per_worker": 2, "runtime_minutes": 60}
    _write_table(folder / "jobs.csv", [pair, single])


def _write_capacity_gate(folder: Path) -> None:
    """Six nodes of 8 devices that three trainings of a night fill until 10:00, and an evaluation in the afternoon."""
    node = {"node": "a100", "accelerator": "A100-SXM4-80GB", "gpus": 8, "count": 6, "market": "owned", "price_per_hour": 20}
    _write_table(folder / "nodes.csv", [node])
    asked = [
        ("pretrain", "training", "research", 5, 0, 4, 8, 600, 12),
        ("finetune-de", "training", "product", 10, 0, 2, 8, 300, 12),
        ("finetune-en", "training", "product", 10, 0, 2, 8, 300, 12),
        ("evaluate", "batch", "research", 0, 12, 8, 1, 240, 24),
    ]
    rows: list[Row] = [
        {
            "job": name,
            "kind": kind,
            "tenant": tenant,
            "priority": priority,
            "submit_time": _utc_text(submitted),
            "workers": workers,
            "gpus_per_worker": gpus,
            "runtime_minutes": minutes,
            "deadline": _utc_text(due),
        }
        for name, kind, tenant, priority, submitted, workers, gpus, minutes, due in asked
    ]
    _write_table(folder / "jobs.csv", rows)


def _utc_text(hour: int) -> str:
    """Return an hour of the planned day, counted from 0, as UTC."""
    return (datetime(2026, 12, 1, tzinfo=UTC) + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _write_tenants_quota(folder: Path) -> None:
    """A bank's inference on core nodes, and three tenants that train on shared ones within quotas."""
    h100 = {"accelerator": "H100-SXM5-80GB", "gpu_memory_gib": 80, "market": "owned"}
    core = {"node": "core", "count": 2, "gpus": 5, "price_per_hour": 20, "labels": "tier=core"}
    shared = {"node": "shared", "count": 2, "gpus": 8, "price_per_hour": 32, "labels": "tier=shared"}
    _write_table(folder / "nodes.csv", [core | h100, shared | h100])
    risk = {"service": "risk-control", "tenant": "risk", "priority": 100, "slo_ms": 200, "slo_quantile": "mean"}
    request = {"service_ms": 100, "service_cv": 1, "concurrency": 1, "gpus_per_replica": 1, "min_replicas": 1}
    _write_table(folder / "services.csv", [risk | request])
    day = [8] * 8 + [20, 40, 60] + [80] * 8 + [60, 40, 20, 8, 8]
    load = [{"unique_id": "risk-control", "ds": f"2026-12-01T{hour:02d}:00:00Z", "y": rate} for hour, rate in enumerate(day)]
    _write_table(folder / "load.csv", load)
    cohort = {"parent": "training", "borrow_price": 0.5}
    own = [{"tenant": "risk", "nominal": 10, "max": 10, "parent": "", "borrow_price": 0}]
    promised = {"search": 8, "ads": 4, "nlp": 4}
    _write_table(
        folder / "quotas.csv", own + [{"tenant": tenant, "nominal": gpus, "max": ""} | cohort for tenant, gpus in promised.items()]
    )
    asked = [
        ("search-index", "search", 0, 2, 4, 12, 5),
        ("nlp-pretrain", "nlp", 0, 1, 8, 10, 5),
        ("nlp-tune", "nlp", 0, 1, 4, 6, 1),
        ("search-rank", "search", 6, 1, 4, 6, 5),
        ("ads-retrain", "ads", 12, 1, 4, 8, 9),
    ]
    jobs = [
        {
            "job": job,
            "kind": "training",
            "tenant": tenant,
            "priority": priority,
            "submit_time": f"2026-12-01T{hour:02d}:00:00Z",
            "workers": workers,
            "gpus_per_worker": gpus,
            "runtime_minutes": hours * 60,
        }
        for job, tenant, hour, workers, gpus, hours, priority in asked
    ]
    _write_table(folder / "jobs.csv", jobs)


BERLIN = timezone(timedelta(hours=1))
SHIFTED_DAY = datetime(2026, 12, 1, tzinfo=BERLIN)
BATCH_JOBS, BATCH_HOURS = 12, 4


def central_g_per_kwh(hour_of_day: int) -> int:
    """Return the intensity of a grid on coal and sun: 620 by night, down to 280 at noon."""
    sun = max(0.0, -cos(2 * pi * hour_of_day / 24))
    return round(620 - 340 * sun)


def northern_g_per_kwh(hour_of_day: int) -> int:
    """Return the intensity of a grid on water and wind: 40 to 160, the most at 18:00."""
    return round(100 + 60 * cos(2 * pi * (hour_of_day - 18) / 24))


def _write_carbon_shift(folder: Path) -> None:
    node = {"count": 0, "min_count": 0, "accelerator": "H100-SXM5-80GB", "gpus": 8, "market": "on_demand"}
    power = {"power_idle_w": 1500, "power_max_w": 7500}
    central = {"node": "central", "region": "central"} | node | {"max_count": 6, "price_per_hour": 20} | power | {"pue": 1.4}
    north = {"node": "north", "region": "north"} | node | {"max_count": 4, "price_per_hour": 21} | power | {"pue": 1.1}
    _write_table(folder / "nodes.csv", [central, north])
    _write_table(folder / "jobs.csv", [_batch_job(number) for number in range(BATCH_JOBS)])
    grids = {"central": central_g_per_kwh, "north": northern_g_per_kwh}
    hours = [(hour, SHIFTED_DAY + timedelta(hours=hour)) for hour in range(24)]
    _write_table(
        folder / "carbon.csv",
        [{"region": region, "ds": when.isoformat(), "g_per_kwh": of(hour)} for region, of in grids.items() for hour, when in hours],
    )


def _batch_job(number: int) -> Row:
    """Return one of twelve jobs of a whole node for four hours, every second one from 08:00 on, all due at midnight."""
    begin = SHIFTED_DAY + timedelta(hours=8 * (number % 2))
    times = {"submit_time": begin.isoformat(), "deadline": (SHIFTED_DAY + timedelta(hours=24)).isoformat()}
    return (
        {"job": f"batch-{number + 1:02d}", "kind": "batch"}
        | times
        | {
            "workers": 1,
            "gpus_per_worker": 8,
            "runtime_minutes": 60 * BATCH_HOURS,
        }
    )


def _write_zone_loss(folder: Path) -> None:
    node = {"accelerator": "L40S", "gpus": 1, "cpus": 16, "memory_gib": 64, "market": "on_demand"}
    six = {"count": 6, "min_count": 0, "max_count": 6}
    prices = {"a": 3, "b": 4}
    _write_table(
        folder / "nodes.csv",
        [{"node": zone} | six | {"zone": zone} | node | {"price_per_hour": price} for zone, price in prices.items()],
    )
    embed = {"job": "embed", "submit_time": "2026-12-01T00:00:00Z", "workers": 2, "gpus_per_worker": 1, "runtime_minutes": 240}
    _write_table(folder / "jobs.csv", [embed])
    target = {"service": "checkout", "slo_ms": 500, "slo_quantile": 0.95}
    request = {"service_ms": 100, "service_cv": 1, "concurrency": 10, "gpus_per_replica": 1, "min_replicas": 1}
    _write_table(folder / "services.csv", [target | request])
    rates = [160 if hour < 8 else 400 for hour in range(24)]
    load = [{"unique_id": "checkout", "ds": f"2026-12-01T{hour:02d}:00:00Z", "y": rate} for hour, rate in enumerate(rates)]
    _write_table(folder / "load.csv", load)


def _at(hour: int) -> str:
    return (PLANNED_DAY + timedelta(hours=hour)).isoformat()


def _write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write rows that all have the same columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
