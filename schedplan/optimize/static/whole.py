"""The whole model of a small placement: every node by itself, branch and bound in HiGHS.

On one node the rows of the relaxation, taken in whole numbers, are exact. In turn: the most weighed size, then the least cost of
rented nodes, then the fewest nodes in use. A gang counts only whole: Σ_{t of a family} x[t,k] = units_k v[k,family].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.ladder import TypePlan, as_type_plan
from schedplan.optimize.static.program import Answer, Floats, Program, matrix_of
from schedplan.optimize.static.relaxation import Relaxation

MOST_NODES = 24
MOST_COLUMNS = 3_000
BRANCHED_NODES = 5_000
KEPT_SHARE = 1e-9


@dataclass(frozen=True)
class WholeAnswer:
    """stands: per node of the instance, types in turn, each unit as (class, devices of its shares, counted among the free ones).

    bound in weights; is_proven: the search was finished.
    """

    stands: tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]
    bound: float
    is_proven: bool
    branched: int


def is_small(instance: Instance) -> bool:
    """Whether an instance is small enough for its whole model."""
    if instance.n_nodes > MOST_NODES:
        return False
    relaxation = Relaxation(instance)
    per_type = np.bincount([t for t, _ in (*relaxation.units, *relaxation.cuts)], minlength=len(instance.types))
    return relaxation.lists_all_cuts and int(per_type @ [one.count for one in instance.types]) <= MOST_COLUMNS


def solve_whole(instance: Instance, weights: Floats) -> WholeAnswer | None:
    """Return the best placement of a small instance; None where none was found within the limit of branched nodes."""
    single = _split(instance)
    model = _Whole(Relaxation(single), weights)
    most = model.solve(model.size_gain)
    if most is None:
        return None
    best, branched = most, most.nodes
    for gain in (model.cost_gain, model.open_gain):
        model.keep_at_least(best.x)
        found = model.solve(gain)
        if found is None:
            break
        best, branched = found, branched + found.nodes
        model.chosen.append(gain)
    plan = as_type_plan(model.relaxation, best.x[: model.matrix_columns])
    stands = tuple(stands_on(single, plan, one.idx) for one in single.types)
    return WholeAnswer(stands, most.bound, most.is_optimal, branched)


def stands_on(single: Instance, plan: TypePlan, t: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the units on one node, shares before all others; each share takes the first place of its size on a cut device."""
    needs = [row[t] for row in single.needs]
    sizes = tuple(sorted({need.size for need in needs if need is not None and need.shares}))
    places: dict[int, list[int]] = {size: [] for size in sizes}
    cuts = [pattern for pattern, devices in plan.cuts[t] for _ in range(devices)]
    for device, pattern in enumerate(cuts):
        for size, count in zip(sizes, pattern, strict=True):
            places[size] += [device] * count
    shared: list[tuple[int, tuple[int, ...]]] = []
    loose: list[tuple[int, tuple[int, ...]]] = []
    for k in np.flatnonzero(plan.units[t]):
        need = needs[int(k)]
        for _ in range(int(plan.units[t, k])):
            if need is None or not need.shares:
                loose.append((int(k), ()))
                continue
            shared.append((int(k), tuple(places[need.size][: need.shares])))
            del places[need.size][: need.shares]
    return (*shared, *loose)


def _split(instance: Instance) -> Instance:
    """Every node as a type of its own."""
    of = [(one, at) for one in instance.types for at in range(one.count)]
    types = tuple(replace(one, idx=idx, node_idx=one.node_idx[at : at + 1]) for idx, (one, at) in enumerate(of))
    needs = tuple(tuple(row[one.idx] for one, _ in of) for row in instance.needs)
    families = tuple(tuple(row[one.idx] for one, _ in of) for row in instance.families)
    return replace(instance, types=types, needs=needs, families=families)


class _Whole:
    """Columns: those of the relaxation, whole gangs, nodes in use; rows: those of the relaxation, gangs, nodes, what is kept."""

    def __init__(self, relaxation: Relaxation, weights: Floats) -> None:
        self.relaxation = relaxation
        instance = relaxation.instance
        columns = [list(column) for column in relaxation.columns]
        self.matrix_columns = len(columns)
        gangs = sorted({(k, instance.families[k][t]) for t, k in relaxation.units if instance.classes[k].units > 1})
        base = len(relaxation.rows)
        row_of_gang = {gang: base + idx for idx, gang in enumerate(gangs)}
        base += len(gangs)
        gain = relaxation.gain(weights)
        for idx, (t, k) in enumerate(relaxation.units):
            columns[idx].append((base + t, 1.0))
            if instance.classes[k].units > 1:
                columns[idx].append((row_of_gang[k, instance.families[k][t]], 1.0))
                gain[idx] = 0.0
        columns += [[(row_of_gang[k, family], -float(instance.classes[k].units))] for k, family in gangs]
        most = float(instance.demand.sum())
        columns += [[(base + one.idx, -most)] for one in instance.types]
        self.size_gain = np.concatenate(
            (gain, [float(weights[k]) * instance.classes[k].units for k, _ in gangs], np.zeros(len(instance.types)))
        )
        before_nodes = np.zeros(len(columns) - len(instance.types))
        rents = np.array([0.0 if one.pool.market.is_sunk else one.price for one in instance.types])
        self.cost_gain = np.concatenate((before_nodes, -rents))
        self.open_gain = np.concatenate((before_nodes, -np.ones(len(instance.types))))
        _, high = relaxation.limits()
        self.low = np.concatenate((np.full(len(high), -np.inf), np.zeros(len(gangs)), np.full(len(instance.types), -np.inf)))
        self.high = np.concatenate((high, np.zeros(len(gangs)), np.zeros(len(instance.types))))
        self.upper = np.full(len(columns), np.inf)
        self.upper[len(columns) - len(instance.types) :] = 1.0
        self.columns = columns
        self.chosen = [self.size_gain]

    def keep_at_least(self, x: Floats) -> None:
        """Make what the last goal reached a row of the next."""
        gain = self.chosen[-1]
        row, reached = len(self.low), float(gain @ x)
        for idx in np.flatnonzero(gain):
            self.columns[idx].append((row, float(gain[idx])))
        self.low = np.append(self.low, reached - KEPT_SHARE * max(1.0, abs(reached)))
        self.high = np.append(self.high, np.inf)

    def solve(self, gain: Floats) -> Answer | None:
        return Program(
            matrix_of(len(self.low), self.columns),
            gain,
            self.high,
            low=self.low,
            upper=self.upper,
            integer=np.ones(len(gain), dtype=np.bool_),
            node_limit=BRANCHED_NODES,
            gap=0.0,
        ).solve()
