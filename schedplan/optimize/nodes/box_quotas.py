"""The quotas of a box: what its jobs hold, with all that stands outside, stays within the ceilings; what they borrow has its price.

Formula: Σ amount W x <= most[t] - outside[t] for every ceiling; b >= Σ amount W x - max(0, nominal - outside[t]) at its price.
Ceilings are plain sums here: a tenant for whom something is kept has no job that may move (`freedom`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

import numpy as np
from ortools.sat.python import cp_model

from schedplan.measures.quotas import FORGIVEN
from schedplan.model.quota import QuotaScope
from schedplan.model.workload import Job
from schedplan.optimize.constraints.quota import amount_parts
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.offers import Offer

Gangs: TypeAlias = cp_model.LinearExpr | cp_model.IntVar
Held: TypeAlias = tuple[Job, int, Offer, Gangs]
"""A job, the most gangs like it, an offer and how many take it."""
Terms: TypeAlias = list[tuple[Gangs, int, int]]
"""(gangs, the most of them, parts that each holds) in one slot."""


def add_quotas(model: cp_model.CpModel, floor: Floor, held: list[Held]) -> list[tuple[cp_model.IntVar, float]]:
    """Add the rows of all ceilings; return what is borrowed with its price in F. The jobs of the box stand nowhere on the floor."""
    for ceiling in floor.problem.ceilings:
        counted, most = floor.holdings.counted(ceiling), floor.most[ceiling]
        for slot, terms in _by_slot(held, set(ceiling.tenants), ceiling.scope).items():
            limit = amount_parts(float(most[slot] + FORGIVEN * max(1.0, most[slot]) - counted[slot]))
            total, unit, _ = _sum(terms)
            model.add(total <= limit // unit)
    priced = []
    for borrower in floor.priced:
        outside, hours = floor.holdings.held(borrower), floor.problem.grid.hours
        for slot, terms in _by_slot(held, set(borrower.tenants), borrower.quota.scope).items():
            left = max(amount_parts(borrower.quota.nominal - float(outside[slot])), 0)
            total, unit, largest = _sum(terms)
            borrowed = model.new_int_var(0, largest, "")
            model.add(total - left // unit <= borrowed)
            price = floor.rates.cost * borrower.quota.borrow_price * float(hours[slot])
            priced.append((borrowed, price * unit / amount_parts(1.0)))
    return priced


def _by_slot(held: list[Held], tenants: set[str], scope: QuotaScope) -> dict[int, Terms]:
    found: dict[int, Terms] = defaultdict(list)
    for job, most, offer, gangs in held:
        asked = amount_parts(scope.resource.asked(job.shape)) if job.tenant in tenants else 0
        if asked and scope.covers(offer.accelerator):
            for slot in range(offer.start_slot, offer.end_edge):
                found[slot].append((gangs, most, asked * offer.workers))
    return found


def _sum(terms: Terms) -> tuple[cp_model.LinearExpr | int, int, int]:
    """Return the sum in a unit of parts, that unit, and the most it can be."""
    unit = int(np.gcd.reduce([parts for _, _, parts in terms]))
    total = cp_model.LinearExpr.weighted_sum([gangs for gangs, _, _ in terms], [parts // unit for _, _, parts in terms])
    return total, unit, sum(most * parts // unit for _, most, parts in terms)
