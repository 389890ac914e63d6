"""Accounting: everything that follows from decisions, computed from the problem alone. It never asks how they were found.

    latency      = sum over jobs of urgency x size x (wait rate x hours waited + tardiness rate x hours late, where soft); one that
                   is left out waits until the horizon ends, one in pieces while it does not work (`pieces`); + what moves
                   against an earlier plan, at its price; + missed demand where it has a price (`missed`)
    utilization  = paid - held by jobs - reference work of services that is served, in counted-resource-hours; an elastic gang
                   counts for its run time alone, not for the rest of its last slot, and a piece of a job not for its restart
    cost         = paid + expected rework + what is borrowed beyond quotas
    carbon       = emissions of the nodes that are on, by idle power and duty; 0 where power or intensity is not known
    unplaced     = importance left out / importance of all jobs; missed demand, where it has a price, is part of both

The reference work of a service is what its demand keeps busy at reference speed: a constant of the problem, so that no plan looks
better by holding more replicas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from schedplan.measures.caveats import caveats
from schedplan.measures.costs import Prices, paid, part_rework_costs
from schedplan.measures.devices import assign_devices
from schedplan.measures.fallback import fallback_of
from schedplan.measures.figures import Ledger, carbon_g, energy_kwh, measures
from schedplan.measures.missed import Shares, missed_importance, missed_work_h, services_importance
from schedplan.measures.moves import moves_of
from schedplan.measures.objective import GoalValues
from schedplan.measures.placements import placements, replica_rows
from schedplan.measures.pool_loss import pool_losses
from schedplan.measures.quotas import borrow_costs
from schedplan.measures.runs import Run, fleets_of, left_out, missed_shares, run_lateness, runs_of
from schedplan.measures.stranded import stranded
from schedplan.measures.usage import Usage, counted_on, usage_of
from schedplan.measures.work import endless_wait, importance, reference_work_h
from schedplan.model.findings import Measure
from schedplan.model.plan import Decisions, NodeUse, Placement, ReplicaRow
from schedplan.model.problem import Problem
from schedplan.model.workload import Job

__all__ = ["Account", "GoalValues", "account", "goal_values"]


@dataclass(frozen=True)
class Account:
    """What follows from decisions: goals in natural values, the rows of a plan, measures and warnings."""

    goals: GoalValues
    placements: tuple[Placement, ...]
    replicas: tuple[ReplicaRow, ...]
    node_use: NodeUse
    measures: tuple[Measure, ...]
    warnings: tuple[str, ...]


def account(problem: Problem, decisions: Decisions) -> Account:
    """Return everything that follows from decisions, feasible or not. KeyError for a job, service or node without a row."""
    runs, fleets, prices = runs_of(problem, decisions), fleets_of(problem, decisions), Prices.of(problem)
    unplaced = left_out(problem, decisions)
    usage = usage_of(problem, runs, fleets)
    devices = assign_devices(problem, runs, decisions.replicas)
    found = ((run.job.name, fallback_of(problem, run, usage, prices)) for run in runs)
    fallbacks = {name: fallback for name, fallback in found if fallback is not None}
    rework = {run.job.name: fsum(part_rework_costs(run, prices)) for run in runs}
    node_use = NodeUse(
        nodes=problem.cluster.nodes,
        on=decisions.on,
        devices_used=usage.held,
        busy_devices=usage.busy,
        devices_stranded=stranded(problem, decisions, usage, devices, unplaced),
        cost=paid(problem, decisions, prices),
        energy_kwh=energy_kwh(problem, decisions, usage),
        carbon_g=carbon_g(problem, decisions, usage),
    )
    rows = placements(problem, runs, devices, prices, fallbacks)
    replicas = replica_rows(problem, fleets, prices)
    borrowing = borrow_costs(problem, decisions)
    losses = pool_losses(problem, runs, usage, prices)
    ledger = Ledger(problem, decisions, runs, fleets, unplaced, usage, node_use, rows, replicas, rework, borrowing, losses)
    cost = float(node_use.cost.sum()) + fsum(rework.values()) + borrowing.total
    return Account(
        goals=_goals(problem, decisions, runs, usage, cost, unplaced, missed_shares(problem, fleets)),
        placements=rows,
        replicas=replicas,
        node_use=node_use,
        measures=measures(ledger),
        warnings=caveats(problem, decisions, runs, fleets, fallbacks, losses, devices.unassigned),
    )


def goal_values(problem: Problem, decisions: Decisions) -> GoalValues:
    """Return the goals of decisions alone, the same values as `account` gives, without rows and measures."""
    runs, fleets, prices = runs_of(problem, decisions), fleets_of(problem, decisions), Prices.of(problem)
    usage = usage_of(problem, runs, fleets)
    rework = fsum(fsum(part_rework_costs(run, prices)) for run in runs)
    cost = float(paid(problem, decisions, prices).sum()) + rework + borrow_costs(problem, decisions).total
    return _goals(problem, decisions, runs, usage, cost, left_out(problem, decisions), missed_shares(problem, fleets))


def _goals(
    problem: Problem,
    decisions: Decisions,
    runs: Sequence[Run],
    usage: Usage,
    cost: float,
    unplaced: Sequence[Job],
    missed: Shares,
) -> GoalValues:
    everything = fsum(importance(problem, job) for job in problem.jobs) + services_importance(problem)
    unserved = missed_importance(problem, missed)
    missing = fsum(importance(problem, job) for job in unplaced) + unserved
    return GoalValues(
        latency=fsum(
            [
                *(run_lateness(problem, run) for run in runs),
                *(endless_wait(problem, job) for job in unplaced),
                problem.objective.move_device_h * moves_of(problem, decisions).total,
                problem.objective.rates.missed * unserved,
            ]
        ),
        utilization=_idle_h(problem, decisions, usage) + missed_work_h(problem, missed),
        cost=cost,
        carbon=float(np.nansum(carbon_g(problem, decisions, usage))),
        unplaced=missing / everything if everything > 0 else 0.0,
    )


def _idle_h(problem: Problem, decisions: Decisions, usage: Usage) -> float:
    hours = problem.grid.hours
    bought = float((counted_on(problem, decisions) * hours).sum())
    by_jobs = float((usage.job_busy * hours).sum())
    return bought - by_jobs - reference_work_h(problem)
