"""The bound on the chance of ending in time: by hand where that is short, and never above what drawing runs gives."""

import random
from math import exp, sqrt

import pytest

from schedplan.measures.on_time import on_time_floor

DRAWS = 20_000


def drawn(work_h, slack_h, rate, checkpoint_h, cost_h, restart_h):
    """The share of drawn runs that end in time: interruptions at exponential distances, each back to the last checkpoint."""
    source, on_time = random.Random(7), 0
    for _ in range(DRAWS):
        now, done, restart, strike = 0.0, 0.0, 0.0, source.expovariate(rate)
        while done < work_h - 1e-9 and now <= work_h + slack_h:
            segment = work_h if checkpoint_h is None else min(checkpoint_h, work_h - done)
            written = cost_h if checkpoint_h is not None and segment >= checkpoint_h - 1e-12 else 0.0
            if strike >= now + restart + segment + written:
                now, done, restart = now + restart + segment + written, done + segment, 0.0
            else:
                now, restart = strike, restart_h
                strike = now + source.expovariate(rate)
        on_time += done >= work_h - 1e-9 and now <= work_h + slack_h + 1e-9
    return on_time / DRAWS


CASES = [
    (4, 0, 0.1, 0.5, 0, 0),
    (3.5, 0.5, 0.1, 0.5, 0, 0),
    (3.5, 0.5, 0.5, 0.5, 0, 0),
    (3.5, 0.5, 0.5, 0.25, 0, 0.05),
    (3.5, 1.5, 0.5, 0.5, 0.02, 0.1),
    (3.5, 0.5, 0.1, None, 0, 0),
    (4, 8, 0.1, None, 0, 0.1),
    (10, 2, 1, 0.5, 0.01, 0.05),
    (20, 10, 1, 0.5, 0.01, 0.05),
    (3.7, 1, 0.3, 0.5, 0.05, 0.1),
]


@pytest.mark.parametrize("case", CASES)
def test_the_bound_is_never_above_what_drawn_runs_do(case):
    seen = drawn(*case)
    deviation = sqrt(max(seen * (1 - seen), 1e-4) / DRAWS)

    assert on_time_floor(*case) <= seen + 4 * deviation


@pytest.mark.parametrize("case", CASES[:8])
def test_the_bound_is_near_where_few_interruptions_come(case):
    assert on_time_floor(*case) >= drawn(*case) - 0.08


def test_without_slack_only_an_untouched_run_is_on_time():
    assert on_time_floor(4, 0, 0.1, 0.5, 0, 0) == pytest.approx(exp(-0.4))


def test_half_an_hour_of_slack_bears_one_loss_of_half_an_hour_at_most():
    # seven segments of 0.5 h fail with q = 1 - e^-0.05 each. One failure always fits; two where U1 + U2 <= 1 (1/2), three where
    # U1 + U2 + U3 <= 1 (1/6), k where the sum of k is at most 1 (1/k!). P(k failures) is negative binomial.
    q = 1 - exp(-0.05)
    failures = [(1 - q) ** 7 * q**k * ways for k, ways in enumerate((1, 7, 28, 84, 210))]
    expected = sum(chance / fits for chance, fits in zip(failures, (1, 1, 2, 6, 24), strict=True))

    assert on_time_floor(3.5, 0.5, 0.1, 0.5, 0, 0) == pytest.approx(expected, abs=1e-6)


def test_checkpoints_that_take_more_than_the_slack_end_it_late_even_untouched():
    # 7 x 6 min of writing do not fit into 30 min
    assert on_time_floor(3.5, 0.5, 0.1, 0.5, 0.1, 0) == 0.0


def test_a_run_that_is_late_anyway_is_never_on_time():
    assert on_time_floor(4, -0.5, 0.0, None, 0, 0) == 0.0
    assert on_time_floor(4, 0, 0.0, None, 0, 0) == 1.0


def test_more_nodes_never_make_it_surer():
    chances = [on_time_floor(3.5, 0.5, 0.02 * nodes, 0.5, 0.01, 0.05) for nodes in range(1, 40)]

    assert chances == sorted(chances, reverse=True)
