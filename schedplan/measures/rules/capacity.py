"""capacity: devices, cores, memory, other resources and workers per node, per node and slot; shares on single devices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.rules.case import FORGIVEN, Case, broken
from schedplan.model.findings import Finding
from schedplan.model.workload import WorkerShape


def capacity(case: Case) -> Iterator[Finding]:
    held = _Held(case)
    for node, kinds in held.by_node.items():
        pool = case.pool(node)
        offered = {"cpus": pool.cpus, "memory_gib": pool.memory_gib, **dict(pool.resources)}
        for kind, amounts in kinds.items():
            has = offered.get(kind, 0.0)
            over = np.flatnonzero(amounts > (np.inf if has is None else has) + FORGIVEN)
            if len(over):
                seen = f"{amounts[over[0]]:g} {kind} are held at {case.when(int(over[0]))}"
                yield broken("capacity", f"node {node}", f"{seen}; it has {has:g} ({len(over)} slots)")
    yield from _per_node(case)
    for found in case.unassigned:
        if found.rule == "capacity":
            when = "" if found.slot is None else f" at {case.when(found.slot)}"
            yield broken("capacity", f"node {found.node}", f"devices: {found.message}{when}")


class _Held:
    """Cores, memory and other resources held per node, float64 [n_slots] each, under the names the pools use."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.by_node: dict[str, dict[str, NDArray[np.float64]]] = {}
        for part in case.decisions.parts:
            self._add(part.node, case.slots(part), part.workers, case.problem.job_by_name[part.job].shape)
        for stand in case.decisions.replicas:
            shape = case.problem.service_by_name[stand.service].shape
            self._add(stand.node, slice(stand.slot, stand.slot + 1), stand.replicas, shape)
        self.by_node = dict(sorted(self.by_node.items()))

    def _add(self, node: str, slots: slice, count: int, shape: WorkerShape) -> None:
        for kind, amount in (("cpus", shape.cpus), ("memory_gib", shape.memory_gib), *shape.resources):
            if amount > 0:
                empty = np.zeros(self.case.problem.grid.n_slots)
                self.by_node.setdefault(node, {}).setdefault(kind, empty)[slots] += count * amount


def _per_node(case: Case) -> Iterator[Finding]:
    for part in case.decisions.parts:
        most = case.problem.job_by_name[part.job].shape.max_per_node
        if most is not None and part.workers > most:
            yield broken("capacity", f"job {part.job}", f"{part.workers} workers stand on {part.node}; at most {most} may")
    for stand in case.decisions.replicas:
        most = case.problem.service_by_name[stand.service].shape.max_per_node
        if most is not None and stand.replicas > most:
            when = case.when(stand.slot)
            message = f"{stand.replicas} replicas stand on {stand.node} at {when}; at most {most} may"
            yield broken("capacity", f"service {stand.service}", message)
