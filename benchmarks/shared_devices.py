"""Generated clusters and work for placements at one instant: nodes of a few kinds, jobs that ask for shares of devices.

Like traces of such clusters in kind, not in number: two in five jobs ask for a share, a few for whole nodes, some for no device at
all; together they ask for nearly all devices, so that what is left over in pieces decides.
"""

from __future__ import annotations

import random
from pathlib import Path

NODE_KINDS = ((2, 64, 256, 3), (4, 96, 384, 2), (8, 96, 768, 4), (8, 128, 768, 3), (0, 64, 256, 2))
"""(devices, cores, GiB, how often of 14)."""
SHARES = (0.05, 0.1, 0.22, 0.25, 0.32, 0.44, 0.46, 0.5, 0.55, 0.65, 0.81)
ASKED_FOR = 0.98


def write_shared_devices(folder: Path, nodes: int, seed: int = 1) -> None:
    """Write a project of so many nodes whose jobs ask for nearly all devices."""
    rng = random.Random(seed)
    kinds = [rng.choices(range(len(NODE_KINDS)), [kind[3] for kind in NODE_KINDS])[0] for _ in range(max(nodes - 1, 0))] + [2]
    rows = [(f"n{idx:05d}", *NODE_KINDS[kind][:3]) for idx, kind in enumerate(kinds)]
    (folder / "nodes.csv").write_text(
        "node,count,gpus,slices_per_gpu,cpus,memory_gib\n"
        + "".join(f"{name},1,{gpus},{100 if gpus else 1},{cpus},{memory}\n" for name, gpus, cpus, memory in rows)
    )
    left = ASKED_FOR * sum(row[1] for row in rows)
    jobs: list[str] = []
    while left > 0:
        gpus, cores = _asked(rng)
        left -= gpus
        jobs.append(f"j{len(jobs):06d},{gpus:g},{cores:g},{4 * cores:g},60\n")
    (folder / "jobs.csv").write_text("job,gpus_per_worker,cpus_per_worker,memory_gib_per_worker,runtime_minutes\n" + "".join(jobs))
    (folder / "schedplan.toml").write_text(
        '[project]\nname = "shared-devices"\n\n[inputs]\nnodes = "nodes.csv"\njobs = "jobs.csv"\n\n'
        "[horizon]\nstart = 2026-12-01T00:00:00Z\nhours = 1\n"
    )


def _asked(rng: random.Random) -> tuple[float, float]:
    """(devices, cores) of one job."""
    kind = rng.random()
    if kind < 0.13:
        return 0.0, float(rng.choice((1, 4, 8, 16)))
    if kind < 0.5:
        return rng.choice(SHARES), float(rng.choice((1, 2, 4, 6, 8, 12)))
    gpus = rng.choices((1, 2, 4, 8), (88, 4, 3, 5))[0]
    return float(gpus), float(gpus * rng.choice((4, 6, 8, 10, 12)))
