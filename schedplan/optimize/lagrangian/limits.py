"""What plain quotas let tenants hold, as the relaxation of a long horizon prices it. It knows no jobs and no prices.

A quota is plain where it counts devices of any model and the work of its tenant alone; any other is left aside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.quotas import FORGIVEN, NOISE, TenantHoldings, allowed
from schedplan.model.problem import Problem
from schedplan.model.quota import ALL_DEVICES, Borrower

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Limit:
    """A plain quota: up to `free` devices at no price, then at `borrow_price` currency an hour each, up to `most` (infinite: no
    cap), float64 [n_slots]. Both are wider by what the check forgives."""

    free: float
    borrow_price: float
    most: Floats

    @property
    def is_capped(self) -> bool:
        return bool(np.isfinite(self.most).all())


def plain_limits(problem: Problem) -> dict[str, Limit]:
    """Return the plain quotas by tenant."""
    plain = [one for one in problem.borrowers if one.quota.scope == ALL_DEVICES and one.tenants == (one.quota.tenant,)]
    return {one.quota.tenant: _limit(problem, one) for one in plain} if problem.cluster.has_devices else {}


def _limit(problem: Problem, borrower: Borrower) -> Limit:
    quota, running = borrower.quota, TenantHoldings.running(problem)
    most = np.full(problem.grid.n_slots, np.inf)
    for ceiling in problem.ceilings:
        if ceiling.scope == ALL_DEVICES and not ceiling.is_cohort and ceiling.tenants == borrower.tenants:
            may = allowed(ceiling, running)
            most = may + 2 * FORGIVEN * np.maximum(1.0, may)
    return Limit(quota.nominal + 2 * NOISE * max(1.0, quota.nominal), quota.borrow_price, most)
