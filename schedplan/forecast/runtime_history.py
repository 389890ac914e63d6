"""How long like jobs ran: quantiles of run time for a job that waits, from jobs that have ended. It knows no plan and no replay.

Jobs are alike by tenant, user, limit, size and the words of their name, the finer groups inside the coarser. The distribution of a
group is that of its newest jobs, each newer one weighing more, mixed with that of the coarser group:

    F(group) = (mass * newest of the group + prior * F(coarser group)) / (mass + prior)

The coarsest is mixed with the job's own limit, so that without history the estimate is the limit. Long jobs end last, so what has
ended is too short: the level of F that a quantile is read at is the one below which so many earlier jobs ended (`Memory.ranks`).
Our choice; ranks, prior and how fast a job is forgotten come from an earlier part of the same history (`runtime_backtest`).
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import Job

NEWEST = 200
LIMIT_MASS = 1.0
_JUST_ABOVE = 1e-9
MINUTE_S = 60.0
_NUMBERS = re.compile(r"[0-9]+")

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """half_life: after how many newer jobs of its group a job weighs half; prior: mass of the coarser group, in newest jobs.

    ranks: of earlier jobs, the share of F below what they ran, increasing; empty: levels are taken as they are.
    """

    half_life: float = 10.0
    prior: float = 2.0
    ranks: tuple[float, ...] = ()

    def levels(self, levels: tuple[float, ...]) -> NDArray[np.float64]:
        """Return at which level of F each quantile is read."""
        if not self.ranks:
            return np.array(levels)
        return np.minimum(np.quantile(self.ranks, levels, method="higher") + _JUST_ABOVE, 1.0)


@dataclass(frozen=True, slots=True)
class RuntimeEstimate:
    """Minutes at rising quantile levels, float64 [levels]; basis: the finest group that knew like jobs, of so many jobs.

    None of it is above the job's limit. basis `limit`: no job like it has ended.
    """

    minutes: NDArray[np.float64]
    basis: str
    jobs: int

    @property
    def is_limit(self) -> bool:
        return self.jobs == 0


class RuntimeHistory:
    """What has ended so far. Jobs are told to it in the order of their ends, and it answers from those alone."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory or Memory()
        self._newest: dict[Key, deque[float]] = {}
        self._seen: dict[Key, int] = {}
        self._weights = 0.5 ** (np.arange(NEWEST) / self._memory.half_life)

    def add(self, job: Job, minutes: float) -> None:
        """Take in a job that has ended."""
        for _, key in groups(job):
            self._newest.setdefault(key, deque(maxlen=NEWEST)).appendleft(minutes)
            self._seen[key] = self._seen.get(key, 0) + 1

    def estimate(self, job: Job, levels: tuple[float, ...], ran_minutes: float = 0.0) -> RuntimeEstimate | None:
        """Return how long `job` will run, from its start on; None where no job has ended and it has no limit.

        ran_minutes: how long it has run already: of like jobs those count that ran longer.
        """
        mixed = self._mixed(job, ran_minutes)
        if mixed is None:
            return None
        limit = job.time_limit_minutes
        found = _weighted_quantiles(mixed.values, mixed.masses, self._memory.levels(levels))
        return RuntimeEstimate(found if limit is None else np.minimum(found, limit), mixed.basis, mixed.jobs)

    def rank(self, job: Job, minutes: float) -> float | None:
        """Return the share of like jobs that ran shorter than `minutes`; None where none has ended and there is no limit."""
        mixed = self._mixed(job, 0.0)
        return None if mixed is None else float(mixed.masses[mixed.values < minutes].sum() / mixed.masses.sum())

    def _mixed(self, job: Job, ran_minutes: float) -> _Mixed | None:
        limit = job.time_limit_minutes
        values, masses = ([], []) if limit is None else ([np.array([limit])], [np.array([LIMIT_MASS])])
        basis, known = "limit", 0
        for name, key in groups(job):
            newest = np.array(self._newest.get(key, ()), dtype=np.float64)
            longer = newest > ran_minutes
            if not longer.any():
                continue
            weights = self._weights[: len(newest)][longer]
            mass = float(weights.sum())
            old = self._memory.prior if masses else 0.0
            masses = [each * (old / (mass + old)) for each in masses]
            values.append(newest[longer])
            masses.append(weights / (mass + old))
            basis, known = name, self._seen[key]
        return _Mixed(np.concatenate(values), np.concatenate(masses), basis, known) if values else None


@dataclass(frozen=True, slots=True)
class _Mixed:
    """Run times of like jobs with their masses, float64 [n] each; the finest group among them, and how many jobs it has seen."""

    values: NDArray[np.float64]
    masses: NDArray[np.float64]
    basis: str
    jobs: int


def groups(job: Job) -> tuple[tuple[str, Key], ...]:
    """Return the groups a job belongs to, from all jobs to those most like it: (words, key); none twice."""
    who = job.user or job.tenant
    limit = "" if job.time_limit_minutes is None else f"{job.time_limit_minutes:g}"
    size = f"{job.workers * (job.shape.gpus or job.shape.cpus):g}"
    words = _NUMBERS.sub("", job.name).strip("-_.")
    found: list[tuple[str, Key]] = [("all jobs", ()), ("tenant", ("tenant", job.tenant))]
    if job.user:
        found.append(("user", ("user", job.tenant, who)))
    if limit:
        found.append(("user and limit" if job.user else "tenant and limit", ("limit", job.tenant, who, limit)))
    found.append(("user, limit and size" if job.user else "tenant and size", ("size", job.tenant, who, limit, size)))
    if words:
        found.append(("name", ("name", job.tenant, who, limit, size, words, job.kind.value)))
    return tuple(found)


def ran_minutes(job: Job) -> float | None:
    """Return how long a job of the past ran; None where it has not ended or does not say."""
    if job.state.is_open:
        return None
    if job.start_s is not None and job.end_s is not None and job.end_s > job.start_s:
        return (job.end_s - job.start_s) / MINUTE_S
    return job.runtime_minutes if job.runtime_minutes is not None and job.runtime_minutes > 0 else None


def ended_s(job: Job) -> float | None:
    """Return when a job of the past ended; without its end from its start, else its submission; None where nothing says so."""
    minutes = ran_minutes(job)
    if job.end_s is not None or minutes is None:
        return job.end_s
    begin_s = job.start_s if job.start_s is not None else job.submit_s
    return None if begin_s is None else begin_s + minutes * MINUTE_S


def _weighted_quantiles(
    values: NDArray[np.float64], masses: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the least value at or below which at least each level of the mass lies."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(masses[order])
    at = np.searchsorted(below, levels * below[-1] * (1 - 1e-12))
    return np.asarray(values[order][np.minimum(at, len(order) - 1)])
