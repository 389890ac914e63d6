"""outage: no work on a node in a slot that one of its outages touches, unless it runs there already."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.outage import Outage
from schedplan.model.workload import JobState


def outage(case: Case) -> Iterator[Finding]:
    grid = case.problem.grid
    for one in case.problem.outages:
        away = frozenset(one.nodes(case.problem.cluster))
        for name, parts in case.parts_of.items():
            if case.problem.job_by_name[name].state is JobState.RUNNING:
                continue
            for part in (part for part in parts if part.node in away):
                slots = case.slots(part)
                if _overlaps(one, grid.edges_s[slots.start], grid.edges_s[slots.stop]):
                    yield broken("outage", f"job {name}", _told(case, one, part.node))
        for name, by_slot in case.replicas_of.items():
            stands = [stand for slot in sorted(by_slot) for stand in by_slot[slot] if stand.node in away]
            hit = [stand for stand in stands if _overlaps(one, grid.edges_s[stand.slot], grid.edges_s[stand.slot + 1])]
            if hit:
                yield broken("outage", f"service {name}", f"{_told(case, one, hit[0].node)} ({len(hit)} parts)")


def _overlaps(one: Outage, start_s: int, end_s: int) -> bool:
    return start_s < one.end_s and one.start_s < end_s


def _told(case: Case, one: Outage, node: str) -> str:
    return f"stands on {node} in its outage ({one.told(case.problem.zone)})"
