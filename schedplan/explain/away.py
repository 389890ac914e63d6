"""Outages as what keeps a job out: there would be room for it if nothing were away. It knows no other rule."""

from __future__ import annotations

from dataclasses import replace

from schedplan.explain.family import Family
from schedplan.explain.room import Room
from schedplan.explain.wording import instant, stands
from schedplan.measures.outages import outages_told
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


def kept_out_by_outages(
    problem: Problem, decisions: Decisions, job: Job, family: Family, *, only_node: str | None = None
) -> str | None:
    """Return why outages alone leave a job no room in a family, or on one of its nodes; None where something else does too.

    That it has no room is for the caller to know.
    """
    if not problem.outages:
        return None
    without = replace(problem, outages=())
    berth = Room(without, decisions, job.name).berth(job, family, only_node=only_node)
    if berth is None:
        return None
    pools: tuple[Pool, ...] = family.pools
    start = instant(problem, problem.grid.slot_start_s(berth.stretch.start_slot))
    return f"down: {outages_told(problem, pools)}; without that it could run from {start} on {stands(berth.parts)}"
