"""Run times: how long waiting jobs run on pools, and where runs end, looked up once for jobs that are alike in what decides that.

It knows one job and one pool, not what else is there.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState

Ends: TypeAlias = tuple[int | None, ...]
"""The edge at which a run is over, by the slot that it begins with; None beyond the grid."""


class RunTimes:
    """The run times of one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._own_speeds = {row.kind for row in problem.cluster.speeds}
        self._minutes: dict[tuple[str, Hashable], float] = {}
        self._ends: dict[tuple[str, Hashable], Ends] = {}

    def key(self, job: Job) -> Hashable:
        """Return what the run time of a job with all of its workers hangs on, beside the pool."""
        if job.state is JobState.RUNNING or job.saved_minutes is not None or self.has_own_speed(job):
            return job.name
        return job.kind, job.runtime_minutes, job.load_minutes, job.affinity

    def has_own_speed(self, job: Job) -> bool:
        """Whether a speed is told of this very job."""
        return job.name in self._own_speeds

    def minutes(self, job: Job, pool: Pool, key: Hashable = None) -> float:
        """Return how long a job runs on a pool with all of its workers; key: its key, where that is known."""
        place = (pool.name, self.key(job) if key is None else key)
        if place not in self._minutes:
            self._minutes[place] = run_minutes(self._problem, job, pool)
        return self._minutes[place]

    def ends(self, job: Job, pool: Pool, key: Hashable = None) -> Ends:
        """Return where runs of a job on a pool end, with all of its workers, before any deadline."""
        place = (pool.name, self.key(job) if key is None else key)
        if place not in self._ends:
            self._ends[place] = self._problem.grid.end_edges(self.minutes(job, pool, place[1]))
        return self._ends[place]
