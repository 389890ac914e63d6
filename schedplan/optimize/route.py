"""Which problems are planned window by window, known before any model is built, and in which words. It plans nothing."""

from __future__ import annotations

from collections.abc import Hashable

from schedplan.measures.eligibility import pools_for_job
from schedplan.measures.work import last_end
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState, Service
from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.budget import BEYOND
from schedplan.optimize.layout import columns_of, without_columns
from schedplan.optimize.models import KB_A_START, KB_A_WIDE_START
from schedplan.optimize.options import SolveOptions
from schedplan.packing.screen import Screened, screened


def is_long(problem: Problem, options: SolveOptions) -> bool:
    """Whether a problem has so many slots, and its model on pools so many columns, that it is planned window by window."""
    if problem.is_static or problem.grid.n_slots <= options.long_slots or kept_whole_because(problem) is not None:
        return False
    return about_columns(problem) > options.long_columns


def is_beyond_memory(problem: Problem, options: SolveOptions) -> bool:
    """Whether the model on pools of a problem that is not long would take more memory than there may be, so that none is built."""
    most = len(problem.jobs) * len(problem.cluster.pools) * problem.grid.n_slots
    if problem.is_static or most * KB_A_WIDE_START <= 1000 * options.memory_mb or is_long(problem, options):
        return False
    return about_columns(problem) * KB_A_WIDE_START > 1000 * options.memory_mb


def kept_whole_because(problem: Problem) -> str | None:
    """Return the rule that no window can keep by itself, in words; None without one."""
    limit = problem.limits.budget_per_day
    reasons = (
        (limit is not None and limit < BEYOND, "a budget counts whole days"),
        (bool(problem.objective.at_most), "a goal is held over the whole horizon"),
        (bool(problem.may_pause), "some jobs may run in pieces"),
        (bool(problem.stops), "running jobs are stopped"),
        (any(_depends_on_before(one) for one in problem.services), "replicas hang on those of the slot before"),
    )
    return next((told for holds, told in reasons if holds), None)


def told_size(problem: Problem) -> str:
    """Return how large a model of the whole horizon would be, in words."""
    columns = about_columns(problem)
    return (
        f"a model of all {problem.grid.n_slots} slots not built: about {columns} columns on pools, "
        f"about {columns * KB_A_START / 1000:.0f} MB"
    )


def told_memory(problem: Problem, options: SolveOptions) -> str:
    """Return how much memory the model on pools would take, in words."""
    columns = about_columns(problem)
    needed_mb = columns * KB_A_WIDE_START / 1000
    return f"model on pools not built: about {columns} columns would take {needed_mb:.0f} MB, limit {options.memory_mb} MB"


def about_columns(problem: Problem) -> int:
    """Return about how many columns the model on pools of a problem has: starts of jobs that are not alike, on each pool."""
    grid = problem.grid
    pools_of: dict[Hashable, list[Pool]] = {}
    seen: dict[Hashable, int] = {}
    for job in problem.jobs:
        if job.state is JobState.RUNNING:
            continue
        where = (job.shape, job.spot_ok, job.topology, job.least_workers)
        if where not in pools_of:
            pools_of[where] = pools_for_job(problem.cluster, job)
        release, last = grid.release_slot(job.release_s), last_end(problem, job)
        key = (where, job.workers, job.tenant, job.priority, job.runtime_minutes, job.release_s, job.deadline_s, job.deadline_kind)
        seen[key] = len(pools_of[where]) * max(last - release, 0)
    per_slot = len(problem.cluster.pools) * (1 + len(problem.services))
    return sum(seen.values()) + per_slot * grid.n_slots


def unplaceable(problem: Problem) -> tuple[Screened, ...]:
    """Return the jobs without a single start, with the reason, without the layout of all of them."""
    shape = without_columns(problem, problem.jobs, Level.POOLS)
    found = []
    for one in shape.classes:
        if next(columns_of(shape, one), None) is None:
            found += [screened(problem, job, len(one.sites), 0) for job in one.jobs]
    return tuple(one for one in found if one is not None)


def _depends_on_before(service: Service) -> bool:
    return service.startup_minutes > 0 or service.load_minutes > 0 or service.min_hold_minutes > 0
