"""The chance of ending in time by hand: segment after segment, and sums of uniforms in fractions. It knows no product code.

What it follows is the description: a segment fails or not, then its tries with a restart fail until one succeeds; a failure takes
at most a try, and earlier is likelier than later, so the sum of as many uniforms of the longest try bounds what all take.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, factorial

from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState

MOST = 40


def is_sure_enough(problem: Problem, job: Job, pools: list[Pool], start_slot: int, work_h: float) -> bool:
    """Whether a gang on nodes of these pools, one each, ends by its hard deadline as surely as the problem asks."""
    least = problem.limits.min_on_time
    is_hard = job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD
    if not least or not is_hard or job.state is JobState.RUNNING or pools[0].market is not Market.SPOT:
        return True
    rate = sum(pool.interruptions_per_hour for pool in pools)
    slack_h = ((job.deadline_s or 0) - problem.grid.edges_s[start_slot]) / 3600 - work_h
    return _chance(job, work_h, slack_h, rate) >= least - 1e-12


def _chance(job: Job, work_h: float, slack_h: float, rate: float) -> float:
    tau, cost, restart = (job.checkpoint_minutes or 0) / 60, job.checkpoint_cost_minutes / 60, job.restart_minutes / 60
    lengths = [work_h]
    try_h = restart + work_h
    if 0 < tau < work_h:
        whole = int(work_h / tau + 1e-9)
        rest = work_h - whole * tau
        lengths = [tau + cost] * whole + ([rest] if rest > 1e-9 else [])
        slack_h -= whole * cost
        try_h = restart + tau + cost
    if slack_h < -1e-9:
        return 0.0
    # (segments that failed, all failures) -> chance; a try after a failure is as long as the longest
    known = {(0, 0): 1.0}
    for length in lengths:
        after: dict[tuple[int, int], float] = {}
        ok, ok_again = exp(-rate * length), exp(-rate * try_h)
        for (hit, failures), chance in known.items():
            after[hit, failures] = after.get((hit, failures), 0.0) + chance * ok
            for more in range(1, MOST - failures + 1):
                key = (hit + 1, failures + more)
                after[key] = after.get(key, 0.0) + chance * (1 - ok) * (1 - ok_again) ** (more - 1) * ok_again
        known = after
    return sum(
        chance * _takes_at_most(slack_h, hit, failures, restart, try_h if failures > hit else try_h - restart, try_h)
        for (hit, failures), chance in known.items()
    )


def _takes_at_most(slack_h: float, hit: int, failures: int, restart: float, longest_h: float, try_h: float) -> float:
    if failures * try_h <= slack_h + 1e-9:
        return 1.0
    left = Fraction(slack_h - hit * restart) / Fraction(longest_h)
    if left <= 0 or failures > 20:
        return 0.0
    terms = (Fraction((-1) ** k * comb(failures, k)) * (left - k) ** failures for k in range(min(int(left), failures) + 1))
    return float(sum(terms) / factorial(failures))
