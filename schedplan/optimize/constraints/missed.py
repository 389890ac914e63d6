"""missed: demand that no replica serves, where `[limits] missed_demand = "price"` allows it, at its price.

Sets: services s, slots t, cells p of device model a(p); r[s,t,a] least replicas on one model; D parts of a slot's demand, of which
a replica takes D / r[s,t,a] (`measures/missed.py`); q[s,p,t] replicas that serve (`warm_up`); π_s urgency; size_st of the least
fleet; W the importance of all jobs and all demand; w_st reference work.
Formula: m[s,t] >= D − Σ_p q[s,p,t] · D / r[s,t,a(p)], 0 <= m <= D; the latency goal + missed rate · π_s size_st h_t m / D, the work
left out + π_s size_st h_t m / (D W), idle + w_st h_t m / D.
Intuition: what is missed weighs like a job that would need the devices which serve it. It takes the place of the demand in
`service`; `min_replicas`, `max_replicas`, spread and the time between changes stay. A slot for which no device is fast enough is
missed in any case: no choice, a constant. Not together with `reserve`, which promises what this gives up.
"""

from __future__ import annotations

from dataclasses import dataclass

from ortools.sat.python import cp_model

from schedplan.measures.missed import asked, is_priced
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Variables


@dataclass(frozen=True, slots=True)
class Missed:
    """An amount that is missed, and what one unit of it adds: importance and reference work, counted-resource-hours."""

    amount: Amount
    importance: float
    work_h: float


def add(variables: Variables, rows: Rows) -> tuple[Missed, ...]:
    """Add the rows of `missed`; return what may be missed with its weight. None where demand must be served."""
    layout = variables.layout
    if not is_priced(layout.problem):
        return ()
    found = []
    for idx, (service, serving) in enumerate(zip(layout.problem.services, variables.serving, strict=True)):
        for slot, wanted in enumerate(asked(layout.problem, service)):
            if wanted.is_hopeless:
                found.append(Missed(1, wanted.importance, wanted.work_h))
            elif wanted.whole:
                amount = variables.model.new_int_var(0, wanted.whole, f"m[{idx},{slot}]")
                taken = [
                    amounts[slot] * wanted.part.get(layout.cells[cell_idx].pool.accelerator, 0)
                    for cell_idx, amounts in serving.items()
                ]
                rows.always(amount + cp_model.LinearExpr.sum(taken) >= wanted.whole)
                found.append(Missed(amount, wanted.importance / wanted.whole, wanted.work_h / wanted.whole))
    return tuple(found)
