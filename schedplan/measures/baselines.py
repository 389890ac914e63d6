"""Baselines: what the same work would cost without a plan, by arithmetic; and the steps from one of them to the plan.

They ask what runs on rented nodes (on-demand and spot). Owned and reserved nodes are paid for in each of them, and work that the
plan puts there stays there. Jobs are the ones the plan places, at its start times; a job pays for the share of a node that its
workers fill, as if nodes were filled without a gap, so that no baseline is made to look worse than it is. Rework and what is
borrowed beyond quotas are in none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.costs import Prices, paid, part_rework_costs
from schedplan.measures.eligibility import refusal, workers_per_node
from schedplan.measures.quotas import borrow_costs
from schedplan.measures.runs import Run, runs_of
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import Baseline, Decisions, WaterfallStep
from schedplan.model.problem import Problem
from schedplan.model.workload import Job

WHOLE_POOL = "whole pool always on"
ON_DEMAND_POOL = "on-demand pool always on, jobs on further on-demand nodes"
ALL_ON_DEMAND = "all nodes on-demand, always on"
PEAK_SIZED = "peak-sized, jobs on-demand"
PEAK_SIZED_SPOT = "peak-sized, jobs where planned"
WATERFALL_FROM = ON_DEMAND_POOL
SUNK_POOLS_NAMED = 3


def baselines(problem: Problem, decisions: Decisions) -> tuple[Baseline, ...]:
    """Return the baselines that make sense for a problem, in a fixed order; none where no node is rented.

    Left out: any that needs an on-demand pool for work or nodes that no on-demand pool can take.
    """
    case = _Case.of(problem, decisions)
    if not case.rented:
        return ()
    makers = (_whole_pool, _on_demand_pool, _all_on_demand, _peak_sized, _peak_sized_spot)
    return tuple(baseline for maker in makers if (baseline := maker(case)) is not None)


def waterfall(problem: Problem, decisions: Decisions) -> tuple[WaterfallStep, ...]:
    """Return the steps from the cost of the baseline WATERFALL_FROM to the plan's cost, currency; empty without that baseline.

    right-size: pay for the services' peak and not for the pool; elasticity: pay in each slot for what the services need in it;
    spot: jobs on spot nodes; rework: what spot nodes are expected to repeat; borrowing: what is held beyond quotas; other: nodes on
    that nothing above counts.
    """
    case = _Case.of(problem, decisions)
    start = _on_demand_pool(case)
    if start is None:
        return ()
    always, peak, hourly = case.always_on_cost(_on_demand(case)), case.peak_cost(), case.hourly_cost()
    spot_runs = [run for run in case.rented_runs if run.on_spot]
    spot_saving = fsum(case.planned_cost(run) - (case.on_demand_cost(run) or 0.0) for run in spot_runs)
    rework = fsum(fsum(part_rework_costs(run, case.prices)) for run in case.runs)
    borrowed = borrow_costs(problem, decisions).total
    plan_cost = float(paid(problem, decisions, case.prices).sum()) + rework + borrowed
    steps = [
        WaterfallStep("right-size", peak - always, f"{_peak_words(case)}, all day"),
        WaterfallStep("elasticity", hourly - peak, "in each slot the nodes that the services need in it"),
        WaterfallStep("spot", spot_saving, f"{_count(len(spot_runs), 'job')} on spot nodes"),
        WaterfallStep("rework", rework, "expected repeated work on spot nodes"),
        WaterfallStep("borrowing", borrowed, "held beyond what quotas promise"),
    ]
    other = plan_cost - start.cost - fsum(step.amount for step in steps)
    rest = WaterfallStep("other", other, "shared nodes, start-up, nodes on without work, jobs on dearer or sunk nodes")
    return tuple(step for step in (*steps, rest) if abs(step.amount) >= 1e-6 or step.name in ("right-size", "elasticity", "spot"))


@dataclass(frozen=True)
class _Case:
    problem: Problem
    decisions: Decisions
    prices: Prices
    runs: tuple[Run, ...]

    @classmethod
    def of(cls, problem: Problem, decisions: Decisions) -> _Case:
        return cls(problem, decisions, Prices.of(problem), runs_of(problem, decisions))

    @property
    def rented(self) -> list[Pool]:
        """Pools that are not sunk and of which there are nodes now."""
        return [pool for pool in self.problem.cluster.pools if not pool.market.is_sunk and pool.count > 0]

    @property
    def rented_runs(self) -> list[Run]:
        return [run for run in self.runs if any(not pool.market.is_sunk for pool in run.pools)]

    def sunk_cost(self) -> float:
        return self.always_on_cost([pool for pool in self.problem.cluster.pools if pool.market.is_sunk])

    def always_on_cost(self, pools: Sequence[Pool]) -> float:
        """`count` nodes of each pool in every slot."""
        return fsum(pool.count * self.prices.span(pool, slice(None)) for pool in pools)

    def service_nodes(self) -> dict[str, NDArray[np.int64]]:
        """Per rented pool the nodes that its replicas fill, int64 [n_slots]: shares added up, then rounded up."""
        filled: dict[str, NDArray[np.float64]] = {}
        for stand in self.decisions.replicas:
            pool = self.problem.cluster.pool_of_node[stand.node]
            per_node = workers_per_node(pool, self.problem.service_by_name[stand.service].shape)
            if pool.market.is_sunk or per_node == 0:
                continue
            filled.setdefault(pool.name, np.zeros(self.problem.grid.n_slots))[stand.slot] += stand.replicas / per_node
        return {name: np.ceil(filled[name] - 1e-9).astype(np.int64) for name in sorted(filled)}

    def peak_nodes(self) -> int:
        return sum(int(nodes.max()) for nodes in self.service_nodes().values())

    def paid_peak_nodes(self) -> int:
        """The nodes that peak_cost pays for."""
        nodes = self.service_nodes()
        return sum(
            max(int(nodes[pool.name].max()) if pool.name in nodes else 0, pool.min_count)
            for pool in self.problem.cluster.pools
            if not pool.market.is_sunk
        )

    def peak_cost(self) -> float:
        """The peak of each pool's service nodes in every slot; min_count nodes at least."""
        nodes = self.service_nodes()
        return fsum(
            max(int(nodes[pool.name].max()) if pool.name in nodes else 0, pool.min_count) * self.prices.span(pool, slice(None))
            for pool in self.problem.cluster.pools
            if not pool.market.is_sunk
        )

    def hourly_cost(self) -> float:
        """The service nodes of each slot; min_count nodes at least."""
        nodes, nothing = self.service_nodes(), np.zeros(self.problem.grid.n_slots, dtype=np.int64)
        return fsum(
            float((np.maximum(nodes.get(pool.name, nothing), pool.min_count) * self.prices.per_slot[pool.name]).sum())
            for pool in self.problem.cluster.pools
            if not pool.market.is_sunk
        )

    def planned_cost(self, run: Run) -> float:
        """A run on its own pools: the share of nodes its workers fill over the booked slots."""
        return fsum(
            self._filled_cost(pool, run.job, part.workers, run.slots) for part, pool in zip(run.parts, run.pools, strict=True)
        )

    def on_demand_cost(self, run: Run) -> float | None:
        """The same on the cheapest on-demand pool that may hold it; None where none may."""
        costs = []
        for pool in _on_demand(self):
            if refusal(pool, run.job.shape) is None:
                end = self.problem.grid.end_edge(run.start_slot, run_minutes(self.problem, run.job, pool, run.workers))
                slots = slice(run.start_slot, end) if run.count == 1 else run.slots
                costs.append(self._filled_cost(pool, run.job, run.workers, slots))
        return min(costs, default=None)

    def jobs_on_demand_cost(self) -> float | None:
        """All rented runs on on-demand nodes; None where one cannot stand there."""
        costs = [self.on_demand_cost(run) for run in self.rented_runs]
        known = [cost for cost in costs if cost is not None]
        return fsum(known) if len(known) == len(costs) else None

    def _filled_cost(self, pool: Pool, job: Job, workers: int, slots: slice) -> float:
        per_node = workers_per_node(pool, job.shape)
        return workers / per_node * self.prices.span(pool, slots) if per_node else 0.0


def _whole_pool(case: _Case) -> Baseline | None:
    made_of = ", ".join(_pool_words(pool) for pool in case.rented)
    return Baseline(WHOLE_POOL, f"{made_of}, in every slot{_sunk_words(case)}", case.sunk_cost() + case.always_on_cost(case.rented))


def _on_demand_pool(case: _Case) -> Baseline | None:
    pools, jobs = [pool for pool in _on_demand(case) if pool.count > 0], case.jobs_on_demand_cost()
    if not pools or jobs is None:
        return None
    made_of = f"{', '.join(_pool_words(pool) for pool in pools)} in every slot; {_jobs_words(case)} on further on-demand nodes"
    return Baseline(ON_DEMAND_POOL, made_of + _sunk_words(case), case.sunk_cost() + case.always_on_cost(pools) + jobs)


def _all_on_demand(case: _Case) -> Baseline | None:
    if not any(pool.market is Market.SPOT for pool in case.rented):
        return None
    costs = []
    for pool in case.rented:
        alike = [
            case.prices.span(other, slice(None))
            for other in _on_demand(case)
            if (other.accelerator, other.gpus) == (pool.accelerator, pool.gpus)
        ]
        if not alike:
            return None
        costs.append(pool.count * (case.prices.span(pool, slice(None)) if pool.market is Market.ON_DEMAND else min(alike)))
    count = sum(pool.count for pool in case.rented)
    return Baseline(
        ALL_ON_DEMAND, f"{_nodes(count)} at the on-demand price, in every slot{_sunk_words(case)}", case.sunk_cost() + fsum(costs)
    )


def _peak_sized(case: _Case) -> Baseline | None:
    jobs = case.jobs_on_demand_cost()
    if jobs is None or not _on_demand(case) or not case.service_nodes():
        return None
    made_of = f"{_peak_words(case)} in every slot; {_jobs_words(case)} on on-demand nodes"
    return Baseline(PEAK_SIZED, made_of + _sunk_words(case), case.sunk_cost() + case.peak_cost() + jobs)


def _peak_sized_spot(case: _Case) -> Baseline | None:
    if not case.service_nodes() or not any(run.on_spot for run in case.runs):
        return None
    jobs = fsum(case.planned_cost(run) for run in case.rented_runs)
    made_of = f"{_peak_words(case)} in every slot; {_jobs_words(case)} where the plan has them"
    return Baseline(PEAK_SIZED_SPOT, made_of + _sunk_words(case), case.sunk_cost() + case.peak_cost() + jobs)


def _on_demand(case: _Case) -> list[Pool]:
    return [pool for pool in case.problem.cluster.pools if pool.market is Market.ON_DEMAND]


def _pool_words(pool: Pool) -> str:
    return f"{_nodes(pool.count)} of {pool.name} ({pool.market.value})"


def _peak_words(case: _Case) -> str:
    """Return which rented nodes are paid for at the services' peak."""
    paid_for, needed = case.paid_peak_nodes(), case.peak_nodes()
    if not paid_for:
        return "no rented nodes for services"
    if not needed:
        return f"{_nodes(paid_for)} that `min_count` keeps on"
    return f"{_nodes(paid_for)} for the services' peak{'' if paid_for == needed else ' and `min_count`'}"


def _sunk_words(case: _Case) -> str:
    """Return the nodes that are paid for whatever is planned, as the end of a description; empty where there are none."""
    sunk = [pool for pool in case.problem.cluster.pools if pool.market.is_sunk and pool.count > 0]
    if not sunk:
        return ""
    if len(sunk) > SUNK_POOLS_NAMED:
        return f"; with {_nodes(sum(pool.count for pool in sunk))} owned or reserved"
    return f"; with {', '.join(_pool_words(pool) for pool in sunk)}"


def _jobs_words(case: _Case) -> str:
    return _count(len(case.rented_runs), "job")


def _nodes(count: int) -> str:
    return _count(count, "node")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
