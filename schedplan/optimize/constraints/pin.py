"""pin: a pinned job stands on its place and starts at its time; a pinned service has its replicas there in every slot.

Sets: pinned jobs c with place P_c (cells of its nodes alone) and start slot t_c, pinned services s with place P_s, least number n_s
and slots T_s (all, or those that begin at or after the start).
Formula: x[c,site,t] = 0 for t other than t_c and for sites without a cell in P_c; w[c,p,t] = 0 for p outside P_c; u[c] = 0 (in
`place`); Σ_{p in P_s} k[s,p,t] >= n_s for t in T_s.
Intuition: what a person has decided is no choice any more. A start between two slots is that of the later one. A job that may be
left out otherwise must be placed once it is pinned.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.measures.pins import pinned_slots
from schedplan.model.pin import Pin
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `pin`."""
    for pin in variables.layout.problem.pins:
        if pin.is_service:
            _add_service(variables, rows, pin)
        else:
            _add_job(variables, rows, pin)


def _add_job(variables: Variables, rows: Rows, pin: Pin) -> None:
    layout = variables.layout
    place, slots = _cells(variables, pin), pinned_slots(layout.problem, pin)
    closed: list[Amount] = []
    for start in variables.starts:
        job_class = layout.classes[start.column.class_idx]
        if job_class.fixed is not None or job_class.job.name != pin.work:
            continue
        if start.column.start_slot not in slots or place.isdisjoint(layout.site(start.column).cells):
            closed.append(start.gangs)
        else:
            closed += [workers for cell_idx, workers in start.workers if cell_idx not in place]
    if closed:
        rows.when(f"pin {pin.work}", cp_model.LinearExpr.sum(closed) == 0)


def _add_service(variables: Variables, rows: Rows, pin: Pin) -> None:
    place = _cells(variables, pin)
    names = [service.name for service in variables.layout.problem.services]
    if pin.work not in names:
        return
    replicas = variables.replicas[names.index(pin.work)]
    for slot in pinned_slots(variables.layout.problem, pin):
        amounts = [amounts[slot] for cell_idx, amounts in replicas.items() if cell_idx in place]
        rows.when(f"pin {pin.work}", cp_model.LinearExpr.sum(amounts) >= pin.replicas)


def _cells(variables: Variables, pin: Pin) -> frozenset[int]:
    """Return the cells of the pinned nodes; the layout keeps them apart from all others."""
    nodes = frozenset(pin.nodes(variables.layout.problem.cluster))
    return frozenset(cell.idx for cell in variables.layout.cells if nodes.issuperset(cell.nodes))
