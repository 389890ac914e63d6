"""What must hold of every replay, whatever its policy: checked on the timeline alone, without the kernel that made it."""

from __future__ import annotations

from collections import Counter

import numpy as np

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
    found += [f"job {timeline.jobs[job]} does not run as long as it should" for job in np.flatnonzero(other)]
    return found


def _workers(timeline: Timeline, gangs_are_whole: bool) -> list[str]:
    job, parts = timeline.parts.job, timeline.parts
    placed = np.zeros(len(timeline.jobs), dtype=np.int64)
    np.add.at(placed, job, parts.workers)
    short = timeline.started & (placed != timeline.workers)
    found = [
        f"job {timeline.jobs[one]} runs with {placed[one]} of {timeline.workers[one]} workers" for one in np.flatnonzero(short)
    ]
    late = timeline.started[job] & (parts.taken_s > timeline.start_s[job])
    found += [f"a worker of job {timeline.jobs[one]} takes its place after the start" for one in job[late]]
    if gangs_are_whole:
        held = ~timeline.started[job] | (parts.taken_s < timeline.start_s[job])
        found += [f"job {timeline.jobs[one]} holds a part of its place" for one in job[held]]
    return found


def _amounts(timeline: Timeline) -> list[str]:
    """No node holds more than it has at any instant; what ends at an instant is gone before what starts at it."""
    job, parts = timeline.parts.job, timeline.parts
    ends_s = np.where(timeline.started[job], timeline.end_s[job], timeline.last_s + 1)
    node = np.concatenate([parts.node, parts.node])
    at_s = np.concatenate([parts.taken_s, ends_s])
    change = np.concatenate([parts.amount, -parts.amount])
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
    for idx, devices in enumerate(parts.devices):
        job = int(parts.job[idx])
        if timeline.worker_amount[job] < 1:
            continue
        end_s = int(timeline.end_s[job]) if timeline.started[job] else timeline.last_s + 1
        for device in devices:
            place = (int(parts.node[idx]), device)
            events += [(int(parts.taken_s[idx]), 1, place), (end_s, 0, place)]
    users: Counter[tuple[int, int]] = Counter()
    found = []
    for _, is_taken, place in sorted(events):
        users[place] += 1 if is_taken else -1
        if users[place] > 1:
            found.append(f"device {place[1]} of {timeline.nodes[place[0]]} is used twice at once")
    return found
