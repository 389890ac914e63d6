"""preempt: what was stopped gave way to a more urgent job, which stands on its nodes while it would have run."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.measures.stops import in_favour_of
from schedplan.model.findings import Finding


def preempt(case: Case) -> Iterator[Finding]:
    for stop in case.problem.stops:
        if not in_favour_of(case.problem, case.decisions, stop):
            message = f"is stopped on {', '.join(stop.nodes)}, and no job of a priority above {stop.priority} stands there instead"
            yield broken("preempt", f"job {stop.job}", message, "let it run on")
