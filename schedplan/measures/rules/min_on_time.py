"""min_on_time: what stands on spot with a hard deadline ends in time as surely as asked; what runs already is not asked."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.min_on_time import chance_on, is_asked
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def min_on_time(case: Case) -> Iterator[Finding]:
    least = case.problem.limits.min_on_time
    for name, parts in case.parts_of.items():
        job, pool = case.problem.job_by_name[name], case.pool(parts[0].node)
        if not is_asked(case.problem, job, pool):
            continue
        chance = chance_on(case.problem, job, pool, len(parts), parts[0].start_slot, case.workers_of[name])
        if chance < least - 1e-9:
            seen = (
                f"ends by its deadline with {chance:.1%} at least on {len(parts)} spot nodes of {pool.name}; {least:.1%} is asked"
            )
            yield broken("min_on_time", f"job {name}", seen)
