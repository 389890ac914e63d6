"""What is validated: the records of the model, as they were read. It judges nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from schedplan.measures.calibration import Calibration
from schedplan.measures.eligibility import job_refusal
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.forecast import Series
from schedplan.model.latency_sample import LatencySample
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, JobState, Service
from schedplan.tables.read import ColumnSlip
from schedplan.timegrid import TimeGrid


@dataclass(frozen=True)
class Subject:
    """Cluster, all jobs (history too), services, load, quotas, and columns that look misspelt.

    forecast_ids: series whose forecast is given from elsewhere. grid: the slots that would be planned, None: unknown. priced:
    (pool, price per hour) of every row of the table prices.
    """

    cluster: Cluster
    jobs: tuple[Job, ...] = ()
    services: tuple[Service, ...] = ()
    series: tuple[Series, ...] = ()
    forecast_ids: tuple[str, ...] = ()
    quotas: tuple[Quota, ...] = ()
    slips: tuple[ColumnSlip, ...] = ()
    grid: TimeGrid | None = None
    latency_samples: tuple[LatencySample, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    priced: tuple[tuple[str, float], ...] = ()

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
                groups.setdefault((*_place_asked(job), job.required), []).append(job)
        return tuple(tuple(jobs) for jobs in groups.values())

    def pools_for(self, job: Job) -> tuple[Pool, ...]:
        """Return the pools that take a worker of a job; asked once for all jobs that ask for the same place."""
        key = _place_asked(job)
        if key not in self._pools_by_place:
            self._pools_by_place[key] = tuple(pool for pool in self.cluster.pools if job_refusal(pool, job) is None)
        return self._pools_by_place[key]

    def shortest_minutes(self, job: Job) -> float | None:
        """Return the run time of a job on the fastest device that takes it; None where it is unknown or nothing takes the job."""
        minutes = job.runtime_minutes or job.time_limit_minutes
        models = self._models_for(job)
        if minutes is None or not models:
            return None
        return minutes / max(self.cluster.speed(model, job.name, job.kind.value) for model in models)

    def spot_pools_for(self, job: Job) -> tuple[Pool, ...]:
        """Return the spot pools among those that take a worker of a job."""
        key = _place_asked(job)
        if key not in self._spot_by_place:
            self._spot_by_place[key] = tuple(pool for pool in self.pools_for(job) if pool.market is Market.SPOT)
        return self._spot_by_place[key]

    def _models_for(self, job: Job) -> tuple[str | None, ...]:
        key = _place_asked(job)
        if key not in self._models_by_place:
            self._models_by_place[key] = tuple(dict.fromkeys(pool.accelerator for pool in self.pools_for(job)))
        return self._models_by_place[key]

    @cached_property
    def _spot_by_place(self) -> dict[tuple[object, ...], tuple[Pool, ...]]:
        return {}

    @cached_property
    def _models_by_place(self) -> dict[tuple[object, ...], tuple[str | None, ...]]:
        return {}

    @cached_property
    def _pools_by_place(self) -> dict[tuple[object, ...], tuple[Pool, ...]]:
        return {}

    @cached_property
    def accelerators(self) -> tuple[str, ...]:
        """Device models of the cluster, by name."""
        return tuple(sorted({pool.accelerator for pool in self.cluster.pools if pool.accelerator is not None}))

    @cached_property
    def series_by_id(self) -> dict[str, Series]:
        return {series.unique_id: series for series in self.series}


def _place_asked(job: Job) -> tuple[object, ...]:
    """Return all that decides which nodes take a job."""
    return (job.shape, job.workers, job.least_workers, job.topology, job.spot_ok)
