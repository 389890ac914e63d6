"""What is to be planned: cluster, work, demand and slots, what must hold, and what is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum
from functools import cached_property
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from schedplan.model.best_effort import MOST_PIECES, BestEffort, count_pieces, unbroken_because
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.earlier import Earlier, Stay
from schedplan.model.forbid import Forbid
from schedplan.model.outage import Outage
from schedplan.model.pin import Pin
from schedplan.model.quota import Borrower, Ceiling, Quota, borrowers, ceilings
from schedplan.model.sequence import Unit, gang_rows, waits_for
from schedplan.model.stop import Stop
from schedplan.model.workload import Job, Service
from schedplan.timegrid import TimeGrid

GOALS = ("latency", "utilization", "cost", "carbon")


@dataclass(frozen=True, slots=True)
class Demand:
    """Requests per second of one service, float64 [n_slots] each, before cache hits.

    peak_rps: the largest value, at the quantile planned for, of the load intervals that touch the slot (what must be served);
    mean_rps: the expected mean over the slot (what utilization is counted by).
    """

    service: str
    peak_rps: NDArray[np.float64]
    mean_rps: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PriceSeries:
    """Price of one node of `pool` in each slot, currency per hour, float64 [n_slots]."""

    pool: str
    per_hour: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Intensity:
    """Emissions of electricity in `region` per slot, gCO2e/kWh, float64 [n_slots]."""

    region: str
    g_per_kwh: NDArray[np.float64]


class MissedDemand(Enum):
    FORBID = "forbid"
    PRICE = "price"


class Reserve(Enum):
    """What may be lost, one at a time, without a service missing its target."""

    NONE = "none"
    NODE = "node"
    RACK = "rack"
    ZONE = "zone"


@dataclass(frozen=True, slots=True)
class Rates:
    """Device-hours that one device-hour of each kind of lateness counts for (planning, `[objective.rates]`)."""

    wait: float = 1.0
    tardiness: float = 4.0
    missed: float = 10.0


@dataclass(frozen=True, slots=True)
class AtMost:
    """A goal of GOALS, or `unplaced`, held at or below a value in its natural unit."""

    goal: str
    value: float


@dataclass(frozen=True, slots=True)
class Reward:
    """Points for a measure at or above (else: at or below) a limit: once, or for each `per` beyond it, in proportion."""

    measure: str
    is_above: bool
    limit: float
    points: float
    per: float | None = None


@dataclass(frozen=True, slots=True)
class Objective:
    """Weights of the goals, scaled to sum to 1, and the price of leaving all work out.

    move_device_h: device-hours of waiting that one device moved against an earlier plan counts for. at_most: what goals may not
    exceed. rewards score a plan and are no part of F.
    """

    latency: float = 0.5
    utilization: float = 0.3
    cost: float = 0.2
    carbon: float = 0.0
    unplaced: float = 10.0
    rates: Rates = Rates()
    move_device_h: float = 1.0
    at_most: tuple[AtMost, ...] = ()
    rewards: tuple[Reward, ...] = ()

    def weight(self, goal: str) -> float:
        """Return the weight of a goal of GOALS, scaled so that all sum to 1; 0 where no goal has any."""
        total = (self.latency + self.utilization + self.cost + self.carbon) or 1.0
        return {"latency": self.latency, "utilization": self.utilization, "cost": self.cost, "carbon": self.carbon}[goal] / total


@dataclass(frozen=True, slots=True)
class Limits:
    """What a plan may not exceed. budget_per_day is in currency per calendar day of the project's time zone.

    min_on_time: the least chance of ending by a hard deadline that a job on spot nodes must have; 0 asks for none.
    """

    budget_per_day: float | None = None
    max_utilization: float = 1.0
    missed_demand: MissedDemand = MissedDemand.FORBID
    reserve: Reserve = Reserve.NONE
    min_on_time: float = 0.0


@dataclass(frozen=True)
class Problem:
    """One planning task. jobs: the open ones, by name, each with a runtime; services by name; demands in their order.

    is_static: one instant. The grid has one slot, every job lasts that slot and is there when it begins.
    stops: running jobs that were stopped; base: the problem before that, whose scales count. best_effort: which jobs may run in
    pieces. priorities: those that count for urgency beside the jobs' own, of a problem that is a part of another.
    """

    name: str
    grid: TimeGrid
    cluster: Cluster
    jobs: tuple[Job, ...] = ()
    services: tuple[Service, ...] = ()
    demands: tuple[Demand, ...] = ()
    objective: Objective = Objective()
    limits: Limits = Limits()
    currency: str = "USD"
    timezone: str = "UTC"
    quantile: float = 0.95
    prices: tuple[PriceSeries, ...] = ()
    assumptions: tuple[str, ...] = ()
    is_static: bool = False
    quotas: tuple[Quota, ...] = ()
    forbid: tuple[Forbid, ...] = ()
    intensities: tuple[Intensity, ...] = ()
    outages: tuple[Outage, ...] = ()
    pins: tuple[Pin, ...] = ()
    earlier: Earlier | None = None
    stops: tuple[Stop, ...] = ()
    base: Problem | None = None
    best_effort: tuple[BestEffort, ...] = ()
    priorities: tuple[int, ...] = ()

    @cached_property
    def zone(self) -> tzinfo:
        return ZoneInfo(self.timezone)

    @cached_property
    def job_by_name(self) -> dict[str, Job]:
        return {job.name: job for job in self.jobs}

    @cached_property
    def service_by_name(self) -> dict[str, Service]:
        return {service.name: service for service in self.services}

    @cached_property
    def demand_of(self) -> dict[str, Demand]:
        return {demand.service: demand for demand in self.demands}

    @cached_property
    def ceilings(self) -> tuple[Ceiling, ...]:
        """Upper limits of what tenants may hold, from the quotas."""
        return ceilings(self.quotas)

    @cached_property
    def ceilings_over(self) -> dict[str, tuple[Ceiling, ...]]:
        """The upper limits that count the work of a tenant, by tenant; none for a tenant that is no key."""
        found: dict[str, tuple[Ceiling, ...]] = {}
        for ceiling in self.ceilings:
            for tenant in ceiling.tenants:
                found[tenant] = (*found.get(tenant, ()), ceiling)
        return found

    @cached_property
    def quota_tenants(self) -> frozenset[str]:
        """Tenants whose work some quota counts."""
        return frozenset(self.ceilings_over) | {tenant for borrower in self.borrowers for tenant in borrower.tenants}

    @cached_property
    def borrowers(self) -> tuple[Borrower, ...]:
        """Quotas with the tenants that each of them counts."""
        return borrowers(self.quotas)

    @cached_property
    def waits_for(self) -> dict[str, tuple[str, ...]]:
        """The jobs of the problem that each job waits for, by name; jobs that are no part of it are over."""
        return waits_for(self.jobs)

    @cached_property
    def gang_rows(self) -> dict[str, Unit]:
        """The rows of each gang of several waiting jobs, by the name of each of them."""
        return {job.name: rows for rows in gang_rows(self.jobs).values() if len(rows) > 1 for job in rows}

    @cached_property
    def linked(self) -> frozenset[str]:
        """Names of the jobs whose start hangs on another job's, or another's on theirs."""
        ends = ((name, *before) for name, before in self.waits_for.items() if before)
        return frozenset(name for names in ends for name in names) | frozenset(self.gang_rows)

    @cached_property
    def outages_of(self) -> dict[str, tuple[int, ...]]:
        """The outages of every single node that has any, by their index."""
        found: dict[str, tuple[int, ...]] = {}
        for idx, outage in enumerate(self.outages):
            for node in outage.nodes(self.cluster):
                found[node] = (*found.get(node, ()), idx)
        return found

    @cached_property
    def stay_of_job(self) -> dict[str, Stay]:
        """How the earlier plan had each job, by name; none without an earlier plan."""
        return {} if self.earlier is None else {stay.job: stay for stay in self.earlier.jobs}

    def stood_before(self, service: str, slot: int) -> dict[str, int] | None:
        """Return the replicas per node that the earlier plan had in a slot; None where it lacks that service or that slot."""
        return self._stood.get((service, slot))

    @cached_property
    def _stood(self) -> dict[tuple[str, int], dict[str, int]]:
        if self.earlier is None:
            return {}
        slots = set(pairwise(self.earlier.edges_s))
        coinciding = {span: slot for slot, span in enumerate(pairwise(self.grid.edges_s)) if span in slots}
        services = dict.fromkeys(one.service for one in self.earlier.replicas)
        found: dict[tuple[str, int], dict[str, int]] = {(name, slot): {} for name in services for slot in coinciding.values()}
        for one in self.earlier.replicas:
            slot = coinciding.get((one.start_s, one.end_s))
            if slot is not None:
                found[one.service, slot][one.node] = one.replicas
        return found

    @cached_property
    def stop_of_job(self) -> dict[str, Stop]:
        """The stop of each job that ran and was stopped, by name."""
        return {stop.job: stop for stop in self.stops}

    @cached_property
    def emptied(self) -> frozenset[str]:
        """The nodes on which something was stopped."""
        return frozenset(node for stop in self.stops for node in stop.nodes)

    @cached_property
    def unbroken(self) -> dict[str, str]:
        """Why each best-effort job that can't run in pieces runs in one, by name."""
        found: dict[str, str] = {}
        pieces = 0
        for job in self._selected:
            why = self._unbroken_because(job)
            pieces += 0 if why is not None else count_pieces(job, self.grid)
            if why is None and pieces > MOST_PIECES:
                why = f"with the best-effort jobs before it there would be more than {MOST_PIECES} pieces to choose from"
            if why is not None:
                found[job.name] = why
        return found

    @cached_property
    def may_pause(self) -> frozenset[str]:
        """The jobs that may run in pieces, by name; none in a problem of one instant."""
        return frozenset() if self.is_static else frozenset(job.name for job in self._selected) - self.unbroken.keys()

    @property
    def _selected(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if any(one.covers(job) for one in self.best_effort))

    def _unbroken_because(self, job: Job) -> str | None:
        if job.name in self.pin_of_job:
            return "it is pinned"
        if job.name in self.linked:
            return "its times hang on other jobs (after, gang)"
        if job.name in self.stop_of_job:
            return "it was stopped, and goes on in one piece"
        return unbroken_because(job)

    @cached_property
    def pin_of_job(self) -> dict[str, Pin]:
        """The pin of each pinned job, by name."""
        return {pin.work: pin for pin in self.pins if not pin.is_service}

    @cached_property
    def pinned_to(self) -> dict[str, tuple[str, ...]]:
        """The places of pins that each single node belongs to, by node; nodes of none are no key."""
        found: dict[str, tuple[str, ...]] = {}
        places = dict.fromkeys((pin.node, pin.nodes(self.cluster)) for pin in self.pins if pin.node is not None)
        for place, nodes in places:
            for node in nodes:
                found[node] = (*found.get(node, ()), place or "")
        return found

    @cached_property
    def is_down(self) -> NDArray[np.bool_]:
        """Whether a node takes no work because of an outage that touches the slot, bool [node, slot] over Cluster.nodes."""
        found = np.zeros((len(self.cluster.nodes), self.grid.n_slots), dtype=np.bool_)
        starts_s, ends_s = np.array(self.grid.edges_s[:-1]), np.array(self.grid.edges_s[1:])
        touched = [(starts_s < outage.end_s) & (ends_s > outage.start_s) for outage in self.outages]
        for node, outages in self.outages_of.items():
            for idx in outages:
                found[self.cluster.node_idx[node]] |= touched[idx]
        return found

    @cached_property
    def urgency(self) -> dict[int, int]:
        """π per priority: 1 + its rank among the distinct priorities of the jobs, lowest first."""
        known = {job.priority for job in self.jobs}.union(self.priorities)
        return {priority: 1 + rank for rank, priority in enumerate(sorted(known))}

    def price_per_h(self, pool: Pool) -> NDArray[np.float64]:
        """Return the price of one node of a pool per slot, currency per hour, float64 [n_slots]."""
        key = (pool.name, pool.price_per_hour)
        if key not in self._known_prices:
            stated = next((series.per_hour for series in self.prices if series.pool == pool.name), None)
            self._known_prices[key] = np.full(self.grid.n_slots, pool.price_per_hour) if stated is None else stated
        return self._known_prices[key]

    @cached_property
    def _known_prices(self) -> dict[tuple[str, float], NDArray[np.float64]]:
        """Prices that were asked for, by pool and its plain price."""
        return {}

    def g_per_kwh(self, pool: Pool) -> NDArray[np.float64] | None:
        """Return the emissions of electricity where a pool stands, per slot, gCO2e/kWh, float64 [n_slots]; None where not known."""
        return next((series.g_per_kwh for series in self.intensities if series.region == pool.region), None)

    def runtime_minutes(self, job: Job, pool: Pool) -> float:
        """Return the run time of a job on a pool's devices, minutes."""
        if job.runtime_minutes is None:
            raise ValueError(f"job {job.name} has no runtime; a problem holds only jobs with one")
        return job.runtime_minutes / self.cluster.speed(pool.accelerator, job.name, job.kind.value)

    def service_ms(self, service: Service, accelerator: str | None) -> float:
        """Return the mean time of one request on a device model, ms."""
        return service.service_ms / self.cluster.speed(accelerator, service.name, "service")
