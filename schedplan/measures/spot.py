"""Work on nodes that may be taken away: expected time, expected rework, the best interval between checkpoints.

    W work, M = 1/rate mean time between interruptions of the gang, tau checkpoint interval, C cost of one, R restart
    without checkpoints  E[T] = M e^(R/M) (e^(W/M) - 1)
    with checkpoints     E[T] = M e^(R/M) (e^((tau + C)/M) - 1) W / tau

Interruptions are Poisson and hit a gang as soon as one of its nodes goes; a node is replaced at once. (J. T. Daly, A higher order
estimate of the optimum checkpoint interval, 2006.) It knows nothing of prices or of a plan. All durations in hours.
"""

from __future__ import annotations

from math import exp, expm1, sqrt

from schedplan.model.cluster import Market, Pool

# e^40 is 10^17 runs: such a start is hopeless either way, and the number stays finite.
LARGEST_EXPONENT = 40.0


def expected_run_h(
    work_h: float, rate_per_h: float, checkpoint_h: float | None, checkpoint_cost_h: float, restart_h: float
) -> float:
    """Return the expected hours until `work_h` is done at `rate_per_h` interruptions; `work_h` itself where the rate is 0.

    checkpoint_h None, or not below the work: no checkpoint is written and every interruption starts from zero. Exponents are
    cut at 40, so that a hopeless run has a huge expected time and not an infinite one.
    """
    if rate_per_h <= 0:
        return work_h
    if checkpoint_h is None or checkpoint_h >= work_h:
        return _segment_h(work_h, rate_per_h, restart_h)
    return _segment_h(checkpoint_h + checkpoint_cost_h, rate_per_h, restart_h) * work_h / checkpoint_h


def rework_h(work_h: float, rate_per_h: float, checkpoint_h: float | None, checkpoint_cost_h: float, restart_h: float) -> float:
    """Return the hours expected beyond the work: repeated work, checkpoints and restarts; 0 where the rate is 0."""
    return expected_run_h(work_h, rate_per_h, checkpoint_h, checkpoint_cost_h, restart_h) - work_h


def gang_rate(pool: Pool, nodes: int) -> float:
    """Return the interruptions per hour of a gang on `nodes` nodes of `pool`; 0 where the pool is not spot."""
    return nodes * pool.interruptions_per_hour if pool.market is Market.SPOT else 0.0


def survival_probability(work_h: float, rate_per_h: float) -> float:
    """Return the chance that no interruption comes during the work."""
    return exp(-rate_per_h * work_h)


def young_daly_h(rate_per_h: float, checkpoint_cost_h: float) -> float | None:
    """Return the checkpoint interval with the least expected time, hours of work between two; None where none is best.

    With x = C / (2 M): sqrt(2 C M) (1 + sqrt(x) / 3 + x / 9) - C below x = 1, else M (Daly's higher order; Young's is sqrt(2 C M)).
    Checkpoints that cost nothing, or a rate of 0, have no best interval.
    """
    if rate_per_h <= 0 or checkpoint_cost_h <= 0:
        return None
    mean_h = 1.0 / rate_per_h
    part = checkpoint_cost_h / (2.0 * mean_h)
    if part >= 1:
        return mean_h
    return sqrt(2.0 * checkpoint_cost_h * mean_h) * (1 + sqrt(part) / 3 + part / 9) - checkpoint_cost_h


def _segment_h(length_h: float, rate_per_h: float, restart_h: float) -> float:
    return exp(min(restart_h * rate_per_h, LARGEST_EXPONENT)) * expm1(min(length_h * rate_per_h, LARGEST_EXPONENT)) / rate_per_h
