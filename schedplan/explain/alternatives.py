"""Where else a job could stand, family by family, and what that would cost. It compares; it recommends nothing."""

from __future__ import annotations

from schedplan.explain.barred import barred
from schedplan.explain.explanation import Alternative, Outcome
from schedplan.explain.family import Family
from schedplan.explain.fragments import fragments
from schedplan.explain.price import berth_cost, bill, run_cost
from schedplan.explain.quota import held_back, over_quota
from schedplan.explain.room import Berth, Room
from schedplan.explain.wording import amount, are_free, instant, needed_workers, signed_money, stands
from schedplan.explain.worth import Worth
from schedplan.measures.costs import Prices
from schedplan.measures.eligibility import Refusal, job_refusal
from schedplan.measures.pins import may_stand, pin_told
from schedplan.measures.runs import Run
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


def family_refusal(job: Job, family: Family) -> Refusal | None:
    """Return why no pool of a family takes a job (the reason of its first pool), None where one does."""
    refusals = [job_refusal(pool, job) for pool in family.pools]
    return None if None in refusals else refusals[0]


def alternative(
    problem: Problem, room: Room, job: Job, family: Family, run: Run | None, prices: Prices, worth: Worth | None = None
) -> Alternative:
    """Return what a family had to offer to a job; compared with its run, where it has one."""
    refusal = family_refusal(job, family)
    if refusal is not None:
        return Alternative(family.name, Outcome.REFUSED, refusal.message, rule=refusal.rule)
    pin = problem.pin_of_job.get(job.name)
    nodes = (node for pool in family.pools for node in pool.node_names())
    if pin is not None and not any(may_stand(problem, job.name, node) for node in nodes):
        return Alternative(family.name, Outcome.REFUSED, f"it is pinned {pin_told(problem, pin)}", rule="pin")
    berth = room.berth(job, family)
    if berth is None:
        held = held_back(room, job, family)
        if held is not None:
            return Alternative(family.name, Outcome.NO_ROOM, over_quota(problem, *held), rule="quota")
        bar = barred(problem, room.decisions, job, family)
        if bar is not None:
            return Alternative(family.name, Outcome.NO_ROOM, bar.told, rule=bar.rule)
        return Alternative(family.name, Outcome.NO_ROOM, lack_of_room(problem, room, job, family), rule="capacity")
    return possible(problem, room, family.name, berth, run, prices, worth)


def possible(
    problem: Problem, room: Room, place: str, berth: Berth, run: Run | None, prices: Prices, worth: Worth | None = None
) -> Alternative:
    """Return a place that has room, with its costs beside those of the run; all other work stays where it is."""
    cost = berth_cost(problem, berth, prices)
    difference = None if run is None else cost - run_cost(run, prices)
    bill_difference = _difference(bill(room, berth.parts, prices), bill(room, () if run is None else run.parts, prices))
    start_s = problem.grid.slot_start_s(berth.stretch.start_slot)
    told = f"room from {instant(problem, start_s)} on {stands(berth.parts)}"
    if difference is not None:
        told += f"; its cost: {signed_money(problem, difference)}"
    if bill_difference is not None:
        told += f"; the whole bill: {signed_money(problem, bill_difference)}"
    return Alternative(
        place=place,
        outcome=Outcome.POSSIBLE,
        message=told,
        start_s=start_s,
        cost=cost,
        cost_difference=difference,
        bill_difference=bill_difference,
        objective_difference=None if worth is None else worth.difference(room, berth),
    )


def lack_of_room(problem: Problem, room: Room, job: Job, family: Family, *, only_node: str | None = None) -> str:
    """Return what is lacking in a family, or on one of its nodes, that takes the job by its attributes."""
    tight = room.tightness(job, family, only_node=only_node)
    if tight is None:
        return "it can't end there within its window"
    start = instant(problem, problem.grid.slot_start_s(tight.stretch.start_slot))
    told = f"room for {tight.workers_fit} of its {needed_workers(job)} at best (from {start})"
    if job.shape.gpus > 0:
        needed = job.least_workers * job.shape.gpus
        told += f"; {are_free(tight.free_devices)} there"
        told += f", but {fragments(job, tight)}" if tight.free_devices >= needed else f", and it needs {amount(needed)}"
    return told


def _difference(there: float | None, here: float | None) -> float | None:
    return None if there is None or here is None else there - here
