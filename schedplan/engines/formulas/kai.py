"""What KAI computes: the fair share of each queue, and how nodes are packed.

    fair share   first min(quota, request) of each queue; what remains goes to those that request more in proportion to their
                 over-quota weight, never beyond request or limit, until it is spent; resource by resource
    binpack      9 x (1 - (free - least free) / (most free - least free)) over the nodes that hold the worker, for devices and cores
    order        queues by allocated / fair share, the largest of all resources, least first

Source: kai-scheduler/KAI-Scheduler docs/scheduling-deep-dive, docs/queues, pkg/scheduler/plugins/{proportion,scores}, read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.formulas.kube import CORES, DEVICES
from schedplan.model.view import NodesView, QueuesView

NOTHING = 1e-9
HIGHEST_DENSITY = 9.0


@dataclass(frozen=True, slots=True)
class KaiScore:
    """Pack (or spread) by devices, and by cores where no device is asked for."""

    packs: bool = True

    def __call__(self, nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the density of every node, 0 to 9, against the largest node of the machine; float64 [n_nodes].

        The engine norms by the freest and fullest of the nodes that fit at that moment: the order of nodes is the same.
        """
        column = DEVICES if asked[DEVICES] > 0 else CORES
        most = nodes.most[column]
        share = np.nan_to_num(nodes.free[:, column] / most, nan=0.0) if most > 0 else np.zeros(len(nodes.free))
        return np.asarray(HIGHEST_DENSITY * (1.0 - share if self.packs else share))


def fair_share(queues: QueuesView) -> list[list[float]]:
    """Return the fair share of each queue of each resource."""
    by_resource = [_divided(queues, column) for column in range(len(queues.total))]
    return [[shares[row] for shares in by_resource] for row in range(len(queues.asked))]


def _divided(queues: QueuesView, column: int) -> list[float]:
    """Return the share of each queue of one resource."""
    rows = range(len(queues.asked))
    limit = [min(queues.asked[row][column], queues.most[row][column]) for row in rows]
    found = [min(queues.promised[row][column], limit[row]) for row in rows]
    remaining = queues.total[column] - sum(found)
    wants = [row for row in rows if limit[row] - found[row] > NOTHING and queues.weight[row] > 0]
    while remaining > NOTHING and wants:
        weight, given = sum(queues.weight[row] for row in wants), 0.0
        for row in wants:
            more = min(remaining * queues.weight[row] / weight, limit[row] - found[row])
            found[row] += more
            given += more
        remaining -= given
        wants = [row for row in wants if limit[row] - found[row] > NOTHING]
    return found
