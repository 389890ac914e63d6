"""Quotas in a replay: what tenants hold now against the ceilings that their quotas make. It starts nothing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.model.quota import Ceiling, Quota, QuotaScope, ceilings
from schedplan.simulate.machine import Machine
from schedplan.simulate.work import Work

FORGIVEN = 1e-6


class QuotaGate:
    """Amounts held per tenant and scope. A scope on one device model counts where all nodes are of it, or none is."""

    def __init__(self, quotas: tuple[Quota, ...], machine: Machine, work: Work) -> None:
        models = {pool.accelerator for pool in machine.pools}
        told = [quota for quota in quotas if len({quota.scope.covers(model) for model in models}) == 1]
        self.left_aside = len(quotas) - len(told)
        rows = tuple(quota for quota in told if all(quota.scope.covers(model) for model in models))
        self._tenants = work.tenants
        self._per_worker = {scope: [scope.resource.asked(ask.shape) for ask in work.asks] for scope in _scopes(rows)}
        self._held: dict[QuotaScope, dict[str, NDArray[np.float64]]] = {scope: {} for scope in self._per_worker}
        self._nothing = np.zeros(1)
        self._over: list[tuple[Ceiling, ...]] = [
            tuple(ceiling for ceiling in ceilings(rows) if tenant in ceiling.tenants) for tenant in work.tenants
        ]

    def allows(self, tenant: int, ask: int, workers: int) -> bool:
        """Whether a tenant (index) may hold so many more workers of an ask."""
        name = self._tenants[tenant]
        for ceiling in self._over[tenant]:
            more = self._per_worker[ceiling.scope][ask] * workers
            if not more:
                continue
            held = self._held[ceiling.scope]
            counted = ceiling.counted({**held, name: held.get(name, self._nothing) + more}, self._nothing)
            if counted[0] > ceiling.limit + FORGIVEN * max(1.0, ceiling.limit):
                return False
        return True

    def change(self, tenant: int, ask: int, workers: int) -> None:
        """Let a tenant hold so many workers more, or fewer where negative."""
        name = self._tenants[tenant]
        for scope, per_worker in self._per_worker.items():
            held = self._held[scope]
            held[name] = np.round(held.get(name, self._nothing) + per_worker[ask] * workers, 9)


def _scopes(rows: Iterable[Quota]) -> tuple[QuotaScope, ...]:
    return tuple(dict.fromkeys(quota.scope for quota in rows))
