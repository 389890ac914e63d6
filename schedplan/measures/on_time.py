"""The chance that work on nodes that may be taken away ends in time: a bound from below by closed forms.

Interruptions are Poisson with rate L. Work W is cut into segments by its checkpoints: n = floor(W / tau) of l = tau + C, and what
is left over; without checkpoints W is one segment. A segment fails with 1 - e^(-L l); a try after that begins with a restart R and
fails with 1 - e^(-L (R + l)). So the number j of segments that ever fail is a sum of two binomials, and the further failures k
given j are negative binomial. One failure costs at most R + l in all, and given that it comes it comes earlier than uniformly over
its try (the density of an exponential falls): j + k failures cost no more than j R + m times the sum of j + k uniforms, whose
distribution is that of Irwin and Hall, where the longest try is m = l without further failures, else R + l. With s = slack - n C:

    P(in time) >= sum over j, k of P(j) P(k | j) P(U_1 + ... + U_(j+k) <= (s - j R) / m), 1 where (j + k)(R + l) <= s

It falls as the rate rises, so as the nodes of a gang become more. (P. Hall, The distribution of means for samples of size N drawn
from a population in which the variate takes values between 0 and 1, 1927, doi.org/10.1093/biomet/19.3-4.240; W. Hoeffding 1963,
doi.org/10.1080/01621459.1963.10500830, for more than 20 failures.) It knows nothing of prices or of a plan. All durations in hours.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp, expm1, factorial, floor, lgamma, log

MOST_EXACT = 20
"""Uniforms whose sum is taken exactly: beyond, the alternating series of Irwin and Hall loses its digits."""
MOST_FAILURES = 200
"""Failures that are counted; leaving out more only lowers the bound."""
FORGIVEN = 1e-9


@lru_cache(maxsize=65_536)
def on_time_floor(
    work_h: float, slack_h: float, rate_per_h: float, checkpoint_h: float | None, checkpoint_cost_h: float, restart_h: float
) -> float:
    """Return a lower bound of the chance that the work ends within work_h + slack_h, not the chance itself.

    0 where it ends late even if left alone: without slack, or where writing its checkpoints takes more than the slack. checkpoint_h
    None, or not below the work: every interruption starts from zero.
    """
    length_h, full, rest_h = work_h, 1, 0.0
    spare_h = slack_h
    if checkpoint_h is not None and checkpoint_h < work_h:
        length_h, full = checkpoint_h + checkpoint_cost_h, floor(work_h / checkpoint_h + FORGIVEN)
        rest_h = max(work_h - full * checkpoint_h, 0.0)
        spare_h -= full * checkpoint_cost_h
    if spare_h < -FORGIVEN:
        return 0.0
    if rate_per_h <= 0:
        return 1.0
    try_h = restart_h + length_h
    again = -expm1(-rate_per_h * try_h)
    total = 0.0
    for segments, chance in enumerate(_failing_segments(full, length_h, rest_h, rate_per_h)):
        left_h = spare_h - segments * restart_h
        if chance == 0.0 or left_h < -FORGIVEN:
            continue
        for further in range(MOST_FAILURES - segments + 1):
            longest_h = try_h if further else length_h
            told = _within(segments + further, left_h / longest_h, (spare_h + FORGIVEN) / try_h)
            if told < 1e-15:
                break
            total += chance * _further(segments, further, again) * told
    return min(total, 1.0)


def _failing_segments(full: int, length_h: float, rest_h: float, rate_per_h: float) -> list[float]:
    """Return the chances that 0, 1, 2 ... segments fail at their first try, at most MOST_FAILURES of them."""
    fails, rest_fails = -expm1(-rate_per_h * length_h), -expm1(-rate_per_h * rest_h)
    of_full = [_binomial(full, count, fails) for count in range(min(full, MOST_FAILURES) + 1)]
    if rest_h <= FORGIVEN:
        return of_full
    more = [*of_full, 0.0]
    return [here * (1 - rest_fails) + before * rest_fails for here, before in zip(more, [0.0, *of_full], strict=True)]


def _binomial(trials: int, count: int, chance: float) -> float:
    if chance >= 1.0:
        return float(count == trials)
    if chance <= 0.0:
        return float(count == 0)
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    return exp(ways + count * log(chance) + (trials - count) * log(1 - chance))


def _further(segments: int, further: int, again: float) -> float:
    """Return the chance of so many failures after the first ones of `segments` segments, until each has had its success."""
    if segments == 0:
        return float(further == 0)
    return comb(segments + further - 1, further) * float(1 - again) ** segments * float(again) ** further


def _within(failures: int, uniforms_at_most: float, whole_at_most: float) -> float:
    """Return a lower bound of the chance that failures cost no more than there is, both in lengths of one try."""
    if failures == 0 or failures <= whole_at_most:
        return 1.0
    if failures <= MOST_EXACT:
        return _irwin_hall(failures, uniforms_at_most)
    above = uniforms_at_most - failures / 2
    return -expm1(-2 * above * above / failures) if above > 0 else 0.0


def _irwin_hall(count: int, at_most: float) -> float:
    """Return P(sum of `count` uniforms on [0, 1] <= at_most)."""
    if at_most <= 0:
        return 0.0
    if at_most >= count:
        return 1.0
    if at_most > count / 2:
        return 1.0 - _irwin_hall(count, count - at_most)
    signed = ((1 - 2 * (k % 2)) * comb(count, k) * float(at_most - k) ** count for k in range(floor(at_most) + 1))
    return max(sum(signed) / factorial(count), 0.0)
