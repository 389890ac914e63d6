"""The shape of the model: cells of identical nodes, classes of identical jobs, and the columns a solver may choose from.

One layout serves two levels. On pools a cell holds all identical nodes; on nodes each cell is one node. It holds data only,
no solver object.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import service_refusal
from schedplan.measures.min_on_time import is_asked, most_nodes
from schedplan.measures.outages import is_down
from schedplan.measures.pieces import Piece
from schedplan.measures.quotas import quota_refusal
from schedplan.measures.work import last_end, release_s
from schedplan.model.cluster import NodeStatus, Pool
from schedplan.model.plan import JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Service
from schedplan.optimize.cells import Cell, Level, cells_of
from schedplan.optimize.constraints.elastic import Choice, choices
from schedplan.optimize.constraints.spot import fewest_nodes
from schedplan.optimize.piece_choices import piece_choices
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.optimize.run_times import RunTimes
from schedplan.optimize.sites import Site, room, sites
from schedplan.packing.assignment import has_work
from schedplan.packing.supply import close_supply


@dataclass(frozen=True, slots=True)
class JobClass:
    """Jobs that differ in nothing but their name. `fixed` (cell, workers) for what already runs (none of
    it on a cell where its nodes take no new work), else None."""

    idx: int
    jobs: tuple[Job, ...]
    sites: tuple[Site, ...]
    fixed: tuple[tuple[int, int], ...] | None = None

    @property
    def job(self) -> Job:
        """The job that stands for the class."""
        return self.jobs[0]

    @property
    def count(self) -> int:
        return len(self.jobs)


@dataclass(frozen=True, slots=True)
class Column:
    """Gangs of a class started on a site with a slot, booked up to an edge, with so many workers each.

    piece: which piece of its job, of one that runs in several; those of a job have a class of their own.
    """

    class_idx: int
    site_idx: int
    start_slot: int
    end_edge: int
    workers: int
    piece: Piece = Piece.WHOLE


@dataclass(frozen=True)
class ColumnArrays:
    """The columns of a layout as int64 arrays, [column]."""

    class_idx: NDArray[np.int64]
    site_idx: NDArray[np.int64]
    start_slot: NDArray[np.int64]
    end_edge: NDArray[np.int64]
    workers: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> ColumnArrays:
        rows = ((one.class_idx, one.site_idx, one.start_slot, one.end_edge, one.workers) for one in columns)
        found = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=5 * len(columns)).reshape(-1, 5)
        return cls(*(np.ascontiguousarray(found[:, number]) for number in range(5)))


@dataclass(frozen=True)
class Layout:
    """Everything the constraints range over. `outside`: nodes that take no new work, with the slots in which they are paid.

    offers_outages: work is offered also where outages close nodes.
    """

    problem: Problem
    level: Level
    cells: tuple[Cell, ...]
    classes: tuple[JobClass, ...]
    columns: tuple[Column, ...]
    service_cells: tuple[tuple[int, ...], ...]
    outside: tuple[tuple[Pool, tuple[int, ...]], ...] = ()
    offers_outages: bool = False

    @cached_property
    def arrays(self) -> ColumnArrays:
        """The columns as arrays."""
        return ColumnArrays.of(self.columns)

    @cached_property
    def run_times(self) -> RunTimes:
        """How long jobs run on pools."""
        return RunTimes(self.problem)

    def is_closed(self, cell_idx: int, start_slot: int, end_edge: int) -> bool:
        """Whether an outage closes a cell to work in some slot from start_slot to before end_edge."""
        return not self.offers_outages and is_down(self.problem, self.cells[cell_idx].nodes, start_slot, end_edge)

    def site(self, column: Column) -> Site:
        return self.classes[column.class_idx].sites[column.site_idx]

    @cached_property
    def n_columns(self) -> int:
        """Columns of the solver: starts, workers per cell where a site has several, replicas and nodes per slot."""
        spread = sum(len(self.site(column).cells) for column in self.columns if len(self.site(column).cells) > 1)
        per_slot = len(self.cells) + sum(len(cells) for cells in self.service_cells)
        return len(self.columns) + spread + per_slot * self.problem.grid.n_slots


def layout(problem: Problem, jobs: tuple[Job, ...], level: Level, *, merged: bool = True) -> Layout:
    """Return the layout of `jobs` (those that may be planned) and all services on pools or on single nodes.

    Without `merged` every job is a class of its own, so that a rule can name it, and what outages close or what is too unsure to
    end in time is offered all the same, for a row to forbid.
    """
    found = without_columns(problem, jobs, level, merged=merged)
    return replace(found, columns=tuple(column for job_class in found.classes for column in columns_of(found, job_class)))


def without_columns(problem: Problem, jobs: tuple[Job, ...], level: Level, *, merged: bool = True) -> Layout:
    """Return the cells and classes of a layout alone."""
    cells = cells_of(problem, jobs, level, merged=merged)
    classes = _classes(problem, cells, jobs, level, merged)
    service_cells = tuple(
        tuple(cell.idx for cell in cells if service_refusal(cell.pool, service) is None and is_useful(problem, service, cell.pool))
        for service in problem.services
    )
    return Layout(problem, level, cells, classes, (), service_cells, _outside(problem), offers_outages=not merged)


def columns_of(found: Layout, job_class: JobClass) -> Iterator[Column]:
    """Give the columns of a class of a layout."""
    if _is_plain(found.problem, job_class):
        yield from _plain_columns(found, job_class)
        return
    for site_idx, site in enumerate(job_class.sites):
        for choice, piece in _open_choices(found.problem, found.cells, job_class, site, merged=not found.offers_outages):
            yield Column(job_class.idx, site_idx, choice.start_slot, choice.end_edge, choice.workers, piece)


def _is_plain(problem: Problem, job_class: JobClass) -> bool:
    """Whether the columns of a class are all starts in its window, with all of its workers."""
    job = job_class.job
    is_whole = not job.is_elastic and job.name not in problem.may_pause
    return job_class.fixed is None and is_whole and not problem.outages and not problem.limits.min_on_time


def _plain_columns(found: Layout, job_class: JobClass) -> Iterator[Column]:
    problem, job, times = found.problem, job_class.job, found.run_times
    first, last, length = problem.grid.release_slot(job.release_s), last_end(problem, job), times.key(job)
    for site_idx, site in enumerate(job_class.sites):
        pool = _pool_of(problem, found.cells, job, site)
        if quota_refusal(problem, job, pool.accelerator, job.workers) is None:
            ends = times.ends(job, pool, length)
            for start_slot in range(first, len(ends)):
                end_edge = ends[start_slot]
                if end_edge is None or end_edge > last:
                    break
                yield Column(job_class.idx, site_idx, start_slot, end_edge, job.workers)


def _open_choices(
    problem: Problem, cells: tuple[Cell, ...], job_class: JobClass, site: Site, *, merged: bool
) -> Iterator[tuple[Choice, Piece]]:
    """Give the choices of a class on a site; of a merged layout those that outages leave room for and that end surely enough."""
    found, job = _choices(problem, cells, job_class, site), job_class.job
    if not merged:
        yield from found
        return
    may_close = bool(problem.outages) and job_class.fixed is None
    may_be_late = bool(site.cells) and is_asked(problem, job, cells[site.cells[0]].pool)
    for choice, piece in found:
        if may_close and not _holds_then(problem, cells, site, job, choice):
            continue
        if may_be_late and not _is_sure_enough(problem, cells, site, job, choice):
            continue
        yield choice, piece


def _is_sure_enough(problem: Problem, cells: tuple[Cell, ...], site: Site, job: Job, choice: Choice) -> bool:
    """Whether a job ends in time as surely as asked, on as few nodes of a site as hold it."""
    pool = cells[site.cells[0]].pool if site.cells else None
    most = None if pool is None else most_nodes(problem, job, pool, choice.start_slot, choice.workers)
    return most is None or fewest_nodes(choice.workers, max(site.per_node)) <= most


def _choices(problem: Problem, cells: tuple[Cell, ...], job_class: JobClass, site: Site) -> Iterator[tuple[Choice, Piece]]:
    job = job_class.job
    pool = _pool_of(problem, cells, job, site)
    if job_class.fixed is not None:
        yield from ((choice, Piece.WHOLE) for choice in choices(problem, job, pool))
        return
    open_numbers: dict[int, bool] = {}
    for choice in choices(problem, job, pool, room(cells, site, job)):
        if choice.workers not in open_numbers:
            open_numbers[choice.workers] = quota_refusal(problem, job, pool.accelerator, choice.workers) is None
        if open_numbers[choice.workers]:
            yield choice, Piece.WHOLE
    if quota_refusal(problem, job, pool.accelerator, job.workers) is None:
        for one in piece_choices(problem, job, pool):
            yield Choice(one.start_slot, one.end_edge, job.workers), one.piece


def _outside(problem: Problem) -> tuple[tuple[Pool, tuple[int, ...]], ...]:
    cluster = problem.cluster
    running = tuple(
        JobPart(job.name, placed.node, 0, placed.workers)
        for job in problem.jobs
        if job.state is JobState.RUNNING
        for placed in job.placement
    )
    on = close_supply(problem, has_work(problem, running, ()))
    if on is None:
        raise ValueError("a job runs on a node that is not there at the start of the horizon")
    closed = ((name, pool) for name, pool in cluster.pool_of_node.items() if pool.status is not NodeStatus.READY)
    rows = ((pool, tuple(int(slot) for slot in on[cluster.node_idx[name]].nonzero()[0])) for name, pool in closed)
    return tuple((pool, slots) for pool, slots in rows if slots)


def is_useful(problem: Problem, service: Service, pool: Pool) -> bool:
    """Whether there is a slot in which replicas on a pool can meet the service's target."""
    return any(least is not None for least in least_replicas_by_slot(problem, service, pool.accelerator))


def _classes(problem: Problem, cells: tuple[Cell, ...], jobs: tuple[Job, ...], level: Level, merged: bool) -> tuple[JobClass, ...]:
    cell_of_node = {name: cell.idx for cell in cells for name in cell.nodes}
    members: dict[tuple[object, ...], list[Job]] = defaultdict(list)
    for job in jobs:
        members[_class_key(problem, job, level) if merged else (job.name,)].append(job)
    classes: list[JobClass] = []
    known: dict[Hashable, tuple[Site, ...]] = {}
    for alike in members.values():
        job = alike[0]
        if job.state is JobState.RUNNING:
            classes.append(_running_class(len(classes), job, cell_of_node))
        else:
            key = (job.shape, job.workers, job.least_workers, job.topology, job.spot_ok, job.load_minutes, job.affinity)
            if key not in known:
                known[key] = sites(problem, cells, job, level)
            classes.append(JobClass(len(classes), tuple(alike), known[key]))
    return tuple(classes)


def _class_key(problem: Problem, job: Job, level: Level) -> tuple[object, ...]:
    counts_nodes = level is Level.NODES and job.workers > 1 and job.spot_ok
    counts_workers = job.workers > 1 and job.shape.max_per_node is not None
    is_alone = counts_nodes or counts_workers or is_named(problem, job) or _has_own_speed(problem, job)
    tenant = job.tenant if job.tenant in problem.quota_tenants else ""
    alike = replace(
        job,
        name=job.name if is_alone else "",
        user=None,
        tenant=tenant,
        time_limit_minutes=None,
        start_s=None,
        after=(),
        gang=None,
    )
    return (replace(alike, submit_s=release_s(problem, job), earliest_start_s=None),)


def is_named(problem: Problem, job: Job) -> bool:
    """Whether rows or costs speak of a job by its name: one that is bound, or stood somewhere in an earlier plan."""
    return is_bound(problem, job) or job.name in problem.stay_of_job


def is_bound(problem: Problem, job: Job) -> bool:
    """Whether rows speak of a job by its name: one that runs, is pinned or stopped, waits for others or runs in pieces."""
    return job.state is JobState.RUNNING or any(
        job.name in named for named in (problem.linked, problem.pin_of_job, problem.stop_of_job, problem.may_pause)
    )


def _has_own_speed(problem: Problem, job: Job) -> bool:
    return any(row.kind == job.name for row in problem.cluster.speeds)


def _running_class(idx: int, job: Job, cell_of_node: dict[str, int]) -> JobClass:
    fixed: dict[int, int] = defaultdict(int)
    for placed in job.placement:
        if placed.node in cell_of_node:
            fixed[cell_of_node[placed.node]] += placed.workers
    site = Site(tuple(fixed), tuple(fixed.values()))
    return JobClass(idx, (job,), (site,), tuple(fixed.items()))


def _pool_of(problem: Problem, cells: tuple[Cell, ...], job: Job, site: Site) -> Pool:
    if site.cells:
        return cells[site.cells[0]].pool
    return problem.cluster.pool_of_node[job.placement[0].node]


def _holds_then(problem: Problem, cells: tuple[Cell, ...], site: Site, job: Job, choice: Choice) -> bool:
    """Whether the cells of a site that no outage closes meanwhile have room for the whole gang."""
    is_open = [not is_down(problem, cells[idx].nodes, choice.start_slot, choice.end_edge) for idx in site.cells]
    open_cells = tuple(idx for idx, takes in zip(site.cells, is_open, strict=True) if takes)
    per_node = tuple(most for most, takes in zip(site.per_node, is_open, strict=True) if takes)
    return all(is_open) or (bool(open_cells) and room(cells, Site(open_cells, per_node), job) >= choice.workers)
