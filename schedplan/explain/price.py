"""What a place for a job costs, as placements and bills count it. All numbers come from measures; it chooses nothing."""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

from schedplan.explain.room import Berth, Room
from schedplan.measures.costs import Prices, paid, part_hold_costs, part_rework_costs
from schedplan.measures.quotas import borrow_costs
from schedplan.measures.runs import Run, runs_of
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem


def run_cost(run: Run, prices: Prices) -> float:
    """Return what a run bears: its share of the nodes it holds, and its expected rework; currency."""
    return fsum((*part_hold_costs(run, prices), *part_rework_costs(run, prices)))


def berth_cost(problem: Problem, berth: Berth, prices: Prices) -> float:
    """Return the same for a place that is not taken."""
    nothing_on = np.zeros((len(problem.cluster.nodes), problem.grid.n_slots), dtype=np.bool_)
    return fsum(run_cost(run, prices) for run in runs_of(problem, Decisions(berth.parts, (), nothing_on)))


def bill(room: Room, parts: tuple[JobPart, ...], prices: Prices) -> float | None:
    """Return what nodes, rework and borrowing cost with `parts` added to the rest of the plan; None where some node can't be up."""
    on = room.supply_with(parts)
    return None if on is None else fsum(bill_per_slot(room, parts, on, prices).tolist())


def bill_per_slot(room: Room, parts: tuple[JobPart, ...], on: NDArray[np.bool_], prices: Prices) -> NDArray[np.float64]:
    """Return the bill of each slot under a given supply, rework where its run starts; float64 [n_slots]."""
    decisions = room.with_parts(parts)
    found = paid(room.problem, Decisions(decisions.parts, decisions.replicas, on), prices).sum(axis=0)
    found = found + borrow_costs(room.problem, decisions).by_slot
    for run in runs_of(room.problem, decisions):
        found[run.start_slot] += fsum(part_rework_costs(run, prices))
    return np.asarray(found, dtype=np.float64)
