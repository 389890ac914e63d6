"""A part of a long horizon as a problem of its own: some slots in a row, the work that may start in them, and what runs already.

What was started before stands in it as running work, on the nodes of the cell that it was given; no node is chosen here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from schedplan.measures.quotas import quota_refusal
from schedplan.measures.work import last_end, run_minutes
from schedplan.model.problem import Demand, Intensity, PriceSeries, Problem
from schedplan.model.workload import Job, JobState, Placed
from schedplan.optimize.cells import Level
from schedplan.optimize.layout import Column, JobClass, Layout, columns_of, is_named, without_columns
from schedplan.optimize.sites import Site
from schedplan.packing.assignment import GangStart
from schedplan.timegrid import TimeGrid

Likely: TypeAlias = Callable[[Job], dict[str, list[int]] | None]
"""Gives the slots of a part with which a job may well start on each pool, by its name; None: any on all."""


def part_of(problem: Problem, first_slot: int, end_slot: int, jobs: Sequence[Job], standing: Sequence[GangStart]) -> Problem:
    """Return the problem of the slots from first_slot to before end_slot with some waiting jobs and with gangs that run already.

    What starts up before work begins has begun in time in every part but the first: that is planned, and so can be foreseen.
    """
    slots = slice(first_slot, end_slot)
    cluster = problem.cluster
    if first_slot:
        pools = tuple(replace(pool, startup_minutes=0.0) for pool in cluster.pools)
        cluster = replace(cluster, pools=pools)
    names = {job.name for job in jobs}
    return replace(
        problem,
        grid=TimeGrid(problem.grid.edges_s[first_slot : end_slot + 1]),
        cluster=cluster,
        jobs=tuple(sorted((*jobs, *(running(problem, gang, first_slot) for gang in standing)), key=lambda job: job.name)),
        demands=tuple(Demand(one.service, one.peak_rps[slots], one.mean_rps[slots]) for one in problem.demands),
        prices=tuple(PriceSeries(one.pool, one.per_hour[slots]) for one in problem.prices),
        intensities=tuple(Intensity(one.region, one.g_per_kwh[slots]) for one in problem.intensities),
        pins=tuple(pin for pin in problem.pins if pin.is_service or pin.work in names),
        priorities=tuple(problem.urgency),
    )


def running(problem: Problem, gang: GangStart, first_slot: int) -> Job:
    """Return a gang that was started before a slot as a job that runs when it begins, for as long as it is booked from there."""
    job = gang.job
    pool = problem.cluster.pool_of_node[gang.groups[0][0][0]]
    left_minutes = (problem.grid.edges_s[gang.end_edge] - problem.grid.edges_s[max(first_slot, gang.start_slot)]) / 60.0
    return replace(
        job,
        state=JobState.RUNNING,
        placement=tuple(Placed(nodes[0], workers) for nodes, workers in gang.groups),
        workers=sum(workers for _, workers in gang.groups),
        min_workers=None,
        runtime_minutes=left_minutes * problem.cluster.speed(pool.accelerator, job.name, job.kind.value),
        start_s=None,
        load_minutes=0.0,
        saved_minutes=None,
        after=(),
        gang=None,
        deadline_s=None,
        required=False,
    )


def part_layout(part: Problem, last_start: int, likely: Likely) -> Layout:
    """Return the layout on pools of a part, with starts up to a slot: the likely ones of plain classes, all of any other.

    What runs is gathered by what it takes and for how long, and does not part the nodes that it stands on from others like them.
    """
    waiting = tuple(job for job in part.jobs if job.state is not JobState.RUNNING)
    found = without_columns(part, waiting, Level.POOLS)
    columns: list[Column] = []
    for one in found.classes:
        wanted = likely(one.job) if _is_plain(part, one.job) else None
        offered = columns_of(found, one) if wanted is None else _chosen(found, one, wanted)
        columns += [column for column in offered if column.start_slot <= last_start]
    cell_of_node = {name: cell.idx for cell in found.cells for name in cell.nodes}
    alike: dict[Hashable, list[Job]] = defaultdict(list)
    for job in part.jobs:
        if job.state is JobState.RUNNING:
            alike[_running_key(part, job, cell_of_node)].append(job)
    classes = list(found.classes)
    for jobs in alike.values():
        fixed = _fixed(jobs[0], cell_of_node)
        site = Site(tuple(cell for cell, _ in fixed), tuple(workers for _, workers in fixed))
        classes.append(JobClass(len(classes), tuple(jobs), (site,), fixed))
        columns.append(Column(classes[-1].idx, 0, 0, _end_edge(part, jobs[0]), jobs[0].workers))
    return replace(found, classes=tuple(classes), columns=tuple(columns))


def _is_plain(part: Problem, job: Job) -> bool:
    """Whether a start of a job is a column wherever its run fits its window."""
    return not (job.is_elastic or part.outages or part.limits.min_on_time or is_named(part, job))


def _chosen(found: Layout, job_class: JobClass, wanted: dict[str, list[int]]) -> Iterator[Column]:
    """Give the columns of a class that starts with some slots on some pools, by the name of the pool."""
    part, job = found.problem, job_class.job
    for site_idx, site in enumerate(job_class.sites):
        pools = [found.cells[cell_idx].pool for cell_idx in site.cells]
        if quota_refusal(part, job, pools[0].accelerator, job.workers) is not None:
            continue
        slots = sorted({slot for pool in pools for slot in wanted.get(pool.name, ())})
        ends, last = part.grid.end_edges(run_minutes(part, job, pools[0])), last_end(part, job)
        for slot in slots:
            end = ends[slot]
            if end is not None and end <= last:
                yield Column(job_class.idx, site_idx, slot, end, job.workers)


def in_whole(gang: GangStart, first_slot: int, whole: dict[str, Job]) -> GangStart:
    """Return a gang of a part by the slots of the whole problem, as the job that it is there."""
    return replace(gang, job=whole[gang.job.name], start_slot=gang.start_slot + first_slot, end_edge=gang.end_edge + first_slot)


def _fixed(job: Job, cell_of_node: dict[str, int]) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = defaultdict(int)
    for placed in job.placement:
        if placed.node in cell_of_node:
            found[cell_of_node[placed.node]] += placed.workers
    return tuple(found.items())


def _running_key(part: Problem, job: Job, cell_of_node: dict[str, int]) -> Hashable:
    own = job.name if job.name in part.linked or job.name in part.stay_of_job else ""
    return (own, job.shape, job.tenant, job.topology, _fixed(job, cell_of_node), _end_edge(part, job))


def _end_edge(part: Problem, job: Job) -> int:
    pool = part.cluster.pool_of_node[job.placement[0].node]
    end = part.grid.end_edge(0, part.runtime_minutes(job, pool))
    return part.grid.n_slots if end is None else end
