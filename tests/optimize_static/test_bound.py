"""The bound from prices alone, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedplan.model.plan import Price
from schedplan.model.problem import Problem
from schedplan.optimize.static.bound import bound_of
from schedplan.optimize.static.certificate import least_objective, proven_objective
from schedplan.optimize.static.fewest import fewest_nodes
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.relaxation import Relaxation
from tests.optimize_static.problems import node, pod, static


def bound(problem: Problem, *prices: Price) -> Fraction:
    return bound_of(instance(problem, is_relaxed=True), (), prices).value


@pytest.fixture
def halves() -> Problem:
    """Two devices; three shares of 0.6, which share no device, and one of 0.4."""
    jobs = (pod("a", 0.6), pod("b", 0.6), pod("c", 0.6), pod("d", 0.4))
    return static((node("n", gpus=2, cpus=None, memory_gib=None),), jobs)


def test_without_prices_everything_could_be_placed(halves: Problem) -> None:
    assert pytest.approx(3 * 0.6 + 0.4) == float(bound(halves))


def test_price_of_a_device_rises_to_its_dearest_pattern(halves: Problem) -> None:
    # A share of 0.6 costs 0.6: a device of 100 slices holds one of them, so it costs 0.6, two cost 1.2; the three shares are worth
    # their price and add nothing, the free 0.4 adds 0.4. In all 1.6: two of 0.6 and the 0.4, which is what fits.
    found = bound_of(instance(halves, is_relaxed=True), (), (Price("n", "share 60", 0.6),))

    assert pytest.approx(1.6) == float(found.value)
    assert pytest.approx(0.6) == float(found.dearest_device)


def test_cores_are_priced_with_what_the_check_forgives() -> None:
    # 8 cores at 0.25 = 2 (and 0.25 millionths that the check of a plan would let pass); pods of 4 cores weigh 2 x 0.5 and cost 1.
    problem = static((node("n", gpus=2, cpus=8.0, memory_gib=None),), tuple(pod(f"p{idx}", 0.5, 4.0) for idx in range(3)))
    found = bound(problem, Price("n", "cpus", 0.25))

    assert Fraction(2) <= found <= Fraction(2) + Fraction(1, 10**6)


def test_places_for_what_is_above_half_a_node() -> None:
    # Pods of 5 of 8 cores (weight 2 x 5/8 = 1.25): one place per node at 1.25, so 2 nodes hold at most 2 of them.
    pools = (node("n0", cpus=8.0, memory_gib=None), node("n1", cpus=8.0, memory_gib=None))
    problem = static(pools, tuple(pod(f"p{idx}", 0.1, 5.0) for idx in range(3)))
    weight = 2 * 5 / 16

    assert pytest.approx(2 * weight) == float(bound(problem, Price("n0", "place cpus 1", weight)))


def test_bad_prices_can_only_weaken_the_bound(halves: Problem) -> None:
    # Whatever the prices, no bound is below the 1.6 that fits.
    for value in (0.0, 0.1, 0.35, 0.6, 2.0):
        for item in ("device", "share 60", "share 40"):
            assert bound(halves, Price("n", item, value)) >= Fraction(16, 10) - Fraction(1, 10**9)


def test_prices_below_zero_prove_nothing(halves: Problem) -> None:
    with pytest.raises(ValueError, match="below 0"):
        bound(halves, Price("n", "device", -1.0))


def test_limit_of_a_job_without_limit_is_refused(halves: Problem) -> None:
    with pytest.raises(ValueError, match="limit"):
        bound(halves, Price("n", "limit a", 0.1))


def test_least_objective_is_what_is_left_of_all(halves: Problem) -> None:
    assert pytest.approx(0.6 / 2.2) == least_objective(halves, 1.6)
    assert pytest.approx(0.6 / 2.2) == proven_objective(halves, (Price("n", "share 60", 0.6),))
    assert least_objective(halves, 5.0) == 0


def test_fewest_nodes_that_hold_everything() -> None:
    # Four shares above half need a device each, so two nodes of two; a whole device more needs a third. Cores: 5 x 2 of 3 x 8.
    jobs = (*(pod(f"j{idx}", 0.6, 2.0) for idx in range(4)), pod("whole", 1.0, 2.0))
    problem = static(tuple(node(f"n{idx}", 2) for idx in range(5)), jobs)
    few = static((node("n0", 2), node("n1", 2)), jobs)

    assert fewest_nodes(Relaxation(instance(problem, is_relaxed=True))) == 3
    assert fewest_nodes(Relaxation(instance(few, is_relaxed=True))) is None
