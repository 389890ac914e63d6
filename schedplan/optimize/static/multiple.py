"""The largest multiple of expected work that the relaxation of a static placement holds whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.static.dives import weights_of
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.relaxation import Relaxation

MOST, STEPS = 2.0, 5
NARROW = 0.75
NEARLY = 1e-6


def multiplied(kinds: Sequence[tuple[Job, int]], multiple: float) -> tuple[Job, ...]:
    """Return a multiple of the expected work: of each kind so many jobs, rounded, numbered by kind."""
    return tuple(
        replace(job, name=f"{kind:05d}/{idx:06d}")
        for kind, (job, count) in enumerate(kinds)
        for idx in range(round(count * multiple))
    )


def largest_multiple(problem: Problem, kinds: Sequence[tuple[Job, int]]) -> float:
    """Return the largest multiple of kinds of jobs, (one of the kind, how many are expected), all of which the relaxation places.

    problem: static, with nodes and rules; its jobs are not looked at. By halving from MOST, or what the devices would hold, down
    to a hundredth of that; 0 where not even that is placed.
    """
    asked = sum(job.shape.gpus * count for job, count in kinds)
    devices = sum(pool.gpus * pool.nodes for pool in problem.cluster.pools)
    high = min(MOST, devices / asked) if asked else MOST
    low = NARROW * high
    if not _places_all(problem, kinds, low):
        low, high = 0.0, low
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _places_all(problem, kinds, middle) else (low, middle)
    return low


def _places_all(problem: Problem, kinds: Sequence[tuple[Job, int]], multiple: float) -> bool:
    return _is_whole(replace(problem, jobs=multiplied(kinds, multiple)))


def _is_whole(problem: Problem) -> bool:
    relaxed = instance(problem, is_relaxed=True)
    weights = weights_of(relaxed)
    answer = Relaxation(relaxed).solve(weights)
    if answer is None:
        return False
    wanted = sum(float(weights[one.idx]) * one.units * len(one.jobs) for one in relaxed.classes)
    return answer.value >= wanted * (1.0 - NEARLY)
