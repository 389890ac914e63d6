"""Work on nodes that may be taken away: expected time, expected rework, and the chance to be done in time.

    W work, M = 1/rate mean time between interruptions of the gang, tau checkpoint interval, C cost of one, R restart
    without checkpoints  E[T] = M e^(R/M) (e^(W/M) - 1)
    with checkpoints     E[T] = M e^(R/M) (e^((tau + C)/M) - 1) W / tau

Interruptions are Poisson and hit a gang as soon as one of its nodes goes; a node is replaced at once. (J. T. Daly, A higher order
estimate of the optimum checkpoint interval, 2006.) It knows nothing of prices or of a plan. All durations in hours.
"""

from __future__ import annotations

from math import exp, expm1, floor, lgamma, log

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


def on_time_probability_floor(
    work_h: float, slack_h: float, rate_per_h: float, checkpoint_h: float | None, checkpoint_cost_h: float, restart_h: float
) -> float:
    """Return a lower bound of the chance that the work ends within work_h + slack_h, not the chance itself.

    Without slack it is the chance of no interruption. With slack it is the larger of that and P(N <= n), where N is Poisson
    over the whole window and n is how many interruptions fit into the slack left by the checkpoints, each taken to cost a
    whole interval (or the whole work, where there are no checkpoints) and a restart.
    """
    untouched = survival_probability(work_h, rate_per_h)
    if slack_h <= 0 or rate_per_h <= 0:
        return untouched
    lost_h, written_h = work_h, 0.0
    if checkpoint_h is not None and checkpoint_h < work_h:
        lost_h = checkpoint_h + checkpoint_cost_h
        written_h = checkpoint_cost_h * floor(work_h / checkpoint_h)
    if written_h > slack_h:
        return untouched
    fitting = floor((slack_h - written_h) / (lost_h + restart_h) + 1e-9)
    return max(survival_probability(work_h + written_h, rate_per_h), _poisson_at_most(fitting, rate_per_h * (work_h + slack_h)))


def _segment_h(length_h: float, rate_per_h: float, restart_h: float) -> float:
    return exp(min(restart_h * rate_per_h, LARGEST_EXPONENT)) * expm1(min(length_h * rate_per_h, LARGEST_EXPONENT)) / rate_per_h


def _poisson_at_most(count: int, mean: float) -> float:
    return min(sum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(count + 1)), 1.0)
