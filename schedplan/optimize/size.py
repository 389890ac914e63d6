"""The size of the model on pools of a problem, known before it is built. It chooses no way to a plan."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from schedplan.measures.work import last_end
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from schedplan.optimize.job_pools import JobPools
from schedplan.optimize.models import KB_A_START, KB_A_WIDE_START


@dataclass(frozen=True)
class Size:
    """Of one problem, and of all that differ from it in weights and held goals alone; counted once, when first asked for."""

    problem: Problem

    @cached_property
    def columns(self) -> int:
        """About how many columns it has: starts of jobs that are not alike, on each pool, and numbers of nodes and replicas."""
        grid, cluster = self.problem.grid, self.problem.cluster
        pools = JobPools(cluster)
        starts: dict[Hashable, int] = {}
        for job in self.problem.jobs:
            if job.state is JobState.RUNNING:
                continue
            release, last = grid.release_slot(job.release_s), last_end(self.problem, job)
            when = (job.runtime_minutes, job.release_s, job.deadline_s, job.deadline_kind)
            alike = (pools.key(job), job.workers, job.tenant, job.priority, *when)
            starts[alike] = len(pools.of(job)) * max(last - release, 0)
        per_slot = len(cluster.pools) * (1 + len(self.problem.services))
        return sum(starts.values()) + per_slot * grid.n_slots

    @property
    def most_columns(self) -> int:
        """Columns of its jobs at the most, without counting."""
        return len(self.problem.jobs) * len(self.problem.cluster.pools) * self.problem.grid.n_slots

    @property
    def memory_mb(self) -> float:
        """About how much memory the model takes with its relaxation, built start by start."""
        return self.columns * KB_A_START / 1000

    @property
    def wide_memory_mb(self) -> float:
        """About how much memory the model takes with its relaxation, built as arrays."""
        return self.columns * KB_A_WIDE_START / 1000
