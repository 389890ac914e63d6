"""Problems of medium size that have a plan, because they are drawn around one. It places work at random, as no planner would.

Nodes first; then services and jobs, wherever a random try finds room; then rules that this very plan keeps, most of them without
any room to spare: every job is required, windows close around runs, quotas and the budget are what the plan uses.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.errors import SolverError
from schedplan.measures.accounting import account
from schedplan.measures.feasibility import violations
from schedplan.measures.latency import least_replicas
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart, PlanStatus, ReplicaPart
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, JobKind, Service, Topology, WorkerShape
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from schedplan.packing.supply import close_supply
from schedplan.timegrid import TimeGrid
from tests.oracle.drawing import HOUR_S, START_S, a_pool

TRIES = 30
LITTLE = SolveOptions(gap=0.5, work_limit=2.0, branch_work=0)
"""The first plan that holds is enough: what is asked is whether one is found, not how good it is."""


@dataclass(frozen=True, slots=True)
class Planted:
    problem: Problem
    decisions: Decisions


@dataclass(frozen=True, slots=True)
class Search:
    """What the solver said of a problem that has a plan. is_unknown: it found none and said so."""

    problem: str
    is_unknown: bool
    faults: tuple[str, ...]


def searched(number: int) -> Search:
    """Return what the solver says of a planted problem; calling it infeasible is the fault that is looked for."""
    problem = planted(number).problem
    try:
        plan = optimize(problem, LITTLE)
    except SolverError:
        return Search(problem.name, is_unknown=True, faults=())
    if plan.proof.status is PlanStatus.INFEASIBLE:
        rules = ", ".join(sorted({item.rule for item in plan.proof.conflict}))
        return Search(problem.name, is_unknown=False, faults=(f"{problem.name}: called infeasible ({rules}), and has a plan",))
    faults = tuple(f"{problem.name}: breaks {broken.message}" for broken in violations(problem, plan.decisions))
    return Search(problem.name, is_unknown=False, faults=faults)


def planted(number: int) -> Planted:
    """Return a problem with the plan it was drawn around. AssertionError where the check refuses that plan."""
    source = random.Random(f"planted {number}")
    draft = _Draft(source)
    draft.add_services(source.choice((0, 1, 1, 2)))
    draft.add_jobs(source.randint(20, 40))
    found = draft.finished(f"planted-{number}")
    broken = violations(found.problem, found.decisions)
    if broken:
        raise AssertionError(f"planted-{number}: {broken[0].subject}: {broken[0].message}")
    return found


class _Draft:
    """A cluster with what stands on it so far. free: devices, cores, GiB left, float64 [node, slot, 3]."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.grid = TimeGrid.regular(START_S, source.choice((30, 60)), source.randint(8, 12))
        self.cluster = Cluster(tuple(self._pools()))
        self.nodes = self.cluster.nodes
        self.free = np.zeros((len(self.nodes), self.grid.n_slots, 3))
        for row, node in enumerate(self.nodes):
            pool = self.cluster.pool_of_node[node]
            if pool.node_names().index(node) < pool.nodes:
                self.free[row] = (pool.gpus, pool.cpus or 0.0, pool.memory_gib or 0.0)
        self.jobs: list[Job] = []
        self.parts: list[JobPart] = []
        self.services: list[Service] = []
        self.demands: list[Demand] = []
        self.replicas: list[ReplicaPart] = []

    def _pools(self) -> list[Pool]:
        source = self.source
        n_nodes, pools = source.randint(6, 12), []
        while n_nodes > 0:
            count = min(n_nodes, source.randint(1, 4))
            market = source.choice((Market.OWNED, Market.ON_DEMAND, Market.ON_DEMAND, Market.RESERVED, Market.SPOT))
            pool = replace(
                a_pool(source, f"p{len(pools)}", count, source.choice((1, 2, 4, 8)), market), rack=source.choice(("r1", "r2"))
            )
            if market is Market.SPOT:
                pool = replace(pool, interruptions_per_hour=source.choice((0.0, 0.02)))
            if not market.is_sunk:
                pool = replace(pool, startup_minutes=source.choice((0.0, 0.0, 30.0, 60.0)))
            pools.append(pool)
            n_nodes -= count
        return pools

    def add_services(self, count: int) -> None:
        """Put services on nodes of their markets, with less demand where there is no room for it."""
        for idx in range(count):
            service = Service(
                name=f"s{idx}",
                slo_ms=400.0,
                service_ms=100.0,
                series=f"s{idx}",
                concurrency=2,
                shape=WorkerShape(gpus=1.0, cpus=1.0, memory_gib=2.0, max_per_node=self.source.choice((None, 1, 2))),
                min_replicas=0,
                tenant="web",
            )
            peak = np.array([self.source.choice((0.0, 10.0, 25.0, 40.0)) for _ in range(self.grid.n_slots)])
            for slot in range(self.grid.n_slots):
                while not self._serves(service, slot, float(peak[slot])):
                    peak[slot] = 0.0 if peak[slot] < 10 else peak[slot] - 10
            self.services.append(service)
            self.demands.append(Demand(service.name, peak, peak * 0.7))

    def _serves(self, service: Service, slot: int, rate_rps: float) -> bool:
        least = least_replicas(service, service.service_ms, rate_rps, 1.0) or 0
        able = [row for row, node in enumerate(self.nodes) if self.cluster.pool_of_node[node].market in service.markets]
        counts: dict[int, int] = {}
        for _ in range(TRIES):
            if sum(counts.values()) == least:
                break
            row = self.source.choice(able) if able else -1
            ask = np.array((service.shape.gpus, service.shape.cpus, service.shape.memory_gib))
            has_room = row >= 0 and bool((self.free[row, slot] >= ask * (counts.get(row, 0) + 1)).all()) and self._is_up(row, slot)
            if has_room and counts.get(row, 0) < (service.shape.max_per_node or 99):
                counts[row] = counts.get(row, 0) + 1
        if sum(counts.values()) < least:
            return False
        for row, count in counts.items():
            self.free[row, slot] -= count * ask
            self.replicas.append(ReplicaPart(service.name, slot, self.nodes[row], count))
        return True

    def _is_up(self, row: int, slot: int) -> bool:
        """Whether a node can be up in a slot when it was requested as soon as the plan begins."""
        pool = self.cluster.pool_of_node[self.nodes[row]]
        waited_minutes = (self.grid.edges_s[slot] - self.grid.start_s) / 60
        return pool.node_names().index(self.nodes[row]) < pool.count or waited_minutes >= pool.startup_minutes

    def add_jobs(self, count: int) -> None:
        """Put gangs wherever a random try finds room for all their workers; those that find none are left out."""
        for idx in range(count):
            for _ in range(TRIES):
                if self._stands(f"j{idx:02d}"):
                    break

    def _stands(self, name: str) -> bool:
        source, grid = self.source, self.grid
        shape = WorkerShape(
            gpus=float(source.choice((1, 1, 2, 4))), cpus=float(source.choice((1, 2))), memory_gib=float(source.choice((2, 4)))
        )
        workers, minutes = source.choice((1, 1, 1, 2, 3)), float(source.choice((30, 45, 60, 120, 180)))
        first = source.choice(self.nodes)
        pool = self.cluster.pool_of_node[first]
        start_slot = source.randrange(grid.n_slots)
        end_edge = grid.end_edge(start_slot, minutes)
        if end_edge is None:
            return False
        counts = self._spread(pool, shape, workers, start_slot, end_edge)
        if counts is None:
            return False
        for row, amount in counts.items():
            self.free[row, start_slot:end_edge] -= amount * np.array((shape.gpus, shape.cpus, shape.memory_gib))
            self.parts.append(JobPart(name, self.nodes[row], start_slot, amount))
        self.jobs.append(self._job(name, shape, workers, minutes, pool, start_slot, end_edge, is_one_node=len(counts) == 1))
        return True

    def _spread(self, pool: Pool, shape: WorkerShape, workers: int, start_slot: int, end_edge: int) -> dict[int, int] | None:
        """Return workers per node of one pool, None where they find no room."""
        rows = [self.cluster.node_idx[name] for name in pool.node_names()]
        ask = np.array((shape.gpus, shape.cpus, shape.memory_gib))
        counts: dict[int, int] = {}
        for row in self.source.sample(rows, len(rows)):
            if not self._is_up(row, start_slot):
                continue
            room = self.free[row, start_slot:end_edge].min(axis=0)
            fitting = min(int((room / ask).min()), workers - sum(counts.values()))
            if fitting:
                counts[row] = fitting
        return counts if sum(counts.values()) == workers else None

    def _job(
        self,
        name: str,
        shape: WorkerShape,
        workers: int,
        minutes: float,
        pool: Pool,
        start_slot: int,
        end_edge: int,
        *,
        is_one_node: bool,
    ) -> Job:
        """Return the job of a run, with a window that the run keeps, often without any room beside it."""
        source, edges_s = self.source, self.grid.edges_s
        topologies = [Topology.CLUSTER, Topology.CLUSTER, Topology.RACK] + [Topology.NODE] * is_one_node
        return Job(
            name=name,
            kind=source.choice((JobKind.BATCH, JobKind.TRAINING)),
            tenant=source.choice("ab"),
            priority=source.choice((0, 5)),
            required=True,
            submit_s=START_S,
            earliest_start_s=source.choice((None, edges_s[start_slot], edges_s[max(start_slot - 2, 0)])),
            deadline_s=source.choice((None, edges_s[end_edge], edges_s[end_edge] + 2 * HOUR_S)),
            workers=workers,
            shape=shape,
            runtime_minutes=minutes,
            spot_ok=pool.market is Market.SPOT or source.random() < 0.3,
            checkpoint_minutes=source.choice((None, 15.0)),
            topology=source.choice(topologies),
        )

    def finished(self, name: str) -> Planted:
        """Return the problem with quotas and a budget that the plan just keeps."""
        problem = Problem(
            name=name,
            grid=self.grid,
            cluster=self.cluster,
            jobs=tuple(sorted(self.jobs, key=lambda job: job.name)),
            services=tuple(self.services),
            demands=tuple(self.demands),
        )
        on = close_supply(problem, self._has_work(problem))
        if on is None:
            raise AssertionError(f"{name}: a node can't be up for the work planted on it")
        decisions = Decisions(tuple(sorted(self.parts)), tuple(sorted(self.replicas)), on)
        problem = replace(problem, quotas=self._quotas(problem) if self.source.random() < 0.5 else ())
        if self.source.random() < 0.5:
            money = account(problem, decisions).goals.cost
            limits = Limits(budget_per_day=money * self.source.choice((1.0, 1.05, 1.2)) + 1e-6)
            problem = replace(problem, limits=limits)
        return Planted(problem, decisions)

    def _has_work(self, problem: Problem) -> NDArray[np.bool_]:
        found = np.zeros((len(self.nodes), self.grid.n_slots), dtype=np.bool_)
        for part in self.parts:
            end_edge = self.grid.end_edge(part.start_slot, problem.job_by_name[part.job].runtime_minutes or 0.0)
            found[self.cluster.node_idx[part.node], part.start_slot : end_edge] = True
        for stand in self.replicas:
            found[self.cluster.node_idx[stand.node], stand.slot] = True
        return found

    def _quotas(self, problem: Problem) -> tuple[Quota, ...]:
        """Caps of two tenants: the most devices that each holds in any slot of the plan."""
        rows = []
        for tenant in "ab":
            held = np.zeros(self.grid.n_slots)
            for part in self.parts:
                job = problem.job_by_name[part.job]
                if job.tenant == tenant:
                    end_edge = self.grid.end_edge(part.start_slot, job.runtime_minutes or 0.0)
                    held[part.start_slot : end_edge] += part.workers * job.shape.gpus
            most = float(held.max())
            rows.append(Quota(tenant, most / 2, max=most, borrow_price=0.0))
        return tuple(rows)
