"""Quotas against a plan: what tenants hold in each slot, what may count at most, what is borrowed and what that costs.

    counted of a tenant  = max(what its work and that of tenants below it holds, nominal - lend where others may not borrow it)
    allowed of a ceiling = max(its limit, what would count with nothing but the work that runs already)
    borrowed             = max(0, what is held - nominal);  borrow cost = borrow_price x borrowed x hours

Held is what is asked for: workers x gpus, whatever a node gives in slices. It does not choose what is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.work import booked_slots, placed_workers
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.quota import Borrower, Ceiling, QuotaScope
from schedplan.model.workload import Job, JobState, WorkerShape

FORGIVEN = 1e-6
NOISE = 1e-9

Slots = NDArray[np.float64]


class TenantHoldings:
    """What each tenant holds of all that quotas count, per slot. Mutable; it grows by `add` alone."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._nothing = np.zeros(problem.grid.n_slots)
        self._held: dict[QuotaScope, dict[str, Slots]] = {quota.scope: {} for quota in problem.quotas}
        self._scopes = tuple(dict.fromkeys(quota.scope for quota in problem.quotas))

    @classmethod
    def of(cls, problem: Problem, decisions: Decisions) -> TenantHoldings:
        """Return what the work of decisions holds. KeyError for a job, service or node that the problem does not have."""
        return cls(problem)._filled(decisions.parts, decisions.replicas)

    @classmethod
    def running(cls, problem: Problem) -> TenantHoldings:
        """Return what jobs that run already hold, and nothing else."""
        return cls(problem)._filled(_running_parts(problem), ())

    def copy(self) -> TenantHoldings:
        """Return the same, to which more can be added by itself."""
        found = TenantHoldings(self._problem)
        found._held = {scope: {tenant: held.copy() for tenant, held in by.items()} for scope, by in self._held.items()}
        return found

    def add(self, tenant: str, shape: WorkerShape, accelerator: str | None, count: int, slots: slice) -> None:
        """Let `count` workers or replicas of a tenant stand on nodes of a device model."""
        for scope in self._scopes:
            amount = count * scope.resource.asked(shape)
            if amount and scope.covers(accelerator):
                self._held[scope].setdefault(tenant, self._nothing.copy())[slots] += amount

    def own(self, tenant: str, scope: QuotaScope) -> Slots:
        """Return what a tenant holds itself, float64 [n_slots]."""
        return self._held[scope].get(tenant, self._nothing)

    def counted(self, ceiling: Ceiling) -> Slots:
        """Return what counts towards a ceiling, float64 [n_slots]."""
        return ceiling.counted(self._held[ceiling.scope], self._nothing)

    def held(self, borrower: Borrower) -> Slots:
        """Return what counts as used of a row, float64 [n_slots]: nothing is kept for anybody here."""
        held = self._held[borrower.quota.scope]
        return sum((held.get(tenant, self._nothing) for tenant in borrower.tenants), self._nothing)

    def borrowed(self, borrower: Borrower) -> Slots:
        """Return what is held above the nominal of a row, float64 [n_slots]."""
        over = self.held(borrower) - borrower.quota.nominal
        return np.where(over > NOISE * max(1.0, borrower.quota.nominal), over, 0.0)

    def _filled(self, parts: Iterable[JobPart], replicas: Iterable[ReplicaPart]) -> TenantHoldings:
        problem, pool_of = self._problem, self._problem.cluster.pool_of_node
        if not self._scopes:
            return self
        given = tuple(parts)
        workers = placed_workers(given)
        for part in given:
            job, pool = problem.job_by_name[part.job], pool_of[part.node]
            self.add(job.tenant, job.shape, pool.accelerator, part.workers, booked_slots(problem, part, workers[part.job]))
        for stand in replicas:
            service = problem.service_by_name[stand.service]
            slots = slice(stand.slot, stand.slot + 1)
            self.add(service.tenant, service.shape, pool_of[stand.node].accelerator, stand.replicas, slots)
        return self


@dataclass(frozen=True)
class BorrowCosts:
    """Price of what is borrowed, currency. by_slot: float64 [n_slots]; by_tenant: (tenant of the row, amount) where any is."""

    by_slot: Slots
    by_tenant: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        return fsum(amount for _, amount in self.by_tenant)


def allowed(ceiling: Ceiling, running: TenantHoldings) -> Slots:
    """Return what may count towards a ceiling, float64 [n_slots]: what runs beyond it stays, and nothing is added to that."""
    return np.maximum(ceiling.limit, running.counted(ceiling))


def is_above(counted: Slots, most: Slots) -> NDArray[np.bool_]:
    """Return whether more counts than may, bool [n_slots]; a millionth is forgiven."""
    return np.asarray(counted > most + FORGIVEN * np.maximum(1.0, most))


def borrow_costs(problem: Problem, decisions: Decisions) -> BorrowCosts:
    """Return what decisions pay for borrowing, each row by itself."""
    by_slot = np.zeros(problem.grid.n_slots)
    by_tenant: dict[str, list[float]] = {}
    priced = [borrower for borrower in problem.borrowers if borrower.quota.borrow_price > 0]
    if priced:
        holdings = TenantHoldings.of(problem, decisions)
        for borrower in priced:
            cost = borrower.quota.borrow_price * holdings.borrowed(borrower) * problem.grid.hours
            by_slot += cost
            if cost.any():
                by_tenant.setdefault(borrower.quota.tenant, []).extend(cost.tolist())
    return BorrowCosts(by_slot, tuple((tenant, fsum(amounts)) for tenant, amounts in by_tenant.items()))


@dataclass(frozen=True, slots=True)
class QuotaRefusal:
    """A ceiling that more work would exceed: what would count with it, and what may."""

    ceiling: Ceiling
    counted: float
    most: float


def quota_refusal(problem: Problem, job: Job, accelerator: str | None, workers: int | None = None) -> QuotaRefusal | None:
    """Return the ceiling that keeps a job off nodes of a device model even when nothing else is placed; None where none does.

    workers: how many of it are to be placed, by default the fewest it may run with.
    """
    count = job.least_workers if workers is None else workers
    for ceiling in problem.ceilings_over.get(job.tenant, ()):
        asked = count * ceiling.scope.resource.asked(job.shape)
        if not asked or not ceiling.scope.covers(accelerator):
            continue
        nothing = np.zeros(1)
        alone = ceiling.counted({job.tenant: np.full(1, asked)}, nothing)
        most = np.maximum(ceiling.limit, ceiling.counted({}, nothing))
        if is_above(alone, most).any():
            return QuotaRefusal(ceiling, float(alone[0]), float(most[0]))
    return None


def _running_parts(problem: Problem) -> tuple[JobPart, ...]:
    cluster = problem.cluster
    return tuple(
        JobPart(
            job.name, placed.node if placed.node in cluster.pool_of_node else _first_node(problem, placed.node), 0, placed.workers
        )
        for job in problem.jobs
        if job.state is JobState.RUNNING
        for placed in job.placement
    )


def _first_node(problem: Problem, pool: str) -> str:
    return problem.cluster.by_name[pool].node_names()[0]
