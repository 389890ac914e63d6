"""The families of nodes that jobs may stand on, and the starts that a list policy has in them. They know no board."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import job_refusal
from schedplan.measures.gang_family import gang_family, loads_on
from schedplan.measures.pins import may_stand
from schedplan.measures.work import node_share
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.constraints.topology import domain_of
from schedplan.optimize.run_times import Ends, RunTimes

NodeIdx = NDArray[np.intp]


@dataclass(frozen=True, eq=False, slots=True)
class Family:
    """Nodes that one gang may span; order: its number among the families of a job; pool: the one of its first node."""

    order: int
    nodes: NodeIdx
    pool: Pool


@dataclass(frozen=True, eq=False, slots=True)
class Starts:
    """Where runs of a job in a family end; share: what a worker of it bears of the price of a node."""

    family: Family
    ends: Ends
    share: float


class Families:
    """The families of jobs, looked up once for jobs that are alike in what decides that."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._run_times = RunTimes(problem)
        self._known: dict[Hashable, tuple[Family, ...]] = {}
        self._starts: dict[Hashable, tuple[Starts, ...]] = {}
        self._prices: dict[tuple[str, int, int], float] = {}

    def of(self, job: Job) -> tuple[Family, ...]:
        """Return the families that take a job."""
        key = self._key(job)
        if key not in self._known:
            self._known[key] = _families(self._problem, job)
        return self._known[key]

    def starts(self, job: Job) -> tuple[Starts, ...]:
        """Return the starts of a waiting job with all of its workers, in every family that takes it."""
        length = self._run_times.key(job)
        key = (self._key(job), length)
        if key not in self._starts:
            self._starts[key] = tuple(
                Starts(one, self._run_times.ends(job, one.pool, length), node_share(one.pool, job.shape)) for one in self.of(job)
            )
        return self._starts[key]

    def price(self, start: Starts, start_slot: int, end_edge: int, workers: int) -> float:
        """Return what a start adds to the bill, as `job_price` does."""
        pool = start.family.pool
        if pool.market.is_sunk:
            return 0.0
        key = (pool.name, start_slot, end_edge)
        if key not in self._prices:
            span = slice(start_slot, end_edge)
            self._prices[key] = float(self._problem.price_per_h(pool)[span] @ self._problem.grid.hours[span])
        return self._prices[key] * workers * start.share

    def _key(self, job: Job) -> Hashable:
        named = job.name if job.name in self._problem.pin_of_job else ""
        return job.shape, job.least_workers, job.topology, job.spot_ok, job.affinity, job.load_minutes, named


def _families(problem: Problem, job: Job) -> tuple[Family, ...]:
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for pool in problem.cluster.pools:
        if job_refusal(pool, job) is None:
            loads = str(loads_on(job, pool))
            key = (domain_of(pool, job.topology) or "", str(pool.slices_per_gpu), loads, *gang_family(problem, pool))
            groups[key].extend(problem.cluster.nodes_of_pool[pool.name])
    if job.name in problem.pin_of_job:
        names = problem.cluster.nodes
        groups.update({key: [idx for idx in nodes if may_stand(problem, job.name, names[idx])] for key, nodes in groups.items()})
    found = [np.array(nodes, dtype=np.intp) for nodes in groups.values() if nodes]
    pool_of = problem.cluster.pool_of_node
    return tuple(Family(order, nodes, pool_of[problem.cluster.nodes[nodes[0]]]) for order, nodes in enumerate(found))
