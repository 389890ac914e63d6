"""The search of a problem dealt out as shares: one share after the other, their plans joined and completed, a bound of the whole.

It deals nothing out. Where the check refuses the joined plan, prices of the whole make one.
"""

from __future__ import annotations

from schedplan.model.plan import Decisions
from schedplan.optimize.best import Best
from schedplan.optimize.decompose.in_parts import Solve
from schedplan.optimize.decompose.shares import joined, shares_of
from schedplan.optimize.dispatch.at_prices import SearchAtPrices
from schedplan.optimize.dispatch.priced_floor import completed_on_nodes
from schedplan.optimize.lagrangian.proven import proven_by_prices
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.route import told_memory

MANY = 4
"""Shares from which on a plan of the first half of them, beside reference plans of the others, is offered on the way."""


class SearchInShares:
    """One search of so many shares. It lives for one call."""

    def __init__(self, best: Best, solve: Solve, count: int) -> None:
        self.best, self.solve, self.count = best, solve, count
        self.problem = best.problem
        self.rates = Rates.of(best.problem, best.normalisation)

    def run(self) -> None:
        """Prove a bound by prices, solve the shares, and offer their plans as one."""
        best = self.best
        best.route.append(f"{told_memory(best.size, best.options)}; {self.count} shares of nodes, jobs and demand")
        ascent = proven_by_prices(best, self.rates)
        whole = self._joined()
        best.tell("what shares left out")
        completed = completed_on_nodes(self.problem, self.rates, whole)
        if (completed is None or not best.offer(completed)) and not best.offer(whole):
            best.route.append("together the plans of the shares break a rule")
            SearchAtPrices(best).pack(ascent)

    def _joined(self) -> Decisions:
        """Return the plans of all shares as one; of a share that is not solved in time its reference plan."""
        shares, found = shares_of(self.problem, self.count), list[Decisions]()
        for number, share in enumerate(shares, 1):
            self.best.tell(f"share {number} of {self.count}")
            one = None if self.best.is_late() else self.solve(share.problem)
            found.append(reference(share.problem) if one is None else one[0].decisions)
            if number == 1 and one is not None:
                self.best.route.append(f"share 1: {one[1].route}")
            if number == self.count // 2 and self.count >= MANY and not self.best.is_late():
                others = (reference(other.problem) for other in shares[number:])
                self.best.offer(joined(self.problem, shares, (*found, *others)))
        return joined(self.problem, shares, tuple(found))
