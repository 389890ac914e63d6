"""pin: a pinned job stands on its place and starts at its time; a pinned service has its replicas there in every slot."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.pins import pin_told, pinned_slots
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.pin import Pin
from schedplan.model.workload import JobState

_HINT = "move it, or take the pin out"


def pin(case: Case) -> Iterator[Finding]:
    known = {*case.problem.job_by_name, *case.problem.service_by_name}
    for one in (one for one in case.problem.pins if one.work in known):
        asked = f"it is pinned {pin_told(case.problem, one)}"
        if one.is_service:
            yield from _service(case, one, asked)
        elif case.problem.job_by_name[one.work].state is not JobState.RUNNING:
            yield from _job(case, one, asked)


def _job(case: Case, one: Pin, asked: str) -> Iterator[Finding]:
    parts = case.parts_of.get(one.work, [])
    place = frozenset(one.nodes(case.problem.cluster))
    outside = [part.node for part in parts if part.node not in place]
    if not parts:
        yield broken("pin", one.subject, f"{asked} and is left out", _HINT)
    if outside:
        yield broken("pin", one.subject, f"{asked}; it stands on {', '.join(outside)}", _HINT)
    if parts and parts[0].start_slot not in pinned_slots(case.problem, one):
        yield broken("pin", one.subject, f"{asked}; it starts at {case.when(parts[0].start_slot)}", _HINT)


def _service(case: Case, one: Pin, asked: str) -> Iterator[Finding]:
    place = frozenset(one.nodes(case.problem.cluster))
    by_slot = case.replicas_of[one.work]
    counts = {
        slot: sum(stand.replicas for stand in by_slot.get(slot, ()) if stand.node in place)
        for slot in pinned_slots(case.problem, one)
    }
    short = [slot for slot, count in counts.items() if count < one.replicas]
    if short:
        yield broken("pin", one.subject, f"{asked}; {counts[short[0]]} stand there at {case.when(short[0])} ({len(short)} slots)")
