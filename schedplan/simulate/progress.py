"""How far jobs have come: what a run takes, and what of it is kept when it is stopped. It knows no machine and no policy.

A job with an interval writes a checkpoint after each such stretch of work, none at its very end; what is kept is whole
stretches. A run after a stop begins with the restart. Seconds of work are on the device it runs on.
"""

from __future__ import annotations

from schedplan.simulate.work import Checkpoints, Work

NO_CHECKPOINTS = Checkpoints()


class Progress:
    """Per job: seconds of work and of the estimate that are left, and whether it was stopped before."""

    def __init__(self, work: Work, *, writes: bool) -> None:
        self.left_s = work.run_s[:] if writes else work.run_s
        self.estimate_s = work.estimate_s[:] if writes else work.estimate_s
        self.has_stopped: dict[int, None] = {}
        self._checkpoints = work.checkpoints if writes else {}

    def lasts_s(self, job: int) -> int:
        """Return how long the next run of a job takes: restart, work and checkpoints."""
        return self._with_overhead(job, self.left_s[job])

    def estimated_s(self, job: int) -> int:
        """Return how long the next run of a job is estimated to take."""
        return self._with_overhead(job, self.estimate_s[job])

    def stop(self, job: int, ran_s: int, lasts_s: int) -> int:
        """Keep what was saved in a run of which `ran_s` of `lasts_s` have passed; return the seconds of it that are lost."""
        plan = self._checkpoints.get(job, NO_CHECKPOINTS)
        planned_s = self.lasts_s(job)
        passed_s = ran_s if lasts_s == planned_s else ran_s * planned_s // lasts_s  # a slow device stretches all alike
        saved_s = 0
        if plan.interval_s is not None:
            worked_s = passed_s - (plan.restart_s if job in self.has_stopped else 0)
            written = min(max(worked_s, 0) // (plan.interval_s + plan.cost_s), _written(self.left_s[job], plan.interval_s))
            saved_s = written * plan.interval_s
        self.left_s[job] -= saved_s
        self.estimate_s[job] = max(self.estimate_s[job] - saved_s, 1)
        self.has_stopped[job] = None
        return ran_s - (saved_s if lasts_s == planned_s else saved_s * lasts_s // planned_s)

    def _with_overhead(self, job: int, work_s: int) -> int:
        plan = self._checkpoints.get(job)
        if plan is None:
            return work_s
        writing_s = 0 if plan.interval_s is None else plan.cost_s * _written(work_s, plan.interval_s)
        return work_s + writing_s + (plan.restart_s if job in self.has_stopped else 0)


def _written(work_s: int, interval_s: int) -> int:
    """Return how many checkpoints so much work writes, none of them at its end."""
    return (work_s - 1) // interval_s
