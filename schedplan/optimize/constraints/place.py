"""place: every job is started once or left out; a required one is started.

Sets: job classes c with n_c identical gangs, their sites, slots t.
Formula: Σ_{site,t} x[c,site,t] + u[c] = n_c, where of a job in pieces (`pieces`) the last one counts; u[c] = 0 where the jobs are
required, pinned or run already.
Intuition: leaving work out is a choice with a price in the objective, never an accident.
"""

from __future__ import annotations

from collections import defaultdict

from ortools.sat.python import cp_model

from schedplan.model.workload import JobState
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `place`."""
    gangs_of: dict[int, list[cp_model.IntVar]] = defaultdict(list)
    for start in (one for one in variables.starts if one.column.piece.ends):
        gangs_of[start.column.class_idx].append(start.gangs)
    for job_class, left_out in zip(variables.layout.classes, variables.left_out, strict=True):
        placed = cp_model.LinearExpr.sum(gangs_of[job_class.idx]) + left_out
        rows.places[job_class.idx] = rows.always(placed == job_class.count)
        if job_class.job.required or job_class.job.state is JobState.RUNNING:
            pin = variables.layout.problem.pin_of_job.get(job_class.job.name)
            rule = "pin" if pin is not None and pin.makes_required else "required"
            rows.when(f"{rule} {job_class.job.name}", left_out == 0)
