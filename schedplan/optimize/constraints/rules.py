"""rules: work that the left side of a rule matches stands on no node that its right side matches.

Sets: rules (L, R) of `[rules] forbid`, jobs c and services s, cells p of nodes alike in every rule.
Formula: w[c,p,t] = 0 and k[s,p,t] = 0 for every (L, R) with c (or s) in L and p in R.
Intuition: such a place is no choice, so it is never a column; only the search for a conflict offers it, and forbids it by a row
of the rule's own name, so that the rule can be named. What runs already stays where it runs.
"""

from __future__ import annotations

from schedplan.model.forbid import Forbid
from schedplan.model.workload import JobState
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `rules` for columns that a rule forbids; there are none but in the search for a conflict."""
    for rule in variables.layout.problem.forbid:
        closed = {cell.idx for cell in variables.layout.cells if rule.covers_pool(cell.pool)}
        if closed:
            _close_jobs(variables, rows, rule, closed)
            _close_services(variables, rows, rule, closed)


def _close_jobs(variables: Variables, rows: Rows, rule: Forbid, closed: set[int]) -> None:
    for start in variables.starts:
        job = variables.layout.classes[start.column.class_idx].job
        if job.state is JobState.RUNNING or not rule.covers_job(job):
            continue
        for cell_idx, workers in start.workers:
            if cell_idx in closed:
                rows.when(f"rules {rule.text}", workers == 0)


def _close_services(variables: Variables, rows: Rows, rule: Forbid, closed: set[int]) -> None:
    for service, replicas in zip(variables.layout.problem.services, variables.replicas, strict=True):
        if not rule.covers_service(service):
            continue
        for cell_idx in closed & replicas.keys():
            for amount in replicas[cell_idx]:
                rows.when(f"rules {rule.text}", amount == 0)
