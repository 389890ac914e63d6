"""Packing: the gangs of a plan on pools on single nodes at their starts, in an order; and what finds no room, by value anywhere.

Orders: by start, then longest and widest, or widest and longest. Nodes that cost least come first. What found no room comes first
when all is packed again, the oftener it found none the earlier: the squeaky wheel of Joslin and Clements (1999).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from schedplan.model.workload import Job
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.nodes.offers import Offers, cheapest, nodes_for
from schedplan.optimize.nodes.rates import Rates
from schedplan.packing.assignment import GangStart

Order = Callable[[GangStart], tuple[float, ...]]


def longest_first(gang: GangStart) -> tuple[float, ...]:
    """Return what sorts gangs by start, longest, widest."""
    return (gang.start_slot, gang.start_slot - gang.end_edge, *_width(gang.job))


def widest_first(gang: GangStart) -> tuple[float, ...]:
    """Return what sorts gangs by start, widest, longest."""
    return (gang.start_slot, *_width(gang.job), gang.start_slot - gang.end_edge)


ORDERS: tuple[Order, ...] = (longest_first, widest_first)


def pack(floor: Floor, gangs: Iterable[GangStart], order: Order) -> tuple[Job, ...]:
    """Put gangs on the nodes of their cells at their starts; return the jobs that found no room there."""
    homeless: list[Job] = []
    idx = floor.problem.cluster.node_idx
    known: dict[tuple[tuple[str, ...], ...], Nodes] = {}
    for gang in sorted(gangs, key=lambda gang: (*order(gang), gang.job.name)):
        workers = sum(count for _, count in gang.groups)
        where = tuple(names for names, _ in gang.groups)
        if where not in known:
            known[where] = np.array(sorted(idx[name] for names in where for name in names), dtype=np.intp)
        nodes = known[where]
        slots = slice(gang.start_slot, gang.end_edge)
        bound = floor.quota(gang.job, floor.pools[nodes[0]].accelerator, workers)
        is_open = bound is None or bool(bound[0][slots].all())
        taken = nodes_for(floor, nodes, gang.job, workers, slots) if is_open else None
        berth = None if taken is None else Berth(gang.job, gang.start_slot, gang.end_edge, taken)
        if berth is None or floor.added_by(berth) == float("inf"):
            homeless.append(gang.job)
        else:
            floor.put(berth)
    return tuple(homeless)


def pack_again(begin: Callable[[], Floor], gangs: Iterable[GangStart], order: Order, rounds: int) -> Floor:
    """Pack gangs on a floor of `begin`, and anew on others until all find room, at most so many rounds; return the best floor."""
    gangs, failures = tuple(gangs), Counter[str]()

    def urgent_first(gang: GangStart) -> tuple[float, ...]:
        return (-failures[gang.job.name], *order(gang))

    best = floor = begin()
    homeless = pack(floor, gangs, order)
    for _ in range(rounds - 1):
        if not homeless:
            break
        failures.update(job.name for job in homeless)
        floor = begin()
        homeless = pack(floor, gangs, urgent_first)
        best = min(best, floor, key=lambda one: one.total)
    return best


def insert(floor: Floor, offers: Offers, jobs: Iterable[Job]) -> int:
    """Put each job where it adds least to F, the dearest to leave out first; return how many found a place that is worth it."""
    count = 0
    for job in by_worth(jobs, floor.rates):
        berth = cheapest(floor, offers, job)
        if berth is not None:
            floor.put(berth)
            count += 1
    return count


def by_worth(jobs: Iterable[Job], rates: Rates) -> list[Job]:
    """Return jobs in order: those that are dearest to leave out for what they hold first."""
    return sorted(jobs, key=lambda job: (-rates.left_out(job) / _node_h(job), job.name))


def _width(job: Job) -> tuple[float, ...]:
    return (-job.devices, -job.workers * job.shape.cpus, -job.workers * job.shape.memory_gib)


def _node_h(job: Job) -> float:
    """Return what a job holds, devices or cores times hours: its value counts against that."""
    return max(job.devices, job.workers * job.shape.cpus / 1000.0, 1e-3) * max((job.runtime_minutes or 0.0) / 60.0, 1e-3)
