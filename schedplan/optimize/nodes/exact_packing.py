"""Exact packing: the gangs of one pool on its nodes at the starts they have, so that what is worth most finds room.

Identical jobs are counted per node, not told apart. Of a large pool only the nodes are taken on which a gang without room comes
nearest to fitting.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from schedplan.optimize.nodes.fleets import Demands
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.nodes.node_box import Frame, improve
from schedplan.optimize.nodes.offers import Offers
from schedplan.packing.assignment import GangStart

WHOLE_NODES = 18
"""Pools of at most so many nodes are packed as one."""
PART_NODES = 14


def repack(floor: Floor, offers: Offers, demands: Demands, gangs: tuple[GangStart, ...], work_limit: float, seed: int) -> float:
    """Pack every pool anew in which some gang has no room; return the deterministic work that it took."""
    idx, work = floor.problem.cluster.node_idx, 0.0
    pool_of = {gang.job.name: {int(floor.pool_idx[idx[name]]) for names, _ in gang.groups for name in names} for gang in gangs}
    in_one = [gang for gang in gangs if len(pool_of[gang.job.name]) == 1]
    for pool in range(len(floor.problem.cluster.pools)):
        mine = [gang for gang in in_one if pool in pool_of[gang.job.name]]
        starts = {gang.job.name: gang.start_slot for gang in mine}
        nodes = np.flatnonzero(floor.pool_idx == pool)
        homeless = [gang for gang in mine if gang.job.name not in floor.berths]
        if homeless and len(nodes) <= WHOLE_NODES:
            work += _packed(floor, offers, demands, nodes, homeless, starts, work_limit, seed)
        elif homeless:
            for gang in sorted(homeless, key=lambda gang: (-floor.rates.left_out(gang.job), gang.job.name)):
                near = _nearest(floor, nodes, gang)
                work += _packed(floor, offers, demands, near, [gang], starts, work_limit, seed)
    return work


def _packed(
    floor: Floor,
    offers: Offers,
    demands: Demands,
    nodes: Nodes,
    homeless: list[GangStart],
    starts: Mapping[str, int],
    work_limit: float,
    seed: int,
) -> float:
    frame = Frame(nodes, range(floor.problem.grid.n_slots), tuple(gang.job for gang in homeless), starts)
    return improve(floor, offers, demands, frame, work_limit, seed)


def _nearest(floor: Floor, nodes: Nodes, gang: GangStart) -> Nodes:
    """Return the nodes with most room over a gang's slots, some more than it needs."""
    free = floor.free[0, nodes, gang.start_slot : gang.end_edge].sum(axis=1)
    count = min(max(sum(workers for _, workers in gang.groups) + 4, PART_NODES), len(nodes))
    return np.sort(nodes[np.lexsort((nodes, -free))[:count]])
