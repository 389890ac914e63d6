"""Pricing: fillings that the master would pay for, one node of each type at a time, where planned ones do not reach the bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schedplan.optimize.static.filling import Filling, planned_fillings
from schedplan.optimize.static.instance import Instance, NodeType
from schedplan.optimize.static.ladder import as_type_plan
from schedplan.optimize.static.master import MasterAnswer
from schedplan.optimize.static.program import Program
from schedplan.optimize.static.relaxation import Relaxation

KEPT_COLUMNS = 150
PRICING_NODES = 100
PRICING_GAP = 1e-3
WORTH = 1e-6


class Pricing:
    """One node of each type as a program of its own, built once."""

    def __init__(self, instance: Instance) -> None:
        self.programs = tuple((one, Relaxation(_alone(instance, one))) for one in instance.types)

    def fillings(self, answer: MasterAnswer) -> list[Filling]:
        """Return the filling of each type that is worth most at the prices of a master, where that is more than its node."""
        found = []
        for one, relaxation in self.programs:
            filling = _dearest(relaxation, answer, one)
            if filling is not None:
                found.append(filling)
        return found


def _alone(instance: Instance, one: NodeType) -> Instance:
    return replace(
        instance,
        types=(replace(one, idx=0, node_idx=one.node_idx[:1]),),
        needs=tuple((row[one.idx],) for row in instance.needs),
        families=tuple((row[one.idx],) for row in instance.families),
    )


def _dearest(relaxation: Relaxation, answer: MasterAnswer, one: NodeType) -> Filling | None:
    worth = np.maximum(answer.unit_prices, 0.0)
    gain = relaxation.gain(worth)
    _, high = relaxation.limits()
    matrix = relaxation.matrix()
    poured = Program(matrix, gain, high).solve()
    node_price = float(answer.node_prices[one.idx])
    if poured is None or poured.value <= node_price + WORTH:
        return None
    reduced = gain - matrix.priced(poured.prices)
    kept = np.sort(np.argsort(-reduced, kind="stable")[:KEPT_COLUMNS])
    whole = Program(
        matrix.columns(kept),
        gain[kept],
        high,
        integer=np.ones(len(kept), dtype=np.bool_),
        node_limit=PRICING_NODES,
        gap=PRICING_GAP,
    ).solve()
    if whole is None or whole.value <= node_price + WORTH:
        return None
    x = np.zeros(matrix.n_columns)
    x[kept] = np.round(whole.x)
    filling = planned_fillings(relaxation, as_type_plan(relaxation, x))[0]
    return replace(filling, of=one.idx)
