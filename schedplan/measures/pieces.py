"""Pieces: what a job that leaves and goes on later gets done in each of its pieces, and how long it waits in all.

    booked    = from the start of a piece to the edge at which it ends
    overhead  = load of what the node does not cache; + restart where the job goes on; + one checkpoint where it leaves
    work      = max(booked - overhead, 0);  share = work / run time on the nodes of the piece
    wait      = all time from its release to the end of its work in which the job neither works nor loads for the first time

A plan knows beforehand when a job leaves, so the job writes its checkpoint then and loses no work (our choice: the grace that
schedulers give what they stop is there for this). In one piece all of it is what it is without pieces: the wait is start - release.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from schedplan.measures.warm_up import load_minutes_on
from schedplan.measures.work import job_size, lateness
from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job

FORGIVEN = 1e-6
"""Of the whole work: what may be missing where a job is done."""


class Piece(Enum):
    """Which piece of a job: all of it, or the first, one in between, the last."""

    WHOLE = "whole"
    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"

    @property
    def begins(self) -> bool:
        """Whether the job starts with it."""
        return self in (Piece.WHOLE, Piece.FIRST)

    @property
    def ends(self) -> bool:
        """Whether the job is over with it."""
        return self in (Piece.WHOLE, Piece.LAST)


def pieces_of(parts: Sequence[JobPart]) -> list[list[JobPart]]:
    """Return the parts of one job by piece, in order of time; all of them in one where the job runs in one piece."""
    if all(part.end_edge is None for part in parts):
        return [list(parts)]
    found: dict[int, list[JobPart]] = {}
    for part in parts:
        found.setdefault(part.start_slot, []).append(part)
    return [found[slot] for slot in sorted(found)]


def piece_at(number: int, count: int) -> Piece:
    """Return which piece the one of a number, from 0, is of so many."""
    if count == 1:
        return Piece.WHOLE
    if number == 0:
        return Piece.FIRST
    return Piece.LAST if number == count - 1 else Piece.MIDDLE


def may_hold_piece(pool: Pool) -> bool:
    """Whether a job may stand on a pool for a while and leave: not on spot nodes, where when it leaves is no choice of the plan."""
    return pool.market is not Market.SPOT


def overhead_minutes(job: Job, pool: Pool, piece: Piece) -> float:
    """Return the minutes of a piece in which the job does not work."""
    resumes = 0.0 if piece.begins else job.restart_minutes
    leaves = 0.0 if piece.ends else job.checkpoint_cost_minutes
    return load_minutes_on(job, pool) + resumes + leaves


def work_minutes(job: Job, pool: Pool, piece: Piece, booked_minutes: float) -> float:
    """Return the minutes of a piece in which the job can work."""
    return max(booked_minutes - overhead_minutes(job, pool, piece), 0.0)


def work_share(problem: Problem, job: Job, pool: Pool, piece: Piece, booked_minutes: float) -> float:
    """Return the share of all its work that a job can do in a piece; above 1 where it is long enough for more."""
    return work_minutes(job, pool, piece, booked_minutes) / problem.runtime_minutes(job, pool)


def piece_lateness(problem: Problem, job: Job, pool: Pool, piece: Piece, start_s: int, end_s: int) -> float:
    """Return what a piece adds to the latency goal: over all pieces of a job the sum is what the job adds; one may be below 0."""
    if piece is Piece.WHOLE:
        return lateness(problem, job, start_s, end_s)
    per_h = problem.urgency[job.priority] * job_size(problem.cluster, job) * problem.objective.rates.wait
    if piece is Piece.LAST:
        return lateness(problem, job, start_s, end_s) + per_h * overhead_minutes(job, pool, piece) / 60.0
    return -per_h * gained_minutes(job, pool, piece, (end_s - start_s) / 60.0) / 60.0


def gained_minutes(job: Job, pool: Pool, piece: Piece, booked_minutes: float) -> float:
    """Return the minutes of a piece that are no wait: those of work, and the first load, which a job in one piece has as well."""
    loads = load_minutes_on(job, pool) if piece.begins else 0.0
    return work_minutes(job, pool, piece, booked_minutes) + min(loads, booked_minutes)
