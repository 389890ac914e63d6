"""What tenants hold and have held, as shares look at it. It starts nothing."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np

from schedplan.engines.part import Due, Share
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.view import QueuesView, TenantView
from schedplan.simulate.machine import Machine
from schedplan.simulate.work import Ask, Work

PLACES = 9
FULL = 1e6
FORGIVEN = 1e-6


class TenantUsage:
    """Per tenant: amounts held, devices first, and counted resource-seconds of the past, kept as (value, instant)."""

    def __init__(self, share: Share, machine: Machine, work: Work, quotas: tuple[Quota, ...]) -> None:
        assert share.key is not None
        self._key, self._half_life_s, self._due = share.key, share.half_life_s, share.due
        self._counted = 0 if machine.has_devices else 1
        resource = QuotaResource.GPUS if machine.has_devices else QuotaResource.CPUS
        totals = machine.total.sum(axis=0)
        self._stated = [idx for idx, total in enumerate(totals) if not np.isnan(total) and total > 0]
        self._totals = [float(total) for total in totals]
        self._per_worker = [_amounts(ask, machine) for ask in work.asks]
        self._held = [[0.0] * len(totals) for _ in work.tenants]
        self._past = [(0.0, 0)] * len(work.tenants)
        own = {quota.tenant: quota for quota in quotas if quota.resource is resource and quota.accelerator is None}
        self._views = [
            TenantView(name, guaranteed=own[name].nominal, weight=own[name].weight) if name in own else TenantView(name)
            for name in work.tenants
        ]
        self._keys: list[int | None] = [None] * len(work.tenants)
        self._asked = [[0.0] * len(totals) for _ in work.tenants]
        quota_of = tuple(own.get(name) for name in work.tenants)
        self._queues = _queues(self._views, quota_of, self._totals, self._stated, self._counted)
        self._due_of: list[list[float]] | None = None
        self.now_s = 0

    def at(self, now_s: int) -> None:
        """Let the time be `now_s`."""
        if (self._half_life_s is not None or self._due is not None) and now_s != self.now_s:
            self._keys = [None] * len(self._keys)
        self._due_of = None
        self.now_s = now_s

    def want(self, tenant: int, ask: int, workers: int) -> None:
        """Let a tenant ask for so many workers more, running or waiting, or fewer where negative."""
        if self._due is None:
            return
        asked = self._asked[tenant]
        for idx, amount in enumerate(self._per_worker[ask]):
            asked[idx] = round(asked[idx] + amount * workers, PLACES)

    def change(self, tenant: int, ask: int, workers: int) -> None:
        """Let a tenant hold so many workers of an ask more, or fewer where negative."""
        if self._half_life_s is not None:
            self._past[tenant] = (self._past_at(tenant), self.now_s)
        held = self._held[tenant]
        for idx, amount in enumerate(self._per_worker[ask]):
            held[idx] = round(held[idx] + amount * workers, PLACES)
        self._keys[tenant] = None

    def key(self, tenant: int) -> int:
        """Return the policy's key of a tenant, the least being served first."""
        known = self._keys[tenant]
        if known is None:
            known = self._keys[tenant] = self._key(self._view(tenant))
        return known

    def _view(self, tenant: int) -> TenantView:
        view, held = self._views[tenant], self._held[tenant]
        view.held = held[self._counted]
        view.dominant = max((held[idx] / self._totals[idx] for idx in self._stated), default=0.0)
        if self._half_life_s is not None:
            view.past = self._past_at(tenant)
        if self._due is not None:
            self._compare(view, held, self._due_now(self._due)[tenant])
        return view

    def _compare(self, view: TenantView, held: list[float], due: list[float]) -> None:
        """Hold what a tenant has against what is due to it; what isn't due to it is more than all of it as soon as it has any."""
        pairs = [(held[idx], amount) for idx, amount in zip(self._stated, due, strict=True)]
        view.of_due = max((have / amount if amount > 0 else (FULL if have > 0 else 0.0) for have, amount in pairs), default=0.0)
        view.is_sated = all(have >= amount - FORGIVEN for have, amount in pairs)

    def _due_now(self, rule: Due) -> list[list[float]]:
        """Return what is due to each tenant of each stated resource, found once a decision."""
        if self._due_of is None:
            asked = [[row[idx] for idx in self._stated] for row in self._asked]
            self._due_of = rule(replace(self._queues, asked=asked))
        return self._due_of

    def _past_at(self, tenant: int) -> float:
        """Return the integral of what was held x 2^(-age / half-life) over the past."""
        assert self._half_life_s is not None
        value, known_s = self._past[tenant]
        kept: float = 0.5 ** ((self.now_s - known_s) / self._half_life_s)
        return value * kept + self._held[tenant][self._counted] * self._half_life_s / log(2) * (1.0 - kept)


def _queues(
    views: list[TenantView], own: tuple[Quota | None, ...], totals: list[float], stated: list[int], counted: int
) -> QueuesView:
    """Return what quotas promise and allow, and weights; nothing is asked for yet."""
    promised = [[view.guaranteed or 0.0 if idx == counted else 0.0 for idx in stated] for view in views]
    most = [
        [quota.max if idx == counted and quota is not None and quota.max is not None else totals[idx] for idx in stated]
        for quota in own
    ]
    return QueuesView((), promised, most, [view.weight for view in views], [totals[idx] for idx in stated])


def _amounts(ask: Ask, machine: Machine) -> tuple[float, ...]:
    shape, offered = ask.shape, dict(ask.shape.resources)
    return (shape.gpus, shape.cpus, shape.memory_gib, *(offered.get(name, 0.0) for name in machine.resources[2:]))
