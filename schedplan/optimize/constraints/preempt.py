"""preempt: a running job is stopped only for a more urgent one, which stands on its nodes while it would have run.

Sets: stopped jobs r of priority π_r that ran on nodes N_r and would have run to E_r; waiting jobs c; the cells p of N_r alone.
Formula: Σ_{c: π_c > π_r} Σ_{t: starts before E_r} Σ_{p in N_r} w[c,p,t] >= 1.
Intuition: stopping is a choice among plans: every set of stopped jobs is a problem of its own, in which they wait for the rest of
their run (less what a checkpoint keeps, `restart_minutes` more) at the price of a move. All have the same scales, and the best plan
is taken (optimize/preempting.py). The least of their bounds is a bound.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.model.stop import Stop
from schedplan.model.workload import JobState
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `preempt`."""
    for stop in variables.layout.problem.stops:
        _add_stop(variables, rows, stop)


def _add_stop(variables: Variables, rows: Rows, stop: Stop) -> None:
    layout = variables.layout
    place = {cell.idx for cell in layout.cells if set(cell.nodes) <= set(stop.nodes)}
    instead = []
    for start in variables.starts:
        job = layout.classes[start.column.class_idx].job
        is_in_time = layout.problem.grid.slot_start_s(start.column.start_slot) < stop.until_s
        if job.priority > stop.priority and job.state is not JobState.RUNNING and is_in_time:
            instead += [workers for cell_idx, workers in start.workers if cell_idx in place]
    rows.when(f"preempt {stop.job}", cp_model.LinearExpr.sum(instead) >= 1)
