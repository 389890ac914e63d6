"""hold: the number of replicas of a service, once changed, stays for at least so many minutes.

Sets: services s with least time h_s between changes, slots t that begin at b_t.
Formula: |Σ_p k[s,p,t] − Σ_p k[s,p,t−1]| <= K v[s,t] for t >= 1; Σ_{τ: b_t − h_s < b_τ <= b_t} v[s,τ] <= 1 for every t.
Intuition: two changes less than h_s apart never fall into one window. What changed before the plan is not known, so the first
change is free; and a service may change its nodes at any time, the number of its replicas alone is held.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `hold`."""
    grid = variables.layout.problem.grid
    for service, replicas in zip(variables.layout.problem.services, variables.replicas, strict=True):
        if service.min_hold_minutes <= 0 or not replicas:
            continue
        totals = [cp_model.LinearExpr.sum([amounts[slot] for amounts in replicas.values()]) for slot in range(grid.n_slots)]
        most = [sum(max(amounts[slot].proto.domain) for amounts in replicas.values()) for slot in range(grid.n_slots)]
        changes = [variables.model.new_bool_var(f"v[{service.name},{slot}]") for slot in range(grid.n_slots)]
        for slot in range(1, grid.n_slots):
            rows.always(totals[slot] - totals[slot - 1] <= most[slot] * changes[slot])
            rows.always(totals[slot - 1] - totals[slot] <= most[slot - 1] * changes[slot])
            since_s = grid.slot_start_s(slot) - service.min_hold_minutes * 60
            window = [changes[other] for other in range(1, slot + 1) if grid.slot_start_s(other) > since_s + 1e-6]
            if len(window) > 1:
                rows.when(f"hold {service.name}", cp_model.LinearExpr.sum(window) <= 1)
