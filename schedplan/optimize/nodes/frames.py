"""Frames: which nodes and slots are planned anew together, drawn by a seed. They solve nothing.

Kinds: a few nodes of pools that are drawn by what their idle devices cost, for most of a day; or those on which a job that is left
out comes nearest to fitting, around one of its starts. Few nodes for long are worth more than many for a few hours (measured).
"""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import Job
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.nodes.node_box import Frame
from schedplan.optimize.nodes.offers import Offer, Offers

SLOTS = (16, 24)
BEFORE, AFTER = (1, 4), (1, 3)
"""Slots beside the run of a job that is left out."""
MOST_POOLS, MOST_NODES, MOST_WAITING, SPARE_NODES = 4, 14, 8, 4
FEW_NODES = 8
EVERY = 3
"""One frame in so many is drawn around a job that is left out, while there is one."""
TRIES = 20


class Frames:
    """Draws frames on a floor, one in `every` around a job that is left out, while there is one."""

    def __init__(self, floor: Floor, offers: Offers, jobs: tuple[Job, ...], source: Random, every: int = EVERY) -> None:
        self.floor, self.offers, self.source, self.every = floor, offers, source, every
        self.jobs = tuple(job for job in jobs if offers.has(job))
        self.number = 0

    def frame(self) -> Frame | None:
        """Return the next frame; None where there is nothing to plan."""
        self.number += 1
        waiting = [job for job in self.jobs if job.name not in self.floor.berths]
        if waiting and self.number % self.every == 0:
            return self._around(waiting)
        found = (self._pools(waiting) for _ in range(TRIES))
        return next((frame for frame in found if frame is not None), None)

    def _pools(self, waiting: list[Job]) -> Frame | None:
        floor, n_slots = self.floor, self.floor.problem.grid.n_slots
        width = min(self.source.randint(*SLOTS), n_slots)
        first = self.source.randint(0, n_slots - width)
        slots = range(first, first + width)
        idle = self._idle(slice(first, first + width))
        pools = np.bincount(floor.pool_idx, weights=idle).astype(np.float64)
        chosen = self._drawn(pools, self.source.randint(1, MOST_POOLS))
        nodes = np.flatnonzero(np.isin(floor.pool_idx, chosen) & floor.is_open[:, slots].any(axis=1))
        if not len(nodes):
            return None
        drawn = self._drawn(idle[nodes] + idle[nodes].mean() + 1e-12, MOST_NODES)
        nodes = np.array(sorted(int(nodes[idx]) for idx in drawn), dtype=np.intp)
        return Frame(nodes, slots, self._candidates(waiting, nodes, slots))

    def _idle(self, slots: slice) -> NDArray[np.float64]:
        """Return what the idle devices of each node cost over the slots, sunk ones at what they would."""
        floor = self.floor
        capacity = np.array([pool.gpus * pool.slices_per_gpu for pool in floor.pools]).reshape(-1, 1).clip(min=1)
        is_on = floor.paid[:, slots] | floor.is_sunk.reshape(-1, 1)
        share = (floor.free[0, :, slots] / capacity).clip(0.0, 1.0)
        prices = np.array([floor.rates.node(pool) for pool in floor.problem.cluster.pools])[floor.pool_idx][:, slots]
        return np.asarray((share * prices * is_on).sum(axis=1), dtype=np.float64)

    def _drawn(self, weights: NDArray[np.float64], count: int) -> list[int]:
        """Return so many different places, each drawn by its weight."""
        left = [(idx, weight) for idx, weight in enumerate(weights.tolist()) if weight > 0]
        found: list[int] = []
        while left and len(found) < count:
            at = self.source.random() * sum(weight for _, weight in left)
            place = 0
            while place < len(left) - 1 and at >= left[place][1]:
                at -= left[place][1]
                place += 1
            found.append(left.pop(place)[0])
        return found

    def _around(self, waiting: list[Job]) -> Frame:
        worth = np.array([self.floor.rates.left_out(job) for job in waiting])
        if worth.min() <= 0:  # of a part of a horizon, where what waits may be worth more later
            worth = worth - worth.min() + 1e-12
        job = waiting[self._drawn(worth, 1)[0]]
        offered = self.offers.of(job)
        offer = offered[min(int(self.source.expovariate(1.0) * 4), len(offered) - 1)]
        return self.near(job, offer, [one for one in waiting if one is not job])

    def near(self, job: Job, offer: Offer, waiting: list[Job]) -> Frame:
        """Return the frame in which a job comes nearest to fitting at an offer."""
        before, after = self.source.randint(*BEFORE), self.source.randint(*AFTER)
        nodes, n_slots = self._nearest(offer), self.floor.problem.grid.n_slots
        slots = range(max(offer.start_slot - before, 0), min(offer.end_edge + after, n_slots))
        return Frame(nodes, slots, (job, *self._candidates(waiting, nodes, slots)))

    def _nearest(self, offer: Offer) -> Nodes:
        """Return the nodes of an offer on which least stands over its slots, more than the gang needs; ties at random."""
        free = self.floor.free[0, offer.nodes, offer.slots].sum(axis=1).astype(np.float64)
        noise = np.array([self.source.random() for _ in offer.nodes])
        count = min(max(offer.workers + SPARE_NODES, FEW_NODES), len(offer.nodes))
        order = np.lexsort((noise, -free * (0.7 + 0.6 * noise)))[:count]
        return np.sort(offer.nodes[order])

    def _candidates(self, waiting: list[Job], nodes: Nodes, slots: range) -> tuple[Job, ...]:
        inside = set(nodes.tolist())
        fitting = [
            job
            for job in waiting
            if any(offer.start_slot in slots and not inside.isdisjoint(offer.nodes.tolist()) for offer in self.offers.of(job))
        ]
        return tuple(self.source.sample(fitting, min(MOST_WAITING, len(fitting))))
