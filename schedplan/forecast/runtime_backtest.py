"""Run-time estimates tried on the past: at each submission from the jobs that had ended by then. It plans nothing.

The memory of the estimates is the one that did best on the first half of the history; what is reported is the second half, beside
the limit that the owner asked for and the last job of the same user (of the tenant, where no user is stated).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.runtime_history import Memory, RuntimeHistory, ended_s, ran_minutes
from schedplan.model.workload import Job

LEVELS = (0.5, 0.8, 0.9, 0.95)
MEMORIES = tuple(Memory(half_life, prior) for half_life in (5.0, 30.0, 100.0) for prior in (1.0, 8.0))
MOST_TUNED, MOST_JUDGED = 1_500, 5_000
LEAST_JOBS = 40
HISTORY, LIMIT, LAST = "history", "limit", "last of user"


@dataclass(frozen=True, slots=True)
class RuntimeScore:
    """How one way to estimate did: jobs it had an estimate for; pinball [minutes] and coverage per level of LEVELS.

    coverage: share of jobs that ran no longer than the estimate. A way with one number for all levels has one coverage.
    """

    way: str
    jobs: int
    pinball_minutes: tuple[float, ...]
    coverage: tuple[float, ...]

    @property
    def mean_pinball_minutes(self) -> float:
        return sum(self.pinball_minutes) / len(self.pinball_minutes)


@dataclass(frozen=True, slots=True)
class RuntimeBacktest:
    """Scores of every way on the same jobs, those that all ways have an estimate for; memory: the one that was chosen.

    judged: jobs estimated; ended: jobs of the history. scores empty: too few jobs have ended.
    """

    scores: tuple[RuntimeScore, ...]
    memory: Memory
    judged: int
    ended: int

    def score(self, way: str) -> RuntimeScore | None:
        return next((each for each in self.scores if each.way == way), None)


@dataclass(frozen=True, slots=True)
class Ended:
    """A job of the past, when it was submitted and ended, and how long it ran."""

    job: Job
    submit_s: float
    end_s: float
    minutes: float


@dataclass(frozen=True, slots=True)
class _Judged:
    """Estimates of n jobs: minutes that they ran [n], by history [n, levels], their limits and the user's last job, NaN = none."""

    minutes: NDArray[np.float64]
    history: NDArray[np.float64]
    limit: NDArray[np.float64]
    last: NDArray[np.float64]


def judge_runtimes(jobs: tuple[Job, ...]) -> RuntimeBacktest:
    """Return how estimates of run time did on the second half of the jobs that have ended."""
    past = ended_jobs(jobs)
    if len(past) < LEAST_JOBS:
        return RuntimeBacktest((), Memory(), 0, len(past))
    half = len(past) // 2
    memory = _best_memory(past[:half])
    found = _tried(past, _evenly(half, len(past), MOST_JUDGED), memory)
    others = ((LIMIT, found.limit), (LAST, found.last))
    ways = [(HISTORY, found.history), *(each for each in others if np.isfinite(each[1]).any())]
    alike = np.all([np.isfinite(each).reshape(len(found.minutes), -1).all(axis=1) for _, each in ways], axis=0)
    scores = tuple(_score(name, found.minutes[alike], each[alike]) for name, each in ways) if alike.any() else ()
    return RuntimeBacktest(scores, memory, int(alike.sum()), len(past))


def ended_jobs(jobs: tuple[Job, ...]) -> tuple[Ended, ...]:
    """Return the jobs of the past that say how long they ran and when, by submission."""
    found = []
    for job in jobs:
        minutes, end_s = ran_minutes(job), ended_s(job)
        if minutes is not None and end_s is not None:
            submit_s = job.submit_s if job.submit_s is not None else job.start_s
            found.append(Ended(job, end_s - minutes * 60.0 if submit_s is None else submit_s, end_s, minutes))
    return tuple(sorted(found, key=lambda each: (each.submit_s, each.job.name)))


def tuned(past: tuple[Ended, ...]) -> Memory:
    """Return the memory that would have done best on the history; the usual one where that is too short."""
    return _best_memory(past) if len(past) >= LEAST_JOBS else Memory()


def known_at(past: tuple[Ended, ...], memory: Memory, at_s: float | None = None) -> RuntimeHistory:
    """Return the history of the jobs that ended at or before an instant; None: all of them."""
    history = RuntimeHistory(memory)
    for each in sorted(past, key=lambda each: (each.end_s, each.job.name)):
        if at_s is None or each.end_s <= at_s:
            history.add(each.job, each.minutes)
    return history


def as_submitted(past: tuple[Ended, ...], memory: Memory) -> Iterator[tuple[Ended, RuntimeHistory, dict[str, float]]]:
    """Yield each job with the history at its submission and the minutes of the last job of each user that had ended."""
    history, last = RuntimeHistory(memory), dict[str, float]()
    by_end = iter(sorted(past, key=lambda each: (each.end_s, each.job.name)))
    upcoming = next(by_end, None)
    for each in past:
        while upcoming is not None and upcoming.end_s <= each.submit_s:
            history.add(upcoming.job, upcoming.minutes)
            last[_who(upcoming.job)] = upcoming.minutes
            upcoming = next(by_end, None)
        yield each, history, last


def _best_memory(past: tuple[Ended, ...]) -> Memory:
    judged = _evenly(len(past) // 4, len(past), MOST_TUNED)

    def error(memory: Memory) -> float:
        found = _tried(past, judged, memory)
        known = np.isfinite(found.history).all(axis=1)
        return _score(HISTORY, found.minutes[known], found.history[known]).mean_pinball_minutes if known.any() else np.inf

    best = min(MEMORIES, key=error)
    ranks = (
        history.rank(each.job, each.minutes) for index, (each, history, _) in enumerate(as_submitted(past, best)) if index in judged
    )
    return replace(best, ranks=tuple(sorted(rank for rank in ranks if rank is not None)))


def _tried(past: tuple[Ended, ...], judged: frozenset[int], memory: Memory) -> _Judged:
    minutes, history_rows, limits, lasts = [], [], [], []
    nothing = np.full(len(LEVELS), np.nan)
    for index, (each, history, last) in enumerate(as_submitted(past, memory)):
        if index not in judged:
            continue
        estimate = history.estimate(each.job, LEVELS)
        minutes.append(each.minutes)
        history_rows.append(nothing if estimate is None else estimate.minutes)
        limits.append(np.nan if each.job.time_limit_minutes is None else each.job.time_limit_minutes)
        lasts.append(last.get(_who(each.job), np.nan))
    return _Judged(np.array(minutes), np.array(history_rows), np.array(limits), np.array(lasts))


def _score(way: str, minutes: NDArray[np.float64], estimate: NDArray[np.float64]) -> RuntimeScore:
    """Return the score of estimates [n, levels], or [n] where one number stands for every level."""
    rows = np.repeat(estimate[:, None], len(LEVELS), axis=1) if estimate.ndim == 1 else estimate
    error = minutes[:, None] - rows
    levels = np.array(LEVELS)
    pinball = np.mean(np.maximum(levels * error, (levels - 1) * error), axis=0)
    return RuntimeScore(way, len(minutes), tuple(map(float, pinball)), tuple(map(float, np.mean(error <= 1e-9, axis=0))))


def _evenly(first: int, end: int, most: int) -> frozenset[int]:
    """Return at most so many of the numbers from `first` to `end`, evenly chosen."""
    every = max(1, -(-(end - first) // most))
    return frozenset(range(first, end, every))


def _who(job: Job) -> str:
    return f"{job.tenant}/{job.user or ''}"
