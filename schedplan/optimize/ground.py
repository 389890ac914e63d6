"""What solves of one problem stand on: the reference plan and the scales that follow from it, the jobs that no plan can place, the
models, and plans to begin from. It searches for nothing."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.measures.costs import paid_anyway
from schedplan.measures.missed import hopeless_shares, missed_importance, missed_work_h, services_importance
from schedplan.measures.objective import GoalValues, Normalisation
from schedplan.measures.work import endless_wait, importance
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.cells import Level
from schedplan.optimize.conflict.screening import screened_jobs
from schedplan.optimize.decompose.apart import is_apart
from schedplan.optimize.layout import layout
from schedplan.optimize.models import Models
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.least_carbon import sunk_carbon
from schedplan.optimize.reference.plan import normalisation as scales
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.route import is_beyond_memory, is_long, unplaceable
from schedplan.optimize.size import Size
from schedplan.packing.screen import Screened


@dataclass(frozen=True, slots=True)
class Incumbent:
    """Decisions that the check accepts, with their goals and their value of F."""

    decisions: Decisions
    goals: GoalValues
    objective: float


@dataclass(frozen=True)
class Ground:
    """What solves of one problem share, whatever they weigh and hold; size: that of the model on pools."""

    reference: Decisions
    normalisation: Normalisation
    screened: tuple[Screened, ...]
    models: Models
    size: Size

    @property
    def excluded(self) -> tuple[Job, ...]:
        """Jobs that no plan can place."""
        return tuple(found.job for found in self.screened)


def ground_of(
    problem: Problem, normalisation: Normalisation | None = None, options: SolveOptions | None = None, *, is_reused: bool = False
) -> Ground:
    """Return the ground of a problem; is_reused: more than one solve will stand on it."""
    chosen = options or SolveOptions()
    size = Size(problem)
    if is_long(problem, chosen, size) or is_apart(problem, chosen, size) or is_beyond_memory(problem, chosen, size):
        return _without_layout(problem, normalisation, size, is_reused=is_reused)
    everything = layout(problem, problem.jobs, Level.POOLS)
    by_hand, screened = reference(problem), screened_jobs(problem, everything)
    excluded = {found.job.name for found in screened}
    jobs = tuple(job for job in problem.jobs if job.name not in excluded)
    models = Models(problem, jobs, tuple(found.job for found in screened), is_reused=is_reused)
    if not screened:
        models.know(everything)
    return Ground(by_hand, normalisation or scales(problem, by_hand), screened, models, size)


def _without_layout(problem: Problem, normalisation: Normalisation | None, size: Size, *, is_reused: bool) -> Ground:
    """Return the ground of a problem whose layout would be too large."""
    by_hand, screened = reference(problem), unplaceable(problem)
    excluded = tuple(found.job for found in screened)
    names = {job.name for job in excluded}
    models = Models(problem, tuple(job for job in problem.jobs if job.name not in names), excluded, is_reused=is_reused)
    return Ground(by_hand, normalisation or scales(problem, by_hand), screened, models, size)


def unavoidable(problem: Problem, normalisation: Normalisation, hopeless: tuple[Job, ...] | None = None) -> float:
    """Return the part of F that no plan can avoid, as the proof takes it off: what is paid and emitted anyway, and the work that no
    plan can place or serve. hopeless: the jobs that no plan can place; None: they are looked for."""
    excluded = tuple(found.job for found in screened_jobs(problem)) if hopeless is None else hopeless
    whole = sum(importance(problem, job) for job in problem.jobs) + services_importance(problem)
    shares_missed = hopeless_shares(problem)
    unserved = missed_importance(problem, shares_missed)
    left_out = sum(importance(problem, job) for job in excluded) + unserved
    lost = left_out / whole * problem.objective.unplaced if whole else 0.0
    waits = sum(endless_wait(problem, job) for job in excluded) + problem.objective.rates.missed * unserved
    shares = {
        "cost": float(paid_anyway(problem).sum()),
        "latency": waits,
        "carbon": sunk_carbon(problem),
        "utilization": missed_work_h(problem, shares_missed),
    }
    weight = problem.objective.weight
    return sum(weight(goal) * value / normalisation.of(goal).divisor for goal, value in shares.items()) + lost
