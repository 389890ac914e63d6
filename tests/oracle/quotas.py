"""Quotas by hand: what tenants may hold in one slot, and what borrowing costs an hour, from the rows of the table alone.

It is written anew from the description of quotas, and shares no line with what it checks. It knows nodes only by device model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeAlias

from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, JobState, Service, WorkerShape

RESOURCES = ("gpus", "cpus", "memory_gib")
TOLERANCE = 1e-9

# (tenant, device model, resource) -> amount held in a slot
Holding: TypeAlias = Mapping[tuple[str, str | None, str], float]
RunMinutes: TypeAlias = Callable[[Job, Pool, int], float]


def amounts(shape: WorkerShape) -> dict[str, float]:
    """Return what one worker asks of each resource."""
    return {"gpus": shape.gpus, "cpus": shape.cpus, "memory_gib": shape.memory_gib}


class QuotaBook:
    """The rows of a problem, and what runs already in each slot; run_minutes gives how long a job (still) runs on a pool."""

    def __init__(self, problem: Problem, run_minutes: RunMinutes) -> None:
        self.rows = problem.quotas
        self.parent = {row.tenant: row.parent for row in self.rows if row.parent is not None}
        self.tenants = {row.tenant for row in self.rows}
        running = [job for job in problem.jobs if job.state is JobState.RUNNING]
        self.running: list[Holding] = [_running(problem, run_minutes, running, slot) for slot in range(problem.grid.n_slots)]

    def allows(self, held: Holding, slot: int) -> bool:
        """Whether every limit holds in a slot; what runs already may be above one, and nothing more."""
        return all(used <= most + TOLERANCE for used, most in self._limits(held, slot))

    def price_per_h(self, held: Holding) -> float:
        """Return what borrowing costs an hour."""
        total = 0.0
        for row in self.rows:
            used = sum(self._own(tenant, row, held) for tenant in self._family(row.tenant))
            total += row.borrow_price * max(0.0, used - row.nominal)
        return total

    def _limits(self, held: Holding, slot: int) -> list[tuple[float, float]]:
        found = []
        for row in self.rows:
            if row.max is not None:
                used, runs = (self._under(row.tenant, row, holding) for holding in (held, self.running[slot]))
                found.append((used, max(row.max, runs)))
        for row in self.rows:
            cohort = [
                other
                for other in self.rows
                if (other.accelerator, other.resource) == (row.accelerator, row.resource)
                and self.parent.get(other.tenant) == self.parent.get(row.tenant)
            ]
            if row.tenant in self.parent and self.parent[row.tenant] not in self.tenants:
                used, runs = (
                    sum(self._counted(other.tenant, row, holding) for other in cohort) for holding in (held, self.running[slot])
                )
                found.append((used, max(sum(other.nominal for other in cohort), runs)))
        return found

    def _under(self, tenant: str, row: Quota, held: Holding) -> float:
        below = [child for child, parent in self.parent.items() if parent == tenant]
        return self._own(tenant, row, held) + sum(self._counted(child, row, held) for child in below)

    def _counted(self, tenant: str, row: Quota, held: Holding) -> float:
        kept = 0.0
        for other in self.rows:
            if (other.tenant, other.accelerator, other.resource) == (tenant, row.accelerator, row.resource):
                kept = 0.0 if other.lend is None else other.nominal - other.lend
        return max(self._under(tenant, row, held), kept)

    def _family(self, tenant: str) -> list[str]:
        below = [child for child, parent in self.parent.items() if parent == tenant]
        return [tenant] + [name for child in below for name in self._family(child)]

    def _own(self, tenant: str, row: Quota, held: Holding) -> float:
        return sum(
            amount
            for (holder, accelerator, resource), amount in held.items()
            if holder == tenant and resource == row.resource.value and row.accelerator in (None, accelerator)
        )


def borrow_cost(problem: Problem, run_minutes: RunMinutes, decisions: Decisions) -> float:
    """Return what given decisions pay for borrowing, currency."""
    book, total = QuotaBook(problem, run_minutes), 0.0
    workers = Counter[str]()
    for part in decisions.parts:
        workers[part.job] += part.workers
    for slot in range(problem.grid.n_slots):
        held: dict[tuple[str, str | None, str], float] = {}
        for part in decisions.parts:
            job, pool = problem.job_by_name[part.job], problem.cluster.pool_of_node[part.node]
            end_edge = part.end_edge or problem.grid.end_edge(part.start_slot, run_minutes(job, pool, workers[part.job]))
            if end_edge is not None and part.start_slot <= slot < end_edge:
                _hold(held, job, pool.accelerator, part.workers)
        for stand in decisions.replicas:
            if stand.slot == slot:
                service, pool = problem.service_by_name[stand.service], problem.cluster.pool_of_node[stand.node]
                _hold(held, service, pool.accelerator, stand.replicas)
        total += book.price_per_h(held) * float(problem.grid.hours[slot])
    return total


def _running(problem: Problem, run_minutes: RunMinutes, running: list[Job], slot: int) -> Holding:
    held: dict[tuple[str, str | None, str], float] = {}
    for job in running:
        workers = sum(placed.workers for placed in job.placement)
        for placed in job.placement:
            pool = problem.cluster.pool_of_node[placed.node]
            end_edge = problem.grid.end_edge(0, run_minutes(job, pool, workers))
            if end_edge is not None and slot < end_edge:
                _hold(held, job, pool.accelerator, placed.workers)
    return held


def _hold(held: dict[tuple[str, str | None, str], float], work: Job | Service, accelerator: str | None, count: int) -> None:
    for resource, amount in amounts(work.shape).items():
        key = (work.tenant, accelerator, resource)
        held[key] = held.get(key, 0.0) + count * amount
