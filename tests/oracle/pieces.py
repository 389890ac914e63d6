"""Best effort by trying: which jobs may run in pieces, every way to cut one up, and how much of its work is done in each piece.

It is written from the description of the rule, and shares no line with the product. It counts minutes, and knows no objective.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState

Span: TypeAlias = tuple[int, int, tuple[int, ...]]
"""A piece: first slot, edge at which it ends, workers per node."""
DONE = 1e-6


def may_pause(problem: Problem, job: Job) -> bool:
    """Whether a selector says a job is best effort, and nothing ties it to one piece."""
    told = {"kind": job.kind.value, "job": job.name, "tenant": job.tenant, "priority": f"{job.priority}"}
    is_chosen = any(
        all(told.get(one.partition("=")[0]) in one.partition("=")[2].split("|") for one in rule.text.replace(",", " ").split())
        for rule in problem.best_effort
    )
    is_tied = any(pin.work == job.name and not pin.is_service for pin in problem.pins)
    is_tied |= any(stop.job == job.name for stop in problem.stops)
    is_tied |= job.gang is not None and sum(other.gang == job.gang for other in problem.jobs) > 1
    is_tied |= any(job.name in other.after or other.name in job.after for other in problem.jobs)
    is_elastic = job.min_workers is not None and job.min_workers < job.workers
    is_able = job.preemptible and job.checkpoint_minutes is not None and job.state is JobState.PENDING
    return is_chosen and is_able and not is_tied and not is_elastic


def cuts(first: int, last: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every choice of two or more spans of slots, one after the other, from slot `first` to edge `last`."""
    for marks in product((0, 1, 2), repeat=last - first):  # a slot is free, goes on with a piece, or begins one
        spans: list[list[int]] = []
        before = 0
        for slot, mark in enumerate(marks, first):
            if mark == 2:
                spans.append([slot, slot + 1])
            elif mark == 1 and before:
                spans[-1][1] = slot + 1
            elif mark == 1:
                break
            before = mark
        else:
            if len(spans) > 1:
                yield tuple((begin, end) for begin, end in spans)


def idle_minutes(job: Job, pool: Pool, number: int, count: int) -> float:
    """Minutes of a piece without work: to load, to restart from the second piece on, to save up to the last but one."""
    loads = 0.0 if job.affinity is not None and job.affinity in pool.caches else job.load_minutes
    return loads + (job.restart_minutes if number > 0 else 0.0) + (job.checkpoint_cost_minutes if number < count - 1 else 0.0)


def works_out(problem: Problem, job: Job, pools: Sequence[Pool], spans: Sequence[tuple[int, int]], speeds: Sequence[float]) -> bool:
    """Whether pieces on these pools do all the work, each some of it, and not without their very last slot."""
    if any(pool.market is Market.SPOT for pool in pools):
        return False
    edges_s = problem.grid.edges_s
    done = []
    for number, ((begin, end), pool, speed) in enumerate(zip(spans, pools, speeds, strict=True)):
        idle = idle_minutes(job, pool, number, len(spans))
        done.append(speed * ((edges_s[end] - edges_s[begin]) / 60 - idle))
    begin, end = spans[-1]
    shorter = speeds[-1] * max(
        (edges_s[end - 1] - edges_s[begin]) / 60 - idle_minutes(job, pools[-1], len(spans) - 1, len(spans)), 0
    )
    work = job.runtime_minutes or 0.0
    return min(done) > DONE * work and sum(done) >= work * (1 - DONE) and sum(done[:-1]) + shorter < work * (1 - DONE)
