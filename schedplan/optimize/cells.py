"""Cells: nodes that differ in nothing a plan could be told by. They know no jobs but those that run on a node."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import Enum

from schedplan.measures.domains import kinds_told_apart
from schedplan.measures.emissions import emission_of
from schedplan.measures.outages import down_pattern
from schedplan.measures.warm_up import cache_keys_asked
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.topology import domains_asked


class Level(Enum):
    """Whether a cell holds all identical nodes, or one."""

    POOLS = "pools"
    NODES = "nodes"


@dataclass(frozen=True, slots=True)
class Cell:
    """Identical nodes. `pool` is the row that stands for them, `nodes` their names in order, the first `warm` of them up at the
    start; at least `min_on` are paid in every slot."""

    idx: int
    pool: Pool
    nodes: tuple[str, ...]
    warm: int
    min_on: int

    @property
    def count(self) -> int:
        """Return how many nodes there are."""
        return len(self.nodes)


def cells_of(problem: Problem, jobs: tuple[Job, ...], level: Level, *, merged: bool) -> tuple[Cell, ...]:
    """Return the cells of all nodes; without `merged`, nodes that outages close alike are told apart by what closes them."""
    keys = cache_keys_asked(problem)
    domains = tuple(dict.fromkeys((*domains_asked(jobs), *kinds_told_apart(problem))))
    running_on = {placed.node for job in jobs if job.state is JobState.RUNNING for placed in job.placement}
    members: dict[tuple[object, ...], list[tuple[Pool, str, bool]]] = defaultdict(list)
    for pool in problem.cluster.pools:
        for number, name in enumerate(pool.node_names()[: pool.nodes]):
            single = level is Level.NODES or name in running_on or pool.name in running_on
            holds = tuple(key in pool.caches for key in keys)
            own = (
                down_pattern(problem, name, merged=merged),
                problem.pinned_to.get(name),
                name if name in problem.emptied else None,
            )
            key = (name,) if single else (*_cell_key(problem, pool, domains), holds, *own)
            members[key].append((pool, name, number < pool.count))
    cells: list[Cell] = []
    for found in members.values():
        ordered = sorted(found, key=lambda member: not member[2])
        warm = sum(is_warm for _, _, is_warm in found)
        cells.append(Cell(len(cells), found[0][0], tuple(name for _, name, _ in ordered), warm, _least_on(found)))
    return tuple(cells)


def _keeps_minimum(pool: Pool) -> bool:
    """Whether some of its nodes are paid for in every slot and others are not; `supply` keeps that where they are several cells."""
    return not pool.market.is_sunk and 0 < pool.min_count < pool.max_count


def _least_on(found: list[tuple[Pool, str, bool]]) -> int:
    """Return how many nodes of a cell are paid in every slot, even if all others of their pools are on."""
    in_cell = Counter(pool.name for pool, _, _ in found)
    pools = {pool.name: pool for pool, _, _ in found}
    return sum(max(0, min(pool.always_on, pool.nodes) - (pool.nodes - in_cell[name])) for name, pool in pools.items())


def _cell_key(problem: Problem, pool: Pool, domains: tuple[str, ...]) -> tuple[object, ...]:
    return (
        pool.name if _keeps_minimum(pool) else None,
        tuple(getattr(pool, domain) for domain in domains),
        pool.cluster,
        pool.accelerator,
        pool.gpus,
        pool.gpu_memory_gib,
        pool.slices_per_gpu,
        pool.device_groups,
        pool.cpus,
        pool.memory_gib,
        pool.resources,
        pool.market,
        problem.price_per_h(pool).tobytes(),
        _emission_key(problem, pool),
        pool.interruptions_per_hour,
        pool.startup_minutes,
        pool.taints,
        pool.rules,
    )


def _emission_key(problem: Problem, pool: Pool) -> tuple[bytes, bytes] | None:
    emission = emission_of(problem, pool)
    return None if emission is None else (emission.idle.tobytes(), emission.duty.tobytes())
