"""How much a node counts and how much a job weighs: the counted resource, sizes, shares of a node, run times, importance.

It knows a job and a cluster, not a plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from schedplan.measures.latency import offered_replicas
from schedplan.measures.warm_up import load_minutes_on
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, WorkerShape

# Our choice for a job that asks for nothing of a known total: it still weighs a thousandth of the cluster, so that leaving it
# out or keeping it waiting is never free.
LEAST_SHARE = 1e-3


def counted(pool: Pool, cluster: Cluster) -> float:
    """Return the counted resource of one node: devices where any pool of the cluster has some, else cores (unknown = 0)."""
    return float(pool.gpus) if cluster.has_devices else float(pool.cpus or 0.0)


def counted_share(shape: WorkerShape, cluster: Cluster) -> float:
    """Return what one worker or replica holds of the counted resource, as asked (0.5 of a device is 0.5)."""
    return shape.gpus if cluster.has_devices else shape.cpus


def counted_unit(cluster: Cluster) -> str:
    """Return `device` or `core`, the unit of the counted resource."""
    return "device" if cluster.has_devices else "core"


def node_share(pool: Pool, shape: WorkerShape) -> float:
    """Return the share of a node's price that one worker bears: by devices where the node has any, else cores, else memory.

    0 where none of them is known. The shares of what fits on a node sum to at most 1.
    """
    if pool.gpus > 0:
        return shape.gpus / pool.gpus
    if pool.cpus:
        return shape.cpus / pool.cpus
    return shape.memory_gib / pool.memory_gib if pool.memory_gib else 0.0


def job_size(cluster: Cluster, job: Job) -> float:
    """Return a job's largest share of the cluster's devices, cores and memory, times its devices (1 where there are none).

    The cluster is what a plan may use at most; a resource that no node states has no share.
    """
    return shape_size(cluster, job.shape, job.workers)


def shape_size(cluster: Cluster, shape: WorkerShape, workers: int) -> float:
    """Return the same of so many workers of a shape."""
    return max(_shares(cluster, shape, workers), default=0.0) * _cluster_devices(cluster) or LEAST_SHARE * _cluster_devices(cluster)


def last_end(problem: Problem, job: Job) -> int:
    """Return the last edge at which a job may end: that of its hard deadline, else of the horizon."""
    return problem.grid.deadline_edge(job.deadline_s if job.deadline_kind is DeadlineKind.HARD else None)


def importance(problem: Problem, job: Job) -> float:
    """Return the weight of leaving a job out: urgency x size x hours on the reference accelerator."""
    return problem.urgency[job.priority] * job_size(problem.cluster, job) * reference_h(job)


def reference_h(job: Job) -> float:
    """Return the run time on the reference accelerator in hours; ValueError where a job has none."""
    if job.runtime_minutes is None:
        raise ValueError(f"job {job.name} has no runtime; a problem holds only jobs with one")
    return job.runtime_minutes / 60.0


def run_minutes(problem: Problem, job: Job, pool: Pool, workers: int | None = None) -> float:
    """Return the minutes a job still runs on a pool: what it loads there and its run time, for a running job less what has run.

    workers: how many of an elastic gang run, by default all, or as many as run already; fewer run the longer in proportion.
    A running job has at least the first slot before it, and loaded for as long as the slowest of the nodes it stands on takes.
    """
    whole = problem.runtime_minutes(job, pool) * stretch(job, job.standing_workers if workers is None else workers)
    if job.saved_minutes is not None:
        whole = max(whole * (1 - job.saved_minutes / (job.runtime_minutes or 1.0)), 0.0) + job.restart_minutes
    if job.state is not JobState.RUNNING:
        return whole + load_minutes_on(job, pool)
    by_name = {**problem.cluster.by_name, **problem.cluster.pool_of_node} if job.load_minutes else {}
    stands = [by_name[placed.node] for placed in job.placement if placed.node in by_name]
    whole += max((load_minutes_on(job, one) for one in stands), default=0.0)
    return max(whole - has_run_minutes(problem, job), float(problem.grid.hours[0]) * 60.0)


def has_run_minutes(problem: Problem, job: Job) -> float:
    """Return the minutes that a job has run when the plan begins; 0 where its start is not stated."""
    return 0.0 if job.start_s is None else max(problem.grid.start_s - job.start_s, 0) / 60.0


def stretch(job: Job, workers: int) -> float:
    """Return how many times longer a job runs with so many workers than with all; 1 for a gang that is not elastic."""
    return job.workers / min(max(workers, job.least_workers), job.workers) if job.is_elastic else 1.0


def placed_workers(parts: Iterable[JobPart]) -> dict[str, int]:
    """Return the workers of each placed job, by its name; of one that runs in pieces, those of its first."""
    found: dict[str, int] = {}
    first: dict[str, int] = {}
    for part in sorted(parts, key=lambda part: part.start_slot):
        if part.end_edge is None or first.setdefault(part.job, part.start_slot) == part.start_slot:
            found[part.job] = found.get(part.job, 0) + part.workers
    return found


def booked_slots(problem: Problem, part: JobPart, workers: int) -> slice:
    """Return the slots that a part holds, within the grid, by the workers that its job has in all."""
    if part.end_edge is not None:
        return slice(part.start_slot, part.end_edge)
    job, pool = problem.job_by_name[part.job], problem.cluster.pool_of_node[part.node]
    end_edge = problem.grid.end_edge(part.start_slot, run_minutes(problem, job, pool, workers))
    return slice(part.start_slot, problem.grid.n_slots if end_edge is None else end_edge)


def duty(problem: Problem, job: Job, pool: Pool, workers: int, booked_h: float) -> float:
    """Return the share of its booked hours in which a job counts as busy: all of them, of an elastic gang its run time alone.

    So an elastic gang is as busy with few workers as with many, and none is taken on to fill booked slots or to load data.
    """
    if not job.is_elastic:
        return 1.0
    loading = 0.0 if job.state is JobState.RUNNING else load_minutes_on(job, pool)
    return min((run_minutes(problem, job, pool, workers) - loading) / 60.0 / booked_h, 1.0)


def release_s(problem: Problem, job: Job) -> int:
    """Return the instant from which a job's wait counts, not before the horizon begins."""
    return max(job.release_s if job.release_s is not None else problem.grid.start_s, problem.grid.start_s)


def endless_wait(problem: Problem, job: Job) -> float:
    """Return the latency goal's share of a job that is left out: it waits, and is late, until the horizon ends.

    So no start within the horizon is worse than none, and leaving work out never looks like a short queue.
    """
    return lateness(problem, job, problem.grid.end_s, problem.grid.end_s)


def lateness(problem: Problem, job: Job, start_s: int, end_s: int) -> float:
    """Return the latency goal's share of a run from start_s, booked to end_s: weighted wait, and tardiness where the deadline is
    soft, in counted-resource-hours."""
    rates = problem.objective.rates
    weighted = rates.wait * max(start_s - release_s(problem, job), 0) / 3600.0
    if job.deadline_s is not None and job.deadline_kind is DeadlineKind.SOFT:
        weighted += rates.tardiness * max(end_s - job.deadline_s, 0) / 3600.0
    return problem.urgency[job.priority] * job_size(problem.cluster, job) * weighted


def reference_work_per_h(service: Service, cluster: Cluster, mean_rps: float) -> float:
    """Return the counted resource that a service's demand keeps busy at reference speed, however many replicas stand."""
    offered = offered_replicas(service, service.service_ms, mean_rps)
    return offered * counted_share(service.shape, cluster)


def reference_work_h(problem: Problem) -> float:
    """Return the same for all services over the horizon, counted-resource-hours: a constant of the problem."""
    return fsum(
        reference_work_per_h(service, problem.cluster, float(rate)) * float(slot_h)
        for service in problem.services
        if service.name in problem.demand_of
        for rate, slot_h in zip(problem.demand_of[service.name].mean_rps, problem.grid.hours, strict=True)
    )


def _cluster_devices(cluster: Cluster) -> float:
    return cluster.totals[0] or 1.0


def _shares(cluster: Cluster, shape: WorkerShape, workers: int) -> list[float]:
    asks = (shape.gpus, shape.cpus, shape.memory_gib)
    return [workers * asked / total for asked, total in zip(asks, cluster.totals, strict=True) if total > 0]
