"""The work that jobs of a project make: each read once, its times in whole seconds, in the order of arrival.

It knows no machine, and keeps no job.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from schedplan.model.timeline import DropReason
from schedplan.model.workload import Job, Topology
from schedplan.simulate.name_order import name_order
from schedplan.simulate.options import ReplayOptions
from schedplan.simulate.work import KINDS, Ask, Checkpoints, Work, taken

ROUNDING_S = 6e-5  # a millionth of a minute is forgiven, so that 1.1 minutes are 66 seconds
_KIND = {kind: idx for idx, kind in enumerate(KINDS)}
_UNKNOWN = -(1 << 62)


def work_of(jobs: Iterable[Job], options: ReplayOptions) -> Work:
    """Return the work in `jobs`, each from its submission whatever its state; those without run time or size are counted."""
    intake = _Intake(options)
    for job in jobs:
        intake.take(job)
    return intake.finish()


class _Intake:
    """Columns that grow as jobs are read."""

    def __init__(self, options: ReplayOptions) -> None:
        self._options = options
        self._said: Counter[str] = Counter()
        self._dropped: Counter[DropReason] = Counter()
        self._left_out: list[str] = []
        self._first_s: int | None = None
        self._after: dict[int, tuple[str, ...]] = {}
        self._asks: dict[Ask, int] = {}
        self._tenants: dict[str, int] = {}
        self._names: list[str] = []
        self._kind, self._killed, self._preemptible = array("b"), array("b"), array("b")
        self._submit_s, self._run_s, self._estimate_s, self._priority = array("q"), array("q"), array("q"), array("q")
        self._ask, self._tenant = array("i"), array("i")
        self._deadline_s: dict[int, int] = {}
        self._checkpoints: dict[int, Checkpoints] = {}

    def take(self, job: Job) -> None:
        """Take one job in, or count it among those left out."""
        released_s = job.release_s
        if released_s is not None and (self._first_s is None or released_s < self._first_s):
            self._first_s = released_s
        times = _timed(job, self._options, self._said)
        if times is None or not _has_size(job):
            self._dropped[DropReason.NO_RUNTIME if times is None else DropReason.NO_SIZE] += 1
            self._left_out.append(job.name)
        else:
            if released_s is None:
                self._said["jobs that state no submission, submitted at the start"] += 1
            self._append(job, _UNKNOWN if released_s is None else released_s, times)
        _note_left_aside(job, self._said)

    def _append(self, job: Job, submit_s: int, times: _Times) -> None:
        idx = len(self._names)
        self._names.append(job.name)
        self._kind.append(_KIND[job.kind])
        self._submit_s.append(submit_s)
        self._run_s.append(times.run_s)
        self._estimate_s.append(times.estimate_s)
        self._killed.append(times.killed)
        ask = Ask(job.shape, job.workers, job.topology, job.spot_ok)
        self._ask.append(self._asks.setdefault(ask, len(self._asks)))
        self._priority.append(job.priority)
        self._tenant.append(self._tenants.setdefault(job.tenant, len(self._tenants)))
        self._preemptible.append(job.preemptible)
        if job.deadline_s is not None:
            self._deadline_s[idx] = job.deadline_s
        if (checkpoints := _checkpoints(job)) is not None:
            self._checkpoints[idx] = checkpoints
        if job.after:
            self._after[idx] = job.after

    def finish(self) -> Work:
        """Return the jobs taken in, in the order of their arrival."""
        first_s = self._options.default_submit_s
        first_s = (self._first_s or 0) if first_s is None else first_s
        submit_s = array("q", (first_s if at_s == _UNKNOWN else at_s for at_s in self._submit_s))
        order = _arrival(submit_s, self._names)
        tenants = sorted(self._tenants)
        rank = {self._tenants[name]: idx for idx, name in enumerate(tenants)}
        after = self._known_after()
        work = Work(
            names=tuple(self._names),
            kind=self._kind,
            submit_s=submit_s,
            run_s=self._run_s,
            estimate_s=self._estimate_s,
            killed=self._killed,
            ask=self._ask,
            asks=tuple(self._asks),
            priority=self._priority,
            tenant=array("i", (rank[tenant] for tenant in self._tenant)),
            tenants=tuple(tenants),
            preemptible=self._preemptible,
            deadline_s=self._deadline_s,
            checkpoints=self._checkpoints,
            after=after,
            dropped=tuple((reason, self._dropped[reason]) for reason in DropReason if self._dropped[reason]),
            notes=tuple(f"{text}: {count:,}" for text, count in self._said.items()),
        )
        return work if order is None else _asks_by_arrival(taken(work, order))

    def _known_after(self) -> dict[int, tuple[int, ...]]:
        """Return what each job starts after, of those that start after any; -1 for one that was left out."""
        number = {name: idx for idx, name in enumerate(self._names)} if self._after else {}
        left_out = set(self._left_out)
        found = {}
        for idx, names in self._after.items():
            known = tuple(number.get(name, -1) for name in names if name in number or name in left_out)
            if len(known) < len(names):
                self._said["jobs that start after some that are not replayed (after), taken to have ended"] += 1
            if known:
                found[idx] = known
        return found


def _asks_by_arrival(work: Work) -> Work:
    """Return work whose asks are numbered in the order in which the first job of each arrives."""
    rank = {ask: idx for idx, ask in enumerate(dict.fromkeys(work.ask))}
    return replace(work, ask=array("i", (rank[ask] for ask in work.ask)), asks=tuple(work.asks[ask] for ask in rank))


def _arrival(submit_s: array[int], names: list[str]) -> list[int] | None:
    """Return jobs by submission, those of one second by the order of their names; None where they come so."""
    at_s = np.array(submit_s, dtype=np.int64)
    order = np.argsort(at_s, kind="stable")
    at_s = at_s[order]
    is_as_given = bool((order[1:] > order[:-1]).all())
    is_same = np.concatenate(([False], at_s[1:] == at_s[:-1], [False]))
    change = np.flatnonzero(is_same[1:] != is_same[:-1])
    for first, last in zip(change[::2].tolist(), (change[1::2] + 1).tolist(), strict=True):
        alike = order[first:last].tolist()
        by_name = sorted(alike, key=lambda idx: name_order(names[idx]))
        if by_name != alike:
            order[first:last] = by_name
            is_as_given = False
    return None if is_as_given else order.tolist()


@dataclass(frozen=True, slots=True)
class _Times:
    run_s: int
    estimate_s: int
    killed: bool


def _timed(job: Job, options: ReplayOptions, said: Counter[str]) -> _Times | None:
    """Return a job's seconds; None without a positive run time."""
    run_s = _run_s(job, options, said)
    if run_s is None or run_s <= 0:
        return None
    guessed = options.guessed_minutes.get(job.name)
    guess_s = None if guessed is None else max(_whole_seconds(guessed), 1)
    if job.time_limit_minutes is None:
        return _Times(run_s, run_s if guess_s is None else guess_s, False)
    limit_s = _whole_seconds(job.time_limit_minutes)
    if limit_s <= 0:
        return None
    return _Times(min(run_s, limit_s), limit_s if guess_s is None else min(guess_s, limit_s), limit_s < run_s)


def _run_s(job: Job, options: ReplayOptions, said: Counter[str]) -> int | None:
    if job.runtime_minutes is not None:
        return _whole_seconds(job.runtime_minutes)
    if job.start_s is not None and job.end_s is not None and not job.state.is_open:
        return job.end_s - job.start_s
    if job.time_limit_minutes is not None:
        said["jobs without a run time, taken to run to their limit"] += 1
        return _whole_seconds(job.time_limit_minutes)
    if options.otherwise_minutes is not None:
        said[f"jobs without a run time, taken to run {options.otherwise_minutes:g} min as asked"] += 1
        return _whole_seconds(options.otherwise_minutes)
    return None


def _whole_seconds(minutes: float) -> int:
    return 0 if minutes <= 0 else max(ceil(minutes * 60 - ROUNDING_S), 1)


def _has_size(job: Job) -> bool:
    shape = job.shape
    return job.workers > 0 and (
        shape.gpus > 0 or shape.cpus > 0 or shape.memory_gib > 0 or any(amount > 0 for _, amount in shape.resources)
    )


def _note_left_aside(job: Job, said: Counter[str]) -> None:
    if job.gang is not None:
        said["jobs that start together with other rows (gang), each by itself in the replay"] += 1
    if job.min_workers is not None and job.min_workers < job.workers:
        said["jobs that may run with fewer workers (min_workers), all of which the replay starts"] += 1
    if job.topology is Topology.DEVICE_GROUP:
        said["jobs that ask for one device group, held to one node by the replay"] += 1
    if job.shape.slice_profile is not None:
        said["jobs that ask for a named profile (slice_profile), replayed by its compute slices alone"] += 1


def _checkpoints(job: Job) -> Checkpoints | None:
    if job.checkpoint_minutes is None and not job.restart_minutes:
        return None
    interval_s = None if job.checkpoint_minutes is None else max(_whole_seconds(job.checkpoint_minutes), 1)
    return Checkpoints(interval_s, _whole_seconds(job.checkpoint_cost_minutes), _whole_seconds(job.restart_minutes))
