"""reserve: after the loss of any one node, rack or zone the replicas elsewhere still meet every service's demand.

Sets: services s, slots t with demand, domains d of the kind that `[limits] reserve` names, cells p of device model a(p).
Formula: Σ_{p not in d} q[s,p,t] · ceil(10⁹ / r[s,t,a(p)]) >= 10⁹ for every d; on one model Σ_{p not in d} q >= r.
q are the replicas that serve (`warm_up`).
A cell of N > 1 nodes loses at least the mean of them: Σ_p q − q[s,d,t] / N >= r, which a real loss never undercuts.
Intuition: the replicas that are left serve at once, so nothing has to be started. A node in no domain of the kind is never lost
with one. Jobs are not covered: they restart from their checkpoints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ortools.sat.python import cp_model

from schedplan.measures.domains import SINGLE_NODE, domain_of_pool
from schedplan.measures.missed import BILLION
from schedplan.model.problem import Reserve
from schedplan.optimize.layout import Layout
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `reserve`; none where nothing is asked for."""
    layout = variables.layout
    if layout.problem.limits.reserve is Reserve.NONE:
        return
    for service, replicas in zip(layout.problem.services, variables.serving, strict=True):
        model_of = {idx: layout.cells[idx].pool.accelerator for idx in replicas}
        least = {model: least_replicas_by_slot(layout.problem, service, model) for model in set(model_of.values())}
        losses = _losses(layout, replicas)
        for slot in range(layout.problem.grid.n_slots):
            needed = {model: count for model, by_slot in least.items() if (count := by_slot[slot])}
            part, whole = _parts(needed)
            for lost, share in losses:
                terms = [
                    amounts[slot] * ((share - 1 if idx in lost else share) * part[model_of[idx]])
                    for idx, amounts in replicas.items()
                    if model_of[idx] in part
                ]
                if needed:
                    rows.when(f"reserve {service.name}", cp_model.LinearExpr.sum(terms) >= share * whole)


def _losses(layout: Layout, cells: Iterable[int]) -> list[tuple[frozenset[int], int]]:
    """Return what may be lost: the cells of a domain, of which one in so many nodes goes."""
    kind = layout.problem.limits.reserve.value
    if kind == SINGLE_NODE:
        return [(frozenset((idx,)), layout.cells[idx].count) for idx in cells]
    found: dict[str, set[int]] = defaultdict(set)
    for idx in cells:
        domain = domain_of_pool(kind, layout.cells[idx].pool)
        if domain is not None:
            found[domain].add(idx)
    return [(frozenset(members), 1) for _, members in sorted(found.items())]


def _parts(needed: dict[str | None, int]) -> tuple[dict[str | None, int], int]:
    """Return what a replica on each model counts, and what all demand counts: replicas on one model, else billionths."""
    if len(needed) == 1:
        return dict.fromkeys(needed, 1), next(iter(needed.values()))
    return {model: -(-BILLION // least) for model, least in needed.items()}, BILLION
