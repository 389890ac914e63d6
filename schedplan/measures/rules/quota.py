"""quota: what counts for a tenant or cohort is at most what it may hold, or what runs already."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedplan.measures.quotas import TenantHoldings, allowed, is_above
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def quota(case: Case) -> Iterator[Finding]:
    if not case.problem.ceilings:
        return
    holdings, running = TenantHoldings.of(case.problem, case.decisions), TenantHoldings.running(case.problem)
    for ceiling in case.problem.ceilings:
        counted, most = holdings.counted(ceiling), allowed(ceiling, running)
        over = np.flatnonzero(is_above(counted, most))
        if len(over):
            slot = int(over[0])
            unit = ceiling.scope.resource.value
            seen = f"{counted[slot]:g} {unit} count at {case.when(slot)} ({len(over)} slots)"
            limit = f"at most {most[slot]:g} may" + (", for they run already" if most[slot] > ceiling.limit else "")
            yield broken("quota", ceiling.subject, f"{seen}; {limit}", "raise the quota, or let its jobs wait")
