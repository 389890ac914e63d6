"""service: replicas enough for target and load, within their bounds, spread and held as asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from schedplan.measures.coverage import coverage, is_covered, least_on
from schedplan.measures.domains import domain_of_node
from schedplan.measures.latency import latency_ms, reaching_rps
from schedplan.measures.missed import is_priced
from schedplan.measures.rules.case import FORGIVEN, Case, broken
from schedplan.model.findings import Finding
from schedplan.model.plan import ReplicaPart
from schedplan.model.workload import Service


def service(case: Case) -> Iterator[Finding]:
    for service in case.problem.services:
        by_slot = case.replicas_of[service.name]
        counts = [sum(stand.replicas for stand in by_slot.get(slot, [])) for slot in range(case.problem.grid.n_slots)]
        yield from _bounds(case, service, counts)
        yield from _holds(case, service, counts)
        for slot in range(case.problem.grid.n_slots):
            yield from _too_slow(case, service, slot, by_slot.get(slot, []))
            if not is_priced(case.problem):
                yield from _target(case, service, slot, case.serving_of[service.name][slot])
            yield from _spread(case, service, slot, by_slot.get(slot, []))


def _bounds(case: Case, service: Service, counts: list[int]) -> Iterator[Finding]:
    most = service.max_replicas
    for slot, count in enumerate(counts):
        if count < service.min_replicas:
            message = f"{count} replicas at {case.when(slot)}; the least is {service.min_replicas}"
            yield broken("service", f"service {service.name}", message)
        if most is not None and count > most:
            yield broken("service", f"service {service.name}", f"{count} replicas at {case.when(slot)}; the most is {most}")


def _holds(case: Case, service: Service, counts: list[int]) -> Iterator[Finding]:
    changes = [slot for slot in range(1, len(counts)) if counts[slot] != counts[slot - 1]]
    for earlier, later in pairwise(changes):
        held_minutes = (case.problem.grid.slot_start_s(later) - case.problem.grid.slot_start_s(earlier)) / 60.0
        if held_minutes < service.min_hold_minutes - FORGIVEN:
            message = f"the number of replicas changes at {case.when(earlier)} and again {held_minutes:g} min later"
            yield broken("service", f"service {service.name}", f"{message}; the least is {service.min_hold_minutes:g} min")


def _target(case: Case, service: Service, slot: int, stands: Sequence[ReplicaPart]) -> Iterator[Finding]:
    """Target and load at the demand planned for: by the latency model on one accelerator, by shares of each one's need on a mix."""
    demand = case.problem.demand_of.get(service.name)
    rate = 0.0 if demand is None else reaching_rps(service, float(demand.peak_rps[slot]))
    if rate <= 0:
        return
    subject, when = f"service {service.name}", case.when(slot)
    mix = case.mix(stands)
    if not mix:
        yield broken("service", subject, f"no replica serves at {when}; {rate:g} requests/s are to be served")
    elif len(mix) == 1:
        ((accelerator, count),) = mix.items()
        yield from _single_target(case, service, slot, case.problem.service_ms(service, accelerator), count)
    else:
        yield from _mixed_target(case, service, slot, mix)


def _too_slow(case: Case, service: Service, slot: int, stands: Sequence[ReplicaPart]) -> Iterator[Finding]:
    """Replicas on a model that no number of them makes fast enough; where all must be served, one by itself is told by latency."""
    mix = case.mix(stands)
    for accelerator, count in mix.items() if len(mix) > 1 or is_priced(case.problem) else ():
        if least_on(case.problem, service, accelerator, slot) is None:
            message = f"{count} replicas stand on {accelerator} at {case.when(slot)}, which no number of replicas makes fast enough"
            yield broken("service", f"service {service.name}", message)


def _single_target(case: Case, service: Service, slot: int, service_ms: float, count: int) -> Iterator[Finding]:
    subject, when = f"service {service.name}", case.when(slot)
    rate = reaching_rps(service, float(case.problem.demand_of[service.name].peak_rps[slot]))
    load, limit = rate * service_ms / 1000.0 / (count * service.concurrency), case.problem.limits.max_utilization
    if load > limit + 1e-12:
        yield broken("service", subject, f"load {load:.4%} of {count} replicas at {when}; the limit is {limit:.4%}")
    found_ms = latency_ms(service_ms, service.service_cv, service.slo_quantile, count * service.concurrency, rate)
    if found_ms is None:
        yield broken("service", subject, f"no steady state with {count} replicas at {when}: load {load:.4%}")
    elif found_ms > service.slo_ms:
        message = f"latency {found_ms:.1f} ms with {count} replicas at {when}; the target is {service.slo_ms:g} ms"
        yield broken("service", subject, message)


def _mixed_target(case: Case, service: Service, slot: int, mix: dict[str | None, int]) -> Iterator[Finding]:
    if not is_covered(case.problem, service, slot, mix):
        counts = ", ".join(f"{count} on {accelerator}" for accelerator, count in mix.items())
        share = coverage(case.problem, service, slot, mix)
        message = f"replicas at {case.when(slot)} ({counts}) cover {share:.4f} of the demand planned for"
        yield broken("service", f"service {service.name}", message)


def _spread(case: Case, service: Service, slot: int, stands: list[ReplicaPart]) -> Iterator[Finding]:
    if service.spread is None or not stands:
        return
    kind, least = service.spread
    domains = {domain_of_node(kind, case.pool(stand.node), stand.node) for stand in stands} - {None}
    if len(domains) < least:
        message = f"stands in {len(domains)} of at least {least} {kind}s at {case.when(slot)}"
        yield broken("service", f"service {service.name}", message)
