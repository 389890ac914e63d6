"""What Slurm computes: the multifactor priority of a job.

    priority = w_age x min(age / max age, 1) + w_size x (share of the machine) + w_qos x (priority of the job / largest one)
               + w_fairshare x fair-share factor - nice
    fair-share factor (classic)   2 ^ -(usage / shares / damping)

All weights are 0 by default, and the order is then that of submission. Source: SchedMD/slurm doc/html/priority_multifactor.shtml,
src/plugins/priority/multifactor, read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.view import LaneView

WEEK_S = 604_800
MILLIONTHS = 1_000_000


@dataclass(frozen=True, slots=True)
class Multifactor:
    """The weights, whole numbers as in slurm.conf. largest: the highest value that the priority of a job takes."""

    age: float = 0.0
    size: float = 0.0
    qos: float = 0.0
    fairshare: float = 0.0
    max_age_s: int = WEEK_S
    largest: float = 1000.0
    favors_small: bool = False

    def priority(self, age_s: float, size: float, priority: float, fairshare: float = 0.0) -> float:
        """Return the priority of a job; size: share of the machine, 0 to 1; fairshare: its factor, 0 to 1."""
        size = 1.0 - size if self.favors_small else size
        aged = min(age_s / self.max_age_s, 1.0)
        return self.age * aged + self.size * size + self.qos * priority / self.largest + self.fairshare * fairshare

    def __call__(self, lane: LaneView) -> tuple[int, ...]:
        """Return minus the priority in millionths of one point, without the fair-share factor and as if no job ever reached the
        largest age: the difference of two jobs then never changes, and their order needs no second look."""
        asked = self.priority(0.0, lane.of_machine, lane.priority)
        return (round((self.age * lane.submit_s / self.max_age_s - asked) * MILLIONTHS), lane.rank)


def fairshare_factor(usage: float, shares: float, damping: float = 1.0) -> float:
    """Return 2 ^ -(usage / shares / damping); both are parts of one whole, 0 to 1."""
    return float(2.0 ** -(usage / shares / damping)) if shares > 0 else 0.0
