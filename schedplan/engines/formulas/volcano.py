"""What Volcano computes: scores of nodes (nodeorder, binpack), and what each queue deserves (proportion).

    binpack      weight x 100 x sum of w_r (used_r + request_r) / allocatable_r / sum of w_r, over the resources that a task
    requests deserved     while something remains: each queue that isn't satisfied gets remaining x w_q / sum of w; capped by
    what it may have
                 (min(capability, total - guarantees of others)) and by what it requests, no less than its guarantee
    share        of a queue: the largest allocated_r / deserved_r; it is overused, and passed over, where deserved <= allocated
    drf          of a job: the largest allocated_r / total_r

Source: volcano-sh/volcano pkg/scheduler/plugins/{nodeorder,binpack,proportion,drf}, read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.formulas.kube import CORES, DEVICES, FULL_SCORE, MEMORY, Weights, balanced, least_allocated, used_shares
from schedplan.engines.formulas.kube import most_allocated as kube_most_allocated
from schedplan.model.view import NodesView, QueuesView

NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class VolcanoScore:
    """nodeorder (least and most allocated over cores and memory, balance over devices, cores, memory) plus binpack."""

    least: float = 1.0
    most: float = 0.0
    balance: float = 1.0
    binpack: float = 1.0
    packed: Weights = (0.0, 1.0, 1.0)

    def __call__(self, nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of every node, float64 [n_nodes]."""
        plain = (0.0, 1.0, 1.0)
        score = self.least * least_allocated(nodes, asked, plain) + self.most * kube_most_allocated(nodes, asked, plain)
        score = score + self.balance * balanced(nodes, asked, (DEVICES, CORES, MEMORY))
        return np.asarray(score + self.binpack * binpack(nodes, asked, self.packed))


def binpack(nodes: NodesView, asked: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return 100 x the weighted mean of the used shares with the worker, over what it asks for and has a weight, [n_nodes]."""
    columns = [column for column in range(MEMORY + 1) if asked[column] > 0 and weights[column] > 0]
    if not columns:
        return np.zeros(len(nodes.free))
    used = np.nan_to_num(used_shares(nodes, asked)[:, columns], nan=0.0)
    chosen = np.array(weights)[columns]
    return np.asarray(FULL_SCORE * (used @ chosen) / chosen.sum())


def deserved(queues: QueuesView) -> list[list[float]]:
    """Return what each queue deserves of each resource."""
    columns, rows = range(len(queues.total)), range(len(queues.asked))
    kept = [sum(queues.promised[row][column] for row in rows) for column in columns]
    found = [[0.0] * len(queues.total) for _ in rows]
    remaining, unmet = list(queues.total), [row for row in rows if queues.weight[row] > 0]
    while unmet and any(left > NOTHING for left in remaining):
        weight, given, still = sum(queues.weight[row] for row in unmet), [0.0] * len(remaining), []
        for row in unmet:
            asked, most, promised, own = queues.asked[row], queues.most[row], queues.promised[row], found[row]
            is_capped, is_sated = False, True
            for column in columns:
                raised = own[column] + remaining[column] * queues.weight[row] / weight
                cap = min(most[column], queues.total[column] - kept[column] + promised[column])
                is_capped |= raised > cap + NOTHING
                is_sated &= asked[column] <= raised + NOTHING
                now = max(min(raised, cap, asked[column]), promised[column])
                given[column] += now - own[column]
                own[column] = now
            if not (is_capped or is_sated):
                still.append(row)
        if len(still) == len(unmet) and not any(abs(amount) > NOTHING for amount in given):
            break
        remaining, unmet = [left - amount for left, amount in zip(remaining, given, strict=True)], still
    return found
