"""Ways to ask less of a service where its rules leave no plan: fewer domains, a smaller loss, changes as often as slots allow.

It names changes, the least first; whether one of them helps is for others to try.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import Service
from schedplan.optimize.repair.change import Change, with_service


def eased(problem: Problem, rule: str, service: Service) -> Iterator[Change]:
    """Give what may be asked in place of a rule (spread, reserve, hold) of a service, the nearest to it first."""
    if rule == "spread" and service.spread is not None:
        kind, least = service.spread
        for fewer in range(least - 1, 0, -1):
            changed = replace(service, spread=(kind, fewer))
            words = f"spread = {kind}:{fewer} in place of {kind}:{least} for service {service.name}"
            yield Change(words, with_service(problem, changed))
        yield Change(f"no spread for service {service.name}", with_service(problem, replace(service, spread=None)))
    elif rule == "reserve":
        smaller = {Reserve.ZONE: (Reserve.RACK, Reserve.NODE), Reserve.RACK: (Reserve.NODE,)}.get(problem.limits.reserve, ())
        for reserve in (*smaller, Reserve.NONE):
            limits = replace(problem.limits, reserve=reserve)
            words = f'[limits] reserve = "{reserve.value}" in place of "{problem.limits.reserve.value}"'
            yield Change(words, replace(problem, limits=limits))
    elif rule == "hold":
        words = f"lift min_hold_minutes of service {service.name}"
        yield Change(words, with_service(problem, replace(service, min_hold_minutes=0.0)))
