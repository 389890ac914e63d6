"""Which problems are planned window by window, or without a model at all, and in which words it is told. It plans nothing."""

from __future__ import annotations

from schedplan.model.problem import Problem
from schedplan.model.workload import Service
from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.budget import BEYOND
from schedplan.optimize.layout import columns_of, without_columns
from schedplan.optimize.models import KB_A_WIDE_START
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.size import Size
from schedplan.packing.screen import Screened, screened


def is_long(problem: Problem, options: SolveOptions, size: Size) -> bool:
    """Whether a problem has so many slots, and its model on pools so many columns, that it is planned window by window."""
    if problem.is_static or problem.grid.n_slots <= options.long_slots or kept_whole_because(problem) is not None:
        return False
    return size.columns > options.long_columns


def is_beyond_memory(problem: Problem, options: SolveOptions, size: Size) -> bool:
    """Whether the model on pools of a problem that is not long would take more memory than there may be, so that none is built."""
    if problem.is_static or size.most_columns * KB_A_WIDE_START <= 1000 * options.memory_mb or is_long(problem, options, size):
        return False
    return size.wide_memory_mb > options.memory_mb


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


def told_size(size: Size) -> str:
    """Return how large a model of the whole horizon would be, in words."""
    return (
        f"a model of all {size.problem.grid.n_slots} slots not built: about {size.columns} columns on pools, "
        f"about {size.memory_mb:.0f} MB"
    )


def told_memory(size: Size, options: SolveOptions) -> str:
    """Return how much memory the model on pools would take, in words."""
    return (
        f"model on pools not built: about {size.columns} columns would take {size.wide_memory_mb:.0f} MB, "
        f"limit {options.memory_mb} MB"
    )


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
