"""Waits as a log recorded them beside waits as they were replayed, of the jobs that have both. It reads no file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job


@dataclass(frozen=True, slots=True)
class RecordedWaits:
    """Seconds, over the jobs of which a start was recorded and replayed. earlier, later: jobs replayed to start so; others
    start in the second that was recorded.
    """

    jobs: int
    recorded_mean_s: float
    recorded_p95_s: float
    replayed_mean_s: float
    replayed_p95_s: float
    earlier: int
    later: int


def recorded_waits(jobs: Iterable[Job], timeline: Timeline) -> RecordedWaits | None:
    """Return recorded beside replayed waits; None where no job has both. A start before the job might run is no recorded one."""
    started_s = {job.name: job.start_s for job in jobs if job.start_s is not None and job.release_s is not None}
    index = [idx for idx, name in enumerate(timeline.jobs) if timeline.started[idx] and name in started_s]
    recorded = np.array([started_s[timeline.jobs[idx]] for idx in index], dtype=np.int64) - timeline.submit_s[index]
    replayed = timeline.start_s[index] - timeline.submit_s[index]
    is_known = recorded >= 0
    recorded, replayed = recorded[is_known], replayed[is_known]
    if not len(recorded):
        return None
    return RecordedWaits(
        jobs=len(recorded),
        recorded_mean_s=float(recorded.mean()),
        recorded_p95_s=float(np.percentile(recorded, 95)),
        replayed_mean_s=float(replayed.mean()),
        replayed_p95_s=float(np.percentile(replayed, 95)),
        earlier=int((replayed < recorded).sum()),
        later=int((replayed > recorded).sum()),
    )
