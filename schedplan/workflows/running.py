"""What runs already, as a plan takes it over: on single nodes, with the room it holds, to the end of the horizon at most.

What cannot be true of a running job is refused with the cell to mend. That a node would not take it today (a taint, a market,
a device model) is no reason to stop it: it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from schedplan.errors import Fault, InputError
from schedplan.measures.work import run_minutes, stretch
from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool
from schedplan.model.problem import Problem
from schedplan.model.sequence import gang_rows
from schedplan.model.workload import DeadlineKind, Job, JobState, Placed, Toleration
from schedplan.packing.board import Board

CODE = "SP1203"
COLUMN = "placement"


def taken_over(problem: Problem, jobs: tuple[Job, ...]) -> tuple[tuple[Job, ...], tuple[str, ...]]:
    """Return all jobs with the running ones as a plan can hold them, in their order, and what has to be said.

    problem: without jobs. Raises InputError with every running job whose placement can't be.
    """
    board = Board(problem)
    faults: list[Fault] = []
    said: list[str] = []
    found: dict[str, Job] = {}
    running = [job for job in jobs if job.state is JobState.RUNNING]
    for job in sorted(running, key=lambda job: any(placed.node in problem.cluster.by_name for placed in job.placement)):
        if not job.placement:
            found[job.name] = _anywhere(problem, job)
            said.append(
                f"job {job.name} runs, but its placement is not stated: it is planned as a required job that starts at once"
            )
            continue
        reason = _contradiction(problem.cluster, job)
        placed = None if reason else _on_nodes(problem, board, job)
        if placed is None:
            hint = "Correct placement, count or the size of the nodes; or leave placement empty to have a place found."
            faults.append(Fault(CODE, f"job {job.name} {reason or _lack(job)}", column=COLUMN, hint=hint))
            continue
        kept, words = _within_horizon(problem, placed)
        said.extend(_through_outages(problem, kept))
        found[job.name] = kept
        said.extend(words)
    if faults:
        raise InputError.of_faults(tuple(faults))
    said.extend(_halved(jobs))
    return tuple(found.get(job.name, job) for job in jobs), tuple(said)


def _halved(jobs: tuple[Job, ...]) -> tuple[str, ...]:
    """Tell of gangs of which some rows run and others wait: these start together, without those."""
    waiting = gang_rows(jobs)
    running = dict.fromkeys(job.gang or "" for job in jobs if job.state is JobState.RUNNING and job.gang in waiting)
    return tuple(
        f"gang {gang} runs in part; its other rows, {', '.join(job.name for job in waiting[gang])}, are planned without what runs"
        for gang in running
    )


def _anywhere(problem: Problem, job: Job) -> Job:
    first_s = problem.grid.start_s
    waiting = replace(job, state=JobState.PENDING, required=True, submit_s=None, earliest_start_s=first_s, start_s=None)
    return replace(waiting, after=(), gang=None)


def _contradiction(cluster: Cluster, job: Job) -> str | None:
    """Return why a placement can't be, whatever else runs; None where it can."""
    placed = sum(part.workers for part in job.placement)
    if not job.least_workers <= placed <= job.workers:
        least = f"at least {job.least_workers} run" if job.is_elastic else "all of a gang run"
        return f"runs with {placed} of its {job.workers} workers placed; {least} or none does"
    for part in job.placement:
        pool = cluster.by_name.get(part.node) or cluster.pool_of_node.get(part.node)
        if pool is None:
            return f"runs on {part.node}, which is no node of the table nodes"
        if pool.status is NodeStatus.DOWN:
            return f"runs on {part.node}, which is down"
        if part.node != pool.name and pool.node_names().index(part.node) >= pool.count:
            return f"runs on {part.node}, but {pool.name} has only {pool.count} nodes now"
    return None


def _lack(job: Job) -> str:
    nodes = ", ".join(dict.fromkeys(part.node for part in job.placement))
    return f"runs on {nodes}, where there is no room for its {job.standing_workers} workers beside what else runs there"


def _on_nodes(problem: Problem, board: Board, job: Job) -> Job | None:
    """Take the room of a job and return it on single nodes; None where the room is not there."""
    workers: dict[str, int] = {}
    shape = replace(job.shape, max_per_node=None)
    for part in job.placement:
        names = _names(problem.cluster, part.node)
        left = part.workers
        for name in names:
            node_idx = problem.cluster.node_idx[name]
            is_closed = not board.is_open[node_idx, 0]
            room = left if is_closed else int(board.room(np.array([node_idx]), shape, 0, 1)[0])
            taken = min(left, room)
            if taken and not is_closed:
                board.take(node_idx, shape, taken, 0, 1)
            if taken:
                workers[name] = workers.get(name, 0) + taken
                left -= taken
        if left:
            return None
    placement = tuple(Placed(name, count) for name, count in sorted(workers.items()))
    return _accepted(problem.cluster, replace(job, placement=placement))


def _names(cluster: Cluster, node: str) -> tuple[str, ...]:
    """Return the single nodes that a name stands for: itself, or those of a pool that are there."""
    pool = cluster.by_name.get(node)
    return (node,) if pool is None else pool.node_names()[: pool.count]


def _accepted(cluster: Cluster, job: Job) -> Job:
    """Return a job that its own nodes do not refuse."""
    pools = [cluster.pool_of_node[part.node] for part in job.placement]
    tolerations = tuple(Toleration(taint.key, taint.value) for pool in pools for taint in pool.taints)
    shape = replace(
        job.shape,
        accelerators=(),
        gpu_memory_gib=None,
        max_per_node=None,
        tolerations=tuple(dict.fromkeys((*job.shape.tolerations, *tolerations))),
    )
    return replace(job, shape=shape, spot_ok=job.spot_ok or any(pool.market is Market.SPOT for pool in pools))


def _within_horizon(problem: Problem, job: Job) -> tuple[Job, tuple[str, ...]]:
    pool = problem.cluster.pool_of_node[job.placement[0].node]
    minutes = run_minutes(problem, job, pool)
    horizon_minutes = (problem.grid.end_s - problem.grid.start_s) / 60
    if minutes > horizon_minutes:
        said = f"job {job.name} runs on beyond the horizon; it is planned up to its end"
        return _shortened(problem, job, pool, minutes - horizon_minutes), (said,)
    late_minutes = (problem.grid.start_s + minutes * 60 - (job.deadline_s or 0)) / 60
    if job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD and late_minutes > 0:
        said = f"job {job.name} runs and will miss its deadline by {late_minutes:g} min"
        return replace(job, deadline_kind=DeadlineKind.SOFT), (said,)
    return job, ()


def _through_outages(problem: Problem, job: Job) -> Iterator[str]:
    """Give a sentence for each outage that a running job is not moved away from."""
    first_s = problem.grid.start_s
    for outage in problem.outages:
        nodes = [placed.node for placed in job.placement if placed.node in outage.nodes(problem.cluster)]
        pools = [problem.cluster.pool_of_node[node] for node in nodes]
        end_s = max((first_s + run_minutes(problem, job, pool) * 60 for pool in pools), default=first_s)
        if outage.start_s < end_s and outage.end_s > first_s and nodes:
            yield f"job {job.name} runs on {', '.join(nodes)} into an outage ({outage.told(problem.zone)}); it is planned to stay"


def _shortened(problem: Problem, job: Job, pool: Pool, minutes: float) -> Job:
    """Return a running job that ends so many minutes earlier on its pool; being cut, it has no deadline to keep."""
    speed = problem.cluster.speed(pool.accelerator, job.name, job.kind.value) / stretch(job, job.standing_workers)
    return replace(job, runtime_minutes=(job.runtime_minutes or 0.0) - minutes * speed, deadline_s=None)
