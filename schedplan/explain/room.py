"""Room: where and when a job could stand if all other work stays where the plan has it. It knows no prices and judges nothing.

Nodes that are off may be switched on, as many as their pool may have and no sooner than their start-up allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.explain.family import Family
from schedplan.measures.eligibility import job_refusal
from schedplan.measures.gang_family import domain_of, is_in_one_group, is_on_one_node
from schedplan.measures.min_on_time import most_nodes
from schedplan.measures.pins import may_stand, may_start
from schedplan.measures.quotas import QuotaRefusal
from schedplan.measures.runs import Run, runs_of
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Service
from schedplan.optimize.constraints.elastic import choices
from schedplan.optimize.constraints.window import windows_from
from schedplan.packing.assignment import has_work
from schedplan.packing.board import Board, Hold
from schedplan.packing.supply import close_supply


@dataclass(frozen=True, slots=True)
class Stretch:
    """A start slot, and the edge at which the booked slots end."""

    start_slot: int
    end_edge: int


@dataclass(frozen=True, slots=True)
class Berth:
    """A place and time with room for the whole gang."""

    stretch: Stretch
    parts: tuple[JobPart, ...]


@dataclass(frozen=True, slots=True)
class Tightness:
    """The slot in which most is lacking: how many workers found room of those asked, and what was free, all nodes eligible.

    free_devices: in whole devices (and shares) over all eligible nodes; by_node: (node, devices free there) where
    any are; nodes: all of them.
    """

    stretch: Stretch
    workers_fit: int
    free_devices: float
    by_node: tuple[tuple[str, float], ...]
    nodes: tuple[str, ...]


class Room:
    """What the plan leaves free of every node in every slot, less the jobs that are named."""

    def __init__(self, problem: Problem, decisions: Decisions, *without: str) -> None:
        self.problem = problem
        parts = tuple(part for part in decisions.parts if part.job not in without)
        self.decisions = Decisions(parts, decisions.replicas, decisions.on)
        self._runs = runs_of(problem, self.decisions)
        self._board = _board(problem, self._runs, decisions.replicas)

    def berth(
        self, job: Job, family: Family, *, only_node: str | None = None, within_quotas: bool = True, start_slot: int | None = None
    ) -> Berth | None:
        """Return the earliest place for a job in a family, or on one of its nodes; None where there is none in its window.

        Of several nodes those that are on anyway come first, then the cheapest per worker, then those with most room.
        within_quotas False: as if there were none. start_slot: the only start that is asked for.
        """
        for nodes in self._domains(job, family, only_node):
            pool = self._pool(nodes[0])
            for stretch, workers in self._stretches(job, pool):
                if start_slot is not None and stretch.start_slot != start_slot:
                    continue
                if within_quotas and self.over_quota(job, pool.accelerator, stretch, workers) is not None:
                    continue
                parts = self._parts(job, nodes, stretch, workers)
                if parts is not None and self._can_be_on(parts, stretch):
                    return Berth(stretch, parts)
        return None

    def over_quota(self, job: Job, accelerator: str | None, stretch: Stretch, workers: int) -> QuotaRefusal | None:
        """Return the quota that so many workers of a job would exceed on a device model in some slot of a stretch; None: none."""
        if job.state is JobState.RUNNING:
            return None
        return self._board.allowance.refusal(job, accelerator, workers, slice(stretch.start_slot, stretch.end_edge))

    def earliest_start(self, job: Job) -> int:
        """Return the first slot in which a job may start by its release and by the jobs it comes after."""
        grid = self.problem.grid
        before = self.problem.waits_for[job.name]
        if not before:
            return grid.release_slot(job.release_s)
        ends = [run.end_edge for run in self._runs if run.job.name in before]
        return max([grid.release_slot(job.release_s), *ends])

    def together(self, offers: tuple[tuple[Job, tuple[Family, ...]], ...]) -> tuple[Berth, ...] | None:
        """Return the earliest places of jobs that start together, each in one of its families; None where no start has them all."""
        for slot in range(self.problem.grid.n_slots):
            berths: list[Berth] = []
            holds: list[Hold] = []
            for job, families in offers:
                found = (self.berth(job, family, start_slot=slot) for family in families)
                berth = next((one for one in found if one is not None), None)
                if berth is None:
                    break
                berths.append(berth)
                holds.extend(self._take(job, berth))
            for hold in holds:
                self._board.give_back(hold)
            for (job, _), berth in zip(offers, berths, strict=False):
                self._allow(job, berth, -1)
            if len(berths) == len(offers):
                return tuple(berths)
        return None

    def _allow(self, job: Job, berth: Berth, sign: int) -> None:
        """Let the tenant of a job hold what a berth takes (1), or no longer hold it (-1)."""
        slots = slice(berth.stretch.start_slot, berth.stretch.end_edge)
        for part in berth.parts:
            accelerator = self.problem.cluster.pool_of_node[part.node].accelerator
            self._board.allowance.add(job, accelerator, sign * part.workers, slots)

    def _take(self, job: Job, berth: Berth) -> list[Hold]:
        self._allow(job, berth, 1)
        nodes, stretch = self.problem.cluster.node_idx, berth.stretch
        return [
            self._board.take(nodes[part.node], job.shape, part.workers, stretch.start_slot, stretch.end_edge)
            for part in berth.parts
        ]

    def _stretches(self, job: Job, pool: Pool) -> Iterator[tuple[Stretch, int]]:
        """Give the stretches open to a job, with its workers, beside the runs it hangs on: those it waits for, waits of others,
        rows of its gang. Of an elastic gang those with most workers first."""
        last_edge, common = self._links(job)
        for stretch, workers in self._by_workers(job, pool, self.earliest_start(job)):
            if stretch.end_edge <= last_edge and (not common or stretch.start_slot in common):
                yield stretch, workers

    def _links(self, job: Job) -> tuple[int, frozenset[int]]:
        """Return the edge by which a job must end for those that wait for it, and the starts of the rows of its gang that stand."""
        if job.name not in self.problem.linked:
            return self.problem.grid.n_slots, frozenset()
        waits_for, rows = self.problem.waits_for, {row.name for row in self.problem.gang_rows.get(job.name, ())}
        starts = [run.start_slot for run in self._runs if job.name in waits_for[run.job.name]]
        common = frozenset(run.start_slot for run in self._runs if run.job.name in rows)
        return min(starts, default=self.problem.grid.n_slots), common

    def _by_workers(self, job: Job, pool: Pool, first_slot: int) -> Iterator[tuple[Stretch, int]]:
        if not job.is_elastic or job.state is JobState.RUNNING:
            for stretch in windows(self.problem, job, pool, first_slot):
                yield stretch, job.standing_workers
            return
        for choice in choices(self.problem, job, pool):
            if choice.start_slot >= first_slot:
                yield Stretch(choice.start_slot, choice.end_edge), choice.workers

    def tightness(
        self, job: Job, family: Family, *, only_node: str | None = None, before_slot: int | None = None
    ) -> Tightness | None:
        """Return the best that a family, or one of its nodes, could do for a job; None where no stretch fits its window.

        before_slot: of the stretches that start before it.
        """
        best: Tightness | None = None
        names = self.problem.cluster.nodes
        for nodes in self._domains(job, family, only_node):
            for stretch, _ in self._stretches(job, self._pool(nodes[0])):
                if before_slot is not None and stretch.start_slot >= before_slot:
                    continue
                workers_fit, free = int(self._workers(job, nodes, stretch).sum()), self.free_devices(nodes, stretch)
                if best is None or (workers_fit, float(free.sum())) > (best.workers_fit, best.free_devices):
                    by_node = tuple((names[int(node)], float(left)) for node, left in zip(nodes, free, strict=True) if left > 0)
                    best = Tightness(stretch, workers_fit, float(free.sum()), by_node, tuple(names[int(node)] for node in nodes))
        return best

    def free_devices(self, nodes: NDArray[np.intp], stretch: Stretch) -> NDArray[np.float64]:
        """Return the devices free on each node throughout a stretch, shares included; float64 [len(nodes)]."""
        free = self._board.slices[nodes, :, stretch.start_slot : stretch.end_edge].min(axis=2).sum(axis=1)
        return np.asarray(free / self._board.slices_per_gpu[nodes], dtype=np.float64)

    def supply_with(self, parts: tuple[JobPart, ...]) -> NDArray[np.bool_] | None:
        """Return the fewest paid slots, bool [node, slot], of the plan with `parts` added; None where some node can't be up."""
        return close_supply(self.problem, has_work(self.problem, (*self.decisions.parts, *parts), self.decisions.replicas))

    def with_parts(self, parts: tuple[JobPart, ...]) -> Decisions:
        """Return the decisions with `parts` added; what is on is not adapted."""
        return Decisions(tuple(sorted((*self.decisions.parts, *parts))), self.decisions.replicas, self.decisions.on)

    def _domains(self, job: Job, family: Family, only_node: str | None) -> Iterator[NDArray[np.intp]]:
        """Give the nodes of each domain that must hold the whole gang, one node each where it asks for a node or device group."""
        cluster = self.problem.cluster
        groups: dict[str | None, list[int]] = {}
        for pool in family.pools:
            if job_refusal(pool, job) is not None:
                continue
            for name in pool.node_names()[: pool.nodes]:
                if (only_node is None or name == only_node) and may_stand(self.problem, job.name, name):
                    alone = is_on_one_node(job.topology)
                    groups.setdefault(name if alone else domain_of(pool, job.topology), []).append(cluster.node_idx[name])
        for nodes in groups.values():
            yield np.array(nodes, dtype=np.intp)

    def _parts(self, job: Job, nodes: NDArray[np.intp], stretch: Stretch, workers: int) -> tuple[JobPart, ...] | None:
        fit = self._workers(job, nodes, stretch)
        if int(fit.sum()) < workers:
            return None
        is_on = self.decisions.on[nodes, stretch.start_slot : stretch.end_edge].sum(axis=1)
        price = self._price_per_worker(nodes, fit, stretch)
        orders = (np.lexsort((nodes, -fit, price, -is_on)), np.lexsort((nodes, -fit)))
        most = most_nodes(self.problem, job, self._pool(nodes[0]), stretch.start_slot, workers)
        names = [self.problem.cluster.nodes[int(node)] for node in nodes]
        found = (_parts_in(order, job, names, fit, stretch.start_slot, workers) for order in orders)
        return next((parts for parts in found if most is None or len(parts) <= most), None)

    def _workers(self, job: Job, nodes: NDArray[np.intp], stretch: Stretch) -> NDArray[np.int64]:
        """Return how many workers each node takes throughout a stretch, at most all; int64 [len(nodes)]."""
        fit = np.zeros(len(nodes), dtype=np.int64)
        slices = self._board.slices_per_gpu[nodes]
        for kind in np.unique(slices):
            of_kind = np.flatnonzero(slices == kind)
            fit[of_kind] = self._board.room(
                nodes[of_kind], job.shape, stretch.start_slot, stretch.end_edge, grouped=is_in_one_group(job)
            )
        return np.minimum(fit, job.workers)

    def _price_per_worker(self, nodes: NDArray[np.intp], fit: NDArray[np.int64], stretch: Stretch) -> NDArray[np.float64]:
        """Return what each node costs over a stretch by the workers it takes, currency; float64 [len(nodes)]."""
        span = slice(stretch.start_slot, stretch.end_edge)
        hours = self.problem.grid.hours[span]
        pools = [self._pool(node) for node in nodes]
        of_pool = {pool.name: float(self.problem.price_per_h(pool)[span] @ hours) for pool in dict.fromkeys(pools)}
        return np.array([of_pool[pool.name] for pool in pools]) / np.maximum(fit, 1)

    def _can_be_on(self, parts: tuple[JobPart, ...], stretch: Stretch) -> bool:
        """Whether the nodes are on anyway, or can be switched on in time."""
        rows = [self.problem.cluster.node_idx[part.node] for part in parts]
        return bool(self.decisions.on[rows, stretch.start_slot : stretch.end_edge].all()) or self.supply_with(parts) is not None

    def _pool(self, node_idx: int) -> Pool:
        return self.problem.cluster.pool_of_node[self.problem.cluster.nodes[int(node_idx)]]


def _parts_in(
    order: NDArray[np.intp], job: Job, names: list[str], fit: NDArray[np.int64], start_slot: int, workers: int
) -> tuple[JobPart, ...]:
    """Return so many workers of a job on nodes in an order, as many on each as fit."""
    parts, missing = [], workers
    for idx in order:
        taken = min(missing, int(fit[idx]))
        if taken:
            parts.append(JobPart(job.name, names[int(idx)], start_slot, taken))
            missing -= taken
    return tuple(sorted(parts))


def windows(problem: Problem, job: Job, pool: Pool, first_slot: int) -> Iterator[Stretch]:
    """Give the stretches in which a job may run on a pool from a slot on, earliest first; of a pinned start that one alone."""
    stretches = (Stretch(*window) for window in windows_from(problem, job, pool, first_slot))
    return (stretch for stretch in stretches if may_start(problem, job.name, stretch.start_slot))


def _board(problem: Problem, runs: tuple[Run, ...], replicas: tuple[ReplicaPart, ...]) -> Board:
    """Return a board with all work on it. A node whose work the board can't hold counts as full there: room is never made up."""
    board = Board(problem)
    for run in sorted(runs, key=lambda run: (run.start_slot, run.start_slot - run.end_edge, run.job.name)):
        for part in run.parts:
            _hold(board, part.node, run.job, part.workers, Stretch(run.start_slot, run.end_edge))
    for replica in replicas:
        service = problem.service_by_name[replica.service]
        _hold(board, replica.node, service, replica.replicas, Stretch(replica.slot, replica.slot + 1))
    return board


def _hold(board: Board, node: str, work: Job | Service, workers: int, stretch: Stretch) -> None:
    node_idx = board.cluster.node_idx[node]
    board.allowance.add(work, board.pools[node_idx].accelerator, workers, slice(stretch.start_slot, stretch.end_edge))
    try:
        grouped = isinstance(work, Job) and is_in_one_group(work)
        board.take_running(node_idx, work.shape, workers, stretch.start_slot, stretch.end_edge, grouped=grouped)
    except ValueError:
        span = slice(stretch.start_slot, stretch.end_edge)
        board.close(node_idx, span)
        board.cpu[node_idx, span] = 0
