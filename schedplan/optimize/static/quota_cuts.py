"""Quota cuts: sums of what tenants hold that quotas bound, valid for every placement. They know tenants and amounts, not nodes.

Sets: ceilings C with a limit L_C over tenants; holders h of them, of which K_h = nominal − lend is kept even while they use less.
Formula: for a set M of holders, none below another:  Σ_{tenants of C not in or below M} held <= L_C − Σ_{h in M} K_h.
Intuition: what counts for a holder is at least what is kept for it and at least what it holds; each cut takes one of the two. All
sets M would say all that a quota says; those that are written are none, each one, all, and all but one. The check says the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from schedplan.measures.quotas import FORGIVEN
from schedplan.model.problem import Problem
from schedplan.model.quota import Ceiling, Holder, QuotaScope
from schedplan.model.workload import WorkerShape


@dataclass(frozen=True, slots=True)
class QuotaCut:
    """What `tenants` hold of a scope together is at most `limit`, with what the check of a plan forgives."""

    name: str
    scope: QuotaScope
    tenants: frozenset[str]
    limit: Fraction

    def asked(self, tenant: str, shape: WorkerShape, accelerator: str | None) -> Fraction:
        """Return what one worker or replica on a device model takes of the sum."""
        if tenant not in self.tenants or not self.scope.covers(accelerator):
            return Fraction(0)
        return Fraction(self.scope.resource.asked(shape))


def quota_cuts(problem: Problem) -> tuple[QuotaCut, ...]:
    """Return the cuts of all quotas of a problem in which nothing runs yet, in the order of its ceilings."""
    return tuple(cut for ceiling in problem.ceilings for cut in _cuts(ceiling))


def _cuts(ceiling: Ceiling) -> Iterator[QuotaCut]:
    # Twice what the check forgives: its sums of floats may be off by less than that once.
    limit = Fraction(ceiling.limit) + 2 * Fraction(FORGIVEN) * max(Fraction(1), Fraction(ceiling.limit))
    for number, kept in enumerate(_sets(ceiling)):
        below = {name for holder in kept for name in holder.tenants}
        tenants = frozenset(ceiling.tenants) - below
        if tenants:
            least = sum((Fraction(holder.kept) for holder in kept), Fraction(0))
            yield QuotaCut(f"{ceiling.key} {number}", ceiling.scope, tenants, max(limit - least, Fraction(0)))


def _sets(ceiling: Ceiling) -> list[tuple[Holder, ...]]:
    keeping = tuple(holder for top in ceiling.holders for holder in _keeping(top))
    found = [(), *((holder,) for holder in keeping), keeping]
    found += [tuple(other for other in keeping if other != holder) for holder in keeping]
    return list(dict.fromkeys(found))


def _keeping(holder: Holder) -> Iterator[Holder]:
    """The highest holders of a tree that keep anything."""
    if holder.kept > 0:
        yield holder
    else:
        for below in holder.below:
            yield from _keeping(below)
