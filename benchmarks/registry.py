"""The benchmarks there are, and how one is run: the CPU time of every phase on a project of a given size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from shutil import copytree
from time import process_time

from benchmarks import phases
from benchmarks.alibaba_2023 import REAL_NODES, Change, write_alibaba_2023
from benchmarks.fleet_day import Fleet, Gangs, write_fleet_day
from benchmarks.mixed_day import write_mixed_day
from benchmarks.random_day import write_random_day
from benchmarks.shared_devices import write_shared_devices

PHASES = ("load", "forecast", "solve", "verify")
ECOMMERCE_DAY = Path(__file__).parents[1] / "samples" / "ecommerce-day"


@dataclass(frozen=True, slots=True)
class Spec:
    """One family of projects. `build` writes the one of a size into a folder; `smoke` is the size that tests run.

    is_static: all of it at one instant.
    """

    name: str
    build: Callable[[Path, int], object]
    sizes: tuple[int, ...]
    smoke: int
    is_static: bool = False


FLEETS = (
    ("fleet-day", Fleet(0, 0), (100, 300, 1000, 10000)),
    ("fleet-day-2", Fleet(0, 0, seed=2), (100,)),
    ("fleet-day-3", Fleet(0, 0, seed=3), (100,)),
    ("fleet-day-free-form", Fleet(0, 0, is_free_form=True), (100,)),
    ("fleet-day-odd-gangs", Fleet(0, 0, gangs=Gangs.ODD), (100,)),
    ("fleet-day-part-nodes", Fleet(0, 0, gangs=Gangs.PARTS), (100,)),
    ("fleet-day-latency", Fleet(0, 0, weights=(0.9, 0.05, 0.05)), (100,)),
)
"""(name, shape, sizes) of fleets with ten jobs a node."""

CHANGES = (
    ("alibaba-2023", Change()),
    ("alibaba-2023-halved", Change(every=2)),
    ("alibaba-2023-doubled", Change(copies=2)),
    ("alibaba-2023-cores-80", Change(cores=0.8)),
    ("alibaba-2023-cores-70", Change(cores=0.7)),
)
"""(name, change) of the cluster of 2023."""

SPECS = (
    Spec("ecommerce-day", lambda folder, _: copytree(ECOMMERCE_DAY, folder, dirs_exist_ok=True), sizes=(20,), smoke=20),
    Spec("random-day", write_random_day, sizes=(4, 8, 16, 20), smoke=3),
    Spec("mixed-day", write_mixed_day, sizes=(20,), smoke=4),
    Spec("mixed-day-2", lambda folder, size: write_mixed_day(folder, size, seed=2), sizes=(20,), smoke=4),
    Spec("mixed-day-3", lambda folder, size: write_mixed_day(folder, size, seed=3), sizes=(20,), smoke=4),
    *(
        Spec(name, lambda folder, size, shape=shape: write_fleet_day(folder, replace(shape, nodes=size, jobs=10 * size)), sizes, 1)
        for name, shape, sizes in FLEETS
    ),
    Spec(
        "fleet-week",
        lambda folder, size: write_fleet_day(folder, Fleet(nodes=size, jobs=70 * size, hours=168)),
        sizes=(20, 100, 1000),
        smoke=2,
    ),
    Spec("shared-devices", write_shared_devices, sizes=(150, 1500), smoke=6, is_static=True),
    *(
        Spec(
            name,
            lambda folder, size, change=change: write_alibaba_2023(folder, size, change),
            (REAL_NODES,),
            smoke=6,
            is_static=True,
        )
        for name, change in CHANGES
    ),
    Spec("dense-day", lambda folder, size: write_mixed_day(folder, size, jobs_per_node=10), sizes=(100,), smoke=4),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """CPU seconds per entry of PHASES, the plan's status and gap, and how many rules it breaks."""

    cpu_s: tuple[float, ...]
    status: str
    gap: float | None
    violations: int


def sizes_of(spec: Spec, names: list[str]) -> tuple[int, ...]:
    """Return the sizes to run: all of a spec that is named; without names the first one of every spec."""
    if names:
        return spec.sizes if spec.name in names else ()
    return spec.sizes[:1]


def run(spec: Spec, size: int, folder: Path) -> Outcome:
    """Build the project of a size in `folder` and run all phases on it; building is not timed."""
    spec.build(folder, size)
    clock = [process_time()]
    settings, content = phases.load(folder)
    clock.append(process_time())
    problem = phases.at_one_instant(folder) if spec.is_static else phases.forecast(settings, content)
    clock.append(process_time())
    plan = phases.place(problem) if spec.is_static else phases.solve(problem)
    clock.append(process_time())
    broken = phases.verify(problem, plan)
    clock.append(process_time())
    times = tuple(end - begin for begin, end in pairwise(clock))
    return Outcome(times, plan.proof.status.value, plan.proof.gap, broken)
