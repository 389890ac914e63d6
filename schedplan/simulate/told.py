"""What a kernel did, as a timeline: its columns become arrays without a copy where they may. It decides nothing."""

from __future__ import annotations

from array import array
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.part import Blocking
from schedplan.engines.policy import Policy
from schedplan.model.timeline import Parts, Stop, Timeline
from schedplan.simulate.capacity import Capacity
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.machine import Machine
from schedplan.simulate.pool import PoolCapacity

Number = TypeVar("Number", np.int64, np.float64)


def timeline_of(kernel: Kernel, machine: Machine, capacity: Capacity, policy: Policy) -> Timeline:
    """Return what a kernel that has run did on a machine."""
    work = kernel.work
    by_devices = machine.has_devices
    ask = _whole(work.ask)
    workers = _each(np.array([asked.workers for asked in work.asks], dtype=np.int64), ask)
    per_worker = np.array([asked.shape.gpus if by_devices else asked.shape.cpus for asked in work.asks], dtype=np.float64)
    worker_amount = _each(per_worker, ask)
    end_s = _whole(kernel.end_s)
    started = end_s >= 0
    is_sum = isinstance(capacity, PoolCapacity)
    has_deadline, deadline_s = np.zeros(len(work), dtype=np.bool_), np.zeros(len(work), dtype=np.int64)
    for job, due_s in work.deadline_s.items():
        has_deadline[job], deadline_s[job] = True, due_s
    return Timeline(
        policy=policy.name,
        unit="device" if by_devices else "core",
        nodes=() if is_sum else machine.nodes,
        capacity=np.array([machine.counted.sum()]) if is_sum else machine.counted,
        jobs=work.names,
        tenants=work.tenants,
        tenant=_whole(work.tenant),
        workers=workers,
        amount=workers * worker_amount,
        worker_amount=worker_amount,
        is_gang=(workers > 1) | (worker_amount > 1),
        submit_s=_submit_s(kernel),
        run_s=_run_s(kernel, started),
        started=started,
        start_s=_where(started, kernel.start_s),
        end_s=_where(started, kernel.end_s),
        killed=_whole(work.killed).astype(np.bool_) & started,
        reason=_whole(kernel.reason),
        has_deadline=has_deadline,
        deadline_s=deadline_s,
        parts=_parts(kernel, worker_amount, has_devices=by_devices and not is_sum),
        price_per_h=0.0 if policy.blocking is Blocking.PLAN else machine.price_per_h,
        dropped=work.dropped,
        stops=tuple(Stop(*stop) for stop in kernel.stops),
        in_parts=np.isin(np.arange(len(work)), list(kernel.in_parts)) if kernel.in_parts else None,
        admitted_s=_admitted_s(kernel) if policy.admission.by_quota else None,
    )


def _whole(column: array[int]) -> NDArray[np.int64]:
    """Return a column as whole numbers, without a copy where it is one of 64 bits."""
    return (
        np.frombuffer(column, dtype=f"i{column.itemsize}").astype(np.int64, copy=False) if column else np.zeros(0, dtype=np.int64)
    )


def _each(values: NDArray[Number], index: NDArray[np.int64]) -> NDArray[Number]:
    """Return the value at each index; one that all have is kept once."""
    return np.broadcast_to(values[0], index.shape) if len(values) == 1 else values[index]


def _submit_s(kernel: Kernel) -> NDArray[np.int64]:
    """Return from when each job might run: its submission, or the end of those it had to wait for."""
    released_s = kernel.dependent.released_s
    if not released_s:
        return _whole(kernel.work.submit_s)
    found = np.array(kernel.work.submit_s, dtype=np.int64)
    for job, at_s in released_s.items():
        found[job] = at_s
    return found


def _where(started: NDArray[np.bool_], column: array[int]) -> NDArray[np.int64]:
    """Return instants of the jobs that ran, 0 for others."""
    return _whole(column) if started.all() else np.where(started, _whole(column), 0)


def _run_s(kernel: Kernel, started: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return what each job ran in all its runs, or would have run."""
    last_s = _whole(kernel.end_s) - _whole(kernel.begun_s)
    for job, ran_s in kernel.ran_before_s.items():
        last_s[job] += ran_s
    return last_s if started.all() else np.where(started, last_s, _whole(kernel.work.run_s))


def _parts(kernel: Kernel, worker_amount: NDArray[np.float64], *, has_devices: bool) -> Parts:
    job, held = _whole(kernel.part_job), kernel.part
    workers = np.fromiter((part.workers for part in held), dtype=np.int64, count=len(held))
    return Parts(
        job=job,
        node=np.fromiter((part.node for part in held), dtype=np.int64, count=len(held)),
        workers=workers,
        amount=workers * worker_amount[job],
        taken_s=_whole(kernel.part_taken_s),
        devices=tuple(part.device_numbers() for part in held) if has_devices else (),
        stopped_s=None if not kernel.part_gone_s else _gone_s(kernel),
    )


def _gone_s(kernel: Kernel) -> NDArray[np.int64]:
    return np.array([kernel.part_gone_s.get(idx, -1) for idx in range(len(kernel.part))], dtype=np.int64)


def _admitted_s(kernel: Kernel) -> NDArray[np.int64]:
    return np.array([kernel.admitted_s.get(job, -1) for job in range(len(kernel.work))], dtype=np.int64)
