"""Sequence: which waiting jobs wait for which, and which start together. It knows jobs, not nodes or times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from schedplan.model.workload import Job, JobState

Unit: TypeAlias = tuple[Job, ...]
"""Jobs that start together: the waiting rows of one gang, or a single job."""
Rank: TypeAlias = tuple[float | str, ...]


def waits_for(jobs: Iterable[Job]) -> dict[str, tuple[str, ...]]:
    """Return what each job still waits for, by name: of the jobs that it names those that are given; none once it runs."""
    known = {job.name: job for job in jobs}
    return {
        job.name: () if job.state is JobState.RUNNING else tuple(dict.fromkeys(name for name in job.after if name in known))
        for job in known.values()
    }


def gang_rows(jobs: Iterable[Job]) -> dict[str, Unit]:
    """Return the waiting rows of each gang, in their order; what runs already has started and waits for no other row."""
    found: dict[str, list[Job]] = {}
    for job in jobs:
        if job.gang is not None and job.state is not JobState.RUNNING:
            found.setdefault(job.gang, []).append(job)
    return {gang: tuple(rows) for gang, rows in found.items()}


def units_of(jobs: Iterable[Job]) -> tuple[Unit, ...]:
    """Return the waiting jobs by what starts together, in the order of their first rows."""
    waiting = tuple(job for job in jobs if job.state is not JobState.RUNNING)
    rows = gang_rows(waiting)
    of_gang = {job.name: rows[job.gang] if job.gang is not None else (job,) for job in waiting}
    return tuple(dict.fromkeys(of_gang[job.name] for job in waiting))


def in_order(jobs: Iterable[Job], rank: Callable[[Unit], Rank]) -> tuple[Unit, ...]:
    """Return the waiting jobs by what starts together: each unit after all it waits for, else the lowest rank first.

    Units that wait for one another in a circle can never start and are left out.
    """
    given = tuple(jobs)
    groups = units_of(given)
    unit_of = {job.name: idx for idx, unit in enumerate(groups) for job in unit}
    before = waits_for(given)
    open_before = [{unit_of[name] for job in unit for name in before[job.name] if name in unit_of} for unit in groups]
    ready = [(rank(unit), idx) for idx, unit in enumerate(groups) if not open_before[idx]]
    heapify(ready)
    behind: dict[int, list[int]] = defaultdict(list)
    for idx, others in enumerate(open_before):
        for other in others:
            behind[other].append(idx)
    found: list[Unit] = []
    while ready:
        _, done = heappop(ready)
        found.append(groups[done])
        for idx in behind[done]:
            open_before[idx].discard(done)
            if not open_before[idx]:
                heappush(ready, (rank(groups[idx]), idx))
    return tuple(found)


def circle(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Return jobs that wait for one another in a circle, each for the next and the last for the first; empty where none do.

    Rows of one gang start together, so that what one of them waits for all of them wait for.
    """
    given = tuple(jobs)
    startable = {job.name for unit in in_order(given, lambda unit: (unit[0].name,)) for job in unit}
    stuck = {job.name: unit for unit in units_of(given) for job in unit if job.name not in startable}
    if not stuck:
        return ()
    before = waits_for(given)
    path: list[str] = []
    seen: set[str] = set()
    name = min(stuck)
    while stuck[name][0].name not in seen:
        seen.add(stuck[name][0].name)
        waiting = next(job.name for job in stuck[name] if any(other in stuck for other in before[job.name]))
        path.append(waiting)
        name = next(other for other in before[waiting] if other in stuck)
    first = next(idx for idx, waiting in enumerate(path) if stuck[waiting][0].name == stuck[name][0].name)
    return tuple(path[first:])
