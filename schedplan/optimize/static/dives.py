"""Dives over fillings of nodes: each an assembly, the few best of which are kept and recombined.

Best is most worth; where is_thrifty also least rent, then fewest nodes. It does not know where fillings come from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from schedplan.model.problem import Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.filling import Filling, standing_fillings
from schedplan.optimize.static.instance import Instance, Integers
from schedplan.optimize.static.master import ROUNDINGS, Master
from schedplan.optimize.static.program import Floats
from schedplan.optimize.static.standing import Standing, assembly_with

RECOMBINATIONS = 6
RECOMBINED = 3
REQUIRED = 1000.0
NO_TYPE = -1
Rank: TypeAlias = tuple[float, float, int]


@dataclass(frozen=True)
class Site:
    """Where dives land: the types and classes that are counted, and for each type the rows of Nodes that are of it."""

    left: Instance
    rows_of: tuple[tuple[int, ...], ...]


def weights_of(instance: Instance) -> Floats:
    """Return what a unit of each class is worth to the search: its weight, and far more where its job is required."""
    boost = REQUIRED * float(instance.weights.max(initial=1.0))
    return instance.weights + boost * np.array([one.job.required for one in instance.classes])


class Dives:
    """The few best assemblies of all dives, best first, and how many rounds they took; `keep` is told of every better one."""

    def __init__(
        self, problem: Problem, whole: Instance, standing: Standing, keep: Callable[[Assembly], None], *, is_thrifty: bool = False
    ) -> None:
        self.problem, self.whole, self.standing, self.keep = problem, whole, standing, keep
        self.is_thrifty = is_thrifty
        self.weights = weights_of(whole)
        self.ranked: list[tuple[Rank, Assembly]] = []
        self.rounds = 0

    @property
    def best(self) -> Assembly:
        """The best assembly of all dives so far."""
        return self.ranked[0][1]

    def over(self, site: Site, fillings: list[Filling], roundings: tuple[int, ...] = ROUNDINGS) -> None:
        """Rank the outcomes of several dives over fillings among those that are there, and keep the best."""
        master = Master(site.left, fillings, self.weights)
        for rounded_up in roundings:
            chosen, rounds = master.dive(rounded_up)
            self.rounds += rounds
            self.rank(self._settled(site, chosen))

    def recombined(self, site: Site, fillings: list[Filling]) -> list[Filling]:
        """Dive also over what the best assemblies have on their nodes, as long as that helps; return all fillings by then."""
        type_of = self._type_of(site)
        for _ in range(RECOMBINATIONS):
            standing_now = [one for _, ranked in self.ranked for one in standing_fillings(ranked.nodes, type_of)]
            fillings = list(dict.fromkeys([*fillings, *standing_now]))
            before = self.ranked[0][0]
            self.over(site, fillings)
            if self.ranked[0][0] <= before:
                break
        return fillings

    def rank(self, assembly: Assembly) -> None:
        """Put an assembly among the best, if it is one."""
        rank = self._rank_of(assembly)
        if not self.ranked or rank > self.ranked[0][0]:
            self.keep(assembly)
        self.ranked.append((rank, assembly))
        self.ranked.sort(key=lambda one: one[0], reverse=True)
        del self.ranked[RECOMBINED:]

    def _settled(self, site: Site, chosen: Sequence[tuple[Filling, int]]) -> Assembly:
        """Return an assembly with fillings on nodes, and by best fit what finds room beside them."""
        assembly = assembly_with(self.problem, self.whole, self.standing)
        assembly.settle(chosen, site.rows_of)
        assembly.complete_gangs()
        order = sorted(range(len(self.whole.classes)), key=lambda k: (-self.weights[k], k))
        if self.is_thrifty:
            assembly.fill(order, assembly.nodes.n_holds > 0)
        assembly.fill(order)
        if self.is_thrifty:
            assembly.save()
        return assembly

    def _rank_of(self, assembly: Assembly) -> Rank:
        worth = float(self.weights @ (self.whole.demand - assembly.wanted))
        if not self.is_thrifty:
            return worth, 0.0, 0
        rent, in_use = assembly.upkeep()
        return worth, -rent, -in_use

    def _type_of(self, site: Site) -> Integers:
        """Return the type of each node, int64 [node]; NO_TYPE where a site has it not."""
        type_of = np.full(sum(one.count for one in self.whole.types), NO_TYPE, dtype=np.int64)
        for of_type, rows in enumerate(site.rows_of):
            type_of[list(rows)] = of_type
        return type_of
