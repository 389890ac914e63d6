"""The allowance: what quotas still let each tenant hold in each slot while a plan is put together. It chooses nothing."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.quotas import QuotaRefusal, TenantHoldings, allowed, is_above
from schedplan.model.problem import Problem
from schedplan.model.quota import Ceiling
from schedplan.model.workload import Job, JobState, Service


class Allowance:
    """What tenants hold so far; mutable. What runs already stands in it from the start, and is not added again."""

    def __init__(self, problem: Problem) -> None:
        self._ceilings_over = problem.ceilings_over
        self._n_slots = problem.grid.n_slots
        running = TenantHoldings.running(problem)
        self._most = {ceiling: allowed(ceiling, running) for ceiling in problem.ceilings}
        self._holdings = running

    def copy(self) -> Allowance:
        """Return the same, to which more can be added by itself."""
        found = copy(self)
        found._holdings = self._holdings.copy()
        return found

    def add(self, work: Job | Service, accelerator: str | None, count: int, slots: slice) -> None:
        """Let `count` workers or replicas stand on nodes of a device model; whether they may is not asked."""
        if isinstance(work, Job) and work.state is JobState.RUNNING:
            return
        if work.tenant in self._ceilings_over:
            self._holdings.add(work.tenant, work.shape, accelerator, count, slots)

    def is_open(self, work: Job | Service, accelerator: str | None, count: int) -> NDArray[np.bool_]:
        """Return in which slots `count` more workers or replicas may stand, bool [n_slots]."""
        found = np.ones(self._n_slots, dtype=np.bool_)
        touched = self._touched(work, accelerator)
        if touched:
            everywhere = slice(0, self._n_slots)
            self._holdings.add(work.tenant, work.shape, accelerator, count, everywhere)
            for ceiling in touched:
                found &= ~is_above(self._holdings.counted(ceiling), self._most[ceiling])
            self._holdings.add(work.tenant, work.shape, accelerator, -count, everywhere)
        return found

    def refusal(self, work: Job | Service, accelerator: str | None, count: int, slots: slice) -> QuotaRefusal | None:
        """Return the ceiling that `count` more workers or replicas would exceed, in its worst slot; None where they may stand."""
        touched = self._touched(work, accelerator)
        if not touched:
            return None
        self._holdings.add(work.tenant, work.shape, accelerator, count, slots)
        found = None
        for ceiling in touched:
            counted, most = self._holdings.counted(ceiling)[slots], self._most[ceiling][slots]
            if is_above(counted, most).any():
                worst = int(np.argmax(counted - most))
                found = QuotaRefusal(ceiling, float(counted[worst]), float(most[worst]))
                break
        self._holdings.add(work.tenant, work.shape, accelerator, -count, slots)
        return found

    def _touched(self, work: Job | Service, accelerator: str | None) -> list[Ceiling]:
        return [
            ceiling
            for ceiling in self._ceilings_over.get(work.tenant, ())
            if ceiling.scope.covers(accelerator) and ceiling.scope.resource.asked(work.shape) > 0
        ]
