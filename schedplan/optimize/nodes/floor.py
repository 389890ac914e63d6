"""The floor: every node in every slot with what is free, what is paid and what tenants hold, while a plan is put together.

It takes berths and replicas, gives them back, and says exactly what either does to F. It chooses nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.quotas import TenantHoldings, allowed, is_above
from schedplan.measures.work import booked_slots, placed_workers
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Service, Topology, WorkerShape
from schedplan.optimize.nodes.berth import Berth, Taken
from schedplan.optimize.nodes.freedom import holds_whole_devices, may_move, may_refit
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.nodes.stays import Stays
from schedplan.packing.assignment import has_work
from schedplan.packing.board import Board
from schedplan.packing.footprint import UNBOUNDED, footprint
from schedplan.packing.supply import close_supply, paid_slots

Nodes = NDArray[np.intp]
Fleet = dict[tuple[int, int], int]
"""Replicas of one service by (node index, slot)."""


class Floor:
    """Mutable. free int64 [resource, node, slot] (devices in slices, the rest in millionths); held: pieces of work, paid: whether
    the node is on, [node, slot]. berths: of the jobs that may move, by name; fleets: of the services that may be refitted.

    total: F, up to a constant of the problem, of all that stands; a job that does not stand counts as left out.
    """

    def __init__(self, problem: Problem, rates: Rates) -> None:
        cluster, board = problem.cluster, Board(problem)
        self.problem, self.rates, self.stays = problem, rates, Stays(problem, rates)
        self.pools: tuple[Pool, ...] = board.pools
        self.resources = ("devices", "cpus", "memory", *board.resources)
        self.free = np.stack([board.slices.sum(axis=1), board.cpu, board.memory, *board.resources.values()])
        self.is_open = board.is_open
        self.is_plain = np.ones(len(self.pools), dtype=np.bool_)
        self.held = np.zeros(self.is_open.shape, dtype=np.int64)
        self.is_sunk = np.array([pool.market.is_sunk for pool in self.pools], dtype=np.bool_)
        self.is_warm = np.array(
            [no < pool.count for pool in cluster.pools for no, _ in enumerate(pool.node_names())], dtype=np.bool_
        )
        self.pool_idx = np.array([idx for idx, pool in enumerate(cluster.pools) for _ in pool.node_names()], dtype=np.intp)
        by_pool = np.array([rates.node(pool) for pool in cluster.pools]).reshape(len(cluster.pools), -1)
        self.pool_price = np.where([[pool.market.is_sunk] for pool in cluster.pools], 0.0, by_pool)
        self.price = self.pool_price[self.pool_idx]
        self.paid = np.zeros_like(self.is_open)
        self.n_paid = np.zeros(by_pool.shape, dtype=np.int64)
        self.least_paid = np.array([0 if pool.market.is_sunk else pool.min_count for pool in cluster.pools], dtype=np.int64)
        self.berths: dict[str, Berth] = {}
        self.fleets: dict[str, Fleet] = {service.name: {} for service in problem.services if may_refit(problem, service)}
        self.fixed_parts: tuple[JobPart, ...] = ()
        self.fixed_replicas: tuple[ReplicaPart, ...] = ()
        self.holdings = TenantHoldings.running(problem)
        self.most = {ceiling: allowed(ceiling, self.holdings) for ceiling in problem.ceilings}
        self.priced = tuple(one for one in problem.borrowers if one.quota.borrow_price > 0)
        self.total = 0.0
        self._demands: dict[tuple[int, WorkerShape], tuple[tuple[int, int], ...]] = {}

    @classmethod
    def of(cls, problem: Problem, rates: Rates, decisions: Decisions) -> Floor:
        """Return the floor on which decisions stand."""
        floor = cls(problem, rates)
        jobs = problem.job_by_name
        floor._stand_fixed(tuple(part for part in decisions.parts if not may_move(problem, jobs[part.job])))
        floor._stand_replicas(decisions.replicas)
        parts: dict[str, list[JobPart]] = defaultdict(list)
        for part in decisions.parts:
            if may_move(problem, jobs[part.job]):
                parts[part.job].append(part)
        for name, mine in parts.items():
            floor.put(floor._berth(jobs[name], mine))
        return floor

    def decisions(self) -> Decisions | None:
        """Return what stands as decisions; None where some node could not be up for it."""
        names = self.problem.cluster.nodes
        parts = tuple(sorted((*self.fixed_parts, *(part for one in self.berths.values() for part in one.parts(names)))))
        moved = [
            ReplicaPart(service, slot, names[node], count)
            for service, fleet in self.fleets.items()
            for (node, slot), count in fleet.items()
        ]
        replicas = tuple(sorted((*self.fixed_replicas, *moved)))
        on = close_supply(self.problem, has_work(self.problem, parts, replicas))
        return None if on is None else Decisions(parts, replicas, on)

    def room(self, nodes: Nodes, shape: WorkerShape, slots: slice) -> NDArray[np.int64]:
        """Return how many workers of a shape each of some nodes of one size takes over the slots; int64 [len(nodes)]."""
        room = np.full(len(nodes), 1 << 40, dtype=np.int64)
        for resource, demand in self.demands(int(nodes[0]), shape):
            room = np.minimum(room, self.free[resource, nodes, slots].min(axis=1) // demand)
        if shape.max_per_node is not None:
            room = np.minimum(room, shape.max_per_node)
        takes = self.is_open[nodes, slots].all(axis=1) & (self.is_plain[nodes] | (shape.gpus == 0))
        return np.where(takes, room, 0)

    def new_price(self, nodes: Nodes, slots: slice) -> NDArray[np.float64]:
        """Return the price of the slots in which each of some nodes would be switched on for work over the slots, as F."""
        prices = np.where(self.paid[nodes, slots], 0.0, self.price[nodes, slots])
        return np.asarray(prices.sum(axis=1), dtype=np.float64)

    def quota(self, job: Job, accelerator: str | None, workers: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]] | None:
        """Return per slot whether quotas let a job hold so many workers on a device model, and what it then borrows, as F.

        None where no quota counts them.
        """
        if job.tenant not in self.problem.quota_tenants:
            return None
        everywhere = slice(0, self.problem.grid.n_slots)
        before = self._borrowing()
        self.holdings.add(job.tenant, job.shape, accelerator, workers, everywhere)
        is_open = np.ones(self.problem.grid.n_slots, dtype=np.bool_)
        for ceiling in self.problem.ceilings_over.get(job.tenant, ()):
            if ceiling.scope.covers(accelerator) and ceiling.scope.resource.asked(job.shape) > 0:
                is_open &= ~is_above(self.holdings.counted(ceiling), self.most[ceiling])
        more = self._borrowing() - before
        self.holdings.add(job.tenant, job.shape, accelerator, -workers, everywhere)
        return is_open, self.rates.cost * more

    def put(self, berth: Berth) -> float:
        """Let a berth stand, and return what that adds to F."""
        added = self.added_by(berth)
        self._take(berth.nodes, berth.job.shape, berth.slots, 1)
        self._hold(berth, 1)
        self._repay(berth.nodes)
        self.berths[berth.job.name] = berth
        self.total += added
        return added

    def lift(self, name: str) -> Berth:
        """Take a job off."""
        berth = self.berths.pop(name)
        self._take(berth.nodes, berth.job.shape, berth.slots, -1)
        self._hold(berth, -1)
        self._repay(berth.nodes)
        self.total -= self.added_by(berth)
        return berth

    def added_by(self, berth: Berth) -> float:
        """Return what a berth that does not stand would add to F, exactly: less being left out; infinite where a node is not up."""
        job, rates, slots = berth.job, self.rates, berth.slots
        pool, workers = self.pools[berth.nodes[0][0]], berth.workers
        added = rates.start(job, pool, berth.start_slot, berth.end_edge, workers) - rates.left_out(job)
        added += rates.rework(job, pool, len(berth.nodes), berth.start_slot, workers)
        added += self.stays.moved(job, berth.start_slot, berth.nodes)
        if rates.carbon:
            added += sum(
                count * rates.worker(job, self.pools[node], berth.start_slot, berth.end_edge, workers)
                for node, count in berth.nodes
            )
        found = self.quota(job, pool.accelerator, workers)
        added += 0.0 if found is None else float(found[1][slots].sum())
        return added + self.switching([(node, slots) for node, _ in berth.nodes])

    def switching(self, work: Iterable[tuple[int, slice]]) -> float:
        """Return what nodes add by being switched on for more work, each node once; infinite where one can't be up in time."""
        change: dict[int, NDArray[np.int64]] = {}
        for node, slots in work:
            if self.is_sunk[node] or self.paid[node, slots].all():
                continue
            row = self.held[node] > 0
            row[slots] = True
            paid = self._paid_for(node, row)
            if paid is None:
                return float("inf")
            pool = int(self.pool_idx[node])
            change[pool] = change.get(pool, 0) + paid.astype(np.int64) - self.paid[node]
        return sum(
            self._bill(pool, self.n_paid[pool] + more) - self._bill(pool, self.n_paid[pool]) for pool, more in change.items()
        )

    def stand(self, service: Service, node: int, slot: int, count: int) -> None:
        """Let so many more replicas of a service stand on a node in a slot (fewer where negative)."""
        span, fleet = slice(slot, slot + 1), self.fleets[service.name]
        before = self._bill_of(node)
        self._take(((node, abs(count)),), service.shape, span, 1 if count > 0 else -1)
        had = fleet.pop((node, slot), 0)
        self.held[node, slot] += (had + count > 0) - (count > 0) - (had > 0) + (count < 0)
        if had + count:
            fleet[node, slot] = had + count
        self._repay(((node, 0),))
        self.total += self._bill_of(node) - before + count * float(self.rates.replica(service, self.pools[node])[slot])
        moved = self.stays.moved_replicas
        self.total += moved(service, slot, node, had + count) - moved(service, slot, node, had)

    def demands(self, node: int, shape: WorkerShape) -> tuple[tuple[int, int], ...]:
        """Return (resource, what one worker takes of it) for all that a shape takes and that is counted on a node."""
        key = (int(self.pool_idx[node]), shape)
        if key not in self._demands:
            print_ = footprint(self.pools[node], shape)
            amounts = {"devices": print_.slices, "cpus": print_.cpu_micro, "memory": print_.memory_micro, **dict(print_.resources)}
            self._demands[key] = tuple(
                (idx, amounts[name])
                for idx, name in enumerate(self.resources)
                if amounts.get(name) and (name != "devices" or print_.slices) and not self._is_endless(idx, node)
            )
        return self._demands[key]

    def _is_endless(self, resource: int, node: int) -> bool:
        return bool(self.free[resource, node].max(initial=0) > UNBOUNDED // 2)

    def _borrowing(self) -> NDArray[np.float64]:
        """Return what is paid for borrowing per slot, currency, float64 [n_slots]."""
        hours = self.problem.grid.hours
        nothing = np.zeros(len(hours))
        return sum((one.quota.borrow_price * self.holdings.borrowed(one) * hours for one in self.priced), nothing)

    def _hold(self, berth: Berth, sign: int) -> None:
        accelerator = self.pools[berth.nodes[0][0]].accelerator
        if berth.job.tenant in self.problem.quota_tenants:
            self.holdings.add(berth.job.tenant, berth.job.shape, accelerator, sign * berth.workers, berth.slots)

    def _take(self, nodes: Taken, shape: WorkerShape, slots: slice, sign: int) -> None:
        for node, count in nodes:
            for resource, demand in self.demands(node, shape):
                self.free[resource, node, slots] -= sign * count * demand
            self.held[node, slots] += sign

    def _paid_for(self, node: int, row: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        startup = self.pools[node].startup_minutes
        return row if startup <= 0 else paid_slots(self.problem.grid, row, startup, is_warm=bool(self.is_warm[node]))

    def _repay(self, nodes: Taken) -> None:
        for node, _ in nodes:
            if not self.is_sunk[node]:
                paid = self._paid_for(node, self.held[node] > 0)
                row = self.paid[node] if paid is None else paid
                self.n_paid[self.pool_idx[node]] += row.astype(np.int64) - self.paid[node]
                self.paid[node] = row

    def _bill(self, pool: int, count: NDArray[np.int64]) -> float:
        return float(self.pool_price[pool] @ np.maximum(count, self.least_paid[pool]))

    def _bill_of(self, node: int) -> float:
        pool = int(self.pool_idx[node])
        return self._bill(pool, self.n_paid[pool])

    def _berth(self, job: Job, parts: list[JobPart]) -> Berth:
        node_idx = self.problem.cluster.node_idx
        nodes = tuple((node_idx[part.node], part.workers) for part in sorted(parts))
        slots = booked_slots(self.problem, parts[0], sum(part.workers for part in parts))
        return Berth(job, slots.start, slots.stop, nodes)

    def _stand_fixed(self, parts: tuple[JobPart, ...]) -> None:
        problem, workers = self.problem, placed_workers(parts)
        self.fixed_parts = parts
        for part in parts:
            job, node = problem.job_by_name[part.job], problem.cluster.node_idx[part.node]
            slots = booked_slots(problem, part, workers[part.job])
            self._take(((node, part.workers),), job.shape, slots, 1)
            self._repay(((node, 0),))
            if not holds_whole_devices(job.shape) or job.topology is Topology.DEVICE_GROUP:
                self.is_plain[node] = False
            if job.state is not JobState.RUNNING and job.tenant in problem.quota_tenants:
                self.holdings.add(job.tenant, job.shape, self.pools[node].accelerator, part.workers, slots)

    def _stand_replicas(self, replicas: tuple[ReplicaPart, ...]) -> None:
        problem = self.problem
        self.fixed_replicas = tuple(part for part in replicas if part.service not in self.fleets)
        for part in replicas:
            service, node = problem.service_by_name[part.service], problem.cluster.node_idx[part.node]
            slots = slice(part.slot, part.slot + 1)
            if part.service in self.fleets:
                self.stand(service, node, part.slot, part.replicas)
                continue
            self._take(((node, part.replicas),), service.shape, slots, 1)
            self._repay(((node, 0),))
            if not holds_whole_devices(service.shape):
                self.is_plain[node] = False
            if service.tenant in problem.quota_tenants:
                self.holdings.add(service.tenant, service.shape, self.pools[node].accelerator, part.replicas, slots)
