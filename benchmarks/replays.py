"""What a replay costs: generated logs under policies, as CPU seconds of the kernel's loop and as counted work.

    python -m benchmarks.replays [SPEC ...]     CPU seconds and counts of every spec, or of some
    python -m benchmarks.replays waiting        CPU seconds per event with 50, 500 and 5,000 jobs waiting

It plans nothing. Jobs have limits above what they really run, so that estimates and truth stand apart.
"""

from __future__ import annotations

import random
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time

from schedplan.engines.policy_table import policy
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.replay import replay

PROCESSORS = 100
GANGS = (1, 1, 1, 1, 1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class ReplaySpec:
    """jobs: makes so many; smoke: how many the tests replay."""

    name: str
    policy: str
    cluster: Cluster
    jobs: Callable[[int], Iterable[Job]]
    size: int
    smoke: int


@dataclass(frozen=True, slots=True)
class Cost:
    """loop_s: CPU seconds of the kernel alone; counts: of the replay; started: jobs that ran."""

    loop_s: float
    counts: dict[str, int]
    started: int


def processors(size: int) -> tuple[Job, ...]:
    """Return jobs of 1 to 64 processors at 0.8 of a machine of a hundred, with limits of 1 to 10 times their run."""
    draw, found, at_s = random.Random(1), [], 0
    for idx in range(size):
        run_s = max(1, round(draw.lognormvariate(7.0, 1.7)))
        limit_s = round(max(run_s * draw.choice([1, 1.2, 2, 4, 10]), 60) / 60) * 60 + 60
        workers = draw.choice([1, 1, 1, 2, 4, 8, 8, 16, 32, 64])
        found.append(
            Job(
                f"j{idx:06d}",
                submit_s=at_s,
                workers=workers,
                shape=WorkerShape(cpus=1),
                runtime_minutes=run_s / 60,
                time_limit_minutes=limit_s / 60,
            )
        )
        at_s += round(draw.expovariate(1 / 800))
    return tuple(found)


def single_devices(size: int) -> Iterator[Job]:
    """Yield jobs of one device at 0.9 of a hundred."""
    draw, at_s = random.Random(2), 0.0
    shape = WorkerShape(gpus=1)
    for idx in range(size):
        yield Job(f"j{idx:07d}", submit_s=round(at_s), shape=shape, runtime_minutes=draw.randint(1, 119))
        at_s += draw.expovariate(1 / 40.0)


def training(size: int) -> tuple[Job, ...]:
    """Return gangs of up to 32 devices of three tenants and priorities, as logs of training clusters have them, at overload."""
    draw, found, at_s = random.Random(3), [], 0
    for idx in range(size):
        run_s = max(60, round(draw.lognormvariate(7.5, 2.0)))
        devices = draw.choice(GANGS)
        found.append(
            Job(
                f"j{idx:06d}",
                submit_s=at_s,
                tenant=draw.choice(("x", "y", "z")),
                priority=draw.choice((0, 0, 0, 1, 2)),
                workers=max(devices // 8, 1),
                shape=WorkerShape(gpus=min(devices, 8)),
                runtime_minutes=run_s / 60,
                time_limit_minutes=run_s * draw.choice((1, 1.5, 3)) / 60,
                checkpoint_minutes=30.0,
            )
        )
        at_s += round(draw.expovariate(1 / 320))
    return tuple(found)


def waiting(size: int) -> tuple[Job, ...]:
    """Return jobs that find `size` others waiting all the time: as many at once, then one whenever one ends, on average."""
    return tuple(
        Job(
            job.name,
            submit_s=0 if idx < size else (idx - size) * 220,
            workers=job.workers,
            shape=job.shape,
            runtime_minutes=(job.runtime_minutes or 1) % 60 + 1,
            time_limit_minutes=(job.runtime_minutes or 1) % 60 + 20,
        )
        for idx, job in enumerate(processors(size + 6000))
    )


CORES = Cluster((Pool("n", count=PROCESSORS, min_count=PROCESSORS, max_count=PROCESSORS, cpus=1),))
DEVICES = Cluster((Pool("n", count=PROCESSORS, min_count=PROCESSORS, max_count=PROCESSORS, gpus=1),))
SERVERS = Cluster((Pool("n", count=40, min_count=40, max_count=40, gpus=8),))
TRAINING = ("fcfs", "easy", "best-fit", "sjf-skip", "preempt", "drf", "fair-share", "fgd", "conservative")

SPECS = (
    ReplaySpec("easy-log", "easy", CORES, processors, 28_000, 300),
    ReplaySpec("easy-sjbf-log", "easy-sjbf", CORES, processors, 28_000, 300),
    ReplaySpec("conservative-log", "conservative", CORES, processors, 28_000, 300),
    ReplaySpec("million-fcfs", "fcfs", DEVICES, single_devices, 1_000_000, 500),
    *(ReplaySpec(f"training-{name}", name, SERVERS, training, 15_000, 300) for name in TRAINING),
)


def measured(spec: ReplaySpec, size: int) -> Cost:
    """Return what the replay of a spec costs at a size."""
    jobs = spec.jobs(size)
    with _timed() as seconds:
        found = replay(spec.cluster, jobs, policy(spec.policy))
    return Cost(seconds[0], dict(found.counts), int(found.timeline.started.sum()))


@contextmanager
def _timed() -> Iterator[list[float]]:
    """Yield a list to which the CPU seconds of every kernel that runs meanwhile are added up."""
    seconds, run = [0.0], Kernel.run

    def timed(self: Kernel, *given: object) -> None:
        before = process_time()
        run(self, *given)  # type: ignore[arg-type]
        seconds[0] += process_time() - before

    Kernel.run = timed  # type: ignore[assignment,method-assign]
    try:
        yield seconds
    finally:
        Kernel.run = run  # type: ignore[method-assign]


def main(names: list[str]) -> int:
    """Print the table of the specs named, or of all."""
    if names == ["waiting"]:
        for size in (50, 500, 5000):
            cost = measured(ReplaySpec("waiting", "easy", CORES, waiting, size, 1), size)
            print(f"{size:>6} waiting: {cost.loop_s / cost.counts['decisions'] * 1e6:8.1f} us a decision", flush=True)
        return 0
    for spec in SPECS:
        if names and spec.name not in names:
            continue
        cost = measured(spec, spec.size)
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        work = ", ".join(f"{name} {count:,}" for name, count in sorted(cost.counts.items()))
        print(
            f"{spec.name:<24} {cost.loop_s:7.2f} s of the loop, {peak_mb} MB at most so far; {cost.started:,} ran; {work}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
