"""How explanations spell instants, numbers and names. It decides nothing."""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.model.plan import JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.timegrid import format_local

_SINGLY = 3


def instant(problem: Problem, instant_s: int) -> str:
    """Return an instant in the project's time zone, with its offset."""
    return format_local(instant_s, problem.zone)


def amount(value: float) -> str:
    """Return a number with at most two decimals: `12`, `0.5`, `1234.57`; -0 is 0."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def money(problem: Problem, value: float) -> str:
    return f"{amount(value)} {problem.currency}"


def signed_money(problem: Problem, value: float) -> str:
    """Return a difference with its sign: `+3 USD`, `-0.5 USD`; `the same` for less than half a hundredth."""
    return "the same" if abs(value) < 0.005 else f"{'+' if value > 0 else ''}{money(problem, value)}"


def counted(count: float, thing: str) -> str:
    """Return `1 node`, `2 nodes`."""
    return f"{amount(count)} {thing}" if count == 1 else f"{amount(count)} {thing}s"


def are_free(devices: float) -> str:
    """Return `1 device is free`, `2 devices are free`."""
    return f"{counted(devices, 'device')} {'is' if devices == 1 else 'are'} free"


def needed_workers(job: Job) -> str:
    """Return `4 workers`, of an elastic gang `2 to 4 workers`."""
    return f"{job.least_workers} to {job.workers} workers" if job.is_elastic else counted(job.workers, "worker")


def listed(names: Iterable[str], shown: int = 4) -> str:
    """Return names in their order, the rest as a count."""
    found = list(names)
    if len(found) <= shown:
        return ", ".join(found)
    return f"{', '.join(found[:shown])} and {len(found) - shown} more"


def stands(parts: Iterable[JobPart]) -> str:
    """Return nodes with the workers on them: `od/1 (2 workers), od/2 (1 worker)`; many of a pool as `10 nodes of od (...)`."""
    by_pool: dict[str, list[JobPart]] = {}
    for part in parts:
        by_pool.setdefault(part.node.partition("/")[0], []).append(part)
    return listed(text for pool, found in by_pool.items() for text in _stands_in(pool, found))


def _stands_in(pool: str, parts: list[JobPart]) -> list[str]:
    if len(parts) <= _SINGLY:
        return [f"{part.node} ({counted(part.workers, 'worker')})" for part in parts]
    return [f"{len(parts)} nodes of {pool} ({counted(sum(part.workers for part in parts), 'worker')})"]
