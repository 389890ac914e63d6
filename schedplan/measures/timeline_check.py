"""What must hold of every replay, whatever its policy: checked on the timeline alone, without the kernel that made it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from schedplan.model.timeline import Timeline

FORGIVEN = 1e-6


def broken_laws(timeline: Timeline, *, gangs_are_whole: bool = True) -> tuple[str, ...]:
    """Return every law of conservation that a timeline breaks, in words; empty where all hold.

    gangs_are_whole: no worker takes its place before its job starts.
    """
    return (*_instants(timeline), *_workers(timeline, gangs_are_whole), *_amounts(timeline), *_devices(timeline))


def _instants(timeline: Timeline) -> list[str]:
    started = timeline.started
    found = []
    early = started & (timeline.start_s < timeline.submit_s)
    found += [f"job {timeline.jobs[job]} starts before it is submitted" for job in np.flatnonzero(early)]
    other = started & (timeline.end_s - timeline.start_s != timeline.run_s)
    other[[stop.job for stop in timeline.stops]] = False
    found += [f"job {timeline.jobs[job]} does not run as long as it should" for job in np.flatnonzero(other)]
    return [*found, *_runs(timeline)]


def _runs(timeline: Timeline) -> list[str]:
    """The runs of a job that was stopped do not overlap, and are as long as it says together."""
    stopped = {stop.job for stop in timeline.stops}
    runs: dict[int, set[tuple[int, int]]] = {job: set() for job in stopped}
    ends_s = _gone_s(timeline)
    for idx in np.flatnonzero(np.isin(timeline.parts.job, list(stopped)) & ~timeline.let_go):
        runs[int(timeline.parts.job[idx])].add((int(timeline.parts.taken_s[idx]), int(ends_s[idx])))
    found = []
    for job, of_job in runs.items():
        spans = sorted(of_job)
        if any(before[1] > after[0] for before, after in pairwise(spans)):
            found.append(f"job {timeline.jobs[job]} runs twice at once")
        if timeline.started[job] and sum(end_s - start_s for start_s, end_s in spans) != timeline.run_s[job]:
            found.append(f"job {timeline.jobs[job]} does not run as long as it should")
    return found


def _workers(timeline: Timeline, gangs_are_whole: bool) -> list[str]:
    job, parts, was_stopped = timeline.parts.job, timeline.parts, timeline.parts.was_stopped
    placed = np.zeros(len(timeline.jobs), dtype=np.int64)
    np.add.at(placed, job[~was_stopped], parts.workers[~was_stopped])
    short = timeline.started & (placed != timeline.workers)
    found = [
        f"job {timeline.jobs[one]} runs with {placed[one]} of {timeline.workers[one]} workers" for one in np.flatnonzero(short)
    ]
    before = Counter(stop.job for stop in timeline.stops)
    stopped = np.zeros(len(timeline.jobs), dtype=np.int64)
    let_go = timeline.let_go
    from_runs = was_stopped & ~let_go
    np.add.at(stopped, job[from_runs], parts.workers[from_runs])
    found += [
        f"job {timeline.jobs[one]} was stopped with {stopped[one]} of {times} x {timeline.workers[one]} workers"
        for one, times in before.items()
        if stopped[one] != times * timeline.workers[one]
    ]
    calm = timeline.started[job] & ~np.isin(job, list(before))
    found += [
        f"a worker of job {timeline.jobs[one]} takes its place after the start"
        for one in job[calm & (parts.taken_s > timeline.start_s[job])]
    ]
    if gangs_are_whole:
        held = let_go | (~timeline.started[job] & ~was_stopped) | (calm & (parts.taken_s < timeline.start_s[job]))
        found += [f"job {timeline.jobs[one]} holds a part of its place" for one in job[held]]
    return found


def _gone_s(timeline: Timeline) -> NDArray[np.int64]:
    """Return when each part was given back; one that is held for ever after the last end."""
    job = timeline.parts.job
    return timeline.parts.gone_s(np.where(timeline.started[job], timeline.end_s[job], timeline.last_s + 1))


def _amounts(timeline: Timeline) -> list[str]:
    """No node holds more than it has at any instant; what ends at an instant is gone before what starts at it."""
    parts, replicas = timeline.parts, () if timeline.services is None else timeline.services.replicas
    of_services = np.array([one.node for one in replicas], dtype=np.int64)
    taken_s, gone_s = ([one.taken_s for one in replicas], [one.gone_s for one in replicas])
    amount = np.concatenate([parts.amount, [one.amount for one in replicas]])
    node = np.concatenate([parts.node, of_services, parts.node, of_services])
    at_s = np.concatenate([parts.taken_s, np.array(taken_s, np.int64), _gone_s(timeline), np.array(gone_s, np.int64)])
    change = np.concatenate([amount, -amount])
    order = np.lexsort((change, at_s, node))
    node, change = node[order], change[order]
    found = []
    for one in np.unique(node):
        most = float(np.cumsum(change[node == one]).max())
        if most > timeline.capacity[one] + FORGIVEN:
            name = timeline.nodes[one] if timeline.nodes else "the machine"
            found.append(f"{name} holds {most:g} of {timeline.capacity[one]:g} {timeline.unit}s at once")
    return found


def _devices(timeline: Timeline) -> list[str]:
    """No device is used by two jobs at once, where jobs use whole devices."""
    parts = timeline.parts
    events = []
    gone_s = _gone_s(timeline)
    for idx, devices in enumerate(parts.devices):
        if timeline.worker_amount[int(parts.job[idx])] < 1:
            continue
        end_s = int(gone_s[idx])
        for device in devices:
            place = (int(parts.node[idx]), device)
            events += [(int(parts.taken_s[idx]), 1, place), (end_s, 0, place)]
    for replica in () if timeline.services is None else timeline.services.replicas:
        for device in replica.devices if replica.amount >= 1 else ():
            place = (replica.node, device)
            events += [(replica.taken_s, 1, place), (replica.gone_s, 0, place)]
    users: Counter[tuple[int, int]] = Counter()
    found = []
    for _, is_taken, place in sorted(events):
        users[place] += 1 if is_taken else -1
        if users[place] > 1:
            found.append(f"device {place[1]} of {timeline.nodes[place[0]]} is used twice at once")
    return found
