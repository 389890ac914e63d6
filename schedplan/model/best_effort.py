"""Best effort: which jobs may run in pieces, leaving devices for a while to who needs them. It knows the selector, and no plan.

A selector of `[rules] best_effort` is one of jobs alone. What it selects runs in pieces only where it can: it must write
checkpoints to go on from, and its times may not hang on a pin or on another job.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.selector import WORK_FIELDS, Choice, SelectorError, choices, job_fields, matches, refuse_impossible
from schedplan.model.selector import refuse_unknown_work as refuse_unknown
from schedplan.model.workload import Job, JobState

JOB_FIELDS = tuple(field for field in WORK_FIELDS if field not in ("service", "dedicated"))
_EXAMPLE = "kind=batch tenant=research"


@dataclass(frozen=True, slots=True)
class BestEffort:
    """Jobs that `work` matches are best effort. text: as it was written."""

    text: str
    work: tuple[Choice, ...]

    def covers(self, job: Job) -> bool:
        """Whether it selects a job."""
        return matches(self.work, job_fields(job))


def parse_best_effort(text: str) -> BestEffort:
    """Return the selector that a text spells; SelectorError for another form, an unknown field or a value that can't be."""
    work = choices(text, _EXAMPLE)
    if not work:
        raise SelectorError("selects nothing", f"Write it like {_EXAMPLE}")
    refuse_unknown(work, JOB_FIELDS, "jobs")
    refuse_impossible(work)
    return BestEffort(text, work)


def unbroken_because(job: Job) -> str | None:
    """Return why a job can run in one piece alone, by what its row says; None where it may run in several."""
    if job.state is JobState.RUNNING:
        return "it runs already"
    if not job.preemptible:
        return "it is not preemptible"
    if job.checkpoint_minutes is None:
        return "it writes no checkpoint to go on from (checkpoint_minutes)"
    if job.is_elastic:
        return "it is an elastic gang (min_workers)"
    return None
