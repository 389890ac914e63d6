"""Moves: what stands elsewhere, or at another time, than an earlier plan had it. It prices nothing.

A waiting job of the earlier plan that is placed: all its devices where it starts at another instant, else those of its workers that
stand on a node beyond what the earlier plan had of it there. Replicas of a service of the earlier plan: in each slot that both
plans have, those beyond what stood on their node then, so that what a service grows by counts too. Devices are the counted resource
(cores where no node has devices), as asked. A job that now runs in pieces moves as a whole; how it ran in pieces before is not
kept to. What runs already, is left out, or is new does not move; what ran and was stopped moves with all its devices when it runs
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from schedplan.measures.pieces import pieces_of
from schedplan.measures.work import counted_share
from schedplan.model.earlier import Stay
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState


@dataclass(frozen=True, slots=True)
class Moves:
    """devices: of jobs that moved; replica_devices: of replicas that moved, summed over slots."""

    devices: float
    replica_devices: float

    @property
    def total(self) -> float:
        return self.devices + self.replica_devices


def moves_of(problem: Problem, decisions: Decisions) -> Moves:
    """Return what decisions move against the earlier plan of a problem; nothing where there is none."""
    if problem.earlier is None and not problem.stops:
        return Moves(0.0, 0.0)
    parts_of: dict[str, list[JobPart]] = {}
    for part in decisions.parts:
        parts_of.setdefault(part.job, []).append(part)
    devices = [_of_job(problem, problem.job_by_name[name], parts) for name, parts in sorted(parts_of.items())]
    return Moves(fsum(devices), fsum(_replicas(problem, decisions)))


def _of_job(problem: Problem, job: Job, parts: list[JobPart]) -> float:
    first, workers = pieces_of(parts)[0], dict[str, int]()
    for part in first:
        workers[part.node] = workers.get(part.node, 0) + part.workers
    start_slot = None if first[0].end_edge is not None else parts[-1].start_slot
    return moved_devices(problem, job, start_slot, workers)


def stay_of(problem: Problem, job: Job) -> Stay | None:
    """Return how the earlier plan had a job that may move; None where it did not, or the job runs already."""
    return None if job.state is JobState.RUNNING else problem.stay_of_job.get(job.name)


def moved_devices(problem: Problem, job: Job, start_slot: int | None, workers: Mapping[str, int]) -> float:
    """Return the devices of a placed job that move, in the counted resource; start_slot None: it runs in pieces."""
    share = counted_share(job.shape, problem.cluster)
    if job.name in problem.stop_of_job:
        return sum(workers.values()) * share
    stay = stay_of(problem, job)
    if stay is None:
        return 0.0
    if start_slot is None or problem.grid.slot_start_s(start_slot) != stay.start_s:
        return sum(workers.values()) * share
    before = dict(stay.nodes)
    return share * sum(max(count - before.get(node, 0), 0) for node, count in workers.items())


def _replicas(problem: Problem, decisions: Decisions) -> list[float]:
    found = []
    for part in decisions.replicas:
        before = problem.stood_before(part.service, part.slot)
        if before is not None:
            share = counted_share(problem.service_by_name[part.service].shape, problem.cluster)
            found.append(share * max(part.replicas - before.get(part.node, 0), 0))
    return found
