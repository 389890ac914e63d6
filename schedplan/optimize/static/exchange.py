"""Exchange: a few nodes emptied together and filled anew, by an integer program of each node by itself, with what is left out.

Nodes are drawn by what they lose: what a node offers at the prices of the relaxation, less what the units on it are worth of that.
Columns that the prices of the few nodes alone prove to be of no use are left out; so a draw that can gain nothing costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.ladder import TypePlan, as_type_plan
from schedplan.optimize.static.nodes import Flags
from schedplan.optimize.static.program import Floats, Program
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.whole import stands_on

DRAWS, DRAWS_WITHOUT_GAIN = 80, 40
DRAWN_NODES, DRAWN_BY_LOSS = 8, 4
SEARCHED_NODES, SEARCHED_GAP = 30, 1e-5
MOST_COLUMNS = 2_500
LEAST_LOSS = 1e-6
GAIN = 1e-9


def exchanged(assembly: Assembly, weights: Floats, keep: Callable[[Assembly], None]) -> int:
    """Exchange on an assembly as long as that gains, and return how often something was gained; `keep` is told of each."""
    losses = _Losses(assembly, weights)
    movable = _movable(assembly.instance)
    rng, gains, idle = np.random.default_rng(0), 0, 0
    for _ in range(DRAWS):
        if idle == DRAWS_WITHOUT_GAIN or losses.all_lost() <= LEAST_LOSS or not len(losses.open_rows):
            break
        rows = losses.drawn(rng)
        has_gained = _exchange(assembly, rows, movable, weights)
        idle = 0 if has_gained else idle + 1
        if has_gained:
            gains += 1
            losses.look(rows)
            keep(assembly)
    return gains


class _Losses:
    """What each node loses at the prices of the relaxation, float64 [node]."""

    def __init__(self, assembly: Assembly, weights: Floats) -> None:
        self.assembly, self.weights = assembly, weights
        relaxation = Relaxation(assembly.instance)
        answer = relaxation.solve(weights)
        prices = np.zeros(len(relaxation.rows)) if answer is None else answer.prices
        self.most = 0.0 if answer is None else answer.value
        types, classes = assembly.instance.types, assembly.instance.classes
        taken = relaxation.matrix().priced(prices)
        self.counted = np.zeros((len(types), len(classes)))
        for column, (t, k) in enumerate(relaxation.units):
            # Of a price above its weight a unit counts for no more than that; its own row is no part of a node.
            self.counted[t, k] = min(float(taken[column] - prices[k]), float(weights[k]))
        self.worth = np.zeros(len(types))
        _, limits = relaxation.limits()
        for price, limit, row in zip(prices, limits, relaxation.rows, strict=True):
            if row.kind in ("resource", "device", "count"):
                self.worth[row.of] += price * limit / types[row.of].count
        has_worth = self.worth[assembly.nodes.type_of] > 0
        self.open_rows = np.flatnonzero(has_worth if has_worth.any() else np.ones(len(has_worth), dtype=np.bool_))
        self.of_node = np.zeros(len(assembly.nodes.type_of))
        self.look(range(len(self.of_node)))

    def look(self, rows: Iterable[int]) -> None:
        """Look again at some nodes."""
        for row in rows:
            t = int(self.assembly.nodes.type_of[row])
            held = sum(float(self.counted[t, hold.of]) for hold in self.assembly.nodes.holds[row] if hold.of is not None)
            self.of_node[row] = max(self.worth[t] - held, 0.0)

    def all_lost(self) -> float:
        """Return the weight between what stands and the optimum of the relaxation."""
        return self.most - float(self.weights @ (self.assembly.instance.demand - self.assembly.wanted))

    def drawn(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Draw some nodes by what they lose, the rest evenly; of those that offer anything of worth, of all where none does."""
        odds = np.maximum(self.of_node[self.open_rows], LEAST_LOSS)
        by_loss = rng.choice(self.open_rows, size=min(DRAWN_BY_LOSS, len(odds)), replace=False, p=odds / odds.sum())
        evenly = rng.choice(self.open_rows, size=min(DRAWN_NODES, len(odds)), replace=False)
        return tuple(int(row) for row in dict.fromkeys((*by_loss, *evenly)))[:DRAWN_NODES]


@dataclass(frozen=True)
class _Few:
    """A few emptied nodes, each a type of its own, and the classes of which units are wanted, numbered anew; `of`: as they were."""

    instance: Instance
    of: tuple[int, ...]


def _exchange(assembly: Assembly, rows: tuple[int, ...], movable: Flags, weights: Floats) -> bool:
    """Fill some nodes anew where that places more weight than stands there; return whether it does."""
    before = float(weights @ assembly.wanted)
    lifted = assembly.lift(rows, movable)
    few = _few(assembly, rows, movable)
    plan = _better_plan(few, weights[list(few.of)], float(weights @ assembly.wanted) - before) if few.of else None
    if plan is None:
        assembly.put_back(lifted)
        return False
    for t, row in enumerate(rows):
        assembly.stand(row, [(few.of[k], devices) for k, devices in stands_on(few.instance, plan, t)])
    return True


def _movable(instance: Instance) -> Flags:
    """Classes whose units stand by themselves, tied to no gang and counted by no quota, bool [class]."""
    counted = instance.problem.ceilings_over
    return np.array(
        [one.units == 1 and one.idx not in instance.bundle_of and one.job.tenant not in counted for one in instance.classes],
        dtype=np.bool_,
    )


def _few(assembly: Assembly, rows: tuple[int, ...], movable: Flags) -> _Few:
    whole, nodes = assembly.instance, assembly.nodes
    of = [int(nodes.type_of[row]) for row in rows]
    types = tuple(
        replace(
            whole.types[t],
            idx=idx,
            node_idx=nodes.cluster_idx[[row]],
            devices=len(nodes.free_devices(row)),
            capacity=nodes.left[row].copy(),
        )
        for idx, (t, row) in enumerate(zip(of, rows, strict=True))
    )
    kept = [int(k) for k in np.flatnonzero(movable & (assembly.wanted > 0))]
    classes = tuple(
        replace(whole.classes[k], idx=idx, jobs=whole.classes[k].jobs[: int(assembly.wanted[k])]) for idx, k in enumerate(kept)
    )
    needs = tuple(tuple(whole.needs[k][t] for t in of) for k in kept)
    families = tuple(tuple(whole.families[k][t] for t in of) for k in kept)
    few = replace(whole, types=types, classes=classes, needs=needs, families=families, bundles=(), held=())
    return _Few(few, tuple(kept))


def _better_plan(few: _Few, weights: Floats, stood: float) -> TypePlan | None:
    """The plan of a few nodes that places more weight than stood there; None where none was found."""
    relaxation = Relaxation(few.instance)
    matrix, gain = relaxation.matrix(), relaxation.gain(weights)
    _, high = relaxation.limits()
    poured = Program(matrix, gain, high).solve()
    if poured is None or poured.value <= stood + GAIN:
        return None
    kept = _useful(gain - matrix.priced(poured.prices), poured.value - stood)
    found = Program(
        matrix.columns(kept),
        gain[kept],
        high,
        integer=np.ones(len(kept), dtype=np.bool_),
        node_limit=SEARCHED_NODES,
        gap=SEARCHED_GAP,
    ).solve()
    if found is None or found.value <= stood + GAIN:
        return None
    x = np.zeros(matrix.n_columns)
    x[kept] = np.round(found.x)
    return as_type_plan(relaxation, x)


def _useful(reduced: Floats, spare: float) -> NDArray[np.intp]:
    """Columns one unit of which loses less than there is to gain, the best of them where they are many."""
    kept = np.flatnonzero(reduced > -spare - GAIN)
    return np.sort(kept[np.argsort(-reduced[kept], kind="stable")[:MOST_COLUMNS]])
