"""after: a job starts only when the jobs that it waits for have ended, and not without them.

Sets: jobs b with the jobs A(b) of the problem that they wait for, slots t; e booked end of a start; each a class of its own.
Formula: Σ_{site, τ <= t} x[b,site,τ] <= Σ_{site, τ: e <= t} x[a,site,τ] for every a in A(b) and every t in which b may start.
Intuition: by each slot b has begun at most as often as a has ended. Row by row that is the tightest there is: one row per pair
(start of b, end of a) says less, and a sum of start times less still. In the last slot it is u[b] >= u[a]. What runs already
waits for nobody, and what is no job of the problem (history) has ended.
Source: Pritsker, Watters, Wolfe 1969, doi.org/10.1287/mnsc.16.1.93; the disaggregated form Christofides, Alvarez-Valdes, Tamarit
1987, doi.org/10.1016/0377-2217(87)90240-2.
"""

from __future__ import annotations

from collections import defaultdict

from ortools.sat.python import cp_model

from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Start, Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `after`."""
    layout = variables.layout
    starts_of: dict[str, list[Start]] = defaultdict(list)
    for start in variables.starts:
        job_class = layout.classes[start.column.class_idx]
        if job_class.job.name in layout.problem.linked:
            starts_of[job_class.job.name].append(start)
    for name, before in layout.problem.waits_for.items():
        for other in before:
            _add_pair(rows, f"after {name}", starts_of[name], starts_of[other])


def _add_pair(rows: Rows, rule: str, later: list[Start], earlier: list[Start]) -> None:
    for slot in sorted({start.column.start_slot for start in later}):
        begun = [start.gangs for start in later if start.column.start_slot <= slot]
        ended = [start.gangs for start in earlier if start.column.end_edge <= slot]
        rows.when(rule, cp_model.LinearExpr.sum(begun) <= cp_model.LinearExpr.sum(ended))
