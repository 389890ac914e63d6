"""Jobs as the kernel takes them: columns in the order of submission, whole seconds, and what was left out and assumed.

It knows jobs and no machine, and keeps no object per job.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schedplan.model.cluster import Market
from schedplan.model.timeline import DropReason
from schedplan.model.workload import JobKind, Topology, WorkerShape

KINDS = tuple(JobKind)


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
    """Jobs by release, those of one second by `name_order`. run_s: min(run time, limit); estimate_s: the guess, the limit, else the
    run time.

    Columns, one number a job: kind (index into KINDS), ask (into asks), tenant (into tenants); killed: 1 where the limit ends it.
    By job, of those that state it: deadline_s, checkpoints; after: the jobs that have to end first (-1: one that was left out, and
    never ends). notes: what was assumed.
    """

    names: tuple[str, ...]
    kind: array[int]
    submit_s: array[int]
    run_s: array[int]
    estimate_s: array[int]
    killed: array[int]
    ask: array[int]
    asks: tuple[Ask, ...]
    priority: array[int]
    tenant: array[int]
    tenants: tuple[str, ...]
    preemptible: array[int]
    deadline_s: dict[int, int]
    checkpoints: dict[int, Checkpoints]
    after: dict[int, tuple[int, ...]]
    dropped: tuple[tuple[DropReason, int], ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


def with_more(work: Work, asks: tuple[Ask, ...], tenants: Iterable[str]) -> Work:
    """Return work that also knows the asks and tenants of what is no job."""
    return replace(work, asks=tuple(dict.fromkeys((*work.asks, *asks))), tenants=tuple(dict.fromkeys((*work.tenants, *tenants))))


def without(work: Work, left_out: frozenset[int], reason: DropReason) -> Work:
    """Return work without the jobs of some asks (indices), counted under `reason`."""
    if not left_out.intersection(work.ask):
        return work
    kept = [idx for idx, ask in enumerate(work.ask) if ask not in left_out]
    return replace(taken(work, kept), dropped=(*work.dropped, (reason, len(work) - len(kept))))


def taken(work: Work, order: Sequence[int]) -> Work:
    """Return the work of some jobs (indices), in a new order."""
    new_of = {old: new for new, old in enumerate(order)} if work.deadline_s or work.checkpoints or work.after else {}
    return replace(
        work,
        names=tuple(work.names[idx] for idx in order),
        kind=_column(work.kind, order),
        submit_s=_column(work.submit_s, order),
        run_s=_column(work.run_s, order),
        estimate_s=_column(work.estimate_s, order),
        killed=_column(work.killed, order),
        ask=_column(work.ask, order),
        priority=_column(work.priority, order),
        tenant=_column(work.tenant, order),
        preemptible=_column(work.preemptible, order),
        deadline_s={new_of[old]: due_s for old, due_s in work.deadline_s.items() if old in new_of},
        checkpoints={new_of[old]: found for old, found in work.checkpoints.items() if old in new_of},
        after={new_of[old]: tuple(new_of.get(one, -1) for one in others) for old, others in work.after.items() if old in new_of},
    )


def _column(column: array[int], order: Sequence[int]) -> array[int]:
    return array(column.typecode, (column[idx] for idx in order))
