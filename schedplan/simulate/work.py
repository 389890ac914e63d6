"""Jobs as the kernel takes them: parallel lists in the order of submission, whole seconds, and what was left out and assumed.

It knows jobs and no machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

from schedplan.model.cluster import Market
from schedplan.model.timeline import DropReason
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.simulate.name_order import name_order
from schedplan.simulate.options import ReplayOptions

ROUNDING_S = 6e-5  # a millionth of a minute is forgiven, so that 1.1 minutes are 66 seconds


@dataclass(frozen=True, slots=True)
class Ask:
    """What a whole job asks for, without its times. Jobs of one ask fit at the same moments on the same nodes.

    markets: where it may stand, in place of what spot_ok says; None where that says it.
    """

    shape: WorkerShape
    workers: int
    topology: Topology
    spot_ok: bool
    markets: tuple[Market, ...] | None = None

    def may_stand_in(self, market: Market) -> bool:
        """Whether it may stand on nodes of a market."""
        return market in self.markets if self.markets is not None else self.spot_ok or market is not Market.SPOT


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """What a job does against being stopped. interval_s None: it writes none, and begins from the start after a stop."""

    interval_s: int | None = None
    cost_s: int = 0
    restart_s: int = 0


@dataclass(frozen=True)
class Work:
    """Jobs by release, those of one second by `name_order`, parallel lists. run_s: min(run time, limit); estimate_s: the guess, the
    limit, else the run time.

    ask: index into asks; killed: the limit ends it; tenant: index into tenants. checkpoints: of jobs that state any of it.
    after: of jobs that start only when others have ended, those others (-1: one that was left out, and never ends).
    notes: what was assumed.
    """

    names: list[str]
    kinds: list[str]
    submit_s: list[int]
    run_s: list[int]
    estimate_s: list[int]
    killed: list[bool]
    ask: list[int]
    asks: tuple[Ask, ...]
    priority: list[int]
    tenant: list[int]
    tenants: tuple[str, ...]
    deadline_s: list[int | None]
    preemptible: list[bool]
    checkpoints: dict[int, Checkpoints]
    after: dict[int, tuple[int, ...]]
    dropped: tuple[tuple[DropReason, int], ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


def work_of(jobs: tuple[Job, ...], options: ReplayOptions) -> Work:
    """Return the work in `jobs`, each from its submission whatever its state; those without run time or size are counted."""
    known = [job.release_s for job in jobs if job.release_s is not None]
    first_s = options.default_submit_s if options.default_submit_s is not None else min(known, default=0)
    said: Counter[str] = Counter()
    dropped: Counter[DropReason] = Counter()
    rows = []
    for job in jobs:
        found = _timed(job, options, said)
        if found is None:
            dropped[DropReason.NO_RUNTIME] += 1
        elif not _has_size(job):
            dropped[DropReason.NO_SIZE] += 1
        else:
            released_s = job.release_s
            if released_s is None:
                said["jobs that state no submission, submitted at the start"] += 1
            rows.append((first_s if released_s is None else released_s, job, found))
        _note_left_aside(job, said)
    return _work(_by_arrival(rows), {job.name for job in jobs}, dropped, said)


@dataclass(frozen=True, slots=True)
class _Times:
    run_s: int
    estimate_s: int
    killed: bool


def _by_arrival(rows: list[tuple[int, Job, _Times]]) -> list[tuple[int, Job, _Times]]:
    """Return rows by submission, those of one second by the order of their names."""
    found: list[tuple[int, Job, _Times]] = []
    for _, alike in groupby(sorted(rows, key=lambda row: row[0]), key=lambda row: row[0]):
        of_one_second = list(alike)
        found += of_one_second if len(of_one_second) == 1 else sorted(of_one_second, key=lambda row: name_order(row[1].name))
    return found


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


def _work(rows: list[tuple[int, Job, _Times]], names: set[str], dropped: Counter[DropReason], said: Counter[str]) -> Work:
    asks: dict[Ask, int] = {}
    tenants = {name: idx for idx, name in enumerate(sorted({job.tenant for _, job, _ in rows}))}
    ask_idx = [asks.setdefault(Ask(job.shape, job.workers, job.topology, job.spot_ok), len(asks)) for _, job, _ in rows]
    return Work(
        names=[job.name for _, job, _ in rows],
        kinds=[job.kind.value for _, job, _ in rows],
        submit_s=[submit_s for submit_s, _, _ in rows],
        run_s=[times.run_s for _, _, times in rows],
        estimate_s=[times.estimate_s for _, _, times in rows],
        killed=[times.killed for _, _, times in rows],
        ask=ask_idx,
        asks=tuple(asks),
        priority=[job.priority for _, job, _ in rows],
        tenant=[tenants[job.tenant] for _, job, _ in rows],
        tenants=tuple(tenants),
        deadline_s=[job.deadline_s for _, job, _ in rows],
        preemptible=[job.preemptible for _, job, _ in rows],
        checkpoints={idx: found for idx, (_, job, _) in enumerate(rows) if (found := _checkpoints(job)) is not None},
        after=_after([job for _, job, _ in rows], names, said),
        dropped=tuple((reason, dropped[reason]) for reason in DropReason if dropped[reason]),
        notes=tuple(f"{text}: {count:,}" for text, count in said.items()),
    )


def _after(jobs: list[Job], names: set[str], said: Counter[str]) -> dict[int, tuple[int, ...]]:
    """Return what each job starts after, of those that start after any; names: of all jobs of the input."""
    number = {job.name: idx for idx, job in enumerate(jobs)} if any(job.after for job in jobs) else {}
    found = {}
    for idx, job in enumerate(jobs):
        known = tuple(number.get(name, -1) for name in job.after if name in names)
        if len(known) < len(job.after):
            said["jobs that start after some that are not replayed (after), taken to have ended"] += 1
        if known:
            found[idx] = known
    return found


def _checkpoints(job: Job) -> Checkpoints | None:
    if job.checkpoint_minutes is None and not job.restart_minutes:
        return None
    interval_s = None if job.checkpoint_minutes is None else max(_whole_seconds(job.checkpoint_minutes), 1)
    return Checkpoints(interval_s, _whole_seconds(job.checkpoint_cost_minutes), _whole_seconds(job.restart_minutes))


def with_more(work: Work, asks: tuple[Ask, ...], tenants: Iterable[str]) -> Work:
    """Return work that also knows the asks and tenants of what is no job."""
    return replace(work, asks=tuple(dict.fromkeys((*work.asks, *asks))), tenants=tuple(dict.fromkeys((*work.tenants, *tenants))))


def without(work: Work, left_out: frozenset[int], reason: DropReason) -> Work:
    """Return work without the jobs of some asks (indices), counted under `reason`."""
    kept = [idx for idx, ask in enumerate(work.ask) if ask not in left_out]
    if len(kept) == len(work):
        return work
    new_of = {old: new for new, old in enumerate(kept)}
    return replace(
        work,
        names=[work.names[idx] for idx in kept],
        kinds=[work.kinds[idx] for idx in kept],
        submit_s=[work.submit_s[idx] for idx in kept],
        run_s=[work.run_s[idx] for idx in kept],
        estimate_s=[work.estimate_s[idx] for idx in kept],
        killed=[work.killed[idx] for idx in kept],
        ask=[work.ask[idx] for idx in kept],
        priority=[work.priority[idx] for idx in kept],
        tenant=[work.tenant[idx] for idx in kept],
        deadline_s=[work.deadline_s[idx] for idx in kept],
        preemptible=[work.preemptible[idx] for idx in kept],
        checkpoints={new: work.checkpoints[old] for new, old in enumerate(kept) if old in work.checkpoints},
        after={new: tuple(new_of.get(one, -1) for one in work.after[old]) for new, old in enumerate(kept) if old in work.after},
        dropped=(*work.dropped, (reason, len(work) - len(kept))),
    )
