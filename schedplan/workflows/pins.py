"""The pins of a project beside what is planned: those of work that no plan has are said, those against what runs are refused."""

from __future__ import annotations

from schedplan.errors import Fault, InputError
from schedplan.measures.pins import may_stand, with_pins
from schedplan.model.pin import Pin
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from schedplan.timegrid import format_local


def pinned(problem: Problem, pins: tuple[Pin, ...]) -> tuple[Problem, tuple[str, ...]]:
    """Return a problem with the pins of its work, and what has to be said of the others.

    Raises InputError with every pin that would move a running job.
    """
    known = {*(f"job {name}" for name in problem.job_by_name), *(f"service {name}" for name in problem.service_by_name)}
    kept = tuple(pin for pin in pins if pin.subject in known)
    said = tuple(
        f"the pin of {pin.subject} has no effect: no plan places it, for it is over or comes later"
        for pin in pins
        if pin not in kept
    )
    found = with_pins(problem, kept)
    faults = tuple(fault for pin in kept if (fault := _moves_what_runs(found, pin)) is not None)
    if faults:
        raise InputError.of_faults(faults)
    return found, said


def _moves_what_runs(problem: Problem, pin: Pin) -> Fault | None:
    job = None if pin.is_service else problem.job_by_name[pin.work]
    if job is None or job.state is not JobState.RUNNING:
        return None
    if pin.start_s is not None and pin.start_s > problem.grid.start_s:
        return Fault(
            "SP1216",
            f"job {job.name} runs already and is pinned to start at {format_local(pin.start_s, problem.zone)}; a pin does not move"
            " what runs",
            column="start",
            hint="Take the pin out, or its start.",
        )
    elsewhere = [placed.node for placed in job.placement if not may_stand(problem, job.name, placed.node)]
    if not elsewhere:
        return None
    return Fault(
        "SP1216",
        f"job {job.name} runs on {', '.join(elsewhere)} and is pinned to {pin.node}; a pin does not move what runs",
        column="node",
        hint="Take the pin out, or pin it to where it runs.",
    )
