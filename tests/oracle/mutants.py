"""The best plan with one thing changed: what the check says of it. A rule that no such change breaks alone has no proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from schedplan.measures.feasibility import violations
from schedplan.measures.rules.case import CODES
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.packing.supply import close_supply
from tests.oracle.agreement import ONES, tolerance
from tests.oracle.arithmetic import objective_of
from tests.oracle.brute_force import best_plan

_RULE_OF = {code: rule for rule, code in CODES.items()}


@dataclass(frozen=True, slots=True)
class Spoilt:
    """What became of all mutants of one best plan: how many each rule alone refuses, and how many are plans."""

    mutants: int
    plans: int
    alone: Counter[str]
    faults: tuple[str, ...]


def spoilt(problem: Problem) -> Spoilt | None:
    """Return what the check says of the mutants of a problem's best plan, None where it has none.

    A mutant that the check accepts and that is better than the best plan is a fault: of the check, or of trying everything.
    """
    answer = best_plan(problem, ONES)
    if answer is None:
        return None
    alone: Counter[str] = Counter()
    faults, count, plans = [], 0, 0
    for count, mutant in enumerate(mutants(problem, answer.decisions), 1):  # noqa: B007
        broken = {_RULE_OF[finding.code] for finding in violations(problem, mutant)}
        if len(broken) == 1:
            alone.update(broken)
        if not broken:
            plans += 1
            value = objective_of(problem, mutant, ONES)
            if value < answer.objective - tolerance(answer.objective):
                faults.append(f"{problem.name}: a mutant of {value} is accepted, and the best plan is {answer.objective}")
    return Spoilt(count, plans, alone, tuple(faults))


def mutants(problem: Problem, decisions: Decisions) -> Iterator[Decisions]:
    """Yield decisions that differ in one part, one row of replicas or one node and slot; work also with its nodes switched on."""
    for changed in _with_other_parts(problem, decisions):
        yield from _with_nodes(problem, changed)
    for changed in _with_other_replicas(problem, decisions):
        yield from _with_nodes(problem, changed)
    for row, slot in np.ndindex(decisions.on.shape):
        on = decisions.on.copy()
        on[row, slot] = not on[row, slot]
        yield replace(decisions, on=on)


def _with_other_parts(problem: Problem, decisions: Decisions) -> Iterator[Decisions]:
    """A part elsewhere, earlier, later, with another end, with one worker more or less, dropped; a job moved, gathered, dropped;
    one that was out."""
    for idx, part in enumerate(decisions.parts):
        others = [replace(part, node=node) for node in problem.cluster.nodes if node != part.node]
        others += [replace(part, start_slot=part.start_slot + step) for step in (-1, 1)]
        others += [replace(part, workers=part.workers + step) for step in (-1, 1) if part.workers + step > 0]
        ends = [part.end_edge + step for step in (-1, 1) if part.end_edge is not None]
        others += [replace(part, end_edge=end) for end in ([None, *ends] if ends else [part.start_slot + 1])]
        for other in others:
            yield _of_parts(decisions, (*decisions.parts[:idx], other, *decisions.parts[idx + 1 :]))
        yield _of_parts(decisions, (*decisions.parts[:idx], *decisions.parts[idx + 1 :]))
    for name in dict.fromkeys(part.job for part in decisions.parts):
        own = [part for part in decisions.parts if part.job == name]
        rest = [part for part in decisions.parts if part.job != name]
        yield _of_parts(decisions, tuple(rest))
        for slot in range(problem.grid.n_slots):
            if all(part.end_edge is None for part in own):
                yield _of_parts(decisions, (*rest, *(replace(part, start_slot=slot) for part in own)))
            for node in problem.cluster.nodes:
                workers = problem.job_by_name[name].workers if own[0].end_edge else sum(part.workers for part in own)
                yield _of_parts(decisions, (*rest, JobPart(name, node, slot, workers)))
    placed = {part.job for part in decisions.parts}
    for job in (job for job in problem.jobs if job.name not in placed):
        for node in problem.cluster.nodes:
            for slot in range(problem.grid.n_slots):
                yield _of_parts(decisions, (*decisions.parts, JobPart(job.name, node, slot, job.workers)))


def _with_other_replicas(problem: Problem, decisions: Decisions) -> Iterator[Decisions]:
    """A row of replicas on another node, one more or fewer, or gone; and one replica on each node that has none."""
    for idx, stand in enumerate(decisions.replicas):
        others = [replace(stand, node=node) for node in problem.cluster.nodes if node != stand.node]
        others += [replace(stand, replicas=stand.replicas + step) for step in (-1, 1) if stand.replicas + step > 0]
        for other in others:
            yield _of_replicas(decisions, (*decisions.replicas[:idx], other, *decisions.replicas[idx + 1 :]))
        yield _of_replicas(decisions, (*decisions.replicas[:idx], *decisions.replicas[idx + 1 :]))
    standing = {(stand.service, stand.slot, stand.node) for stand in decisions.replicas}
    for service in problem.services:
        for slot in range(problem.grid.n_slots):
            for node in problem.cluster.nodes:
                if (service.name, slot, node) not in standing:
                    yield _of_replicas(decisions, (*decisions.replicas, ReplicaPart(service.name, slot, node, 1)))


def _of_parts(decisions: Decisions, parts: tuple[JobPart, ...]) -> Decisions:
    return replace(decisions, parts=tuple(sorted(parts)))


def _of_replicas(decisions: Decisions, replicas: tuple[ReplicaPart, ...]) -> Decisions:
    return replace(decisions, replicas=tuple(sorted(replicas)))


def _with_nodes(problem: Problem, changed: Decisions) -> Iterator[Decisions]:
    """The decisions as they are, and with every node on that their work needs; the latter alone breaks no rule of supply."""
    yield changed
    has_work = _has_work(problem, changed)
    on = None if has_work is None else close_supply(problem, has_work)
    if on is not None and not np.array_equal(on, changed.on):
        yield replace(changed, on=on)


def _has_work(problem: Problem, decisions: Decisions) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
    found = np.zeros_like(decisions.on)
    for part in decisions.parts:
        job, pool = problem.job_by_name[part.job], problem.cluster.pool_of_node[part.node]
        if not 0 <= part.start_slot < problem.grid.n_slots:
            return None
        end_edge = part.end_edge or problem.grid.end_edge(part.start_slot, problem.runtime_minutes(job, pool))
        found[problem.cluster.node_idx[part.node], part.start_slot : end_edge] = True
    for stand in decisions.replicas:
        found[problem.cluster.node_idx[stand.node], stand.slot] = True
    return found
