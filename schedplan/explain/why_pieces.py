"""Why a best-effort job runs in pieces: when it leaves and for whom, when it goes on, and what that takes. It plans nothing."""

from __future__ import annotations

from itertools import pairwise

from schedplan.explain.alternatives import alternative
from schedplan.explain.explanation import Explanation, Number, Reason
from schedplan.explain.family import families
from schedplan.explain.room import Room
from schedplan.explain.wording import amount, counted, instant, listed, stands
from schedplan.explain.worth import Worth
from schedplan.measures.costs import Prices
from schedplan.measures.pieces import overhead_minutes
from schedplan.measures.runs import Run, runs_of, waits_s
from schedplan.model.plan import Decisions, Plan
from schedplan.model.problem import Problem


def pieces_in(problem: Problem, decisions: Decisions, job: str) -> tuple[Run, ...]:
    """Return the runs of a job: none where it is left out, one where it runs in one piece."""
    return tuple(run for run in runs_of(problem, decisions) if run.job.name == job)


def explain_pieces(problem: Problem, plan: Plan, pieces: tuple[Run, ...]) -> Explanation:
    """Return why a job runs in these pieces, one reason for each time it leaves, and what one piece would have been instead."""
    job = pieces[0].job
    room, worth, prices = Room(problem, plan.decisions, job.name), Worth(problem, plan), Prices.of(problem)
    told = "; ".join(f"{_from_to(problem, one)} on {stands(one.parts)}" for one in pieces)
    return Explanation(
        subject=f"job {job.name}",
        verdict=f"job {job.name} runs in {len(pieces)} pieces: {told}",
        reasons=(
            *(_leave(problem, plan.decisions, before, after) for before, after in pairwise(pieces)),
            _overhead(pieces),
            _wait(problem, pieces),
            *_slack(problem, pieces[-1]),
        ),
        alternatives=tuple(alternative(problem, room, job, family, None, prices, worth) for family in families(problem, job)),
    )


def _from_to(problem: Problem, run: Run) -> str:
    return f"{instant(problem, run.start_s)} to {instant(problem, min(run.run_end_s, run.end_s))}"


def _leave(problem: Problem, decisions: Decisions, before: Run, after: Run) -> Reason:
    """Tell when a job leaves, what takes its place, and when it goes on."""
    takers = _takers(problem, decisions, before)
    why = "; ".join(takers) if takers else "nothing takes its place at once: the goals together are better so"
    left, back = instant(problem, before.end_s), instant(problem, after.start_s)
    away_h = (after.start_s - before.end_s) / 3600.0
    goes_on = f"it goes on at {back}, {amount(away_h)} h later" if away_h else "it goes on elsewhere at once"
    told = f"it leaves {listed(part.node for part in before.parts)} at {left}: {why}; {goes_on}"
    return Reason("pieces", told, (Number("away", away_h, "h"),))


def _takers(problem: Problem, decisions: Decisions, run: Run) -> list[str]:
    """Return what a piece makes room for in the slot after it, in words: services that grow on its nodes, jobs that start there,
    outages, and nodes that are switched off."""
    nodes, slot = [part.node for part in run.parts], run.end_edge
    found = []
    for service in problem.services:
        stood, stands_now = _replicas(decisions, service.name, slot - 1, nodes), _replicas(decisions, service.name, slot, nodes)
        if stands_now > stood:
            found.append(f"service {service.name} has {counted(stands_now, 'replica')} there then, {amount(stood)} before")
    started = sorted(
        {part.job for part in decisions.parts if part.node in nodes and part.start_slot == slot and part.job != run.job.name}
    )
    if started:
        found.append(f"{'jobs start' if len(started) > 1 else 'job starts'} there: {listed(started)}")
    away = [node for node in nodes if problem.outages and problem.is_down[problem.cluster.node_idx[node], slot]]
    if away:
        found.append(f"an outage closes {listed(away)}")
    off = [node for node in nodes if node not in away and not decisions.on[problem.cluster.node_idx[node], slot]]
    if off:
        found.append(f"{listed(off)} {'are' if len(off) > 1 else 'is'} switched off")
    return found


def _replicas(decisions: Decisions, service: str, slot: int, nodes: list[str]) -> int:
    return sum(part.replicas for part in decisions.replicas if (part.service, part.slot) == (service, slot) and part.node in nodes)


def _overhead(pieces: tuple[Run, ...]) -> Reason:
    job = pieces[0].job
    leaves, returns = job.checkpoint_cost_minutes * (len(pieces) - 1), job.restart_minutes * (len(pieces) - 1)
    minutes = sum(overhead_minutes(job, run.pools[0], run.piece) for run in pieces)
    told = f"leaving and going on takes {amount(minutes)} min in all"
    parts = f"{amount(leaves)} min for checkpoints, {amount(returns)} min for restarts"
    loads = minutes - leaves - returns
    more = f", {amount(loads)} min for loading" if loads > 0 else ""
    return Reason("pieces", f"{told}: {parts}{more}", (Number("overhead", minutes, "min"),))


def _wait(problem: Problem, pieces: tuple[Run, ...]) -> Reason:
    wait_h = waits_s(problem, pieces)[0] / 3600.0
    told = f"it is kept from its work for {amount(wait_h)} h in all after its release"
    return Reason("latency", told, (Number("wait", wait_h, "h"),))


def _slack(problem: Problem, last: Run) -> tuple[Reason, ...]:
    if last.slack_h is None or last.job.deadline_s is None:
        return ()
    told = f"its last piece is over {amount(last.slack_h)} h before its deadline of {instant(problem, last.job.deadline_s)}"
    return (Reason("window", told, (Number("slack", last.slack_h, "h"),)),)
