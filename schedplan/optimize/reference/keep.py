"""The earlier plan carried over: what still may stand as it stood stays, the rest is placed beside it first come, first served."""

from __future__ import annotations

import numpy as np

from schedplan.measures.eligibility import job_refusal
from schedplan.measures.pins import may_stand, may_start
from schedplan.model.earlier import Stay
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.window import windows_from
from schedplan.optimize.reference.insertion import inserted
from schedplan.optimize.reference.plan import running_parts
from schedplan.optimize.reference.services import reference_replicas
from schedplan.packing.assignment import has_work
from schedplan.packing.board import Board, Hold
from schedplan.packing.supply import close_supply


def carried_over(problem: Problem) -> Decisions | None:
    """Return a plan that keeps to the earlier one as far as rooms and windows allow; None where there is none, or it can't be on.

    Whether it keeps every rule is for the check to say.
    """
    if problem.earlier is None:
        return None
    board = Board(problem)
    parts = list(running_parts(problem, board))
    # by their starts: devices that suffice in every slot are then found free for the whole of every run
    for stay in sorted(problem.earlier.jobs, key=lambda stay: (stay.start_s, stay.job)):
        parts += _stays(problem, board, stay)
    replicas = reference_replicas(problem, board, as_before=True)
    standing = {part.job for part in parts}
    waiting = tuple(job for job in problem.jobs if job.name not in standing)
    parts += inserted(problem, board, waiting, tuple(parts))
    ordered = tuple(sorted(parts))
    on = close_supply(problem, has_work(problem, ordered, replicas))
    return None if on is None else Decisions(ordered, replicas, on)


def _stays(problem: Problem, board: Board, stay: Stay) -> list[JobPart]:
    """Take the room of a job as it stood and return its parts; none, and nothing taken, where it may not stand so any more."""
    job, slot = problem.job_by_name.get(stay.job), problem.grid.starting_slot(stay.start_s)
    if job is None or job.state is JobState.RUNNING or slot is None or not _may(problem, job, stay, slot):
        return []
    pools = [problem.cluster.pool_of_node[node] for node, _ in stay.nodes]
    count, first = sum(workers for _, workers in stay.nodes), problem.grid.release_slot(job.release_s)
    ends = {end for pool in pools for start, end in windows_from(problem, job, pool, first, count) if start == slot}
    span = slice(slot, max(ends, default=slot))
    if len(ends) != 1 or board.allowance.refusal(job, pools[0].accelerator, count, span) is not None:
        return []
    holds: list[Hold] = []
    for node, workers in stay.nodes:
        idx = problem.cluster.node_idx[node]
        if int(board.room(np.array([idx]), job.shape, span.start, span.stop)[0]) < workers:
            for hold in holds:
                board.give_back(hold)
            return []
        holds.append(board.take(idx, job.shape, workers, span.start, span.stop))
    board.allowance.add(job, pools[0].accelerator, count, span)
    return [JobPart(job.name, node, slot, workers) for node, workers in stay.nodes]


def _may(problem: Problem, job: Job, stay: Stay, slot: int) -> bool:
    """Whether a job is the size it was, on nodes that are still there and take it, and its pin allows it."""
    nodes = [node for node, _ in stay.nodes]
    count = sum(workers for _, workers in stay.nodes)
    if not job.least_workers <= count <= job.workers or not may_start(problem, job.name, slot):
        return False
    pools = [problem.cluster.pool_of_node.get(node) for node in nodes]
    return all(pool is not None and job_refusal(pool, job) is None for pool in pools) and all(
        may_stand(problem, job.name, node) for node in nodes
    )
