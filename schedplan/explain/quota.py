"""Quotas in words: which limit a job would exceed, by how much, and what would mend it. It decides nothing."""

from __future__ import annotations

from schedplan.explain.family import Family
from schedplan.explain.room import Berth, Room
from schedplan.explain.wording import amount, instant
from schedplan.measures.quotas import QuotaRefusal
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


def held_back(room: Room, job: Job, family: Family, *, only_node: str | None = None) -> tuple[QuotaRefusal, Berth] | None:
    """Return the quota that a job would exceed where a family, or one of its nodes, first has room for it; None where none has."""
    berth = room.berth(job, family, only_node=only_node, within_quotas=False)
    if berth is None:
        return None
    workers = sum(part.workers for part in berth.parts)
    refusal = room.over_quota(job, family.pools[0].accelerator, berth.stretch, workers)
    return None if refusal is None else (refusal, berth)


def over_quota(problem: Problem, refusal: QuotaRefusal, berth: Berth | None) -> str:
    """Return what would count beside what may; with a berth: although there is room there."""
    ceiling, unit = refusal.ceiling, refusal.ceiling.scope.resource.value
    told = f"{amount(refusal.counted)} {unit} would count for {ceiling.subject} with it, at most {amount(refusal.most)} may"
    if berth is None:
        return told
    return f"there is room from {instant(problem, problem.grid.slot_start_s(berth.stretch.start_slot))}, but {told}"


def larger_quota(refusal: QuotaRefusal) -> str:
    """Return the change under which it would fit."""
    ceiling, unit = refusal.ceiling, refusal.ceiling.scope.name
    if ceiling.is_cohort:
        more = refusal.counted - refusal.most
        return f"{amount(more)} {unit} more promised to a member of cohort {ceiling.name}, or lent by one"
    return f"a quota (max) of {amount(refusal.counted)} {unit} for tenant {ceiling.name}"
