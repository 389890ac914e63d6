"""The fewest moves of placed jobs that make room for one more, at its time, on nodes that it may span. It moves nothing.

Parts of other jobs that overlap the time may each move as a whole to another of the nodes, at their own times; replicas stay.
Formula: min Σ (M + d_i) moved_i with M above all devices; z[i,n] places part i once, moved_i = 1 − z[i, where it stands];
Σ_i demand_i z[i,n] + demand w[n] <= C_n in every slot and resource; Σ_n w[n] = workers. The answer has passed the check of rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from schedplan.measures.eligibility import job_refusal, workers_per_node
from schedplan.measures.feasibility import violations
from schedplan.measures.runs import end_edges
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Placed, Service
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solvers.cp_sat import configure, stoppable
from schedplan.packing.assignment import has_work
from schedplan.packing.footprint import (
    UNBOUNDED,
    cpu_capacity_micro,
    footprint,
    memory_capacity_micro,
)
from schedplan.packing.supply import close_supply

MOST_CHOICES = 4_000
WORK_LIMIT = 2.0


@dataclass(frozen=True, slots=True)
class Move:
    """`workers` of a job go from one node to another."""

    job: str
    workers: int
    devices: float
    from_node: str
    to_node: str


@dataclass(frozen=True)
class Rearrangement:
    """Moves, and the decisions with them and the job in its place; devices: all that move."""

    moves: tuple[Move, ...]
    decisions: Decisions

    @property
    def devices(self) -> float:
        return sum(move.devices for move in self.moves)


def fewest_moves(
    problem: Problem, decisions: Decisions, job: Job, nodes: tuple[str, ...], start_slot: int, end_edge: int
) -> Rearrangement | None:
    """Return the fewest moves under which a job that `decisions` leave out fits `nodes` from a slot to an edge.

    None where there are none, it is too large to find out, or they would break a rule. A running job counts as one that may move,
    a job in pieces as one that may not.
    """
    ends = end_edges(problem, decisions.parts)
    parts = tuple(part for part in decisions.parts if part.node in set(nodes))
    movable = tuple(part for part in parts if part.start_slot < end_edge and start_slot < ends[part.job] and part.end_edge is None)
    if not movable or len(movable) * len(nodes) > MOST_CHOICES:
        return None
    found = _Search(problem, decisions, job, nodes, movable, (start_slot, end_edge), ends).solved()
    return None if found is None else _checked(problem, decisions, job, movable, found, start_slot)


class _Search:
    """One model: what all its steps share. It lives for one call."""

    def __init__(
        self,
        problem: Problem,
        decisions: Decisions,
        job: Job,
        nodes: tuple[str, ...],
        movable: tuple[JobPart, ...],
        span: tuple[int, int],
        ends: Mapping[str, int],
    ) -> None:
        self.problem, self.decisions, self.job, self.nodes, self.movable, self.span = problem, decisions, job, nodes, movable, span
        self.ends, self.may_move = ends, frozenset(movable)
        self.model = cp_model.CpModel()
        self.stands = {
            (idx, node): self.model.new_bool_var(f"z[{idx},{node}]")
            for idx, part in enumerate(movable)
            for node in nodes
            if node == part.node or self._takes(node, problem.job_by_name[part.job], part.workers)
        }
        self.workers = {node: self.model.new_int_var(0, self._most(node), f"w[{node}]") for node in nodes if self._most(node)}

    def solved(self) -> tuple[dict[int, str], dict[str, int]] | None:
        """Return (node of each part, workers of the job per node) with the fewest moves, None where there is no such."""
        for idx in range(len(self.movable)):
            self.model.add_exactly_one([self.stands[idx, node] for node in self.nodes if (idx, node) in self.stands])
        self.model.add(cp_model.LinearExpr.sum(list(self.workers.values())) == self.job.workers)
        for node in self.nodes:
            self._add_capacity(node)
        sizes = [round(1000 * part.workers * self.problem.job_by_name[part.job].shape.gpus) for part in self.movable]
        one_move = sum(sizes) + 1
        stays = [self.stands[idx, part.node] for idx, part in enumerate(self.movable)]
        self.model.maximize(cp_model.LinearExpr.weighted_sum(stays, [one_move + size for size in sizes]))
        solver = cp_model.CpSolver()
        configure(solver, SolveOptions(), WORK_LIMIT, 0.0)
        if stoppable(solver, self.model) != cp_model.OPTIMAL:
            return None
        where = {idx: node for (idx, node), flag in self.stands.items() if solver.value(flag)}
        return where, {node: count for node, amount in self.workers.items() if (count := solver.value(amount))}

    def _takes(self, node: str, job: Job, workers: int) -> bool:
        pool = self.problem.cluster.pool_of_node[node]
        return job_refusal(pool, job) is None and workers_per_node(pool, job.shape) >= workers

    def _most(self, node: str) -> int:
        pool = self.problem.cluster.pool_of_node[node]
        most = 0 if job_refusal(pool, self.job) is not None else min(workers_per_node(pool, self.job.shape), self.job.workers)
        return most if not is_on_one_node(self.job.topology) or most == self.job.workers else 0

    def _add_capacity(self, node: str) -> None:
        pool = self.problem.cluster.pool_of_node[node]
        capacities = (pool.gpus * pool.slices_per_gpu, cpu_capacity_micro(pool), memory_capacity_micro(pool))
        first = min(self.span[0], *(part.start_slot for part in self.movable))
        last = max(self.span[1], *(self.ends[part.job] for part in self.movable))
        for slot in range(first, last):
            used = self._fixed(node, slot)
            terms: list[tuple[cp_model.IntVar, tuple[int, int, int]]] = []
            for idx, part in enumerate(self.movable):
                if (idx, node) in self.stands and part.start_slot <= slot < self.ends[part.job]:
                    demand = _demand(pool, self.problem.job_by_name[part.job], part.workers)
                    terms.append((self.stands[idx, node], demand))
            if node in self.workers and self.span[0] <= slot < self.span[1]:
                terms.append((self.workers[node], _demand(pool, self.job, 1)))
            for resource, capacity in enumerate(capacities):
                if 0 < capacity < UNBOUNDED and terms:
                    held = cp_model.LinearExpr.weighted_sum([flag for flag, _ in terms], [demand[resource] for _, demand in terms])
                    self.model.add(held <= capacity - used[resource])

    def _fixed(self, node: str, slot: int) -> tuple[int, int, int]:
        """Return what stands on a node in a slot and may not move."""
        problem, pool = self.problem, self.problem.cluster.pool_of_node[node]
        held = [
            _demand(pool, problem.job_by_name[part.job], part.workers)
            for part in self.decisions.parts
            if part.node == node and part not in self.may_move and part.start_slot <= slot < (part.end_edge or self.ends[part.job])
        ]
        held += [
            _demand(pool, problem.service_by_name[part.service], part.replicas)
            for part in self.decisions.replicas
            if part.node == node and part.slot == slot
        ]
        return sum(one[0] for one in held), sum(one[1] for one in held), sum(one[2] for one in held)


def _demand(pool: Pool, work: Job | Service, count: int) -> tuple[int, int, int]:
    """Return (slices of devices, cores, memory) of so many workers, the last two in millionths."""
    print_ = footprint(pool, work.shape)
    return print_.slices * count, print_.cpu_micro * count, print_.memory_micro * count


def _checked(
    problem: Problem,
    decisions: Decisions,
    job: Job,
    movable: tuple[JobPart, ...],
    found: tuple[dict[int, str], dict[str, int]],
    start_slot: int,
) -> Rearrangement | None:
    where, workers = found
    moved = tuple(replace(part, node=where[idx]) for idx, part in enumerate(movable))
    moves = tuple(
        Move(part.job, part.workers, part.workers * problem.job_by_name[part.job].shape.gpus, part.node, there.node)
        for part, there in zip(movable, moved, strict=True)
        if part.node != there.node
    )
    rest = tuple(part for part in decisions.parts if part not in set(movable))
    added = tuple(JobPart(job.name, node, start_slot, count) for node, count in workers.items())
    parts = _merged((*rest, *moved, *added))
    on = close_supply(problem, has_work(problem, parts, decisions.replicas))
    if on is None:
        return None
    after = Decisions(parts, decisions.replicas, on)
    return None if violations(_as_moved(problem, moves, parts), after) else Rearrangement(tuple(sorted(moves, key=_order)), after)


def _order(move: Move) -> tuple[str, str]:
    return (move.job, move.from_node)


def _merged(parts: tuple[JobPart, ...]) -> tuple[JobPart, ...]:
    total: dict[tuple[str, str, int, int | None], int] = defaultdict(int)
    for part in parts:
        total[part.job, part.node, part.start_slot, part.end_edge] += part.workers
    return tuple(sorted(JobPart(job, node, slot, workers, end) for (job, node, slot, end), workers in total.items()))


def _as_moved(problem: Problem, moves: tuple[Move, ...], parts: tuple[JobPart, ...]) -> Problem:
    """Return a problem in which the moved running jobs run where they would stand."""
    names = {move.job for move in moves}
    jobs = tuple(
        replace(job, placement=tuple(Placed(part.node, part.workers) for part in parts if part.job == job.name))
        if job.name in names and job.state is JobState.RUNNING
        else job
        for job in problem.jobs
    )
    return replace(problem, jobs=jobs)
