"""spread: in every slot in which a service has replicas, they stand in at least so many domains of the kind it names.

Sets: services s that ask for n_s domains of a kind (node, rack, block, zone, region), domains d of it, cells p in d, slots t.
Formula: a[s,d,t] <= Σ_{p in d} k[s,p,t], a[s,d,t] <= 1, Σ_d a[s,d,t] >= n_s o[s,t], Σ_p k[s,p,t] <= K o[s,t]; o = 1 where the
slot has a minimum, or demand that must be served. A cell of N nodes counts for up to N domains of kind node: a <= N, a lower
bound on what is needed.
Intuition: a domain counts only if a replica stands in it. A node without a value is in no domain of that kind.
"""

from __future__ import annotations

from collections import defaultdict

from ortools.sat.python import cp_model

from schedplan.measures.domains import SINGLE_NODE, domain_of_pool
from schedplan.measures.missed import is_priced
from schedplan.model.workload import Service
from schedplan.optimize.cells import Cell
from schedplan.optimize.layout import Layout
from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `spread`."""
    layout = variables.layout
    for service, replicas in zip(layout.problem.services, variables.replicas, strict=True):
        if service.spread is None:
            continue
        kind, least = service.spread
        domains = _domains(layout, kind, tuple(replicas))
        for slot in range(layout.problem.grid.n_slots):
            stands = []
            for domain, cells in domains:
                amounts = [replicas[cell.idx][slot] for cell in cells]
                most = cells[0].count if kind == SINGLE_NODE else 1
                is_used = variables.model.new_int_var(0, most, f"a[{service.name},{domain},{slot}]")
                rows.always(is_used <= cp_model.LinearExpr.sum(amounts))
                stands.append(is_used)
            wanted = _wanted(variables, rows, service, slot, [amounts[slot] for amounts in replicas.values()], least)
            rows.when(f"spread {service.name}", cp_model.LinearExpr.sum(stands) >= wanted)


def _domains(layout: Layout, kind: str, cells: tuple[int, ...]) -> list[tuple[str, list[Cell]]]:
    """Return the cells of each domain; those in none are left out."""
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in (layout.cells[idx] for idx in cells):
        domain = cell.nodes[0] if kind == SINGLE_NODE else domain_of_pool(kind, cell.pool)
        if domain is not None:
            found[domain].append(cell)
    return sorted(found.items())


def _wanted(
    variables: Variables, rows: Rows, service: Service, slot: int, amounts: list[cp_model.IntVar], least: int
) -> cp_model.LinearExpr | int:
    """Return the least number of domains: of a slot in which nothing need stand, 0 while nothing does."""
    problem = variables.layout.problem
    must_serve = problem.demand_of[service.name].peak_rps[slot] > 0 and not is_priced(problem)
    if service.min_replicas > 0 or must_serve:
        return least
    stands = variables.model.new_bool_var(f"o[{service.name},{slot}]")
    most = sum(max(amount.proto.domain) for amount in amounts)
    rows.always(cp_model.LinearExpr.sum(amounts) <= most * stands)
    return least * stands
