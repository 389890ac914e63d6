"""Rates: what one unit of each goal, a slot of a node, a start, and a job left out add to F. They know no room and no plan.

The values are those of `measures`, over the divisors of the objective.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.emissions import emission_of, replica_duty
from schedplan.measures.missed import services_importance
from schedplan.measures.objective import Normalisation
from schedplan.measures.work import counted, counted_share, duty, endless_wait, importance, lateness, node_share
from schedplan.model.cluster import Pool
from schedplan.model.problem import GOALS, Problem
from schedplan.model.workload import Job, Service
from schedplan.optimize.constraints.spot import rework_cost

Slots = NDArray[np.float64]


@dataclass(frozen=True)
class Rates:
    """F per unit of every goal; `unplaced` per unit of importance left out."""

    problem: Problem
    latency: float
    utilization: float
    cost: float
    carbon: float
    unplaced: float

    @classmethod
    def of(cls, problem: Problem, normalisation: Normalisation) -> Rates:
        """Return the rates of a problem's objective."""
        by_goal = {goal: problem.objective.weight(goal) / normalisation.of(goal).divisor for goal in GOALS}
        whole = sum(importance(problem, job) for job in problem.jobs) + services_importance(problem)
        unplaced = problem.objective.unplaced / whole if whole > 0 else 0.0
        return cls(problem, by_goal["latency"], by_goal["utilization"], by_goal["cost"], by_goal["carbon"], unplaced)

    def node(self, pool: Pool) -> Slots:
        """Return what one node of a pool adds by being on, per slot."""
        hours = self.problem.grid.hours
        found = self.utilization * counted(pool, self.problem.cluster) * hours
        found = found + self.cost * self.problem.price_per_h(pool) * hours
        emission = emission_of(self.problem, pool)
        return found if emission is None else found + self.carbon * emission.idle

    def left_out(self, job: Job) -> float:
        """Return what a job adds by being left out."""
        return self.latency * endless_wait(self.problem, job) + self.unplaced * importance(self.problem, job)

    def start(self, job: Job, pool: Pool, start_slot: int, end_edge: int, workers: int) -> float:
        """Return what a start adds, wherever its workers stand; nodes, emissions and rework aside."""
        problem, edges_s = self.problem, self.problem.grid.edges_s
        late = lateness(problem, job, edges_s[start_slot], edges_s[end_edge])
        hours = (edges_s[end_edge] - edges_s[start_slot]) / 3600.0
        busy = duty(problem, job, pool, workers, hours)
        return self.latency * late - self.utilization * workers * counted_share(job.shape, problem.cluster) * hours * busy

    def worker(self, job: Job, pool: Pool, start_slot: int, end_edge: int, workers: int) -> float:
        """Return what each of a gang's workers adds on a pool: its emissions."""
        emission = emission_of(self.problem, pool) if self.carbon else None
        if emission is None:
            return 0.0
        edges_s = self.problem.grid.edges_s
        busy = duty(self.problem, job, pool, workers, (edges_s[end_edge] - edges_s[start_slot]) / 3600.0)
        return self.carbon * node_share(pool, job.shape) * float(emission.duty[start_slot:end_edge].sum()) * busy

    def rework(self, job: Job, pool: Pool, nodes: int, start_slot: int, workers: int) -> float:
        """Return what the expected rework of a gang on so many nodes of a pool adds."""
        return self.cost * rework_cost(self.problem, job, pool, nodes, start_slot, workers)

    def replica(self, service: Service, pool: Pool) -> Slots:
        """Return what one replica adds on a pool, per slot: its emissions."""
        emission = emission_of(self.problem, pool) if self.carbon else None
        if emission is None:
            return np.zeros(self.problem.grid.n_slots)
        found = emission.duty * replica_duty(self.problem, service, pool.accelerator) * node_share(pool, service.shape)
        return np.asarray(self.carbon * found, dtype=np.float64)
