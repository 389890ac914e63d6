"""Free devices in words: on which nodes they lie, beside how the job would need them. It counts nothing anew."""

from __future__ import annotations

from schedplan.explain.room import Tightness
from schedplan.explain.wording import amount, counted, listed
from schedplan.measures.gang_family import is_on_one_node
from schedplan.model.workload import Job

_SINGLY = 6


def fragments(job: Job, tight: Tightness) -> str:
    """Return `3 + 5 + 4 + 4 on n1, n2, n3, n4; it needs 2 nodes with 8 free`."""
    return f"{_where(tight.by_node)}; it needs {_needs(job, tight)}"


def _where(by_node: tuple[tuple[str, float], ...]) -> str:
    """Return the free devices node by node; where they are many, how many nodes have how many, most first."""
    if len(by_node) <= _SINGLY:
        return f"{' + '.join(amount(free) for _, free in by_node)} on {', '.join(node for node, _ in by_node)}"
    nodes_of: dict[float, int] = {}
    for _, free in by_node:
        nodes_of[free] = nodes_of.get(free, 0) + 1
    told = (
        f"{amount(free)} on {'each of ' if nodes_of[free] > 1 else ''}{counted(nodes_of[free], 'node')}"
        for free in sorted(nodes_of, reverse=True)
    )
    return listed(told)


def _needs(job: Job, tight: Tightness) -> str:
    gpus, workers = job.shape.gpus, job.least_workers
    if is_on_one_node(job.topology) or workers == 1:
        return f"one node with {amount(workers * gpus)} free"
    if gpus > 1 and max((free for _, free in tight.by_node), default=0.0) < 2 * gpus:
        return f"{workers} nodes with {amount(gpus)} free"
    return f"{workers} times {amount(gpus)} on one node each time" if gpus > 1 else f"{workers} times {amount(gpus)}"
