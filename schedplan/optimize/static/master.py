"""The master: how many nodes of each type take which filling. It fixes fillings step by step; single nodes come after.

Sets: fillings p of types t with a_kp units of class k; D_k units wanted, N_t nodes.
max Σ w_k u_k,  u_k <= D_k,  u_k <= Σ_p a_kp λ_p,  Σ_{p of t} λ_p <= N_t.
Intuition: fillings may offer more units of a class than there are; the surplus stays empty. So few fillings reach the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedplan.optimize.static.filling import Filling, counts_of
from schedplan.optimize.static.instance import Instance, Integers
from schedplan.optimize.static.program import Floats, Program, matrix_of

NEARLY_WHOLE = 1e-7
ROUNDINGS = (4, 6, 8, 12, 16, 20, 24, 28)
MOST_ROUNDS = 400
TIE = 1e-7


@dataclass(frozen=True)
class MasterAnswer:
    """nodes per filling (fractional), worth of a unit per class and of a node per type, the value."""

    nodes: Floats
    unit_prices: Floats
    node_prices: Floats
    value: float


class Master:
    """The program over a list of fillings, for any units and nodes that are left."""

    def __init__(self, instance: Instance, fillings: list[Filling], weights: Floats) -> None:
        self.instance, self.fillings, self.weights = instance, fillings, weights
        n_classes = len(instance.classes)
        self.counts = counts_of(fillings, n_classes)
        columns: list[list[tuple[int, float]]] = []
        for filling, row in zip(fillings, self.counts, strict=True):
            covered = [(int(k), -float(row[k])) for k in np.flatnonzero(row)]
            columns.append([*covered, (n_classes + filling.of, 1.0)])
        columns += [[(k, 1.0)] for k in range(n_classes)]
        self.matrix = matrix_of(n_classes + len(instance.types), columns)
        self.gain = np.concatenate((-_tie(instance, weights)[[filling.of for filling in fillings]], weights))

    def solve(self, wanted: Integers, nodes: Integers) -> MasterAnswer:
        """Return the optimum for units per class and nodes per type."""
        n_classes, n_fillings = len(self.instance.classes), len(self.fillings)
        high = np.concatenate((np.zeros(n_classes), nodes.astype(np.float64)))
        upper = np.concatenate((np.full(n_fillings, np.inf), wanted.astype(np.float64)))
        answer = Program(self.matrix, self.gain, high, upper=upper).solve()
        if answer is None:
            raise AssertionError("the master holds when nothing is placed")
        return MasterAnswer(answer.x[:n_fillings], answer.prices[:n_classes], answer.prices[n_classes:], answer.value)

    def whole(self) -> MasterAnswer:
        """Return the optimum for everything that is wanted and every node."""
        return self.solve(self.instance.demand, _nodes(self.instance))

    def dive(self, rounded_up: int) -> tuple[tuple[tuple[Filling, int], ...], int]:
        """Return ((filling, nodes that take it) in the order fixed, rounds): floors first, else the best fractions.

        One in `rounded_up` of the fractions, the largest, is rounded up before the program is asked again.
        """
        wanted, nodes = self.instance.demand.copy(), _nodes(self.instance)
        counts = self.counts.astype(np.int64)
        fixed: list[tuple[Filling, int]] = []
        for round_idx in range(MOST_ROUNDS):
            chosen = _chosen(self.solve(wanted, nodes).nodes, rounded_up)
            if not chosen:
                return tuple(fixed), round_idx
            for p, copies in chosen:
                of = self.fillings[p].of
                taken = min(copies, int(nodes[of]))
                if taken:
                    fixed.append((self.fillings[p], taken))
                    nodes[of] -= taken
                    wanted -= np.minimum(wanted, taken * counts[p])
        return tuple(fixed), MOST_ROUNDS


def _nodes(instance: Instance) -> Integers:
    return np.array([one.count for one in instance.types], dtype=np.int64)


def _chosen(nodes: Floats, rounded_up: int) -> list[tuple[int, int]]:
    floors = np.floor(nodes + NEARLY_WHOLE).astype(np.int64)
    if floors.any():
        return [(int(p), int(floors[p])) for p in np.flatnonzero(floors)]
    open_fillings = np.flatnonzero(nodes > NEARLY_WHOLE)
    order = open_fillings[np.argsort(-nodes[open_fillings], kind="stable")]
    return [(int(p), 1) for p in order[: -(-len(order) // rounded_up)]]


def _tie(instance: Instance, weights: Floats) -> Floats:
    """Per type, a price far below any size that makes rented and needless nodes the last choice."""
    prices = np.array([0.0 if one.pool.market.is_sunk else one.price for one in instance.types])
    smallest = float(weights[weights > 0].min()) if (weights > 0).any() else 1.0
    return TIE * smallest * (0.1 + prices / max(float(prices.max()), 1e-300))
