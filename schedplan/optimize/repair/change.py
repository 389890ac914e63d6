"""A change of the inputs that may mend a conflict: in words, and the problem with it. It tries nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service


@dataclass(frozen=True, slots=True)
class Change:
    """A change in words and the problem with it. subject: the job or service that may stand where it could not, or None."""

    words: str
    problem: Problem
    subject: str | None = None


def with_job(problem: Problem, job: Job) -> Problem:
    """Return a problem with a job in place of the one of its name."""
    return replace(problem, jobs=tuple(job if one.name == job.name else one for one in problem.jobs))


def with_service(problem: Problem, service: Service) -> Problem:
    """Return a problem with a service in place of the one of its name."""
    return replace(problem, services=tuple(service if one.name == service.name else one for one in problem.services))
