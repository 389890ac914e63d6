"""What is validated: the records of the model, as they were read. It judges nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from schedplan.model.cluster import Cluster
from schedplan.model.forecast import Series
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, JobState, Service
from schedplan.tables.read import ColumnSlip


@dataclass(frozen=True)
class Subject:
    """Cluster, all jobs (history too), services, load, quotas, and columns that look misspelt.

    forecast_ids: series whose forecast is given from elsewhere.
    """

    cluster: Cluster
    jobs: tuple[Job, ...] = ()
    services: tuple[Service, ...] = ()
    series: tuple[Series, ...] = ()
    forecast_ids: tuple[str, ...] = ()
    quotas: tuple[Quota, ...] = ()
    slips: tuple[ColumnSlip, ...] = ()

    @cached_property
    def open_jobs(self) -> tuple[Job, ...]:
        """Jobs that a plan covers: pending and running ones."""
        return tuple(job for job in self.jobs if job.state.is_open)

    @cached_property
    def alike(self) -> tuple[tuple[Job, ...], ...]:
        """Waiting jobs in groups that ask for the same place, in the order of their first: what holds for one holds for all."""
        groups: dict[tuple[object, ...], list[Job]] = {}
        for job in self.open_jobs:
            if job.state is not JobState.RUNNING:
                groups.setdefault((job.shape, job.workers, job.topology, job.spot_ok, job.required), []).append(job)
        return tuple(tuple(jobs) for jobs in groups.values())

    @cached_property
    def accelerators(self) -> tuple[str, ...]:
        """Device models of the cluster, by name."""
        return tuple(sorted({pool.accelerator for pool in self.cluster.pools if pool.accelerator is not None}))

    @cached_property
    def series_by_id(self) -> dict[str, Series]:
        return {series.unique_id: series for series in self.series}
