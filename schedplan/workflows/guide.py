"""Guide: places kept for expected work, by a static plan of as much of it as all fits. It replays nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from schedplan.model.cluster import Cluster
from schedplan.model.problem import Limits, Objective, Problem
from schedplan.model.workload import Job, JobState, WorkerShape
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.static.multiple import largest_multiple, multiplied
from schedplan.optimize.static.solve import StaticSolve
from schedplan.simulate.guide import Guide, GuidePlace
from schedplan.timegrid import TimeGrid

SLOT_MINUTES = 60


def guide_of(cluster: Cluster, expected: tuple[Job, ...], seed: int) -> Guide:
    """Return places for the workers of expected jobs, each by itself, on the nodes of a cluster.

    Of the largest multiple of the expected work whose relaxation places all of it; each kind rounded.
    """
    counts: Counter[tuple[WorkerShape, bool]] = Counter()
    for job in expected:
        counts[job.shape, job.spot_ok] += job.workers
    kinds = [
        (Job("", submit_s=0, shape=shape, spot_ok=spot_ok, runtime_minutes=SLOT_MINUTES, state=JobState.PENDING), count)
        for (shape, spot_ok), count in counts.items()
    ]
    bare = Problem(
        name="expected work",
        grid=TimeGrid.regular(0, SLOT_MINUTES, 1),
        cluster=Cluster(tuple(replace(pool, startup_minutes=0.0) for pool in cluster.pools)),
        objective=Objective(0.0, 0.0, 0.0, 0.0, unplaced=1.0),
        limits=Limits(),
        is_static=True,
    )
    total = sum(counts.values())
    multiple = largest_multiple(bare, kinds)
    jobs = multiplied(kinds, multiple)
    if not jobs:
        return Guide((), multiple, total)
    plan = StaticSolve(replace(bare, jobs=jobs), SolveOptions(seed=seed)).placement()
    shape_of = {job.name: job.shape for job in jobs}
    places = tuple(
        GuidePlace(shape_of[row.job], row.node, tuple(int(part.split(":")[0]) for part in row.device_slots.split(",") if part))
        for row in plan.placements
    )
    return Guide(places, multiple, total)
