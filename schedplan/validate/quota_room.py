"""Quotas: whether what one gang needs at once is more than its tenant may ever hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from schedplan.model.findings import Finding
from schedplan.model.quota import Ceiling, ceilings
from schedplan.model.workload import Job
from schedplan.validate.rule import Rule, about_jobs, must_or_should
from schedplan.validate.subject import Subject

_FORGIVEN = 1e-6


def _gang_beyond_quota(subject: Subject) -> Iterator[Finding]:
    """Rows of one gang start together, so that they count together; what asks alike of one tenant is told once."""
    limits = ceilings(subject.quotas)
    told: dict[tuple[str, str, bool], list[Job]] = defaultdict(list)
    for rows in _units(subject):
        found = _refusal(subject, rows, limits) if limits else None
        if found is not None:
            told[found.subject, _words(rows, found), any(job.required for job in rows)].extend(rows)
    for (about, words, is_required), jobs in told.items():
        message = f"{words} at once; {about} may never hold as much"
        hint = "Raise the quota or its max, ask for less, or let fewer workers start (min_workers)."
        yield Finding("SP1218", must_or_should(is_required), about_jobs(jobs), message, hint, column="tenant")


def _units(subject: Subject) -> list[tuple[Job, ...]]:
    """Return waiting jobs, the rows of one gang together."""
    found: dict[tuple[str, str], list[Job]] = defaultdict(list)
    for job in (job for group in subject.alike for job in group):
        found[("gang", job.gang) if job.gang else ("job", job.name)].append(job)
    return [tuple(rows) for rows in found.values()]


def _refusal(subject: Subject, rows: tuple[Job, ...], limits: tuple[Ceiling, ...]) -> Ceiling | None:
    """Return a ceiling below what rows need at once on whatever device model they may run; None where some model lets them."""
    models = tuple(dict.fromkeys(pool.accelerator for pool in subject.pools_for(rows[0]))) if len(rows) == 1 else ()
    refusals = [_first(rows, limits, model, is_any=not models) for model in models or (None,)]
    return None if None in refusals else refusals[0]


def _first(rows: tuple[Job, ...], limits: tuple[Ceiling, ...], model: str | None, *, is_any: bool) -> Ceiling | None:
    nothing = np.zeros(1)
    for limit in limits:
        is_covered = limit.scope.accelerator is None if is_any else limit.scope.covers(model)
        held: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
        for job in rows:
            held[job.tenant] = held.get(job.tenant, nothing) + _needed(job, limit)
        if not is_covered or not any(job.tenant in limit.tenants and _needed(job, limit) for job in rows):
            continue
        most = max(limit.limit, float(limit.counted({}, nothing)[0]))
        if float(limit.counted(held, nothing)[0]) > most + _FORGIVEN * max(1.0, most):
            return limit
    return None


def _needed(job: Job, limit: Ceiling) -> float:
    return job.least_workers * limit.scope.resource.asked(job.shape)


def _words(rows: tuple[Job, ...], limit: Ceiling) -> str:
    """Return what rows need of what a ceiling counts, and its limit."""
    parts = [
        f"{job.least_workers} workers x {limit.scope.resource.asked(job.shape):g}"
        for job in rows
        if job.tenant in limit.tenants and _needed(job, limit)
    ]
    needed = sum(_needed(job, limit) for job in rows if job.tenant in limit.tenants)
    kind = "all that is promised to its members" if limit.is_cohort else "max"
    return f"it needs {' + '.join(parts)} = {needed:g} {limit.scope.name} ({kind}: {limit.limit:g})"


RULES = (
    Rule(
        "SP1218",
        "gang-beyond-quota",
        "All workers of a gang start together, and together they need more than the quota of their tenant, or of a tenant or"
        " cohort above it, lets them hold even when nothing else runs. No plan can place it. Rows of one gang count together; an"
        " elastic gang counts with its min_workers.",
        _gang_beyond_quota,
    ),
)
