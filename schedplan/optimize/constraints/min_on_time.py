"""min_on_time: a gang with a hard deadline stands on spot only where its chance of ending in time is as large as asked.

Sets: starts (c, t) on spot nodes of reclaim rate λ; P(K) the bound of measures/on_time.py at rate K λ, which falls with K.
Formula: K[c,t] <= max {K : P(K) >= min_on_time}. On pools K is at least the fewest nodes that hold the gang, so a start where these
are too many is no column. On single nodes w[c,n,t] <= per_node · b[c,n,t] and Σ_n b[c,n,t] <= K[c,t] x[c,t].
Intuition: a gang on ten nodes is interrupted ten times as often as on one; with little slack that is a coin toss.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.measures.min_on_time import most_nodes
from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.spot import fewest_nodes
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Start, Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `min_on_time`."""
    for start in variables.starts:
        layout, column = variables.layout, start.column
        site = layout.site(column)
        if not site.cells:
            continue
        job = layout.classes[column.class_idx].job
        most = most_nodes(layout.problem, job, layout.cells[site.cells[0]].pool, column.start_slot, column.workers)
        if most is None:
            continue
        if fewest_nodes(column.workers, max(site.per_node)) > most:
            # only where a conflict is looked for: elsewhere such a start is no column
            rows.when(f"min_on_time {job.name}", start.gangs == 0)
        elif layout.level is Level.NODES and len(site.cells) > 1 and most < min(column.workers, len(site.cells)):
            _count_nodes(variables, rows, start, most, site.per_node)


def _count_nodes(variables: Variables, rows: Rows, start: Start, most: int, per_node: tuple[int, ...]) -> None:
    column = start.column
    job = variables.layout.classes[column.class_idx].job
    used = []
    for (cell_idx, workers), fits in zip(start.workers, per_node, strict=True):
        is_used = variables.model.new_bool_var(f"o[{column.class_idx},{column.start_slot},{column.workers},{cell_idx}]")
        rows.always(workers <= fits * is_used)
        used.append(is_used)
    rows.when(f"min_on_time {job.name}", cp_model.LinearExpr.sum(used) <= most * start.gangs)
