"""What choices of one node at a time hold of the same work, in the order it came: a plan is shown beside them.

They know devices, cores and memory. Where anything else ties work, as gangs, services, quotas or pins do, they are not asked.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from schedplan.measures.work import counted_share
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.static.certificate import COUNTED_BY_BEST_FIT, COUNTED_BY_LEAST_FRAGMENTATION
from schedplan.optimize.static.instance import Instance, instance
from schedplan.optimize.static.nodes import Flags
from schedplan.packing.node_choice import Asked, Free, LeastFragmentation, best_fit

MOST_LOOKS = 30_000_000
"""Jobs times nodes up to which the choices are asked: some seconds."""


def held_beside(problem: Problem) -> tuple[tuple[str, float], ...]:
    """Return (name, counted resource held) of each choice, as entries of the work of a proof; none where they are not asked."""
    if not problem.jobs or len(problem.jobs) * len(problem.cluster.nodes) > MOST_LOOKS or not _knows_all(problem):
        return ()
    whole = instance(problem)
    found = [(COUNTED_BY_BEST_FIT, _held(problem, whole, is_by_fragments=False))]
    if problem.cluster.has_devices:
        found.append((COUNTED_BY_LEAST_FRAGMENTATION, _held(problem, whole, is_by_fragments=True)))
    return tuple(found)


def _knows_all(problem: Problem) -> bool:
    if problem.services or problem.quotas or problem.pins or problem.gang_rows or any(job.workers > 1 for job in problem.jobs):
        return False
    shapes = dict.fromkeys(job.shape for job in problem.jobs)
    return all(one.slice_profile is None and not one.resources and one.max_per_node is None for one in shapes)


def _held(problem: Problem, whole: Instance, *, is_by_fragments: bool) -> float:
    """The counted resource of the jobs for which a choice finds a node, in the order they came."""
    open_to = {job.name: among for one in whole.classes for among in [_open_to(whole, one.idx)] for job in one.jobs}
    jobs = sorted(problem.jobs, key=lambda job: (job.submit_s or 0, job.name))
    free = _free(problem)
    by_fragments = LeastFragmentation(free, [_asked(job) for job in jobs]) if is_by_fragments else None
    held = 0.0
    for job in jobs:
        asked, among = _asked(job), open_to[job.name]
        chosen = best_fit(free, asked, among) if by_fragments is None else by_fragments.choose(asked, among)
        if chosen is None:
            continue
        free.take(chosen[0], asked, chosen[1])
        held += counted_share(job.shape, problem.cluster)
        if by_fragments is not None:
            by_fragments.took(chosen[0])
    return held


def _open_to(whole: Instance, k: int) -> Flags:
    """Nodes that may hold a class, bool [node of the cluster]."""
    found = np.zeros(len(whole.problem.cluster.nodes), dtype=np.bool_)
    for one in whole.types:
        found[one.node_idx] = whole.needs[k][one.idx] is not None
    return found


def _free(problem: Problem) -> Free:
    pools = [problem.cluster.pool_of_node[name] for name in problem.cluster.nodes]
    most = max((pool.gpus for pool in pools), default=0)
    devices = np.array([[1.0] * pool.gpus + [0.0] * (most - pool.gpus) for pool in pools]).reshape(len(pools), most)
    cores = np.array([np.inf if pool.cpus is None else pool.cpus for pool in pools])
    return Free(devices, cores, np.array([np.inf if pool.memory_gib is None else pool.memory_gib for pool in pools]))


def _asked(job: Job) -> Asked:
    return Asked(ceil(job.shape.gpus), min(job.shape.gpus, 1.0), job.shape.cpus, job.shape.memory_gib)
