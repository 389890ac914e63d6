"""after: a job starts only when all jobs of the problem that it waits for have ended; without one of them it is left out."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding

HINT = "start it later, or take the name out of its column `after`"


def after(case: Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        first = min(part.start_slot for part in parts)
        for before in case.problem.waits_for[name]:
            if before not in case.parts_of:
                yield broken("after", f"job {name}", f"waits for {before}, which is left out", HINT)
                continue
            edges = [case.end_edge(part) for part in case.parts_of[before]]
            known = [edge for edge in edges if edge is not None]
            if len(known) < len(edges):
                yield broken("after", f"job {name}", f"waits for {before}, which is not over when the horizon ends", HINT)
            elif max(known) > first:
                ends, starts = case.at(case.problem.grid.edges_s[max(known)]), case.when(first)
                yield broken("after", f"job {name}", f"starts at {starts}, before {before} ends at {ends}", HINT)
