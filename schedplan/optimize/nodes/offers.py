"""Offers: where a job may stand, by what it adds to F, and the cheapest berth that a floor has for it. It moves nothing.

Of all starts those that are cheapest before any node is switched on come first, so that most are never looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.gang_family import gang_family
from schedplan.model.cluster import Pool
from schedplan.model.workload import Job
from schedplan.optimize.constraints.spot import fewest_nodes
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.layout import Column, Layout
from schedplan.optimize.nodes.berth import Berth, Taken
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.nodes.freedom import may_move
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.nodes.stays import Stays
from schedplan.optimize.refine.prices import StartPrices

LEVEL = 1e-12
"""Prices of nodes that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A start of a job on the nodes of one site. least: what it adds to F before nodes are switched on or quotas exceeded.

    away: of that, what it adds by moving against an earlier plan, whichever of the nodes it takes.
    is_likely: whether the relaxation on pools prices it so that it may well be part of a good plan.
    """

    start_slot: int
    end_edge: int
    workers: int
    nodes: Nodes
    accelerator: str | None
    least: float
    away: float = 0.0
    is_likely: bool = True

    @property
    def slots(self) -> slice:
        return slice(self.start_slot, self.end_edge)


class Offers:
    """The offers of all jobs of a layout; made for a class of jobs when one of them is first asked for."""

    def __init__(self, layout: Layout, rates: Rates, prices: StartPrices | None = None) -> None:
        self.layout, self.rates, self.prices = layout, rates, prices
        self.stays = Stays(layout.problem, rates)
        self.class_of = {job.name: one.idx for one in layout.classes for job in one.jobs}
        self._columns: dict[int, list[int]] = defaultdict(list)
        for number, column in enumerate(layout.columns):
            self._columns[column.class_idx].append(number)
        self._made: dict[int, tuple[Offer, ...]] = {}
        self._nodes: dict[tuple[int, ...], Nodes] = {}
        self._families: dict[str, tuple[str, ...]] = {}

    def has(self, job: Job) -> bool:
        """Whether there is any for a job; none is made."""
        class_idx = self.class_of.get(job.name)
        return class_idx is not None and class_idx in self._columns and may_move(self.layout.problem, job)

    def of(self, job: Job) -> tuple[Offer, ...]:
        """Return the offers of a job, the cheapest first; none for one that no plan places or that may not be moved."""
        class_idx = self.class_of.get(job.name)
        if class_idx is None or not may_move(self.layout.problem, job):
            return ()
        if class_idx not in self._made:
            left_out = self.rates.left_out(self.layout.classes[class_idx].job)
            found = (self._offer(number, left_out) for number in self._columns[class_idx])
            self._made[class_idx] = tuple(sorted(found, key=lambda one: (one.least, one.start_slot, int(one.nodes[0]))))
        return self._made[class_idx]

    def _offer(self, number: int, left_out: float) -> Offer:
        column = self.layout.columns[number]
        job, site = self.layout.classes[column.class_idx].job, self.layout.site(column)
        pool = self.layout.cells[site.cells[0]].pool
        span = (column.start_slot, column.end_edge)
        least = self.rates.start(job, pool, *span, column.workers) - left_out
        least += self.rates.rework(job, pool, fewest_nodes(column.workers, max(site.per_node)), column.start_slot, column.workers)
        least += column.workers * min(
            self.rates.worker(job, self.layout.cells[idx].pool, *span, column.workers) for idx in site.cells
        )
        nodes, is_likely = self._site_nodes(site.cells), self._is_likely(column, pool)
        away = self.stays.moved_at_least(job, column.start_slot, column.workers, nodes.tolist())
        return Offer(*span, column.workers, nodes, pool.accelerator, least + away, away, is_likely)

    def _is_likely(self, column: Column, pool: Pool) -> bool:
        if self.prices is None:
            return True
        if pool.name not in self._families:
            self._families[pool.name] = gang_family(self.layout.problem, pool)
        span = (column.start_slot, column.end_edge)
        return self.prices.is_likely((column.class_idx, *span, column.workers, column.piece, self._families[pool.name]))

    def _site_nodes(self, cells: tuple[int, ...]) -> Nodes:
        if cells not in self._nodes:
            idx = self.layout.problem.cluster.node_idx
            self._nodes[cells] = np.array(
                sorted(idx[name] for cell in cells for name in self.layout.cells[cell].nodes), dtype=np.intp
            )
        return self._nodes[cells]


def cheapest(floor: Floor, offers: Offers, job: Job, below: float = 0.0) -> Berth | None:
    """Return the berth that adds least to F, of those that add less than `below`; None where there is none."""
    best: Berth | None = None
    for berth, added in berths(floor, offers.of(job), job, below):
        if added < below:
            best, below = berth, added
    return best


def berths(floor: Floor, offered: tuple[Offer, ...], job: Job, below: float) -> Iterator[tuple[Berth, float]]:
    """Give the best berth of every offer that has room and may add less than what was given, and less than `below`."""
    allowed: dict[str | None, tuple[NDArray[np.bool_], NDArray[np.float64]] | None] = {}
    for offer in offered:
        if offer.least >= below:
            return
        if offer.accelerator not in allowed:
            allowed[offer.accelerator] = floor.quota(job, offer.accelerator, offer.workers)
        bound = allowed[offer.accelerator]
        if bound is not None:
            is_open, borrowed = bound
            if not is_open[offer.slots].all() or offer.least + float(borrowed[offer.slots].sum()) >= below:
                continue
        taken = nodes_for(floor, offer.nodes, job, offer.workers, offer.slots)
        if taken is not None:
            berth = Berth(job, offer.start_slot, offer.end_edge, taken)
            added = floor.added_by(berth)
            below = min(below, added)
            yield berth, added


def nodes_for(floor: Floor, nodes: Nodes, job: Job, workers: int, slots: slice) -> Taken | None:
    """Return the nodes that take a gang for least, then those left with least room; None where there is no room.

    A node that takes all that is left of the gang comes before one that does not, where neither must be switched on. At the start
    that an earlier plan gave the gang, the nodes come first on which it stood.
    """
    room = floor.room(nodes, job.shape, slots)
    if is_on_one_node(job.topology):
        room = np.where(room >= workers, room, 0)
    if int(np.minimum(room, workers).sum()) < workers:
        return None
    here = np.flatnonzero(room)
    nodes, room = nodes[here], room[here]
    price = np.round(floor.new_price(nodes, slots) / LEVEL)
    before = floor.stays.before(job, slots.start)
    stood = np.array([(before or {}).get(int(node), 0) for node in nodes], dtype=np.int64)
    if stood.any() and (not is_on_one_node(job.topology) or int(stood.max()) >= workers):
        return _as_before(nodes, room, price, workers, np.minimum(stood, room))
    if workers == 1 or int(room.max()) == 1:
        order = np.lexsort((nodes, room, price))[:workers]
        return tuple(sorted((int(nodes[idx]), 1) for idx in order))
    return _filled(nodes, room, price, workers)


def _as_before(nodes: Nodes, room: NDArray[np.int64], price: NDArray[np.float64], workers: int, stood: NDArray[np.int64]) -> Taken:
    """Return the nodes with as many workers where they stood as there is room for, the rest on those that cost least."""
    taken: dict[int, int] = {}
    missing = workers
    for idx in np.flatnonzero(stood).tolist():
        count = min(missing, int(stood[idx]))
        if count:
            taken[int(nodes[idx])] = count
            missing -= count
            room[idx] -= count
            price[idx] = 0.0
    for node, count in _filled(nodes, room, price, missing):
        taken[node] = taken.get(node, 0) + count
    return tuple(sorted(taken.items()))


def _filled(nodes: Nodes, room: NDArray[np.int64], price: NDArray[np.float64], workers: int) -> Taken:
    taken: list[tuple[int, int]] = []
    missing = workers
    while missing:
        takes = np.minimum(room, missing)
        is_whole = room >= missing
        rank = np.where(is_whole, room - missing, -room)
        order = np.lexsort((nodes, rank, ~is_whole, price / np.maximum(takes, 1), room == 0))
        best = int(order[0])
        count = int(takes[best])
        taken.append((int(nodes[best]), count))
        missing -= count
        room[best] = 0
    return tuple(sorted(taken))
