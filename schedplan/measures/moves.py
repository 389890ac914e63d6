"""Moves: what stands elsewhere, or at another time, than an earlier plan had it. It prices nothing.

A waiting job of the earlier plan that is placed: all its devices where it starts at another instant, else those of its workers that
stand on a node beyond what the earlier plan had of it there. Replicas of a service of the earlier plan: in each slot that both
plans have, those beyond what stood on their node then, so that what a service grows by counts too. Devices are the counted resource
(cores where no node has devices), as asked. What runs already, is left out, or is new does not move; what ran and
was stopped moves with all its devices when it runs again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from schedplan.measures.work import counted_share
from schedplan.model.earlier import Stay
from schedplan.model.plan import Decisions
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
    workers: dict[str, dict[str, int]] = {}
    starts: dict[str, int] = {}
    for part in decisions.parts:
        found = workers.setdefault(part.job, {})
        found[part.node] = found.get(part.node, 0) + part.workers
        starts[part.job] = part.start_slot
    devices = [moved_devices(problem, problem.job_by_name[name], starts[name], nodes) for name, nodes in sorted(workers.items())]
    return Moves(fsum(devices), fsum(_replicas(problem, decisions)))


def stay_of(problem: Problem, job: Job) -> Stay | None:
    """Return how the earlier plan had a job that may move; None where it did not, or the job runs already."""
    return None if job.state is JobState.RUNNING else problem.stay_of_job.get(job.name)


def moved_devices(problem: Problem, job: Job, start_slot: int, workers: Mapping[str, int]) -> float:
    """Return the devices of a placed job that move, in the counted resource."""
    share = counted_share(job.shape, problem.cluster)
    if job.name in problem.stop_of_job:
        return sum(workers.values()) * share
    stay = stay_of(problem, job)
    if stay is None:
        return 0.0
    if problem.grid.slot_start_s(start_slot) != stay.start_s:
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
