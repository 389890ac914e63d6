"""The pieces that a best-effort job may run in on a pool, each a column, and the work that is done in each. It adds no row.

A piece in which nothing is done, one that is enough for the whole job, and a last one that is over before its last slot are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schedplan.measures.pieces import FORGIVEN, Piece, may_hold_piece, work_share
from schedplan.measures.work import last_end
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job

KINDS = (Piece.FIRST, Piece.MIDDLE, Piece.LAST)


@dataclass(frozen=True, slots=True)
class PieceChoice:
    """A piece of a kind from a slot to an edge."""

    start_slot: int
    end_edge: int
    piece: Piece


def piece_choices(problem: Problem, job: Job, pool: Pool) -> Iterator[PieceChoice]:
    """Give every piece of a job on a pool, in order of start, end and kind."""
    if job.name not in problem.may_pause or not may_hold_piece(pool):
        return
    first, last = problem.grid.release_slot(job.release_s), last_end(problem, job)
    for start_slot in range(first, last):
        for end_edge in range(start_slot + 1, last + 1):
            kinds = [kind for kind in KINDS if _is_one(problem, job, pool, kind, start_slot, end_edge)]
            fits = [kind for kind in kinds if (start_slot > first or kind.begins) and (end_edge < last or kind.ends)]
            yield from (PieceChoice(start_slot, end_edge, kind) for kind in fits)
            if not kinds and share_done(problem, job, pool, Piece.MIDDLE, start_slot, end_edge) > FORGIVEN:
                break


def share_done(problem: Problem, job: Job, pool: Pool, piece: Piece, start_slot: int, end_edge: int) -> float:
    """Return the share of all its work that a job can do in a piece."""
    edges_s = problem.grid.edges_s
    return work_share(problem, job, pool, piece, (edges_s[end_edge] - edges_s[start_slot]) / 60.0)


def _is_one(problem: Problem, job: Job, pool: Pool, piece: Piece, start_slot: int, end_edge: int) -> bool:
    if share_done(problem, job, pool, piece, start_slot, end_edge) <= FORGIVEN:
        return False
    needed = end_edge - 1 if piece.ends else end_edge
    return share_done(problem, job, pool, piece, start_slot, needed) < 1.0 - FORGIVEN
