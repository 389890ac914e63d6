"""Profile: what a workload asks of an engine, as shares between 0 and 1 with the numbers behind each. It knows no engine.

Shares of work are shares of held device-hours (core-hours where nothing counts devices): asked by the job or replica x hours.
A service holds what its expected load keeps busy; where no load is known it holds its least replicas.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import fsum

import numpy as np

from schedplan.measures.work import counted, counted_share, counted_unit, reference_work_per_h
from schedplan.model.cluster import Cluster, Market
from schedplan.model.problem import Demand
from schedplan.model.workload import Job, JobKind, Service, WorkerShape
from schedplan.timegrid import TimeGrid

HALF_FEATURE_ARRIVALS_PER_H = 60.0
"""Our choice: at one submission a minute the rate of arrivals counts half."""


class Feature(Enum):
    """What of a workload makes a capability matter."""

    GANGS = "gang share"
    SERVING = "serving share"
    TENANTS = "tenant pressure"
    PRIORITIES = "priority spread"
    FRACTIONS = "fractional share"
    BIG_JOBS = "big-job share"
    SPOT = "spot share"
    TUNING = "tuning share"
    SWING = "load swing"
    ARRIVALS = "arrival rate"
    LIMITS = "limit accuracy"


@dataclass(frozen=True, slots=True)
class FeatureValue:
    """A feature with its value, 0 to 1, and the numbers of the workload that make it."""

    feature: Feature
    value: float
    evidence: str


@dataclass(frozen=True)
class Profile:
    """A workload in numbers. hours: of the trace or of the horizon. offered_load: work asked / what all nodes offer in that time,
    None where either is unknown. n_*: counts of jobs (n_sliced and n_fractional: of jobs and services)."""

    unit: str
    n_jobs: int
    n_services: int
    n_tenants: int
    n_nodes: int
    hours: float
    offered_load: float | None
    n_gangs: int
    n_required_gangs: int
    n_gangs_on_spot: int
    n_fractional: int
    n_sliced: int
    largest_gang: str
    features: tuple[FeatureValue, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def value_of(self) -> dict[Feature, float]:
        return {one.feature: one.value for one in self.features}

    def evidence(self, feature: Feature) -> str:
        """Return the numbers behind a feature."""
        return next(one.evidence for one in self.features if one.feature is feature)


def profile_of(
    cluster: Cluster,
    jobs: tuple[Job, ...],
    services: tuple[Service, ...] = (),
    demands: tuple[Demand, ...] = (),
    grid: TimeGrid | None = None,
) -> Profile:
    """Return the profile of jobs and services on a cluster.

    demands: the load of services on the slots of `grid`. Without a grid the trace lasts from the first submission to the last one
    and the mean length of a job beyond, so that one very long job does not thin it out. Jobs that state no length count as long
    as the mean of those that do.
    """
    case = _Case(cluster, jobs, services, demands, grid)
    return Profile(
        unit=counted_unit(cluster),
        n_jobs=len(jobs),
        n_services=len(services),
        n_tenants=len(case.tenant_work),
        n_nodes=sum(pool.nodes for pool in cluster.pools),
        hours=case.hours,
        offered_load=case.offered_load,
        n_gangs=len(case.gangs),
        n_required_gangs=sum(job.required for job in case.gangs),
        n_gangs_on_spot=sum(job.spot_ok for job in case.gangs) if case.has_spot else 0,
        n_fractional=sum(_is_fraction(shape) for shape in case.shapes),
        n_sliced=sum(shape.slice_profile is not None for shape in case.shapes),
        largest_gang=_largest_gang(case.gangs),
        features=tuple(_features(case)),
        notes=case.notes,
    )


@dataclass(frozen=True)
class _Case:
    cluster: Cluster
    jobs: tuple[Job, ...]
    services: tuple[Service, ...]
    demands: tuple[Demand, ...]
    grid: TimeGrid | None

    @cached_property
    def run_hours(self) -> tuple[float | None, ...]:
        return tuple(_run_hours(job) for job in self.jobs)

    @cached_property
    def mean_hours(self) -> float:
        known = [hours for hours in self.run_hours if hours is not None]
        return fsum(known) / len(known) if known else 1.0

    @property
    def notes(self) -> tuple[str, ...]:
        unknown = sum(hours is None for hours in self.run_hours)
        if not unknown:
            return ()
        state = f"{_counted(unknown, 'job')} {'states' if unknown == 1 else 'state'} no length"
        return (f"{state}; each counts as {self.mean_hours:.3g} h, the mean of those that do, else 1 h",)

    @cached_property
    def job_work(self) -> tuple[float, ...]:
        """Held counted-resource-hours per job."""
        return tuple(
            job.workers * counted_share(job.shape, self.cluster) * (self.mean_hours if hours is None else hours)
            for job, hours in zip(self.jobs, self.run_hours, strict=True)
        )

    @cached_property
    def service_work(self) -> tuple[float, ...]:
        """Counted-resource-hours per service that its load keeps busy; by its least replicas where no load is known."""
        return tuple(self._service_work(service) for service in self.services)

    def _service_work(self, service: Service) -> float:
        demand = next((one for one in self.demands if one.service == service.name), None)
        if demand is None or self.grid is None:
            return service.min_replicas * counted_share(service.shape, self.cluster) * self.hours
        hours = self.grid.hours
        busy = [reference_work_per_h(service, self.cluster, float(rate)) for rate in demand.mean_rps]
        return fsum(per_h * float(slot_h) for per_h, slot_h in zip(busy, hours, strict=True))

    @property
    def all_job_work(self) -> float:
        return fsum(self.job_work)

    @property
    def all_work(self) -> float:
        return self.all_job_work + fsum(self.service_work)

    def job_share(self, chosen: Iterable[bool]) -> float:
        """Share of the jobs' work that the chosen ones make, 0 without any work."""
        mine = fsum(work for work, is_chosen in zip(self.job_work, chosen, strict=True) if is_chosen)
        return mine / self.all_job_work if self.all_job_work > 0 else 0.0

    @cached_property
    def gangs(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if job.workers > 1)

    @property
    def shapes(self) -> tuple[WorkerShape, ...]:
        return (*(job.shape for job in self.jobs), *(service.shape for service in self.services))

    @property
    def has_spot(self) -> bool:
        return any(pool.market is Market.SPOT and pool.nodes for pool in self.cluster.pools)

    @cached_property
    def largest_node(self) -> float:
        return max((counted(pool, self.cluster) for pool in self.cluster.pools if pool.nodes), default=0.0)

    @cached_property
    def tenant_work(self) -> dict[str, float]:
        found: dict[str, float] = {}
        owners = [job.tenant for job in self.jobs] + [service.tenant for service in self.services]
        for tenant, work in zip(owners, (*self.job_work, *self.service_work), strict=True):
            found[tenant] = found.get(tenant, 0.0) + work
        return found

    @cached_property
    def priority_work(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for job, work in zip(self.jobs, self.job_work, strict=True):
            found[job.priority] = found.get(job.priority, 0.0) + work
        return found

    @cached_property
    def hours(self) -> float:
        if self.grid is not None:
            return (self.grid.end_s - self.grid.start_s) / 3600.0
        begun = [job.release_s for job in self.jobs if job.release_s is not None]
        return (max(begun) - min(begun)) / 3600.0 + self.mean_hours if begun else 0.0

    @property
    def offered_load(self) -> float | None:
        offered = fsum(pool.nodes * counted(pool, self.cluster) for pool in self.cluster.pools) * self.hours
        return self.all_work / offered if offered > 0 else None

    @cached_property
    def arrivals_per_h(self) -> float:
        times = [job.submit_s for job in self.jobs if job.submit_s is not None]
        span_h = (max(times) - min(times)) / 3600.0 if times else 0.0
        return len(times) / max(span_h, self.hours if self.grid is not None else 0.0, 1.0) if times else 0.0


def _features(case: _Case) -> Iterable[FeatureValue]:
    unit, pressed = counted_unit(case.cluster), min(case.offered_load or 0.0, 1.0)
    gangs = case.job_share(job.workers > 1 for job in case.jobs)
    yield FeatureValue(
        Feature.GANGS,
        gangs,
        f"{len(case.gangs):,} of {_counted(len(case.jobs), 'job')} with several workers, {gangs:.0%} of the jobs' {unit}-hours",
    )
    serving = fsum(case.service_work) / case.all_work if case.all_work > 0 else 0.0
    yield FeatureValue(
        Feature.SERVING, serving, f"{_counted(len(case.services), 'service')} with {serving:.0%} of all busy {unit}-hours"
    )
    mixed = _mixture(case.tenant_work.values())
    yield FeatureValue(
        Feature.TENANTS,
        mixed * pressed,
        f"{_counted(len(case.tenant_work), 'tenant')}; two {unit}-hours are of different ones with chance {mixed:.0%}; offered load"
        f" {'unknown' if case.offered_load is None else f'{case.offered_load:.0%}'}",
    )
    spread = _mixture(case.priority_work.values())
    yield FeatureValue(
        Feature.PRIORITIES,
        spread,
        f"{_counted(len(case.priority_work), 'priority', 'priorities')}; two {unit}-hours differ with chance {spread:.0%}",
    )
    fractional = [_is_fraction(shape) for shape in case.shapes]
    share = sum(fractional) / len(fractional) if fractional else 0.0
    yield FeatureValue(
        Feature.FRACTIONS, share, f"{sum(fractional):,} of {len(fractional):,} jobs and services with a share of a device"
    )
    is_big = [job.workers * counted_share(job.shape, case.cluster) > case.largest_node for job in case.jobs]
    big = case.job_share(is_big)
    yield FeatureValue(
        Feature.BIG_JOBS,
        big,
        f"{_counted(sum(is_big), 'job')} larger than a node of {_amount(case.largest_node, unit)},"
        f" {big:.0%} of the jobs' {unit}-hours",
    )
    yield _spot(case, unit)
    tuning = case.job_share(job.kind is JobKind.TUNING for job in case.jobs)
    yield FeatureValue(Feature.TUNING, tuning, f"{tuning:.0%} of the jobs' {unit}-hours of kind tuning")
    swing, said = _swing(case.demands)
    yield FeatureValue(Feature.SWING, swing, said)
    rate = case.arrivals_per_h
    yield FeatureValue(Feature.ARRIVALS, rate / (rate + HALF_FEATURE_ARRIVALS_PER_H), f"{rate:.3g} submissions an hour")
    yield _limits(case)


def _spot(case: _Case, unit: str) -> FeatureValue:
    may = fsum(work for job, work in zip(case.jobs, case.job_work, strict=True) if job.spot_ok)
    may += fsum(work for one, work in zip(case.services, case.service_work, strict=True) if Market.SPOT in one.markets)
    share = may / case.all_work if case.all_work > 0 and case.has_spot else 0.0
    where = "" if case.has_spot else "; there are no spot nodes"
    return FeatureValue(
        Feature.SPOT, share, f"{may / case.all_work if case.all_work > 0 else 0.0:.0%} of {unit}-hours may run on spot nodes{where}"
    )


def _swing(demands: tuple[Demand, ...]) -> tuple[float, str]:
    """1 - mean / peak of the summed load of all services, both over the slots."""
    if not demands:
        return 0.0, "no load of services"
    total = np.sum([demand.mean_rps for demand in demands], axis=0)
    peak, mean = float(total.max()), float(total.mean())
    swing = 1.0 - mean / peak if peak > 0 else 0.0
    return swing, f"load of {mean:,.0f} requests/s on average and {peak:,.0f} in the busiest slot"


def _limits(case: _Case) -> FeatureValue:
    """Mean of run time / limit over the jobs that state both, times the share of jobs that state a limit."""
    limited = [job for job in case.jobs if job.time_limit_minutes]
    ratios = [
        min(hours * 60.0 / job.time_limit_minutes, 1.0)
        for job, hours in zip(case.jobs, case.run_hours, strict=True)
        if job.time_limit_minutes and hours is not None
    ]
    if not limited:
        return FeatureValue(Feature.LIMITS, 0.0, "no job states a time limit")
    stated = len(limited) / len(case.jobs)
    accuracy = fsum(ratios) / len(ratios) if ratios else 0.0
    return FeatureValue(
        Feature.LIMITS, stated * accuracy, f"{stated:.0%} of jobs state a time limit and use {accuracy:.0%} of it on average"
    )


def _run_hours(job: Job) -> float | None:
    if job.runtime_minutes is not None:
        return job.runtime_minutes / 60.0
    if job.start_s is not None and job.end_s is not None:
        return (job.end_s - job.start_s) / 3600.0
    return None if job.time_limit_minutes is None else job.time_limit_minutes / 60.0


def _mixture(amounts: Iterable[float]) -> float:
    """Chance that two units drawn from the sum are of different parts: 1 - sum of squared shares."""
    parts = list(amounts)
    total = fsum(parts)
    return 1.0 - fsum((part / total) ** 2 for part in parts) if total > 0 else 0.0


def _is_fraction(shape: WorkerShape) -> bool:
    return 0 < shape.gpus < 1


def _largest_gang(gangs: tuple[Job, ...]) -> str:
    if not gangs:
        return ""
    largest = max(gangs, key=lambda job: (job.devices, job.workers, job.name))
    return f"{largest.name} of {_counted(largest.workers, 'worker')} and {_amount(largest.devices, 'device')}"


def _amount(amount: float, unit: str) -> str:
    return f"{amount:g} {unit if amount == 1 else unit + 's'}"


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
