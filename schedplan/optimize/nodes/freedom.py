"""Freedom: which work may be moved by marginal cost alone. What more rules bind stays where it stands, and the rest goes around it.

A rule that ties a job to other jobs, to single devices or to a person's word is not known here.
"""

from __future__ import annotations

from schedplan.measures.missed import is_priced
from schedplan.model.problem import Problem, Reserve
from schedplan.model.quota import Ceiling, Holder
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, Topology, WorkerShape


def may_move(problem: Problem, job: Job) -> bool:
    """Whether a job's start and nodes are bound by windows, eligibility, room, domains and quotas alone."""
    is_tied = job.name in problem.linked or job.name in problem.pin_of_job
    is_unsure = problem.limits.min_on_time > 0 and job.spot_ok and job.deadline_kind is DeadlineKind.HARD
    is_plain = holds_whole_devices(job.shape) and not job.is_elastic and job.topology is not Topology.DEVICE_GROUP
    is_whole = job.name not in problem.may_pause and not problem.stops
    is_counted_plainly = all(_keeps_nothing(holder) for one in _ceilings(problem, job.tenant) for holder in one.holders)
    return job.state is JobState.PENDING and is_plain and is_whole and is_counted_plainly and not is_tied and not is_unsure


def may_refit(problem: Problem, service: Service) -> bool:
    """Whether the replicas of a service are bound by target, their number and room alone, slot by slot."""
    lags = service.startup_minutes > 0 or service.load_minutes > 0 or service.min_hold_minutes > 0
    is_apart = service.spread is not None or service.dedicated or service.tenant in problem.quota_tenants
    is_told = bool(problem.stops) or any(pin.work == service.name for pin in problem.pins)
    is_bound = is_priced(problem) or problem.limits.reserve is not Reserve.NONE
    return holds_whole_devices(service.shape) and not (lags or is_apart or is_told or is_bound)


def may_land(problem: Problem) -> bool:
    """Whether all work that waits may be put on nodes by room, windows and quotas alone, whatever part of a horizon is planned."""
    waiting = (job for job in problem.jobs if job.state is not JobState.RUNNING)
    return all(may_move(problem, job) for job in waiting) and all(may_refit(problem, one) for one in problem.services)


def holds_whole_devices(shape: WorkerShape) -> bool:
    """Whether sums over the devices of a node say whether the shape fits there, beside others like it."""
    return shape.slice_profile is None and (shape.gpus == 0 or shape.gpus >= 1)


def _ceilings(problem: Problem, tenant: str) -> tuple[Ceiling, ...]:
    return problem.ceilings_over.get(tenant, ())


def _keeps_nothing(holder: Holder) -> bool:
    """Whether what counts for a holder is a plain sum: nothing is kept for a tenant that uses less."""
    return holder.kept == 0 and all(_keeps_nothing(below) for below in holder.below)
