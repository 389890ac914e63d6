"""supply: work only on nodes that are there, on and up; sunk nodes all on, others between their least and most."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def supply(case: Case) -> Iterator[Finding]:
    on = case.decisions.on
    for pool in case.problem.cluster.pools:
        count = on[[case.row(name) for name in pool.node_names()]].sum(axis=0)
        least, most = (pool.count, pool.count) if pool.market.is_sunk else (pool.min_count, pool.max_count)
        wrong = np.flatnonzero((count < least) | (count > most))
        if len(wrong):
            bounds = f"{least}" if least == most else f"{least} to {most}"
            seen = f"{count[wrong[0]]} nodes are on at {case.when(int(wrong[0]))} ({len(wrong)} slots)"
            yield broken("supply", f"pool {pool.name}", f"{seen}; {pool.market.value} pays for {bounds}")
    for node, pieces in _work_on(case).items():
        has_work = np.zeros(case.problem.grid.n_slots, dtype=np.bool_)
        for _, slots in pieces:
            has_work[slots] = True
        idle = np.flatnonzero(has_work & ~case.usable[case.row(node)])
        if len(idle):
            slot = int(idle[0])
            work = next(name for name, slots in pieces if slots.start <= slot < slots.stop)
            state = "switched on, but not up yet" if on[case.row(node), slot] else "not on"
            yield broken("supply", f"node {node}", f"holds {work} at {case.when(slot)}, when it is {state} ({len(idle)} slots)")


def _work_on(case: Case) -> dict[str, list[tuple[str, slice]]]:
    """Per node with work: the name and the slots of each piece of it, jobs first."""
    found: dict[str, list[tuple[str, slice]]] = {}
    for part in case.decisions.parts:
        found.setdefault(part.node, []).append((f"job {part.job}", case.slots(part)))
    for stand in case.decisions.replicas:
        found.setdefault(stand.node, []).append((f"service {stand.service}", slice(stand.slot, stand.slot + 1)))
    return dict(sorted(found.items()))
