"""quota: what counts for a tenant, or for the tenants of a cohort together, stays within what they may hold, in every slot.

Sets: tenants q with those below them B(q), rows with nominal N_q, max M_q and kept K_q = N_q - lend_q (0 where all is lent);
cohorts C of rows that name one parent which is no tenant; slots t. All of one resource, on nodes of one device model or on all.
Formula: held[q,t] = Σ_{work of q} amount asked; counted[q,t] >= held[q,t] + Σ_{b in B(q)} counted[b,t], counted[q,t] >= K_q;
held[q,t] + Σ_{b in B(q)} counted[b,t] <= max(M_q, R_q[t]); Σ_{q in C} counted[q,t] <= max(Σ_{q in C} N_q, R_C[t]), where R is what
counts with the work that runs already and nothing else. borrowed[q,t] >= Σ_{q and all below} held - N_q, at borrow_price an hour.
Intuition: members of a cohort use what others leave, but for what those don't lend. What runs beyond a quota may stay; nothing
is added to it. A job that alone counts for more than may is no column.
Integers: amounts in seven-millionths (PARTS), rounded down, over their greatest common divisor: whole for millionths and for
sevenths of a device. A sum is off by less than that a worker, to the looser side, so that no plan that the check accepts is cut
off.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import floor, gcd

import numpy as np
from ortools.sat.python import cp_model

from schedplan.measures.quotas import FORGIVEN, TenantHoldings, allowed
from schedplan.model.quota import Borrower, Ceiling, Holder, QuotaScope
from schedplan.model.workload import JobState, WorkerShape
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Variables

PARTS = 7 * 10**6
"""Parts of a device, core or GiB that are counted: shares in sevenths, as MIG has them, and in millionths are whole in them."""


@dataclass(frozen=True, slots=True)
class Borrowed:
    """An amount held in a slot beyond what is promised, and the price of one unit of it over the slot, currency."""

    slot: int
    amount: Amount
    price: float


def add(variables: Variables, rows: Rows) -> tuple[Borrowed, ...]:
    """Add the rows of `quota`; return what is borrowed at a price."""
    problem = variables.layout.problem
    priced = [borrower for borrower in problem.borrowers if borrower.quota.borrow_price > 0]
    wanted = dict.fromkeys((*(ceiling.scope for ceiling in problem.ceilings), *(one.quota.scope for one in priced)))
    counts = {scope: _Count(variables, rows, scope) for scope in wanted}
    for ceiling in problem.ceilings:
        counts[ceiling.scope].cap(ceiling)
    return tuple(borrowed for borrower in priced for borrowed in counts[borrower.quota.scope].borrow(borrower))


@dataclass(frozen=True)
class _Sum:
    """Σ coefficient x variable + constant, and the most that it can be."""

    terms: tuple[tuple[cp_model.IntVar, int], ...]
    constant: int
    most: int

    def expression(self) -> cp_model.LinearExpr:
        return cp_model.LinearExpr.weighted_sum([variable for variable, _ in self.terms], [factor for _, factor in self.terms])

    def plus(self, other: _Sum) -> _Sum:
        return _Sum((*self.terms, *other.terms), self.constant + other.constant, self.most + other.most)


NOTHING = _Sum((), 0, 0)


class _Count:
    """What tenants hold of one scope per slot, in whole units."""

    def __init__(self, variables: Variables, rows: Rows, scope: QuotaScope) -> None:
        self.variables = variables
        self.rows = rows
        self.scope = scope
        self.problem = variables.layout.problem
        self.running = TenantHoldings.running(self.problem)
        self.terms: dict[tuple[str, int], list[tuple[cp_model.IntVar, int]]] = defaultdict(list)
        self.most: dict[str, int] = defaultdict(int)
        self._add_jobs()
        self._add_services()
        self.fixed = {
            tenant: [amount_parts(amount) for amount in self.running.own(tenant, scope)] for tenant in self.problem.quota_tenants
        }
        self.unit = self._common_unit()
        self.counted_sums: dict[tuple[Holder, int], _Sum] = {}

    def cap(self, ceiling: Ceiling) -> None:
        """Keep what counts towards a ceiling within what may."""
        most = allowed(ceiling, self.running)
        limits = np.floor((most + FORGIVEN * np.maximum(1.0, most)) * PARTS / self.unit).astype(np.int64)
        for slot in range(self.problem.grid.n_slots):
            total = self._total((*(self._counted(holder, slot) for holder in ceiling.holders),))
            limit = int(limits[slot])
            if total.terms and total.most > limit:
                self.rows.when(f"quota {ceiling.key}", total.expression() <= limit - total.constant)

    def borrow(self, borrower: Borrower) -> list[Borrowed]:
        """Return what a row borrows in each slot in which it may."""
        nominal = self._units(borrower.quota.nominal)
        found = []
        for slot, hours in enumerate(self.problem.grid.hours):
            total = self._total(tuple(self._own(tenant, slot) for tenant in borrower.tenants))
            least, most = max(total.constant - nominal, 0), total.most - nominal
            if most <= 0:
                continue
            price = borrower.quota.borrow_price * float(hours) * self.unit / PARTS
            if not total.terms:
                found.append(Borrowed(slot, least, price))
                continue
            name = f"b[{borrower.quota.tenant},{self.scope.name},{slot}]"
            amount = self.variables.model.new_int_var(least, most, name)
            self.rows.always(total.expression() <= amount + (nominal - total.constant))
            found.append(Borrowed(slot, amount, price))
        return found

    def _counted(self, holder: Holder, slot: int) -> _Sum:
        key = (holder, slot)
        if key not in self.counted_sums:
            below = (self._counted(one, slot) for one in holder.below)
            self.counted_sums[key] = self._kept(self._total((self._own(holder.tenant, slot), *below)), holder, slot)
        return self.counted_sums[key]

    def _kept(self, total: _Sum, holder: Holder, slot: int) -> _Sum:
        """Return the sum, or what is kept for the holder where that is more."""
        kept = self._units(holder.kept)
        if kept <= total.constant:
            return total
        if total.most <= kept:
            return _Sum((), kept, kept)
        counted = self.variables.model.new_int_var(kept, total.most, f"h[{holder.tenant},{self.scope.name},{slot}]")
        self.rows.always(total.expression() <= counted - total.constant)
        return _Sum(((counted, 1),), 0, total.most)

    def _own(self, tenant: str, slot: int) -> _Sum:
        terms = tuple((variable, parts // self.unit) for variable, parts in self.terms.get((tenant, slot), ()))
        fixed = self.fixed[tenant][slot] // self.unit
        return _Sum(terms, fixed, fixed + (self.most[tenant] // self.unit if terms else 0))

    @staticmethod
    def _total(sums: tuple[_Sum, ...]) -> _Sum:
        found = NOTHING
        for one in sums:
            found = found.plus(one)
        return found

    def _units(self, amount: float) -> int:
        return amount_parts(amount) // self.unit

    def _common_unit(self) -> int:
        amounts = [parts for terms in self.terms.values() for _, parts in terms]
        amounts += [parts for row in self.fixed.values() for parts in row]
        for quota in self.problem.quotas:
            if quota.scope == self.scope:
                amounts += [amount_parts(quota.nominal), amount_parts(quota.kept)]
        return gcd(*amounts) or 1

    def _add_jobs(self) -> None:
        layout = self.variables.layout
        for job_class in layout.classes:
            if job_class.job.state is not JobState.RUNNING:
                self.most[job_class.job.tenant] += job_class.count * job_class.job.workers * self._asked(job_class.job.shape)
        for start in self.variables.starts:
            job, site = layout.classes[start.column.class_idx].job, layout.site(start.column)
            asked = start.column.workers * self._asked(job.shape)
            if job.state is JobState.RUNNING or not asked or not self._counts(job.tenant, site.cells[0]):
                continue
            for slot in range(start.column.start_slot, start.column.end_edge):
                self.terms[job.tenant, slot].append((start.gangs, asked))

    def _add_services(self) -> None:
        for service, replicas in zip(self.problem.services, self.variables.replicas, strict=True):
            asked = self._asked(service.shape)
            for cell_idx, amounts in replicas.items():
                if not asked or not self._counts(service.tenant, cell_idx):
                    continue
                self.most[service.tenant] += asked * max(max(amount.proto.domain) for amount in amounts)
                for slot, amount in enumerate(amounts):
                    self.terms[service.tenant, slot].append((amount, asked))

    def _counts(self, tenant: str, cell_idx: int) -> bool:
        accelerator = self.variables.layout.cells[cell_idx].pool.accelerator
        return tenant in self.problem.quota_tenants and self.scope.covers(accelerator)

    def _asked(self, shape: WorkerShape) -> int:
        return amount_parts(self.scope.resource.asked(shape))


def amount_parts(amount: float) -> int:
    """Return the parts of an amount, rounded down; a thousandth of one is forgiven, so that 0.3 is 2,100,000 of them."""
    return floor(amount * PARTS + 1e-3)
