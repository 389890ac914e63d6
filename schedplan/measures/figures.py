"""Figures: the measures of a plan under their public names, whole and by label, and what each of them means.

paid = counted-resource-hours (devices, or cores) of the nodes that are on; a measure that has no value here is None.

    utilization          busy / paid; {pool} busy / paid of the pool; {kind} busy of the kind / all paid, so kinds sum to the whole
    allocation           held / paid; {pool} likewise
    cost                 all that the plan pays and expects: cost_paid + rework_cost + borrow_cost; {tenant} what its placements and
                         replicas bear, and what it borrows
    cost_paid            nodes that are on; {pool}
    cost_allocated, cost_used, cost_idle   share of cost_paid that is held; that is busy; that nothing holds
    cost_stranded        share of it that is stranded.  rework_cost: expected repeated work on spot nodes
    borrow_cost          price of what is held beyond what quotas promise; {tenant} of the row. Only where there are quotas
    cost_per_1000_requests   cost of the replicas per thousand expected requests
    latency_ms           largest over the slots at the demand planned for; whole: over all services
    slo_attainment       expected requests served in slots that meet the SLO at the demand planned for / all expected requests
    missed_requests      {service} expected requests that the plan serves on no replica; whole. Only where demand may be missed
    headroom             1 - load at the demand planned for / capacity held, in the tightest slot
    deadline_hits        jobs with a deadline, placed or not, whose booked end keeps it / all of them
    on_time_probability  {job} lower bound of the chance that a job on spot nodes ends by its deadline; whole: the least of them
    pool_loss_missed     {pool} jobs that miss their deadline if all of a spot pool goes at its worst instant; whole: the most
    wait_s               start - release, the release not before the horizon, over placed jobs; of a job in pieces all time until
                         it is over in which it does not work; percentiles by nearest rank
    makespan_s           last booked end - start of the horizon
    unplaced             jobs left out
    moved_devices        devices of jobs that start at another time than in the earlier plan or stand elsewhere, and
    moved_replica_devices   of replicas, summed over slots (`measures/moves.py`). Only with an earlier plan or stopped jobs
    stranded_devices     mean over the horizon
    energy_kwh           where the power of a pool's nodes is known; {pool}; whole: only if it is known for all pools
    reward               points by `[objective.rewards]`, summed; {reward} of each. Only where the project has some
    carbon_g             energy_kwh x intensity of the region, where both are known; {pool}; whole: only if known for all pools
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, fsum

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.emissions import Draw, draw_of, emission_of
from schedplan.measures.latency import reaching_rps
from schedplan.measures.min_on_time import run_chance
from schedplan.measures.missed import is_priced
from schedplan.measures.moves import moves_of
from schedplan.measures.pool_loss import PoolLoss
from schedplan.measures.quotas import BorrowCosts
from schedplan.measures.rewards import rewards
from schedplan.measures.runs import Fleet, Run, waits_s
from schedplan.measures.usage import Usage, counted_on
from schedplan.measures.work import counted, counted_unit
from schedplan.model.cluster import Pool
from schedplan.model.findings import Measure
from schedplan.model.plan import Decisions, NodeUse, Placement, ReplicaRow
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything the measures are taken from. rework: expected, currency, by job."""

    problem: Problem
    decisions: Decisions
    runs: Sequence[Run]
    fleets: Sequence[Fleet]
    left_out: Sequence[Job]
    usage: Usage
    node_use: NodeUse
    placements: Sequence[Placement]
    replicas: Sequence[ReplicaRow]
    rework: dict[str, float]
    borrowing: BorrowCosts
    losses: Sequence[PoolLoss]


def measures(ledger: Ledger) -> tuple[Measure, ...]:
    """Return all measures, by name, then labels."""
    parts = (_cost, _use, _services, _deadlines, _waits, _energy, _moves)
    found = [measure for part in parts for measure in part(ledger)]
    found += rewards(ledger.problem.objective.rewards, found)
    return tuple(sorted(found, key=lambda measure: (measure.name, measure.labels)))


def pool_rows(problem: Problem, pool: Pool) -> list[int]:
    """Return the rows of a pool's nodes in every [node, slot] array."""
    return [problem.cluster.node_idx[node] for node in pool.node_names()]


def energy_kwh(problem: Problem, decisions: Decisions, usage: Usage) -> NDArray[np.float64]:
    """Return the energy per node and slot, float64 [node, slot]; NaN where the power of a node is not known."""
    return _drawn(problem, decisions, usage, draw_of)


def carbon_g(problem: Problem, decisions: Decisions, usage: Usage) -> NDArray[np.float64]:
    """Return the emissions per node and slot, float64 [node, slot]; NaN where power or intensity of a node is not known."""
    return _drawn(problem, decisions, usage, emission_of)


def _drawn(
    problem: Problem, decisions: Decisions, usage: Usage, per_node: Callable[[Problem, Pool], Draw | None]
) -> NDArray[np.float64]:
    found = np.full(decisions.on.shape, np.nan)
    for pool in problem.cluster.pools:
        draw = per_node(problem, pool)
        if draw is not None:
            rows = pool_rows(problem, pool)
            found[rows] = decisions.on[rows] * draw.idle + usage.duty[rows] * draw.duty
    return found


def _moves(ledger: Ledger) -> Iterator[Measure]:
    if ledger.problem.earlier is not None or ledger.problem.stops:
        moves, unit = moves_of(ledger.problem, ledger.decisions), f"{counted_unit(ledger.problem.cluster)}s"
        yield Measure("moved_devices", moves.devices, unit)
        yield Measure("moved_replica_devices", moves.replica_devices, unit)


def _cost(ledger: Ledger) -> Iterator[Measure]:
    problem, unit = ledger.problem, ledger.problem.currency
    paid = ledger.node_use.cost
    rework = fsum(ledger.rework.values())
    allocated = fsum(row.cost for row in ledger.placements) - rework + fsum(row.cost for row in ledger.replicas)
    borrowed = ledger.borrowing.total
    yield Measure("cost", float(paid.sum()) + rework + borrowed, unit)
    yield Measure("cost_paid", float(paid.sum()), unit)
    yield Measure("cost_allocated", allocated, unit)
    yield Measure("cost_used", float((paid * ledger.usage.busy_share).sum()), unit)
    yield Measure("cost_idle", float(paid.sum()) - allocated, unit)
    yield Measure("cost_stranded", float((paid * _stranded_share(ledger)).sum()), unit)
    yield Measure("rework_cost", rework, unit)
    if problem.quotas:
        yield Measure("borrow_cost", borrowed, unit)
    for pool in problem.cluster.pools:
        yield Measure("cost_paid", float(paid[pool_rows(problem, pool)].sum()), unit, (("pool", pool.name),))
    yield from _tenant_costs(ledger)


def _tenant_costs(ledger: Ledger) -> Iterator[Measure]:
    problem = ledger.problem
    bears: dict[str, list[float]] = {}
    for placement in ledger.placements:
        bears.setdefault(problem.job_by_name[placement.job].tenant, []).append(placement.cost)
    for row in ledger.replicas:
        bears.setdefault(problem.service_by_name[row.service].tenant, []).append(row.cost)
    for tenant, borrowed in ledger.borrowing.by_tenant:
        bears.setdefault(tenant, []).append(borrowed)
        yield Measure("borrow_cost", borrowed, problem.currency, (("tenant", tenant),))
    for tenant in sorted(bears):
        yield Measure("cost", fsum(bears[tenant]), problem.currency, (("tenant", tenant),))


def _stranded_share(ledger: Ledger) -> NDArray[np.float64]:
    cluster = ledger.problem.cluster
    per_node = np.array([counted(cluster.pool_of_node[node], cluster) for node in cluster.nodes]).reshape(-1, 1)
    stranded = ledger.node_use.devices_stranded
    return np.asarray(np.divide(stranded, per_node, out=np.zeros_like(stranded), where=per_node > 0))


def _use(ledger: Ledger) -> Iterator[Measure]:
    problem, hours = ledger.problem, ledger.problem.grid.hours
    paid = counted_on(problem, ledger.decisions) * hours
    busy, held = ledger.usage.busy * hours, ledger.usage.held * hours
    yield Measure("utilization", _ratio(busy.sum(), paid.sum()), "share")
    yield Measure("allocation", _ratio(held.sum(), paid.sum()), "share")
    for kind in sorted(ledger.usage.by_kind):
        share = _ratio((ledger.usage.by_kind[kind] * hours).sum(), paid.sum())
        yield Measure("utilization", share, "share", (("kind", kind),))
    for pool in problem.cluster.pools:
        rows, label = pool_rows(problem, pool), (("pool", pool.name),)
        yield Measure("utilization", _ratio(busy[rows].sum(), paid[rows].sum()), "share", label)
        yield Measure("allocation", _ratio(held[rows].sum(), paid[rows].sum()), "share", label)
    stranded = (ledger.node_use.devices_stranded * hours).sum() / hours.sum()
    yield Measure("stranded_devices", float(stranded), f"{counted_unit(problem.cluster)}s")


def _services(ledger: Ledger) -> Iterator[Measure]:
    currency, hours = ledger.problem.currency, ledger.problem.grid.hours
    found: list[tuple[float | None, float | None]] = []
    good_all, all_all, missed_all = 0.0, 0.0, 0.0
    cost_of: dict[str, list[float]] = {fleet.service.name: [] for fleet in ledger.fleets}
    for row in ledger.replicas:
        cost_of[row.service].append(row.cost)
    for fleet in ledger.fleets:
        name, label = fleet.service.name, (("service", fleet.service.name),)
        requests = fleet.mean_rps * hours * 3600.0
        missed = np.asarray(reaching_rps(fleet.service, 1.0) * requests * fleet.missed)
        good = float((requests - missed)[fleet.met].sum())
        worst, room = _worst_latency_ms(fleet), _headroom(fleet)
        found.append((worst, room))
        good_all, all_all = good_all + good, all_all + float(requests.sum())
        yield Measure("latency_ms", worst, "ms", label)
        yield Measure("headroom", room, "share", label)
        yield Measure("slo_attainment", _ratio(good, requests.sum()), "share", label)
        if is_priced(ledger.problem):
            missed_all += float(missed.sum())
            yield Measure("missed_requests", float(missed.sum()), "requests", label)
        yield Measure("cost_per_1000_requests", _ratio(1000.0 * fsum(cost_of[name]), requests.sum()), currency, label)
    yield Measure("latency_ms", _extreme([worst for worst, _ in found], max), "ms")
    yield Measure("headroom", _extreme([room for _, room in found], min), "share")
    yield Measure("slo_attainment", _ratio(good_all, all_all), "share")
    if is_priced(ledger.problem):
        yield Measure("missed_requests", missed_all, "requests")
    yield Measure("cost_per_1000_requests", _ratio(1000.0 * fsum(row.cost for row in ledger.replicas), all_all), currency)


def _worst_latency_ms(fleet: Fleet) -> float | None:
    """None where a slot with demand has no steady state, or no slot has replicas."""
    asked = (fleet.peak_rps > 0) | (fleet.replicas > 0)
    return _extreme([found_ms for found_ms, is_asked in zip(fleet.latency_ms, asked, strict=True) if is_asked], max)


def _headroom(fleet: Fleet) -> float | None:
    asked = (fleet.peak_rps > 0) | (fleet.replicas > 0)
    if not asked.any() or (fleet.speed[asked] <= 0).any():
        return None
    return float(1.0 - fleet.load(fleet.peak_rps)[asked].max())


def _deadlines(ledger: Ledger) -> Iterator[Measure]:
    end_s = {run.job.name: run.end_s for run in ledger.runs}
    due = [(job.name, job.deadline_s) for job in ledger.problem.jobs if job.deadline_s is not None]
    hits = sum(1 for name, deadline_s in due if name in end_s and end_s[name] <= deadline_s)
    yield Measure("deadline_hits", _ratio(hits, len(due)), "share")
    yield Measure("unplaced", float(len(ledger.left_out)), "jobs")
    chances = [(run.job.name, run_chance(run)) for run in ledger.runs if run.on_spot and run.job.deadline_s is not None]
    yield Measure("on_time_probability", min((chance for _, chance in chances), default=None), "share")
    for name, chance in chances:
        yield Measure("on_time_probability", chance, "share", (("job", name),))
    yield Measure("pool_loss_missed", max((float(len(loss.missed)) for loss in ledger.losses), default=0.0), "jobs")
    for loss in ledger.losses:
        yield Measure("pool_loss_missed", float(len(loss.missed)), "jobs", (("pool", loss.pool.name),))


def _waits(ledger: Ledger) -> Iterator[Measure]:
    ranks_s = sorted(waits_s(ledger.problem, ledger.runs))
    yield Measure("wait_s_mean", _ratio(fsum(ranks_s), len(ranks_s)), "s")
    for percent in (50, 95, 99):
        ranked = ranks_s[ceil(percent * len(ranks_s) / 100) - 1] if ranks_s else None
        yield Measure(f"wait_s_p{percent}", ranked, "s")
    yield Measure("wait_s_max", max(ranks_s, default=None), "s")
    last_s = max((run.end_s for run in ledger.runs), default=None)
    yield Measure("makespan_s", None if last_s is None else float(last_s - ledger.problem.grid.start_s), "s")


def _energy(ledger: Ledger) -> Iterator[Measure]:
    use = ledger.node_use
    for name, amounts, unit in (("energy_kwh", use.energy_kwh, "kWh"), ("carbon_g", use.carbon_g, "gCO2e")):
        for pool in ledger.problem.cluster.pools:
            yield Measure(name, _known_sum(amounts[pool_rows(ledger.problem, pool)]), unit, (("pool", pool.name),))
        yield Measure(name, _known_sum(amounts) if ledger.problem.cluster.pools else None, unit)


def _known_sum(amounts: NDArray[np.float64]) -> float | None:
    return None if np.isnan(amounts).any() else float(amounts.sum())


def _ratio(part: float, whole: float) -> float | None:
    return float(part) / float(whole) if whole > 0 else None


def _extreme(values: list[float | None], pick: Callable[[list[float]], float]) -> float | None:
    """None as soon as one value is None, or where there are none."""
    known = [value for value in values if value is not None]
    return pick(known) if known and len(known) == len(values) else None
