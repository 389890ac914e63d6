"""pieces: a best-effort job may leave its devices to who needs them and go on later, on any of its sites, until its work is done.

Sets: jobs c that `[rules] best_effort` selects and that may pause, a class each; pieces k = (site, from slot a, to edge e, which:
first, between, last), off spot; slots t. v_k work of a piece in reference time: booked less load, less restart where it goes on,
less a checkpoint where it leaves; l_k the same without the last slot of a last piece, V_c all work.
Formula: x[k] in {0, 1}; Σ_last x + Σ_whole x[c,site,t] + u[c] = 1 (`place`); Σ_first x = Σ_last x; for each t
Σ_{a <= t < e} x <= Σ_{first, a <= t} x and <= Σ_{last, e > t} x; Σ_{later, a = t} x <= Σ_{first, e <= t} x;
Σ_{between, e = t} x <= Σ_{last, a >= t} x; Σ_{e <= t} v_k x >= V_c Σ_{last, e <= t} x; at last Σ_{not last} v_k x + Σ_last l_k x
< V_c Σ_last x.
Intuition: a piece is a start with an end of its own, so what it holds, costs, emits and counts for is what any start does. In which
pieces the work is cut follows from what else wants the devices; the last row keeps a job from sitting on idle ones to look busy.
The wait is all time in which it does not work, and a sum over pieces (`measures/pieces.py`). Leaving loses no work: a plan knows
when a job leaves, so its checkpoint is written by then (our choice).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import gcd

from ortools.sat.python import cp_model

from schedplan.measures.pieces import FORGIVEN, Piece
from schedplan.measures.work import reference_h
from schedplan.optimize.layout import Column, Layout
from schedplan.optimize.piece_choices import KINDS, share_done
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Start, Variables
from schedplan.units import micro

SURE = 0.5 * FORGIVEN
"""What these rows take for done is done for the check as well, whatever rounding to microseconds does."""


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `pieces`."""
    pieces: dict[int, list[Start]] = defaultdict(list)
    for start in variables.starts:
        if start.column.piece is not Piece.WHOLE:
            pieces[start.column.class_idx].append(start)
    for class_idx in sorted(pieces):
        _add_order(rows, pieces[class_idx], variables.layout.problem.grid.n_slots)
        _add_work(rows, variables.layout, pieces[class_idx])


def _add_order(rows: Rows, pieces: list[Start], n_slots: int) -> None:
    """One piece at a time, the first before all others, the last after them."""
    first, middle, last = ([one for one in pieces if one.column.piece is kind] for kind in KINDS)
    rows.always(_sum(first) == _sum(last))
    for slot in range(n_slots):
        held = _sum(one for one in pieces if one.column.start_slot <= slot < one.column.end_edge)
        rows.always(held <= _sum(one for one in last if one.column.end_edge > slot))
        rows.always(held <= _sum(one for one in first if one.column.start_slot <= slot))
        begun = [one for one in (*middle, *last) if one.column.start_slot == slot]
        ended = [one for one in middle if one.column.end_edge == slot]
        if begun:
            rows.always(_sum(begun) <= _sum(one for one in first if one.column.end_edge <= slot))
        if ended:
            rows.always(_sum(ended) <= _sum(one for one in last if one.column.start_slot >= slot))


def _add_work(rows: Rows, layout: Layout, pieces: list[Start]) -> None:
    """All work is done, and not before the last slot. In microseconds of the reference, divided by what they have in common."""
    work_s = reference_h(layout.classes[pieces[0].column.class_idx].job) * 3600.0
    done = [micro(work_s * _share(layout, one.column)) for one in pieces]
    before = [
        micro(work_s * _share(layout, one.column, one.column.end_edge - 1)) if one.column.piece.ends else amount
        for one, amount in zip(pieces, done, strict=True)
    ]
    unit = gcd(*done, *before)
    need, spare = micro(work_s * (1.0 - SURE)), micro(work_s * (1.0 - 2 * FORGIVEN))
    last = _sum(one for one in pieces if one.column.piece.ends)
    _add_by_each_end(rows, pieces, [amount // unit for amount in done], -(-need // unit))
    rows.always(_weighed(pieces, [amount // unit for amount in before]) <= spare // unit * last)


def _add_by_each_end(rows: Rows, pieces: list[Start], amounts: list[int], need: int) -> None:
    """A job that is over by an edge has done by then what it needs."""
    for edge in sorted({one.column.end_edge for one in pieces if one.column.piece.ends}):
        over = [(one, amount) for one, amount in zip(pieces, amounts, strict=True) if one.column.end_edge <= edge]
        ended = _sum(one for one, _ in over if one.column.piece.ends)
        rows.always(_weighed([one for one, _ in over], [amount for _, amount in over]) >= need * ended)


def _share(layout: Layout, column: Column, end_edge: int | None = None) -> float:
    job, pool = layout.classes[column.class_idx].job, layout.cells[layout.site(column).cells[0]].pool
    edge = column.end_edge if end_edge is None else end_edge
    return share_done(layout.problem, job, pool, column.piece, column.start_slot, edge)


def _sum(pieces: Iterable[Start]) -> cp_model.LinearExpr:
    found = list(pieces)
    return _weighed(found, [1] * len(found))


def _weighed(pieces: list[Start], amounts: list[int]) -> cp_model.LinearExpr:
    return cp_model.LinearExpr.weighted_sum([one.gangs for one in pieces], amounts)
