"""disruption: what moves against an earlier plan has a price, in device-hours of waiting.

Sets: jobs c of the earlier plan, started at τ_c with a_c[n] workers on node n; services s of it, with b_s[n,t] replicas in the
slots t that both plans have; cells p of nodes; g devices of a worker or replica; H = `[objective] move_device_h`.
Formula: added to the latency goal: H g_c W_c x[c,site,t] for t other than τ_c; H g_c d[c,p] and H g_s e[s,p,t] with d, e >= 0,
d[c,p] >= w[c,p,τ_c] − x[c,site,τ_c] Σ_{n in p} a_c[n], e[s,p,t] >= k[s,p,t] − Σ_{n in p} b_s[n,t].
Intuition: exact on single nodes. On cells of several nodes it counts what leaves the cell and not what changes its node inside, and
of a gang over several such cells what leaves them all: no more than is moved, so a bound stays a bound. The scales of the goals are
those of a problem without an earlier plan: with unchanged inputs that plan is worth what it was, and every other at least what it
was.
"""

from __future__ import annotations

from collections.abc import Mapping

from schedplan.measures.moves import stay_of
from schedplan.measures.pieces import Piece
from schedplan.measures.work import counted_share
from schedplan.model.workload import Job
from schedplan.optimize.cells import Cell, Level
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Amount, Start, Variables

Move = tuple[Amount, float]
"""An amount, and the device-hours that one unit of it adds to the latency goal."""


def add(variables: Variables, rows: Rows) -> tuple[Move, ...]:
    """Add the rows of `disruption`; return what moves with its price."""
    problem = variables.layout.problem
    if (problem.earlier is None and not problem.stops) or problem.objective.move_device_h == 0:
        return ()
    moves: list[Move] = []
    for start in variables.starts:
        moves += _of_job(variables, rows, start)
    for idx in range(len(problem.services)):
        moves += _of_service(variables, rows, idx)
    return tuple(moves)


def _of_job(variables: Variables, rows: Rows, start: Start) -> list[Move]:
    layout, problem, column = variables.layout, variables.layout.problem, start.column
    job: Job = layout.classes[start.column.class_idx].job
    stay = stay_of(problem, job)
    price = problem.objective.move_device_h * counted_share(job.shape, problem.cluster)
    if job.name in problem.stop_of_job:
        return [(start.gangs, price * start.column.workers)]
    if stay is None or column.piece not in (Piece.WHOLE, Piece.FIRST):
        return []
    if column.piece is Piece.FIRST or problem.grid.slot_start_s(column.start_slot) != stay.start_s:
        return [(start.gangs, price * start.column.workers)]
    nodes = dict(stay.nodes)
    site = layout.site(start.column).cells
    if len(site) == 1 or layout.level is Level.POOLS:
        before = sum(_before(layout.cells[idx], nodes) for idx in site)
        return [(start.gangs, price * max(start.column.workers - before, 0))]
    moves: list[Move] = []
    for cell_idx, workers in start.workers:
        before = _before(layout.cells[cell_idx], nodes)
        if before < start.column.workers:
            moved = variables.model.new_int_var(0, start.column.workers, f"d[{start.column.class_idx},{cell_idx}]")
            rows.always(workers - before * start.gangs <= moved)
            moves.append((moved, price))
    return moves


def _of_service(variables: Variables, rows: Rows, service_idx: int) -> list[Move]:
    problem = variables.layout.problem
    service = problem.services[service_idx]
    price = problem.objective.move_device_h * counted_share(service.shape, problem.cluster)
    moves: list[Move] = []
    for slot in range(problem.grid.n_slots):
        nodes = problem.stood_before(service.name, slot)
        if nodes is None:
            continue
        for cell_idx, amounts in variables.replicas[service_idx].items():
            amount, before = amounts[slot], _before(variables.layout.cells[cell_idx], nodes)
            most = max(amount.proto.domain)
            if before == 0:
                moves.append((amount, price))
            elif before < most:
                moved = variables.model.new_int_var(0, most, f"e[{service_idx},{cell_idx},{slot}]")
                rows.always(amount - before <= moved)
                moves.append((moved, price))
    return moves


def _before(cell: Cell, nodes: Mapping[str, int]) -> int:
    return sum(nodes.get(node, 0) for node in cell.nodes)
