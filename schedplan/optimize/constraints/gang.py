"""gang: all workers of a job, and all rows of one gang, start together or none does; what a cell promises its nodes can hold.

Sets: classes c of W_c workers with g_c devices (or cores, GiB); rows i, j of one gang, each a class of its own; cells with N nodes
of capacity G.
Formula: Σ_cell w[c,cell,t] = W_c x[c,site,t], of an elastic gang the workers of the start in place of W_c (`elastic`);
Σ_site x[i,site,t] = Σ_site x[j,site,t] for rows of one gang; on a single node w <= per_node. On a
cell of several nodes, for the dual feasible functions f1, f2 of each resource: Σ f_k(g_c/G) w <= usable nodes, where f_k(q) = q if
(k+1)q is whole, else floor((k+1)q)/k.
Intuition: rows of one gang share a start and nothing else: each has its own shape, sites and run time. A row that runs already
has started, and the others go on without it. Two workers above half a node never share one, and three above a third never do;
sums alone do not see that.
The functions stand in optimize/dual_feasible.py, with their source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ortools.sat.python import cp_model

from schedplan.optimize.constraints.capacity import Resource, Use, Work, resources
from schedplan.optimize.dual_feasible import FUNCTIONS, lifted, scale
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, work: Work, rows: Rows) -> None:
    """Add the rows of `gang`."""
    for start in variables.starts:
        job_class = variables.layout.classes[start.column.class_idx]
        if len(variables.layout.site(start.column).cells) > 1 and job_class.fixed is None:
            workers = cp_model.LinearExpr.sum([amount for _, amount in start.workers])
            rows.always(workers == start.column.workers * start.gangs)
    _add_rows_of_gangs(variables, rows)
    for cell in variables.layout.cells:
        if cell.count > 1:
            known = resources(variables, cell.idx)
            for slot, uses in enumerate(work[cell.idx]):
                for resource in known:
                    _add_cuts(variables, rows, cell.idx, slot, uses, resource)


def _add_rows_of_gangs(variables: Variables, rows: Rows) -> None:
    """Let every row of a gang start as often in each slot as its first one; where one has no start, none has."""
    problem, classes = variables.layout.problem, variables.layout.classes
    begun: dict[tuple[str, int], list[cp_model.IntVar]] = defaultdict(list)
    for start in variables.starts:
        begun[classes[start.column.class_idx].job.name, start.column.start_slot].append(start.gangs)
    for gang in dict.fromkeys(problem.gang_rows.values()):
        first, *others = gang
        for slot in range(problem.grid.n_slots):
            of_first = begun.get((first.name, slot), [])
            for other in others:
                of_other = begun.get((other.name, slot), [])
                if of_first or of_other:
                    rows.when(f"gang {first.gang}", cp_model.LinearExpr.sum(of_first) == cp_model.LinearExpr.sum(of_other))


def _add_cuts(variables: Variables, rows: Rows, cell_idx: int, slot: int, uses: Sequence[Use], resource: Resource) -> None:
    demands = [resource.demand(use) for use in uses]
    for k in FUNCTIONS:
        values = [lifted(demand, resource.capacity, k) for demand in demands]
        if any(value * resource.capacity > demand * scale(k) for value, demand in zip(values, demands, strict=True)):
            terms = [use.workers * value for use, value in zip(uses, values, strict=True) if value]
            rows.always(cp_model.LinearExpr.sum(terms) <= scale(k) * variables.usable(cell_idx, slot))
