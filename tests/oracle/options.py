"""Every way to run a job by itself: each start within its window, on nodes that take it, in every split of its workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Topology
from tests.oracle.arithmetic import Arithmetic, Option
from tests.oracle.on_time import is_sure_enough
from tests.oracle.pieces import cuts, may_pause, works_out
from tests.oracle.rooms import Rooms
from tests.oracle.standing import is_against_pin, is_away, is_closed


class JobOptions:
    """The options of the jobs of one problem."""

    def __init__(self, problem: Problem, facts: Arithmetic, rooms: Rooms) -> None:
        self.problem, self.grid, self.facts, self.rooms = problem, problem.grid, facts, rooms

    def of(self, job: Job) -> list[Option]:
        if job.state is JobState.RUNNING:
            return [self.facts.option(job, 0, self._stands(job))]
        found = []
        first = self.grid.release_slot(job.release_s)
        for workers in self._spreads(job):
            pool = self.facts.pools[next(n for n in self.rooms.nodes if workers[n])]
            for start_slot in range(first, self.grid.n_slots):
                end_edge = self.grid.end_edge(start_slot, self.facts.run_minutes(job, pool, sum(workers)))
                is_over = end_edge is not None and not self._is_too_late(job, end_edge)
                used = [self.facts.pools[node] for node in self.rooms.nodes if workers[node]]
                hours = self.facts.run_minutes(job, pool, sum(workers)) / 60
                if not is_sure_enough(self.problem, job, used, start_slot, hours):
                    continue
                if end_edge is not None and is_over and not self._is_kept_off(job, workers, start_slot, end_edge):
                    found.append(self.facts.option(job, start_slot, workers))
        return [*found, *self._in_pieces(job)]

    def _in_pieces(self, job: Job) -> Iterator[Option]:
        """Give every way to run a best-effort job in pieces, each on nodes of its own."""
        if not may_pause(self.problem, job):
            return
        spreads = list(self._spreads(job))
        first = self.grid.release_slot(job.release_s)
        for spans in cuts(first, self.grid.n_slots):
            if self._is_too_late(job, spans[-1][1]):
                continue
            per_piece = [[one for one in spreads if not self._is_kept_off(job, one, *span)] for span in spans]
            for chosen in product(*per_piece):
                pools = [self.facts.pools[next(n for n in self.rooms.nodes if workers[n])] for workers in chosen]
                speeds = [self.facts.speed(job, pool.accelerator) for pool in pools]
                if works_out(self.problem, job, pools, spans, speeds):
                    pieces = tuple((*span, workers) for span, workers in zip(spans, chosen, strict=True))
                    yield self.facts.in_pieces(job, pieces)

    def _is_kept_off(self, job: Job, workers: tuple[int, ...], start_slot: int, end_edge: int) -> bool:
        used = [node for node in self.rooms.nodes if workers[node]]
        if is_against_pin(self.problem, job, used, start_slot):
            return True
        return any(is_away(self.problem, node, slot) for node in used for slot in range(start_slot, end_edge))

    def _stands(self, job: Job) -> tuple[int, ...]:
        workers = [0 for _ in self.rooms.nodes]
        for placed in job.placement:
            workers[self.facts.names.index(placed.node)] += placed.workers
        return tuple(workers)

    def _is_too_late(self, job: Job, end_edge: int) -> bool:
        is_hard = job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD
        return is_hard and job.deadline_s is not None and self.grid.edges_s[end_edge] > job.deadline_s

    def _spreads(self, job: Job) -> Iterator[tuple[int, ...]]:
        """Yield the workers per node of every way to put a gang on empty nodes that it may use together: all of it, or what
        it needs at least."""
        least = job.workers if job.min_workers is None else job.min_workers
        most = [self.rooms.most_workers(node, job.shape) if self._takes_job(node, job) else 0 for node in self.rooms.nodes]
        for workers in product(*(range(min(count, job.workers) + 1) for count in most)):
            used = [n for n in self.rooms.nodes if workers[n]]
            if least <= sum(workers) <= job.workers and self._may_span(used, job.topology) and self._loads_alike(job, used):
                yield workers

    def _loads_alike(self, job: Job, used: list[int]) -> bool:
        """A gang loads what it needs on all of its nodes, or all of them hold it."""
        return job.load_minutes == 0 or len({job.affinity in self.facts.pools[node].caches for node in used}) == 1

    def _spot_market(self, pool: Pool) -> tuple[object, ...]:
        """A gang on spot keeps to nodes of one price, one reclaim rate and one size."""
        if pool.market is not Market.SPOT:
            return ()
        prices = tuple(self.problem.price_per_h(pool).tolist())
        return (prices, pool.interruptions_per_hour, pool.gpus, pool.cpus)

    def _may_span(self, used: list[int], topology: Topology) -> bool:
        pools = [self.facts.pools[node] for node in used]
        if len({(pool.cluster, pool.accelerator, pool.market) for pool in pools}) > 1:
            return False
        if len({self._spot_market(pool) for pool in pools}) > 1:
            return False
        if topology in (Topology.NODE, Topology.DEVICE_GROUP):
            return len(used) == 1
        domain: dict[Topology, Callable[[Pool], str | None]] = {
            Topology.RACK: lambda pool: pool.rack,
            Topology.BLOCK: lambda pool: pool.block,
            Topology.ZONE: lambda pool: pool.zone,
        }
        if topology not in domain:
            return True
        domains = {domain[topology](pool) for pool in pools}
        return None not in domains and len(domains) == 1

    def _takes_job(self, node: int, job: Job) -> bool:
        if job.state is not JobState.RUNNING and is_closed(self.problem, job, self.facts.pools[node]):
            return False
        return self.rooms.takes(node, job.shape) and (job.spot_ok or self.facts.pools[node].market is not Market.SPOT)
