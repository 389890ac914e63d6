"""warm_up: a new replica holds its devices from its request and serves only after its lag; what stands in the first slot is warm.

Sets: services s, cells p with the lag L_sp (start-up, and the load of the model where the pool's cache does not hold it), slots t;
W(t) = the slots from the last one τ with τ + L_sp <= t (the first slot of the plan at the earliest) up to t.
Formula: q[s,p,t] <= k[s,p,τ] for every τ in W(t); q, the replicas that serve, takes the place of k in `service` and `reserve`.
Intuition: on a node the last to come is the first to go, so what serves is what stood there all the while. On a cell of several
nodes the sum of them is bounded by the same rows, for a replica that moves from one to another is not seen there. A burst shorter
than the lag must be met by replicas that stand before it: the warm buffer is what these rows ask for.
"""

from __future__ import annotations

from schedplan.measures.warm_up import lag_minutes, serves_since
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `warm_up`."""
    layout = variables.layout
    for service, replicas, serving in zip(layout.problem.services, variables.replicas, variables.serving, strict=True):
        for cell_idx, stands in replicas.items():
            minutes = lag_minutes(service, layout.cells[cell_idx].pool)
            if minutes <= 0:
                continue
            for slot, since in enumerate(serves_since(layout.problem.grid, minutes)):
                rows.always(serving[cell_idx][slot] <= stands[slot])
                for earlier in range(since, slot):
                    rows.when(f"warm_up {service.name}", serving[cell_idx][slot] <= stands[earlier])
