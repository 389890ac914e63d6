"""Shares: a problem too large for one model dealt out as several alike, each with its share of all nodes, jobs, demand and quotas.

Sets: pools, jobs, services, quotas; K shares. Nodes are dealt out one by one, pool by pool, jobs that start together in the
order of their size, urgency, tenant and release; demand and quotas are divided by K.
Formula: what K plans hold of a node, of a quota and serve of a demand adds up to what one plan may and must: r(Q) <= K r(Q/K).
Intuition: thousands of nodes are so many that a tenth of them is as good a sample of the whole as any; what is lost is what whole
nodes, gangs and replicas lose at the edges of shares, and the bound is that of the whole.
It solves nothing, and says nothing of rules that tie work to single nodes or count all of it: those problems are not dealt out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from schedplan.measures.missed import is_priced
from schedplan.measures.work import importance
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem, Reserve
from schedplan.model.quota import Quota
from schedplan.model.sequence import Unit, units_of
from schedplan.model.workload import JobState
from schedplan.optimize.constraints.budget import BEYOND
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.route import is_beyond_memory
from schedplan.optimize.size import Size


@dataclass(frozen=True)
class Share:
    """A problem of its own; names: those in the whole of its nodes, in their order in it."""

    problem: Problem
    names: tuple[str, ...]


def number_of_shares(problem: Problem, options: SolveOptions, size: Size) -> int:
    """Return into how many shares a problem is dealt; 1 where it is solved otherwise."""
    if not is_beyond_memory(problem, options, size) or not _may_be_dealt(problem):
        return 1
    count = -(-size.columns // options.share_columns)
    return count if count <= options.most_shares else 1


def _may_be_dealt(problem: Problem) -> bool:
    """Whether no rule ties work to single nodes or jobs to one another, or counts all of the work at once."""
    limit = problem.limits.budget_per_day
    counts_all = (limit is not None and limit < BEYOND) or problem.objective.at_most or is_priced(problem)
    ties = problem.pins or problem.stops or problem.outages or problem.earlier is not None or problem.is_static
    waits = any(problem.waits_for.values()) or any(job.state is JobState.RUNNING for job in problem.jobs)
    spreads = any(one.spread is not None or one.max_replicas is not None for one in problem.services)
    return not (counts_all or ties or waits or spreads) and problem.limits.reserve is Reserve.NONE


def shares_of(problem: Problem, count: int) -> tuple[Share, ...]:
    """Return a problem dealt out as so many."""
    everything = sum(importance(problem, job) for job in problem.jobs)
    dealt: list[list[Unit]] = [[] for _ in range(count)]
    for number, unit in enumerate(sorted(units_of(problem.jobs), key=_rank)):
        dealt[number % count].append(unit)
    return tuple(_share(problem, number, count, units, everything) for number, units in enumerate(dealt))


def joined(problem: Problem, shares: tuple[Share, ...], found: tuple[Decisions, ...]) -> Decisions:
    """Return the decisions of all shares as one."""
    row = problem.cluster.node_idx
    on = np.zeros((len(row), problem.grid.n_slots), dtype=np.bool_)
    parts, replicas = [], []
    for share, decisions in zip(shares, found, strict=True):
        name = dict(zip(share.problem.cluster.nodes, share.names, strict=True))
        on[[row[one] for one in share.names]] = decisions.on
        parts += [replace(part, node=name[part.node]) for part in decisions.parts]
        replicas += [replace(part, node=name[part.node]) for part in decisions.replicas]
    return Decisions(tuple(sorted(parts)), tuple(sorted(replicas)), on)


def _rank(unit: Unit) -> tuple[float | str, ...]:
    job = unit[0]
    return (-sum(one.devices for one in unit), -job.shape.gpus, -job.priority, job.tenant, job.release_s or 0, job.name)


def _share(problem: Problem, number: int, count: int, units: list[Unit], everything: float) -> Share:
    before = np.cumsum([0, *(pool.max_count for pool in problem.cluster.pools)]).tolist()
    turns = [_Turn((number - begin) % count, count) for begin in before]
    dealt = [(pool, turn.names(pool)) for pool, turn in zip(problem.cluster.pools, turns, strict=False)]
    pools = tuple(turn.pool(pool) for pool, turn in zip(problem.cluster.pools, turns, strict=False) if turn.names(pool))
    held = {job.name for unit in units for job in unit}
    jobs = tuple(job for job in problem.jobs if job.name in held)
    own, objective = sum(importance(problem, job) for job in jobs), problem.objective
    share = replace(
        problem,
        cluster=replace(problem.cluster, pools=pools),
        jobs=jobs,
        services=tuple(replace(one, min_replicas=_Turn(number, count).number(one.min_replicas)) for one in problem.services),
        demands=tuple(replace(one, peak_rps=one.peak_rps / count, mean_rps=one.mean_rps / count) for one in problem.demands),
        quotas=tuple(_quota(one, count) for one in problem.quotas),
        priorities=tuple(problem.urgency),
        objective=replace(objective, unplaced=objective.unplaced * own / everything if everything else objective.unplaced),
    )
    return Share(share, tuple(name for _, names in dealt for name in names))


@dataclass(frozen=True, slots=True)
class _Turn:
    """Which of some things that are dealt out one by one come to a share: the first of them, and then each of so many."""

    first: int
    every: int

    def number(self, total: int) -> int:
        """Return how many of so many things come to the share."""
        return len(range(self.first, total, self.every))

    def names(self, pool: Pool) -> tuple[str, ...]:
        """Return the names of its nodes in a pool; those that are up at the start come first there and here."""
        return pool.node_names()[self.first :: self.every]

    def pool(self, pool: Pool) -> Pool:
        """Return its share of a pool."""
        return replace(
            pool, count=self.number(pool.count), min_count=self.number(pool.min_count), max_count=self.number(pool.max_count)
        )


def _quota(quota: Quota, count: int) -> Quota:
    most, lent = (None if value is None else value / count for value in (quota.max, quota.lend))
    return replace(quota, nominal=quota.nominal / count, max=most, lend=lent)
