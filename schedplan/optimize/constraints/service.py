"""service: in every slot the replicas of a service meet its latency target at the demand planned for.

Sets: services s, cells p of device model a(p), slots t; r[s,t,a] least replicas on one model, tabulated before solving.
Formula: Σ_p q[s,p,t] · ceil(10⁹ / r[s,t,a(p)]) >= 10⁹; on one model Σ_p q >= r; min_s <= Σ_p k <= max_s. q are those of the
replicas k that serve (`warm_up`), all of them where a replica serves at once. Where demand may be missed
(`missed`), only the bounds of Σ_p k.
Markets and devices restrict the cells. A replica on a model that can't meet the target is no choice.
Intuition: a replica covers 1/r of the demand on its model; for a mix that is a linear stand-in, checked afterwards.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.measures.missed import BILLION, is_priced
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `service`."""
    layout = variables.layout
    must_serve = not is_priced(layout.problem)
    for service, replicas, serving in zip(layout.problem.services, variables.replicas, variables.serving, strict=True):
        models = sorted({layout.cells[idx].pool.accelerator or "" for idx in replicas})
        least = {model: least_replicas_by_slot(layout.problem, service, model or None) for model in models}
        for slot in range(layout.problem.grid.n_slots):
            by_model = {
                model: [amounts[slot] for idx, amounts in serving.items() if (layout.cells[idx].pool.accelerator or "") == model]
                for model in models
            }
            total = cp_model.LinearExpr.sum([amounts[slot] for amounts in replicas.values()])
            needed = {model: count for model in models if (count := least[model][slot]) is not None}
            if must_serve and not needed and layout.problem.demand_of[service.name].peak_rps[slot] > 0:
                rows.when(f"service {service.name}", total >= 1)
            if must_serve:
                _add_demand(rows, f"service {service.name}", {model: by_model[model] for model in needed}, needed)
            rows.when(f"service {service.name}", total >= service.min_replicas)
            if service.max_replicas is not None:
                rows.when(f"max_replicas {service.name}", total <= service.max_replicas)


def _add_demand(rows: Rows, name: str, by_model: dict[str, list[cp_model.IntVar]], least: dict[str, int]) -> None:
    if len(by_model) == 1:
        (model, amounts), *_ = by_model.items()
        rows.when(name, cp_model.LinearExpr.sum(amounts) >= least[model])
    elif max(least.values(), default=0) > 0:
        covered = [amount * -(-BILLION // max(least[model], 1)) for model, amounts in by_model.items() for amount in amounts]
        rows.when(name, cp_model.LinearExpr.sum(covered) >= BILLION)
