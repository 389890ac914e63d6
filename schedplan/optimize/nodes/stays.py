"""Stays: where an earlier plan had each job and the replicas of each slot, and what a device that stands elsewhere adds to F.

By node index; nodes that are no more are not among them. It moves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from schedplan.measures.moves import stay_of
from schedplan.measures.work import counted_share
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service
from schedplan.optimize.nodes.berth import Taken
from schedplan.optimize.nodes.rates import Rates

Counts = Mapping[int, int]
"""Workers or replicas by node index."""


class Stays:
    """per_device: what one device that moves adds to F."""

    def __init__(self, problem: Problem, rates: Rates) -> None:
        self.problem = problem
        self.per_device = rates.latency * problem.objective.move_device_h
        self._jobs: dict[str, tuple[int | None, Counts]] = {}
        self._replicas: dict[tuple[str, int], Counts | None] = {}

    def price(self, work: Job | Service) -> float:
        """Return what one worker or replica that moves adds."""
        return self.per_device * counted_share(work.shape, self.problem.cluster)

    def before(self, job: Job, start_slot: int) -> Counts | None:
        """Return the workers that a job had on each node where it starts as it did; None where its nodes do not matter."""
        if self.problem.earlier is None or stay_of(self.problem, job) is None:
            return None
        slot, counts = self._of(job)
        return counts if slot == start_slot else None

    def moved(self, job: Job, start_slot: int, nodes: Taken) -> float:
        """Return what the workers of a job that move add to F, where it starts in a slot on nodes."""
        if self.problem.earlier is None or stay_of(self.problem, job) is None:
            return 0.0
        before = self.before(job, start_slot) or {}
        return self.price(job) * sum(max(workers - before.get(node, 0), 0) for node, workers in nodes)

    def moved_at_least(self, job: Job, start_slot: int, workers: int, nodes: list[int]) -> float:
        """Return what moves at least, wherever on nodes so many workers stand."""
        if self.problem.earlier is None or stay_of(self.problem, job) is None:
            return 0.0
        before = self.before(job, start_slot) or {}
        return self.price(job) * max(workers - sum(before.get(node, 0) for node in nodes), 0)

    def replicas(self, service: Service, slot: int) -> Counts | None:
        """Return the replicas that stood on each node in a slot; None where none of them has a price."""
        key = (service.name, slot)
        if key not in self._replicas:
            stood = self.problem.stood_before(service.name, slot)
            self._replicas[key] = None if stood is None else self._by_index(stood)
        return self._replicas[key]

    def moved_replicas(self, service: Service, slot: int, node: int, count: int) -> float:
        """Return what so many replicas on a node add to F by standing beyond those that stood there."""
        before = self.replicas(service, slot)
        return 0.0 if before is None else self.price(service) * max(count - before.get(node, 0), 0)

    def _of(self, job: Job) -> tuple[int | None, Counts]:
        if job.name not in self._jobs:
            stay = self.problem.stay_of_job[job.name]
            self._jobs[job.name] = (self.problem.grid.starting_slot(stay.start_s), self._by_index(dict(stay.nodes)))
        return self._jobs[job.name]

    def _by_index(self, counts: Mapping[str, int]) -> Counts:
        idx = self.problem.cluster.node_idx
        return {idx[name]: count for name, count in counts.items() if name in idx}
