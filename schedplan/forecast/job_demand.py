"""Demand of devices over time, derived from jobs: how many were in use, per interval, in total or by group.

It knows what jobs held and when; it forecasts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.forecast import Series
from schedplan.model.workload import Job, JobState
from schedplan.tables.holdings import Holdings, holdings
from schedplan.tables.series import MAX_INTERVALS
from schedplan.timegrid import format_local

ANY_MODEL = "any"
NO_DEMAND = "SP1018"
# What jobs hold is counted in millionths, in integers, so that a level that has fallen to zero is zero.
_PER_UNIT = 1_000_000


class Grouping(Enum):
    """Which jobs make one series."""

    TOTAL = "total"
    TENANT = "tenant"
    ACCELERATOR = "accelerator"
    KIND = "kind"


@dataclass(frozen=True, slots=True)
class JobDemand:
    """One series per group, by name, all on the same intervals, and what was assumed."""

    series: tuple[Series, ...]
    notes: tuple[str, ...]


def job_demand(jobs: tuple[Job, ...], step_s: int, zone: tzinfo, by: Grouping = Grouping.TOTAL) -> JobDemand:
    """Return the time-weighted mean number of devices in use per interval of `step_s` (cores, where no job asks for a device).

    A job uses what it asks for from its start, else its submission, to its end, else as long as it runs; pending jobs use
    nothing. Intervals lie whole steps after local midnight of `zone`. The first begins after the first start and the last ends
    before the newest submission or start: of what else came before and after the log says nothing. Raises InputError where
    there is not one interval, and where nothing is in use.
    """
    begun = tuple(job for job in jobs if job.state is not JobState.PENDING)
    held = holdings(begun)
    if not held.jobs:
        raise InputError(
            "no job has begun, so there is no demand to forecast",
            code=NO_DEMAND,
            hint="Give load.csv, or jobs that ran: their state, start_time or submit_time, and runtime_minutes or end_time.",
        )
    first_s, n_steps = _window(held, step_s, zone)
    is_devices = any(job.shape.gpus > 0 for job in held.jobs)
    amounts = _amounts(held.jobs, is_devices)
    if not amounts.any():
        raise InputError(
            "no job that has begun asks for a device or a core", code=NO_DEMAND, hint="Give gpus_per_worker or cpus_per_worker."
        )
    unit = "gpus" if is_devices else "cpus"
    series = []
    groups = np.array([_group(job, by, unit) for job in held.jobs])
    for name in sorted(set(groups.tolist())):
        own = groups == name
        values = mean_in_use(held.start_s[own], held.end_s[own], amounts[own], first_s, step_s, n_steps)
        series.append(Series(name, first_s, step_s, values, unit))
    end_s = first_s + n_steps * step_s
    return JobDemand(tuple(series), _notes(jobs, begun, held, is_devices, first_s, end_s, zone))


def mean_in_use(
    start_s: NDArray[np.int64],
    end_s: NDArray[np.int64],
    amounts: NDArray[np.int64],
    first_s: int,
    step_s: int,
    n_steps: int,
) -> NDArray[np.float64]:
    """Return the mean of what is held in each of `n_steps` intervals from `first_s` on; float64 [n_steps].

    start_s, end_s: int64 [n], when each holding begins and ends; amounts: int64 [n], millionths of a unit. Exact: the level is
    constant between two changes, and level x seconds is summed in integers.
    """
    edges_s = first_s + step_s * np.arange(n_steps + 1, dtype=np.int64)
    times_s = np.concatenate([edges_s, np.clip(start_s, first_s, edges_s[-1]), np.clip(end_s, first_s, edges_s[-1])])
    changes = np.concatenate([np.zeros(n_steps + 1, dtype=np.int64), amounts, -amounts])
    order = np.argsort(times_s, kind="stable")
    times_s, level = times_s[order], np.cumsum(changes[order])
    held = level[:-1] * np.diff(times_s)
    # Where several changes share an instant all but the last are followed by 0 s, so any of them may open an interval.
    totals = np.add.reduceat(held, np.searchsorted(times_s, edges_s[:-1]))
    return np.asarray(totals / (_PER_UNIT * step_s), dtype=np.float64)


def _window(held: Holdings, step_s: int, zone: tzinfo) -> tuple[int, int]:
    """Return (start, number) of the whole intervals from the first start to the newest submission or start."""
    oldest_s = int(held.start_s.min())
    newest_s = max(instant for job in held.jobs for instant in (job.submit_s, job.start_s) if instant is not None)
    midnight = datetime.fromtimestamp(oldest_s, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    midnight_s = int(midnight.timestamp())
    first_s = midnight_s - (midnight_s - oldest_s) // step_s * step_s
    n_steps = (newest_s - first_s) // step_s
    if not 1 <= n_steps <= MAX_INTERVALS:
        asked = "longer than the log" if n_steps < 1 else f"too short: {n_steps} intervals are more than {MAX_INTERVALS}"
        raise InputError(
            f"intervals of {step_s} s are {asked}; it begins at {format_local(oldest_s, zone)}, and its newest submission or start"
            f" is at {format_local(newest_s, zone)}",
            code=NO_DEMAND,
            hint="Choose another --freq.",
        )
    return first_s, n_steps


def _amounts(jobs: tuple[Job, ...], is_devices: bool) -> NDArray[np.int64]:
    """Return what each whole job holds, millionths of a device or core; int64 [n]."""
    per_worker = [job.shape.gpus if is_devices else job.shape.cpus for job in jobs]
    return np.array([job.workers * round(each * _PER_UNIT) for job, each in zip(jobs, per_worker, strict=True)], dtype=np.int64)


def _group(job: Job, by: Grouping, total: str) -> str:
    value = {
        Grouping.TOTAL: "",
        Grouping.TENANT: job.tenant,
        Grouping.ACCELERATOR: "|".join(job.shape.accelerators) or ANY_MODEL,
        Grouping.KIND: job.kind.value,
    }[by]
    return f"{by.value}={value}" if value else total


def _notes(
    jobs: tuple[Job, ...], begun: tuple[Job, ...], held: Holdings, is_devices: bool, first_s: int, end_s: int, zone: tzinfo
) -> tuple[str, ...]:
    what = "devices" if is_devices else "cores"
    n_held = len(held.jobs)
    pending, open_ended = len(jobs) - len(begun), int(np.count_nonzero(held.end_s > end_s))
    notes = (
        (n_held, f"{what} in use are those of {n_held} jobs, time-weighted, from {format_local(first_s, zone)} on"),
        (held.from_submission, f"{held.from_submission} jobs state no start: each counts as started when it was submitted"),
        (pending, f"{pending} pending jobs have not begun and are not counted"),
        (held.without_interval, f"{held.without_interval} jobs state no time or no length and are not counted"),
        (
            open_ended,
            f"the history ends at {format_local(end_s, zone)}, with the last whole interval before the newest submission or start;"
            f" {open_ended} jobs hold {what} beyond it",
        ),
    )
    return tuple(note for count, note in notes if count)
