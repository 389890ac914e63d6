"""Whether a run stands on borrowed quota: what its tenant holds beyond what it is promised, and what that costs."""

from __future__ import annotations

import numpy as np

from schedplan.explain.explanation import Number, Reason
from schedplan.explain.wording import amount, instant, money
from schedplan.measures.quotas import TenantHoldings
from schedplan.measures.runs import Run
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.quota import Borrower


def borrowing_reasons(problem: Problem, decisions: Decisions, run: Run) -> tuple[Reason, ...]:
    """Return a reason per quota that is exceeded while a job runs, so that it borrows; none where all is promised."""
    rows = [row for row in problem.borrowers if run.job.tenant in row.tenants and _counts(row, run)]
    if not rows:
        return ()
    holdings = TenantHoldings.of(problem, decisions)
    return tuple(_reason(problem, row, holdings, run) for row in rows if holdings.borrowed(row)[run.slots].any())


def _counts(row: Borrower, run: Run) -> bool:
    scope = row.quota.scope
    return scope.resource.asked(run.job.shape) > 0 and scope.covers(run.pools[0].accelerator)


def _reason(problem: Problem, row: Borrower, holdings: TenantHoldings, run: Run) -> Reason:
    """Tell the slot in which most is borrowed, and the share of the job: what it asks for, at most all that is borrowed."""
    borrowed, held = holdings.borrowed(row)[run.slots], holdings.held(row)[run.slots]
    worst = int(np.argmax(borrowed))
    unit = row.quota.scope.resource.value
    own = np.minimum(run.job.workers * row.quota.scope.resource.asked(run.job.shape), borrowed)
    cost = float(own @ problem.grid.hours[run.slots]) * row.quota.borrow_price
    at = instant(problem, problem.grid.slot_start_s(run.start_slot + worst))
    told = (
        f"it borrows: {amount(float(held[worst]))} {unit} are held for tenant {row.quota.tenant} at {at},"
        f" {amount(row.quota.nominal)} are promised"
    )
    numbers: tuple[Number, ...] = (Number("held", float(held[worst]), unit), Number("promised", row.quota.nominal, unit))
    if row.quota.borrow_price > 0:
        told += f"; its part costs {money(problem, cost)} at {amount(row.quota.borrow_price)} an hour each"
        numbers = (*numbers, Number("borrow_cost", cost, problem.currency))
    return Reason("quota", told, numbers)
