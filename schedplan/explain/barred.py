"""What keeps a job out where there would be room: an outage, or a chance of ending in time that is too small. It knows no quota.

Each rule is asked by itself: the job is given room in the problem without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.explain.family import Family
from schedplan.explain.room import Room
from schedplan.explain.wording import amount, counted, instant, stands
from schedplan.measures.min_on_time import chance_on
from schedplan.measures.outages import outages_told
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


@dataclass(frozen=True, slots=True)
class Bar:
    """The rule in the way, why, and what would repair it."""

    rule: str
    told: str
    repair: str


def barred(problem: Problem, decisions: Decisions, job: Job, family: Family, *, only_node: str | None = None) -> Bar | None:
    """Return the one rule without which a job would have room in a family, or on one of its nodes; None where there is none such.

    That it has no room is for the caller to know.
    """
    away = _away(problem, decisions, job, family, only_node)
    if away is not None:
        return Bar("outage", away, "put off or shorten the outage, or let it run elsewhere")
    unsure = _too_unsure(problem, decisions, job, family, only_node)
    repair = "a later deadline, checkpoints, nodes that are not spot, or a smaller min_on_time"
    return None if unsure is None else Bar("min_on_time", unsure, repair)


def _away(problem: Problem, decisions: Decisions, job: Job, family: Family, only_node: str | None) -> str | None:
    if not problem.outages:
        return None
    without = replace(problem, outages=())
    berth = Room(without, decisions, job.name).berth(job, family, only_node=only_node)
    if berth is None:
        return None
    start = instant(problem, problem.grid.slot_start_s(berth.stretch.start_slot))
    return f"down: {outages_told(problem, family.pools)}; without that it could run from {start} on {stands(berth.parts)}"


def _too_unsure(problem: Problem, decisions: Decisions, job: Job, family: Family, only_node: str | None) -> str | None:
    if problem.limits.min_on_time == 0:
        return None
    without = replace(problem, limits=replace(problem.limits, min_on_time=0.0))
    berth = Room(without, decisions, job.name).berth(job, family, only_node=only_node)
    if berth is None:
        return None
    pool = problem.cluster.pool_of_node[berth.parts[0].node]
    start_slot = berth.stretch.start_slot
    chance = chance_on(problem, job, pool, len(berth.parts), start_slot, sum(part.workers for part in berth.parts))
    start = instant(problem, problem.grid.slot_start_s(start_slot))
    told = (
        f"from {start} on {counted(len(berth.parts), 'spot node')} it ends by its deadline with at least {amount(chance * 100)} %"
    )
    return f"{told}; {amount(problem.limits.min_on_time * 100)} % is asked"
