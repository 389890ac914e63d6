"""Caveats: what a plan's reader must be told beside its numbers. Each is one sentence with subject, fact and limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schedplan.measures.checkpoints import checkpointing
from schedplan.measures.devices import Unassigned
from schedplan.measures.domains import domain_of_pool
from schedplan.measures.emissions import unknown_emissions
from schedplan.measures.fallback import Fallback
from schedplan.measures.figures import pool_rows
from schedplan.measures.missed_told import missed_told
from schedplan.measures.pool_loss import PoolLoss
from schedplan.measures.quotas import TenantHoldings
from schedplan.measures.runs import Fleet, Run
from schedplan.measures.spot import survival_probability
from schedplan.measures.stops import stop_told
from schedplan.measures.warm_up import lag_minutes
from schedplan.model.cluster import Market
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import DeadlineKind
from schedplan.timegrid import format_local

POOLS_NAMED = 5
JOBS_NAMED = 3


def caveats(
    problem: Problem,
    decisions: Decisions,
    runs: Sequence[Run],
    fleets: Sequence[Fleet],
    fallbacks: dict[str, Fallback],
    losses: Sequence[PoolLoss],
    unassigned: Sequence[Unassigned],
) -> tuple[str, ...]:
    """Return the warnings of a plan: jobs by name, services, nodes, then what the model leaves out."""
    found: list[str] = []
    for run in runs:
        found += _slack_caveats(problem, run)
        if run.job.name in fallbacks:
            found += _fallback_caveats(problem, run, fallbacks[run.job.name])
        found += _checkpoint_caveats(run)
    found += [f"job {stop.job}: {stop_told(problem, decisions, stop)}" for stop in problem.stops]
    found += _loss_caveats(problem, losses)
    for fleet in fleets:
        found += missed_told(problem, fleet)
        found += _load_caveats(problem, fleet)
        found += _target_caveats(problem, fleet)
        found += _warm_caveats(problem, fleet)
    found += [f"node {node.node}: {node.message}; no device numbers are given for its jobs" for node in unassigned]
    found += _spot_rate_caveats(runs)
    found += _billing_caveats(problem, decisions)
    found += _borrowing_caveats(problem, decisions)
    found += _reserve_caveats(problem, fleets)
    found += _emission_caveats(problem)
    return tuple(found)


def _slack_caveats(problem: Problem, run: Run) -> list[str]:
    job, slack_h = run.job, run.slack_h
    if not run.on_spot or slack_h is None or slack_h > 0 or job.deadline_kind is not DeadlineKind.HARD:
        return []
    rate = run.rate_per_h
    nodes = len(run.parts)
    survival = survival_probability(run.hours, rate)
    when = f"{format_local(run.start_s, problem.zone)} to {format_local(run.run_end_s, problem.zone)}"
    return [
        f"job {job.name}: slack {slack_h:g} h on spot: it must run from {when} without a break on {nodes} nodes; the chance that "
        f"none is taken away is {survival:.1%} ({rate:g} interruptions/h of the gang for {run.hours:g} h)"
    ]


def _fallback_caveats(problem: Problem, run: Run, fallback: Fallback) -> list[str]:
    job = run.job.name
    if fallback.pool is not None:
        if fallback.switch_by_s is not None:
            return []
        return [
            f"job {job}: no fallback in time: pool {fallback.pool.name} has room for it, but a switch is too late from the start"
        ]
    if fallback.best_pool is None:
        return [
            f"job {job}: no fallback: it needs {fallback.need:g} {fallback.unit} should its spot nodes be taken away; no other "
            "pool outside spot may hold it"
        ]
    when = format_local(problem.grid.slot_start_s(fallback.slot), problem.zone)
    if fallback.left >= fallback.need:
        left = f"pool {fallback.best_pool.name} has {fallback.left:g} {fallback.unit} left at worst ({when})"
        return [f"job {job}: no full fallback: {left}, but not on nodes that could hold its workers until the deadline"]
    return [
        f"job {job}: no full fallback: it needs {fallback.need:g} {fallback.unit} should its spot nodes be taken away; pool "
        f"{fallback.best_pool.name} has {fallback.left:g} left at worst ({when})"
    ]


def _checkpoint_caveats(run: Run) -> list[str]:
    found = checkpointing(run)
    if found is None or not found.is_worth_telling:
        return []
    used = "it writes no checkpoint" if found.used_h is None else f"it writes a checkpoint every {found.used_h * 60:.3g} min"
    best = "none at all" if found.best_h is None else f"one every {found.best_h * 60:.3g} min"
    told = f"{found.saved_h:.2g} h of the {found.rework_h:.2g} h of rework that are expected on spot"
    return [f"job {run.job.name}: {used}; {best} would save {told}"]


def _loss_caveats(problem: Problem, losses: Sequence[PoolLoss]) -> list[str]:
    """Spot pools whose loss as a whole, at the worst instant, makes jobs miss their deadlines."""
    found = []
    for loss in losses:
        if loss.missed:
            when = format_local(loss.instant_s, problem.zone)
            names = ", ".join(loss.missed[:JOBS_NAMED]) + (" and more" if len(loss.missed) > JOBS_NAMED else "")
            n_covered, n_all = len(loss.covered), len(loss.covered) + len(loss.missed)
            found.append(
                f"pool {loss.pool.name}: should all of it go at {when} and not come back, {len(loss.missed)} of {n_all} jobs there "
                f"would miss their deadline: {names}; other pools have room and time for {n_covered}"
            )
    return found


def _load_caveats(problem: Problem, fleet: Fleet) -> list[str]:
    load = fleet.load(fleet.peak_rps * (1.0 - fleet.missed))
    worst = int(np.argmax(load))
    limit = problem.limits.max_utilization
    if load[worst] <= limit + 1e-9:
        return []
    when = format_local(problem.grid.slot_start_s(worst), problem.zone)
    return [f"service {fleet.service.name}: load {load[worst]:.1%} of its replicas at {when}; the limit is {limit:.1%}"]


def _target_caveats(problem: Problem, fleet: Fleet) -> list[str]:
    # A mix of accelerators is planned by shares of each one's need; its pooled latency may still miss the target.
    missed = [slot for slot, met in enumerate(fleet.met) if not met and fleet.replicas[slot] > 0]
    if not missed:
        return []
    slot = missed[0]
    when = format_local(problem.grid.slot_start_s(slot), problem.zone)
    found_ms = fleet.latency_ms[slot]
    seen = "no steady state" if found_ms is None else f"{found_ms:.1f} ms"
    return [
        f"service {fleet.service.name}: {seen} at {when}; the target is {fleet.service.slo_ms:g} ms ({len(missed)} slots miss it)"
    ]


def _warm_caveats(problem: Problem, fleet: Fleet) -> list[str]:
    """Replicas that the plan takes as warm when it begins, though they would take time to get so."""
    lags = [lag_minutes(fleet.service, problem.cluster.pool_of_node[part.node]) for part in fleet.parts[0]]
    if max(lags, default=0.0) <= 0:
        return []
    count = int(fleet.replicas[0])
    told = "the replica" if count == 1 else f"the {count} replicas"
    asked = f"asked for {max(lags):g} min before"
    return [f"service {fleet.service.name}: {told} of the first slot must be warm when the plan begins: {asked}"]


def _spot_rate_caveats(runs: Sequence[Run]) -> list[str]:
    used = dict.fromkeys(pool for run in runs for pool in run.pools)
    return [
        f"pool {pool.name}: spot without interruptions_per_hour; rework there counts as 0"
        for pool in used
        if pool.market is Market.SPOT and pool.interruptions_per_hour == 0
    ]


def _billing_caveats(problem: Problem, decisions: Decisions) -> list[str]:
    """Pools whose billing unit is longer than the shortest slot, where nodes are switched on or off during the horizon."""
    shortest_minutes = float(problem.grid.hours.min()) * 60.0
    found = []
    for pool in problem.cluster.pools:
        is_switched = bool(np.diff(decisions.on[pool_rows(problem, pool)].astype(np.int8), axis=1).any())
        if pool.billing_minutes > shortest_minutes and is_switched and not pool.market.is_sunk:
            found.append(f"pool {pool.name}: bills in units of {pool.billing_minutes:g} min; its cost here counts slots")
    return found


def _borrowing_caveats(problem: Problem, decisions: Decisions) -> list[str]:
    """Rows whose tenants hold more than they are promised, at no price."""
    free = [borrower for borrower in problem.borrowers if borrower.quota.may_borrow and borrower.quota.borrow_price == 0]
    holdings = TenantHoldings.of(problem, decisions) if free else None
    found = []
    for borrower in free:
        quota, borrowed = borrower.quota, holdings.borrowed(borrower) if holdings else np.zeros(problem.grid.n_slots)
        if borrowed.any():
            slot = int(np.argmax(borrowed))
            when = format_local(problem.grid.slot_start_s(slot), problem.zone)
            found.append(
                f"borrowing by {quota.tenant} is free: no borrow_price; it holds up to {borrowed[slot]:g} {quota.scope.name} "
                f"beyond its {quota.nominal:g} ({when})"
            )
    return found


def _reserve_caveats(problem: Problem, fleets: Sequence[Fleet]) -> list[str]:
    """Pools that carry replicas and are in no domain of the kind whose loss is provided for."""
    kind = problem.limits.reserve
    if kind in (Reserve.NONE, Reserve.NODE):
        return []
    used = dict.fromkeys(problem.cluster.pool_of_node[part.node] for fleet in fleets for parts in fleet.parts for part in parts)
    return [
        f'pool {pool.name}: in no {kind.value}, so [limits] reserve = "{kind.value}" takes it as never lost with one'
        for pool in used
        if domain_of_pool(kind.value, pool) is None
    ]


def _emission_caveats(problem: Problem) -> list[str]:
    """Pools whose emissions count as 0, where emissions are asked for at all."""
    if not problem.intensities and problem.objective.carbon == 0:
        return []
    unknown = unknown_emissions(problem)
    if not unknown:
        return []
    named = ", ".join(f"{pool} ({why})" for pool, why in unknown[:POOLS_NAMED])
    more = f" and {len(unknown) - POOLS_NAMED} more" if len(unknown) > POOLS_NAMED else ""
    return [f"carbon: emissions are not known, and count as 0 where plans are compared, of pools {named}{more}"]
