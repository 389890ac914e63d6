"""Quotas: what a tenant is promised, may borrow and lends, and the upper limits that follow. It does not know who holds what.

Tenants form a forest by `parent`. A parent that has a row caps all that is below it; one that no row describes is a cohort: its
members share what they are promised together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import WorkerShape


class QuotaResource(Enum):
    """What a quota counts: devices, cores or GiB of memory, as asked (0.5 of a device is 0.5)."""

    GPUS = "gpus"
    CPUS = "cpus"
    MEMORY_GIB = "memory_gib"

    def asked(self, shape: WorkerShape) -> float:
        """Return what one worker or replica asks of it."""
        return {"gpus": shape.gpus, "cpus": shape.cpus, "memory_gib": shape.memory_gib}[self.value]


@dataclass(frozen=True, slots=True)
class QuotaScope:
    """What is counted where: a resource on nodes of one device model; accelerator None = on all nodes."""

    resource: QuotaResource = QuotaResource.GPUS
    accelerator: str | None = None

    def covers(self, accelerator: str | None) -> bool:
        """Whether what stands on nodes of that device model counts."""
        return self.accelerator is None or self.accelerator == accelerator

    @property
    def name(self) -> str:
        """Return `gpus`, or `gpus on A100`."""
        return self.resource.value if self.accelerator is None else f"{self.resource.value} on {self.accelerator}"


ALL_DEVICES = QuotaScope()


@dataclass(frozen=True, slots=True)
class Quota:
    """One row of the table `quotas`, in devices, cores or GiB. borrow_price: currency per hour of one of them above `nominal`.

    max None: no cap of its own. lend None: others may borrow all that is promised; else `nominal - lend` is kept for the tenant
    even while it uses less. weight orders who is served first in a replay; source says where the row comes from.
    """

    tenant: str
    nominal: float
    parent: str | None = None
    accelerator: str | None = None
    resource: QuotaResource = QuotaResource.GPUS
    max: float | None = None
    lend: float | None = None
    weight: float = 1.0
    borrow_price: float = 0.0
    source: str | None = None

    @property
    def scope(self) -> QuotaScope:
        return QuotaScope(self.resource, self.accelerator)

    @property
    def kept(self) -> float:
        """What nobody else may use while the tenant does not."""
        return 0.0 if self.lend is None else max(self.nominal - self.lend, 0.0)

    @property
    def may_borrow(self) -> bool:
        """Whether the tenant may hold more than it is promised."""
        return self.max is None or self.max > self.nominal


@dataclass(frozen=True, slots=True)
class Holder:
    """A tenant with the tenants below it. What counts for it is never less than `kept`."""

    tenant: str
    kept: float
    below: tuple[Holder, ...] = ()

    @property
    def tenants(self) -> tuple[str, ...]:
        """Return it and all below it."""
        return (self.tenant, *(name for holder in self.below for name in holder.tenants))

    def counted(self, held: Mapping[str, NDArray[np.float64]], nothing: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what counts for it: max(own + what counts for those below, kept).

        held: what each tenant holds itself; nothing: the zeros that stand for an absent one. Same shape throughout.
        """
        below = sum((holder.counted(held, nothing) for holder in self.below), nothing)
        return np.maximum(held.get(self.tenant, nothing) + below, self.kept)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What counts for `holders` together stays at or below `limit`: a tenant's max, or all that a cohort is promised."""

    name: str
    scope: QuotaScope
    limit: float
    is_cohort: bool
    holders: tuple[Holder, ...]

    @property
    def key(self) -> str:
        """Return the name that tells it from every other: `research`, or `research (cpus)` beyond devices of any model."""
        return self.name if self.scope == ALL_DEVICES else f"{self.name} ({self.scope.name})"

    @property
    def subject(self) -> str:
        """Return it as messages name it: `tenant research`, `cohort ml (cpus)`."""
        return f"{'cohort' if self.is_cohort else 'tenant'} {self.key}"

    @property
    def tenants(self) -> tuple[str, ...]:
        """Return every tenant whose work counts."""
        return tuple(name for holder in self.holders for name in holder.tenants)

    def counted(self, held: Mapping[str, NDArray[np.float64]], nothing: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what counts together, by what each tenant holds itself; shapes as in `Holder.counted`."""
        return sum((holder.counted(held, nothing) for holder in self.holders), nothing)


@dataclass(frozen=True, slots=True)
class Borrower:
    """A row, and the tenants whose work counts against what it promises: its own and all below. What runs may exceed even a cap."""

    quota: Quota
    tenants: tuple[str, ...]


def ceilings(quotas: tuple[Quota, ...]) -> tuple[Ceiling, ...]:
    """Return every upper limit that rows state, those of tenants first, each by scope and name.

    Raises ValueError where a tenant is above itself, or has two parents.
    """
    forest = _Forest(quotas)
    own = (
        Ceiling(quota.tenant, quota.scope, quota.max, False, (forest.holder(quota.tenant, quota.scope, is_capped=True),))
        for quota in quotas
        if quota.max is not None
    )
    members: dict[tuple[QuotaScope, str], list[Quota]] = {}
    for quota in sorted(quotas, key=lambda quota: quota.tenant):
        parent = forest.parent_of[quota.tenant]
        if parent is not None and parent not in forest.parent_of:
            members.setdefault((quota.scope, parent), []).append(quota)
    cohorts = (
        Ceiling(name, scope, sum(row.nominal for row in rows), True, tuple(forest.holder(row.tenant, scope) for row in rows))
        for (scope, name), rows in members.items()
    )
    return (*sorted(own, key=_order), *sorted(cohorts, key=_order))


def borrowers(quotas: tuple[Quota, ...]) -> tuple[Borrower, ...]:
    """Return every row with the tenants it counts, by tenant and scope. Raises as `ceilings` does."""
    forest = _Forest(quotas)
    return tuple(
        Borrower(quota, forest.holder(quota.tenant, quota.scope).tenants)
        for quota in sorted(quotas, key=lambda quota: (quota.tenant, quota.scope.name))
    )


def parents_of(quotas: tuple[Quota, ...], refuse: Callable[[Quota, str], None]) -> dict[str, str | None]:
    """Return the parent of every tenant, None at the top; what contradicts goes to `refuse` and counts as not said."""
    found: dict[str, str | None] = {}
    for quota in quotas:
        known = found.setdefault(quota.tenant, quota.parent)
        if quota.parent is not None and known is not None and quota.parent != known:
            refuse(quota, f"tenant {quota.tenant} is below {known} in another row")
        found[quota.tenant] = known if known is not None else quota.parent
    for quota in quotas:
        chain = [quota.tenant]
        above = found[quota.tenant]
        while above is not None and above not in chain:
            chain.append(above)
            above = found.get(above)
        if above is not None:
            refuse(quota, f"tenant {quota.tenant} is above itself: {' < '.join((*chain, above))}")
            found[quota.tenant] = None
    return found


class _Forest:
    def __init__(self, quotas: tuple[Quota, ...]) -> None:
        self.parent_of = parents_of(quotas, _raise)
        self.row_of = {(quota.tenant, quota.scope): quota for quota in quotas}
        self.below: dict[str, list[str]] = {}
        for tenant in sorted(self.parent_of):
            parent = self.parent_of[tenant]
            if parent is not None:
                self.below.setdefault(parent, []).append(tenant)

    def holder(self, tenant: str, scope: QuotaScope, *, is_capped: bool = False) -> Holder:
        """Return a tenant with all below it; what is kept for it is no part of its own cap."""
        row = self.row_of.get((tenant, scope))
        kept = 0.0 if row is None or is_capped else row.kept
        return Holder(tenant, kept, tuple(self.holder(name, scope) for name in self.below.get(tenant, ())))


def _raise(quota: Quota, message: str) -> None:
    raise ValueError(message)


def _order(ceiling: Ceiling) -> tuple[str, str]:
    return (ceiling.scope.name, ceiling.name)
