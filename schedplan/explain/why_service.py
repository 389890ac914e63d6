"""Why a service has so many replicas in each stretch of time: demand, the least that meets its target, what it gets. No jobs."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.explain.explanation import Alternative, Explanation, Number, Outcome, Reason
from schedplan.explain.family import Family, families
from schedplan.explain.wording import amount, counted, instant, listed, money
from schedplan.measures.costs import Prices, hold_cost
from schedplan.measures.eligibility import pools_for_service, service_refusal, workers_per_node
from schedplan.measures.latency import least_replicas
from schedplan.measures.runs import Fleet, fleets_of
from schedplan.model.plan import Plan
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import Service


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Slots first..last with one number of replicas. least: the largest need among them, None where no number meets the target."""

    first: int
    last: int
    replicas: int
    least: int | None


def explain_service(problem: Problem, plan: Plan, service: Service) -> Explanation:
    """Return why `service` has its replicas: one reason per stretch of slots with the same number, in order of time."""
    fleet = next(fleet for fleet in fleets_of(problem, plan.decisions) if fleet.service.name == service.name)
    pools = {problem.cluster.pool_of_node[part.node].name for parts in fleet.parts for part in parts}
    least = _least(problem, fleet)
    met = int(fleet.met.sum())
    low, high = int(fleet.replicas.min()), int(fleet.replicas.max())
    span = f"{low}" if low == high else f"{low} to {high}"
    verdict = (
        f"service {service.name} has {span} replicas on {listed(sorted(pools)) or 'no node'}; "
        f"its target of {amount(service.slo_ms)} ms ({_quantile(service)}) is met in {met} of {problem.grid.n_slots} slots"
    )
    short = int((fleet.missed > 0).sum())
    if short:
        verdict += f", for the part of its demand that is served: in {counted(short, 'slot')} some is missed"
    return Explanation(
        subject=f"service {service.name}",
        verdict=verdict,
        reasons=tuple(_reason(problem, fleet, stretch) for stretch in _stretches(fleet, least)),
        alternatives=tuple(
            _alternative(problem, service, family, fleet)
            for family in families(problem)
            if not any(pool.name in pools for pool in family.pools)
        ),
        next_step=_next_step(problem, service, met, is_missing=bool(fleet.missed.any())),
    )


def service_alternative(problem: Problem, plan: Plan, service: Service, family: Family) -> Alternative:
    """Return what a family had to offer to a service at its highest demand."""
    fleet = next(fleet for fleet in fleets_of(problem, plan.decisions) if fleet.service.name == service.name)
    return _alternative(problem, service, family, fleet)


def _quantile(service: Service) -> str:
    return "mean" if service.slo_quantile is None else f"{amount(service.slo_quantile * 100)} % of requests"


def _least(problem: Problem, fleet: Fleet) -> list[int | None]:
    """Return the least replicas per slot on the slowest devices that it stands on, min_replicas included."""
    return [_least_in(problem, fleet, slot) for slot in range(problem.grid.n_slots)]


def _least_in(problem: Problem, fleet: Fleet, slot: int) -> int | None:
    accelerators = {problem.cluster.pool_of_node[part.node].accelerator for part in fleet.parts[slot]}
    found = [_need(problem, fleet, slot, accelerator) for accelerator in accelerators]
    if not found or None in found:
        return None
    return max([fleet.service.min_replicas, *(need for need in found if need is not None)])


def _need(problem: Problem, fleet: Fleet, slot: int, accelerator: str | None) -> int | None:
    service_ms = problem.service_ms(fleet.service, accelerator)
    return least_replicas(fleet.service, service_ms, float(fleet.peak_rps[slot]), problem.limits.max_utilization)


def _stretches(fleet: Fleet, least: list[int | None]) -> list[_Stretch]:
    found: list[_Stretch] = []
    for slot, need in enumerate(least):
        replicas = int(fleet.replicas[slot])
        last = found[-1] if found else None
        if last is not None and last.replicas == replicas and (last.least is None) == (need is None):
            most = None if need is None or last.least is None else max(need, last.least)
            found[-1] = _Stretch(last.first, slot, replicas, most)
        else:
            found.append(_Stretch(slot, slot, replicas, need))
    return found


def _reason(problem: Problem, fleet: Fleet, stretch: _Stretch) -> Reason:
    slots = slice(stretch.first, stretch.last + 1)
    start, end = instant(problem, problem.grid.slot_start_s(stretch.first)), instant(problem, problem.grid.slot_end_s(stretch.last))
    peak = float(fleet.peak_rps[slots].max())
    latencies = [latency for latency in fleet.latency_ms[slots] if latency is not None]
    numbers = [Number("replicas", float(stretch.replicas), "replicas"), Number("peak_demand", peak, "requests/s")]
    told = f"{start} to {end}: {counted(stretch.replicas, 'replica')} for up to {amount(peak)} requests/s"
    if stretch.least is not None:
        numbers.append(Number("least_replicas", float(stretch.least), "replicas"))
        told += f"; {_beside_least(problem, fleet.service, stretch.replicas, stretch.least)}"
    missed = float(fleet.missed[slots].max())
    if missed > 0:
        numbers.append(Number("missed_share", missed, "share"))
        told += (
            f"; up to {missed:.2%} of the demand is missed, at its price (`missed_demand`): {_why_missed(problem, fleet, stretch)}"
        )
    serving = min(sum(part.replicas for part in parts) for parts in fleet.serving[slots])
    if serving < stretch.replicas:
        told += f"; {serving} of them serve{'s' if serving == 1 else ''} at first, the others warm up"
    if latencies:
        numbers.append(Number("latency", max(latencies), "ms"))
        told += f"; latency up to {amount(max(latencies))} ms"
    if len(latencies) < stretch.last + 1 - stretch.first and stretch.replicas:
        told += "; in some slots there is no steady state"
    return Reason("service", told, tuple(numbers))


def _why_missed(problem: Problem, fleet: Fleet, stretch: _Stretch) -> str:
    """Return what keeps more replicas away: their bounds, what nodes hold, or else the objective."""
    service = fleet.service
    pools = pools_for_service(problem.cluster, service)
    if stretch.replicas == service.max_replicas:
        return "no more may stand (`max_replicas`)"
    slots = range(stretch.first, stretch.last + 1)
    if all(_need(problem, fleet, slot, pool.accelerator) is None for slot in slots for pool in pools):
        return "no node that may hold it is fast enough" if pools else "no node may hold it"
    holds = sum(pool.nodes * workers_per_node(pool, service.shape) for pool in pools)
    if stretch.replicas >= holds:
        return f"the nodes that may hold it hold {holds} when empty"
    serving = min(sum(part.replicas for part in fleet.serving[slot]) for slot in slots)
    if serving < stretch.replicas:
        return "replicas serve once they have warmed up"
    return "other work, or what more nodes cost, weighs more than this demand, or a limit leaves no room"


def _beside_least(problem: Problem, service: Service, replicas: int, least: int) -> str:
    if replicas < least:
        return f"fewer than the {least} that meet the target"
    if replicas == least:
        return "the fewest allowed (`min_replicas`)" if replicas == service.min_replicas else "the fewest that meet the target"
    wanted = _more_wanted(problem, service)
    return f"{least} would meet the target; more are {wanted or 'cheap here or wanted before and after'}"


def _more_wanted(problem: Problem, service: Service) -> str:
    """Return which rules ask for more replicas of a service than its target alone; empty where none does."""
    reasons = []
    if problem.limits.reserve is not Reserve.NONE:
        reasons.append(f"kept for the loss of a {problem.limits.reserve.value} (`reserve`)")
    if service.spread is not None:
        reasons.append(f"wanted in {service.spread[1]} {service.spread[0]}s (`spread`)")
    return listed(reasons)


def _alternative(problem: Problem, service: Service, family: Family, fleet: Fleet) -> Alternative:
    """Return what a family would need to serve the highest demand, and what that costs in that slot."""
    refusals = [service_refusal(pool, service) for pool in family.pools]
    if None not in refusals:
        refusal = refusals[0]
        return Alternative(family.name, Outcome.REFUSED, refusal.message if refusal else "", rule=refusal.rule if refusal else None)
    pool = family.pools[refusals.index(None)]
    slot = int(fleet.peak_rps.argmax())
    need = _need(problem, fleet, slot, pool.accelerator)
    if need is None:
        return Alternative(family.name, Outcome.REFUSED, "too slow: no number of replicas meets the target there", rule="service")
    cost = hold_cost(Prices.of(problem), pool, service.shape, need, slice(slot, slot + 1))
    start = instant(problem, problem.grid.slot_start_s(slot))
    told = f"would need {counted(need, 'replica')} at the highest demand ({start}), {money(problem, cost)} in that slot"
    return Alternative(family.name, Outcome.POSSIBLE, told, start_s=problem.grid.slot_start_s(slot), cost=cost)


def _next_step(problem: Problem, service: Service, met: int, *, is_missing: bool) -> str | None:
    if is_missing:
        return f"Add nodes that {service.name} may stand on, or raise `[objective.rates] missed` or its priority."
    if met == problem.grid.n_slots:
        return None
    return f"Allow more replicas or faster devices for {service.name}, or a longer `slo_ms`."
