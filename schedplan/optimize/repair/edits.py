"""What a changed problem asks of the inputs: the columns and settings whose values differ. It judges no change."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from schedplan.model.cluster import Pool
from schedplan.model.plan import Edit
from schedplan.model.problem import Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, Service
from schedplan.timegrid import format_instant

Value: TypeAlias = bool | int | float | str | Enum | None
Row: TypeAlias = tuple[tuple[str, Value], ...]


def edits(before: Problem, after: Problem) -> tuple[Edit, ...]:
    """Return the values of `after` that differ, tables first, each by table, row and column in the order of the tables."""
    found: list[Edit] = []
    for old_pool, new_pool in zip(before.cluster.pools, after.cluster.pools, strict=True):
        found += _changed("nodes", old_pool.name, _pool(old_pool), _pool(new_pool))
    for old_job, new_job in zip(before.jobs, after.jobs, strict=True):
        found += _changed("jobs", old_job.name, _job(before, old_job), _job(after, new_job))
    for old_service, new_service in zip(before.services, after.services, strict=True):
        found += _changed("services", old_service.name, _service(old_service), _service(new_service))
    for old_quota, new_quota in zip(before.quotas, after.quotas, strict=True):
        found += _changed("quotas", old_quota.tenant, _quota(old_quota), _quota(new_quota))
    found += _changed("limits", "", _limits(before), _limits(after))
    return (*found, *_changed("rules", "", _rules(before), _rules(after)))


def _changed(table: str, row: str, old: Row, new: Row) -> Iterable[Edit]:
    return (Edit(table, row, column, _text(there)) for (column, here), (_, there) in zip(old, new, strict=True) if here != there)


def _pool(pool: Pool) -> Row:
    return (("count", pool.count), ("max_count", pool.max_count))


def _job(problem: Problem, job: Job) -> Row:
    pin = problem.pin_of_job.get(job.name)
    deadline = None if job.deadline_s is None else format_instant(job.deadline_s)
    earliest = None if job.earliest_start_s is None else format_instant(job.earliest_start_s)
    return (
        ("required", job.required and (pin is None or not pin.makes_required)),
        ("state", job.state),
        ("placement", ";".join(f"{part.node}*{part.workers}" for part in job.placement)),
        ("workers", job.workers),
        ("min_workers", job.min_workers),
        ("gang", job.gang),
        ("after", ";".join(job.after)),
        ("earliest_start", earliest),
        ("deadline", deadline),
        ("deadline_kind", job.deadline_kind),
        ("spot_ok", job.spot_ok),
        ("topology", job.topology),
    )


def _service(service: Service) -> Row:
    return (
        ("slo_ms", service.slo_ms),
        ("max_replicas", service.max_replicas),
        ("markets", "|".join(market.value for market in service.markets)),
        ("spread", None if service.spread is None else f"{service.spread[0]}:{service.spread[1]}"),
        ("min_hold_minutes", service.min_hold_minutes),
    )


def _quota(quota: Quota) -> Row:
    return (("nominal", quota.nominal), ("max", quota.max))


def _limits(problem: Problem) -> Row:
    limits = problem.limits
    return (
        ("budget_per_day", limits.budget_per_day),
        ("max_utilization", limits.max_utilization),
        ("missed_demand", limits.missed_demand),
        ("reserve", limits.reserve),
    )


def _rules(problem: Problem) -> Row:
    return (("forbid", json.dumps([rule.text for rule in problem.forbid])),)


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)
