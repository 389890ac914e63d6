"""Pins in the slots of a problem: when and where pinned work may stand, and in what words. It knows no plan."""

from __future__ import annotations

from dataclasses import replace

from schedplan.measures.eligibility import job_refusal, service_refusal
from schedplan.model.cluster import Pool
from schedplan.model.pin import Pin
from schedplan.model.problem import Problem
from schedplan.timegrid import format_local


def with_pins(problem: Problem, pins: tuple[Pin, ...]) -> Problem:
    """Return a problem with pins in place of those it has; a pinned job must be placed."""
    free = _without_required(problem)
    names = {job.name: job.required for job in free.jobs}
    kept = tuple(replace(pin, makes_required=not pin.is_service and not names.get(pin.work, True)) for pin in pins)
    made = {pin.work for pin in kept if pin.makes_required}
    return replace(free, pins=kept, jobs=tuple(replace(job, required=job.required or job.name in made) for job in free.jobs))


def without_pins_of(problem: Problem, subject: str) -> Problem:
    """Return a problem without the pins of a `job NAME` or `service NAME`."""
    return with_pins(problem, tuple(pin for pin in problem.pins if pin.subject != subject))


def _without_required(problem: Problem) -> Problem:
    made = {pin.work for pin in problem.pins if pin.makes_required}
    jobs = tuple(replace(job, required=False) if job.name in made else job for job in problem.jobs)
    return replace(problem, jobs=jobs, pins=())


def pinned_slots(problem: Problem, pin: Pin) -> range:
    """Return the slots in which a pinned job may start, or a pinned service must stand: of a job one, none outside the horizon."""
    grid = problem.grid
    if pin.start_s is None:
        return range(grid.n_slots)
    first = grid.release_slot(pin.start_s)
    if pin.is_service:
        return range(first, grid.n_slots)
    return range(first, min(first + 1, grid.n_slots)) if pin.start_s >= grid.start_s else range(0)


def may_start(problem: Problem, job: str, slot: int) -> bool:
    """Whether no pin of a job is against a start slot."""
    pin = problem.pin_of_job.get(job)
    return pin is None or slot in pinned_slots(problem, pin)


def may_stand(problem: Problem, job: str, node: str) -> bool:
    """Whether no pin of a job is against a node."""
    pin = problem.pin_of_job.get(job)
    return pin is None or pin.node is None or pin.node in (node, problem.cluster.pool_of_node[node].name)


def pin_told(problem: Problem, pin: Pin) -> str:
    """Return what a pin asks, in words: `2 replicas on n1`, `on n1, started at 2026-12-01 10:00+00:00`."""
    when = None if pin.start_s is None else format_local(pin.start_s, problem.zone)
    if pin.is_service:
        return f"at least {pin.replicas} on {pin.node}" + (f" from {when}" if when else "")
    where = f"on {pin.node}" if pin.node is not None else "anywhere"
    return where + (f", started at {when}" if when else "")


def pin_evidence(problem: Problem, pin: Pin) -> str:
    """Return what a pin asks, and why its place or time alone can't be, where that is so."""
    told = f"it is pinned {pin_told(problem, pin)}"
    refused = _refusal(problem, pin)
    if refused is not None:
        return f"{told}; {refused}"
    if pin.start_s is not None and not pin.is_service and not pinned_slots(problem, pin):
        return f"{told}, which is no start within the plan"
    return told


def _refusal(problem: Problem, pin: Pin) -> str | None:
    pool = _pool(problem, pin)
    if pool is None:
        return None
    if pin.is_service:
        refused = service_refusal(pool, problem.service_by_name[pin.work])
    else:
        refused = job_refusal(pool, problem.job_by_name[pin.work])
    return None if refused is None else refused.message


def _pool(problem: Problem, pin: Pin) -> Pool | None:
    if pin.node is None:
        return None
    return problem.cluster.by_name.get(pin.node) or problem.cluster.pool_of_node[pin.node]
