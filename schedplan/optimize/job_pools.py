"""The pools that jobs may stand on, looked up once for jobs that are alike in what decides that. They know no time and no plan."""

from __future__ import annotations

from collections.abc import Hashable

from schedplan.measures.eligibility import pools_for_job
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, JobState


class JobPools:
    """Of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: dict[Hashable, tuple[Pool, ...]] = {}

    def of(self, job: Job) -> tuple[Pool, ...]:
        """Return the pools that take a job, in their order; of one that runs those that it stands on, each once, in its order."""
        if job.state is JobState.RUNNING:
            names = dict.fromkeys(self._cluster.pool_of_node[placed.node].name for placed in job.placement)
            return tuple(self._cluster.by_name[name] for name in names)
        key = self.key(job)
        if key not in self._known:
            self._known[key] = tuple(pools_for_job(self._cluster, job))
        return self._known[key]

    @staticmethod
    def key(job: Job) -> Hashable:
        """Return what the pools of a waiting job hang on."""
        return job.shape, job.spot_ok, job.topology, job.least_workers
