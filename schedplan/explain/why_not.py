"""Why a job or service is not on one named node or pool: what forbids it, what stands there, or what it would cost."""

from __future__ import annotations

from schedplan.explain.alternatives import lack_of_room, possible
from schedplan.explain.barred import barred
from schedplan.explain.explanation import Alternative, Explanation, Outcome, Reason
from schedplan.explain.family import Family
from schedplan.explain.price import run_cost
from schedplan.explain.quota import held_back, over_quota
from schedplan.explain.room import Room, Stretch
from schedplan.explain.why_pieces import pieces_in
from schedplan.explain.why_service import explain_service, service_alternative
from schedplan.explain.wording import listed, money, needed_workers
from schedplan.measures.costs import Prices
from schedplan.measures.eligibility import job_refusal, service_refusal, workers_per_node
from schedplan.measures.pins import may_stand, pin_told
from schedplan.measures.runs import Run, runs_of
from schedplan.model.cluster import Pool
from schedplan.model.plan import Plan
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service


def explain_why_not(problem: Problem, plan: Plan, name: str, place: str) -> Explanation:
    """Return why the job or service `name` does not stand on `place`, a node or a pool; both must exist."""
    pool = problem.cluster.by_name.get(place) or problem.cluster.pool_of_node[place]
    nodes = (place,) if place in problem.cluster.pool_of_node else pool.node_names()
    if name in problem.job_by_name:
        return _job(problem, plan, problem.job_by_name[name], pool, nodes, place)
    return _service(problem, plan, problem.service_by_name[name], pool, nodes, place)


def _job(problem: Problem, plan: Plan, job: Job, pool: Pool, nodes: tuple[str, ...], place: str) -> Explanation:
    subject = f"job {job.name}"
    runs = pieces_in(problem, plan.decisions, job.name)
    if any(part.node in nodes for run in runs for part in run.parts):
        return Explanation(subject, f"{subject} does stand on {place}", ())
    refusal = job_refusal(pool, job)
    if refusal is not None:
        refused = Alternative(place, Outcome.REFUSED, refusal.message, rule=refusal.rule)
        return _forbidden(subject, place, Reason(refusal.rule, refusal.message), refused)
    pin = problem.pin_of_job.get(job.name)
    if pin is not None and not any(may_stand(problem, job.name, node) for node in nodes):
        told = f"it is pinned {pin_told(problem, pin)}"
        return _forbidden(subject, place, Reason("pin", told), Alternative(place, Outcome.REFUSED, told, rule="pin"))
    if len(nodes) == 1 and workers_per_node(pool, job.shape) < job.least_workers:
        holds = f"{place} holds {workers_per_node(pool, job.shape)} of its {needed_workers(job)} when empty"
        return _forbidden(subject, place, Reason("gang", holds), Alternative(place, Outcome.REFUSED, holds, rule="gang"))
    return _by_room(problem, plan, job, pool, nodes, place, runs)


def _forbidden(subject: str, place: str, reason: Reason, refused: Alternative) -> Explanation:
    return Explanation(subject, f"{subject} may not stand on {place}: {reason.rule}", (reason,), (refused,))


def _by_room(
    problem: Problem, plan: Plan, job: Job, pool: Pool, nodes: tuple[str, ...], place: str, runs: tuple[Run, ...]
) -> Explanation:
    subject, room, prices = f"job {job.name}", Room(problem, plan.decisions, job.name), Prices.of(problem)
    run = runs[0] if len(runs) == 1 else None
    family = Family((pool,))
    only_node = place if len(nodes) == 1 else None
    berth = room.berth(job, family, only_node=only_node)
    held = held_back(room, job, family, only_node=only_node) if berth is None else None
    if held is not None:
        told = over_quota(problem, *held)
        kept_out = Alternative(place, Outcome.NO_ROOM, told, rule="quota")
        return Explanation(subject, f"{subject} may not stand on {place}: quota", (Reason("quota", told),), (kept_out,))
    bar = None if berth is not None else barred(problem, room.decisions, job, family, only_node=only_node)
    if bar is not None:
        closed = Alternative(place, Outcome.NO_ROOM, bar.told, rule=bar.rule)
        verdict = f"{subject} has no room on {place} within its window: {bar.rule}"
        return Explanation(subject, verdict, (Reason(bar.rule, bar.told),), (closed,))
    if berth is None:
        told = lack_of_room(problem, room, job, family, only_node=only_node)
        others = _others_there(problem, plan, job, nodes, run)
        reasons = (Reason("capacity", told), *((Reason("place", f"taken by {others}"),) if others else ()))
        full = Alternative(place, Outcome.NO_ROOM, told, rule="capacity")
        return Explanation(subject, f"{subject} has no room on {place} within its window", reasons, (full,))
    found = possible(problem, room, place, berth, run, prices)
    if len(runs) > 1:
        why = Reason("objective", "it runs in pieces elsewhere; the goals together, or a tie, decided")
        return Explanation(subject, f"{subject} could stand on {place} in one piece: {found.message}", (why,), (found,))
    return Explanation(
        subject,
        f"{subject} could stand on {place}: {found.message}",
        (_why_the_other(problem, found, run, prices),),
        (found,),
    )


def _why_the_other(problem: Problem, found: Alternative, run: Run | None, prices: Prices) -> Reason:
    """Why the plan did not take a place that has room."""
    if run is None:
        return Reason("objective", "the plan leaves it out: the objective is better without it")
    difference = found.cost_difference or 0.0
    if difference > 0:
        here = run_cost(run, prices)
        return Reason("cost", f"where it stands it costs {money(problem, here)}, there {money(problem, here + difference)}")
    if found.start_s is not None and found.start_s > run.start_s:
        return Reason("latency", "where it stands it starts sooner")
    return Reason("objective", "it would be as good there or better by itself; the goals together, or a tie, decided")


def _others_there(problem: Problem, plan: Plan, job: Job, nodes: tuple[str, ...], run: Run | None) -> str:
    """Return what stands on the nodes while the job runs, or at any time where it does not run."""
    stretch = Stretch(0, problem.grid.n_slots) if run is None else Stretch(run.start_slot, run.end_edge)
    jobs = {
        f"job {other.job.name}"
        for other in runs_of(problem, plan.decisions)
        if other.job.name != job.name and other.start_slot < stretch.end_edge and stretch.start_slot < other.end_edge
        for part in other.parts
        if part.node in nodes
    }
    services = {
        f"service {part.service}"
        for part in plan.decisions.replicas
        if part.node in nodes and stretch.start_slot <= part.slot < stretch.end_edge
    }
    return listed(sorted(jobs | services))


def _service(problem: Problem, plan: Plan, service: Service, pool: Pool, nodes: tuple[str, ...], place: str) -> Explanation:
    subject = f"service {service.name}"
    if any(part.service == service.name and part.node in nodes for part in plan.decisions.replicas):
        return Explanation(subject, f"{subject} does stand on {place}", ())
    refusal = service_refusal(pool, service)
    if refusal is not None:
        refused = Alternative(place, Outcome.REFUSED, refusal.message, rule=refusal.rule)
        return _forbidden(subject, place, Reason(refusal.rule, refusal.message), refused)
    whole = explain_service(problem, plan, service)
    offer = service_alternative(problem, plan, service, Family((pool,)))
    return Explanation(
        subject, f"{subject} may stand on {place}, and the plan serves it without", whole.reasons, (offer,), whole.next_step
    )
