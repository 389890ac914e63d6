"""outage: a node takes no work in a slot that one of its outages touches.

Sets: outages o of nodes N_o (a node, a pool, or all of a zone, rack or block) from a_o to b_o, slots t with edges e_t; cells p of
nodes alike in every slot.
Formula: w[c,p,t'] = 0 for starts whose booked slots touch an outage of p, k[s,p,t] = 0 for slots that do: e_t < b_o, a_o < e_{t+1}.
Intuition: such a place is no choice, so it is no column; only the search for a conflict offers it, and forbids it by a row of the
outage's own name. Nothing is said of what is paid: owned and reserved nodes are paid on, rented ones need not be on, and a minimum
that is paid for stays. What runs already stays where it runs.
"""

from __future__ import annotations

from collections import defaultdict

from ortools.sat.python import cp_model

from schedplan.model.workload import JobState
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `outage` for columns that an outage forbids; there are none but in the search for a conflict."""
    layout = variables.layout
    if not layout.offers_outages:
        return
    closed: dict[str, list[Amount]] = defaultdict(list)
    for outage in layout.problem.outages:
        away = frozenset(outage.nodes(layout.problem.cluster))
        cells = {cell.idx for cell in layout.cells if away.issuperset(cell.nodes)}
        edges_s = layout.problem.grid.edges_s
        for start in variables.starts:
            column = start.column
            is_running = layout.classes[column.class_idx].job.state is JobState.RUNNING
            if is_running or edges_s[column.start_slot] >= outage.end_s or edges_s[column.end_edge] <= outage.start_s:
                continue
            closed[outage.subject] += [amount for cell_idx, amount in start.workers if cell_idx in cells]
        for replicas in variables.replicas:
            for cell_idx in cells & replicas.keys():
                closed[outage.subject] += [
                    amount
                    for slot, amount in enumerate(replicas[cell_idx])
                    if edges_s[slot] < outage.end_s and edges_s[slot + 1] > outage.start_s
                ]
    for subject, amounts in closed.items():
        rows.when(f"outage {subject}", cp_model.LinearExpr.sum(amounts) == 0)
