"""Best effort: which jobs may run in pieces, leaving devices for a while to who needs them. It knows the selector, and no plan.

A selector of `[rules] best_effort` is one of jobs alone. What it selects runs in pieces only where it can: it must write
checkpoints to go on from, its times may not hang on a pin or on another job, and there may not be too many pieces to choose
from.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.selector import (
    WORK_FIELDS,
    Choice,
    SelectorError,
    choices,
    job_fields,
    matches,
    refuse_impossible,
    refuse_unknown_work,
)
from schedplan.model.workload import Job, JobState
from schedplan.timegrid import TimeGrid

MOST_PIECES = 60_000
"""Pieces of all jobs on one kind of nodes. Our choice: what a model of a day takes for some hundred jobs of a few hours each."""
_PLACES_IN_A_JOB = 3  # a piece is the first, one in between, or the last
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
    refuse_unknown_work(work, JOB_FIELDS, "jobs")
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


def count_pieces(job: Job, grid: TimeGrid) -> int:
    """Return at most about how many pieces there are to choose from for a job on one kind of nodes: one per place in the job, start
    and length."""
    shortest_minutes = float(grid.hours.min()) * 60.0
    longest = min(int((job.runtime_minutes or 0.0) // shortest_minutes) + 1, grid.n_slots)
    return _PLACES_IN_A_JOB * grid.n_slots * longest
