"""Weights, scores and how far a weight must move, each by hand."""

from __future__ import annotations

import pytest

from schedplan.compare_engines.fit import Fit, fit_of
from schedplan.compare_engines.needs import ASKED_BY, DimensionNeed, needs_of, parse_factors
from schedplan.compare_engines.profile import Feature
from schedplan.compare_engines.sensitivity import weight_moves
from schedplan.engines.atom import ATOM_NAMES, ATOMS, Dimension
from schedplan.engines.fact import Value
from schedplan.errors import UsageError
from tests.compare_engines.workloads import engine, job, profile

QUIET = profile(job("single"))


def needs(text: str | None = None) -> tuple[DimensionNeed, ...]:
    return needs_of(QUIET, parse_factors(text))


def only(*dimensions: str) -> tuple[DimensionNeed, ...]:
    """Return needs that weigh nothing but some dimensions."""
    return needs(",".join(f"{one.value}={int(one.value in dimensions)}" for one in Dimension))


def weight(found: tuple[DimensionNeed, ...], atom: str) -> float:
    return next(need.weight for one in found for need in one.needs if need.atom.name == atom)


def test_an_atom_weighs_1_and_four_times_the_feature_that_asks_for_it() -> None:
    """Gangs hold 3/4 of the device-hours: 1 + 4 x 3/4 = 4. Nothing asks for NUMA."""
    found = needs_of(profile(job("gang", workers=3), job("single")))

    assert weight(found, "gang") == 4.0
    assert weight(found, "numa") == 1.0


def test_a_dimension_weighs_the_mean_of_its_atoms() -> None:
    """Observability has 4 atoms; arrivals ask for wait-reason alone: one submission in the one hour, 1 + 4/61."""
    (observability,) = [one for one in needs() if one.dimension is Dimension.OBSERVABILITY]

    assert observability.weight == pytest.approx((3 + 1 + 4 / 61) / 4)


def test_the_users_factors_multiply() -> None:
    assert weight(needs("numa=3"), "numa") == 3.0
    assert [one.weight for one in needs("cost=2.5") if one.dimension is Dimension.COST] == [2.5]


def test_atoms_that_features_ask_for_are_atoms_that_count() -> None:
    scored = {atom.name for atom in ATOMS if atom.is_scored}

    assert set(ASKED_BY) <= scored <= set(ATOM_NAMES)
    assert set(Feature) == {feature for asked in ASKED_BY.values() for feature in asked}


def test_a_score_is_the_weighted_mean_of_its_points() -> None:
    """Cost has two atoms of weight 1: yes and partial make (1 + 1/2) / 2."""
    found = fit_of(engine("one", no_licence_fee=Value.YES, vendor_support=Value.PARTIAL), only("cost"))

    assert (0.75, 0.75) == (found.of(Dimension.COST).score, found.score)


def test_what_does_not_apply_leaves_both_sums() -> None:
    half = fit_of(engine("one", no_licence_fee=Value.YES, vendor_support=Value.NOT_APPLICABLE), only("cost"))
    none = fit_of(engine("one", Value.NOT_APPLICABLE), needs())

    assert half.score == 1.0
    assert none.score is None


def test_what_was_not_verified_counts_as_no_at_half_its_weight() -> None:
    """(1 x 1) / (1 + 1/2) = 2/3."""
    found = fit_of(engine("one", no_licence_fee=Value.YES, vendor_support=Value.NOT_VERIFIED), only("cost"))

    assert found.score == pytest.approx(2 / 3)


def test_the_score_of_an_engine_weighs_its_dimensions() -> None:
    """Cost at weight 3 is all there, lock-in at weight 1 is not: 3/4."""
    found = fit_of(
        engine("one", no_licence_fee=Value.YES, vendor_support=Value.YES),
        needs(
            "cost=3,lock-in=1,scenario=0,intelligence=0,resources=0,cloud-native=0,observability=0,extensibility=0",
        ),
    )

    assert found.score == 0.75


def two_fits() -> tuple[Fit, Fit]:
    """A has cost, B has lock-in; nothing else weighs. Cost weighs 3, lock-in 1: A 3/4, B 1/4."""
    weighed = needs("cost=3,scenario=0,intelligence=0,resources=0,cloud-native=0,observability=0,extensibility=0")
    a = engine("a", no_licence_fee=Value.YES, vendor_support=Value.YES)
    b = engine("b", open_source=Value.YES, runs_anywhere=Value.YES, portable_jobs=Value.YES)
    return fit_of(a, weighed), fit_of(b, weighed)


def test_a_weight_moves_until_two_engines_draw_level() -> None:
    """A leads by 3 - 1 = 2. Cost must fall by 2 to 1 (2/3 of it), or lock-in rise by 2 to 3 (twice what it is)."""
    a, b = two_fits()

    moves = [(one.dimension, one.from_weight, one.to_weight, one.challenger) for one in weight_moves(a, (b,))]

    assert moves == [(Dimension.COST, 3.0, 1.0, "b"), (Dimension.LOCK_IN, 1.0, 3.0, "b")]


def test_no_move_helps_an_engine_that_is_nowhere_better() -> None:
    a, _ = two_fits()
    worse = fit_of(
        engine("c"), needs("cost=3,scenario=0,intelligence=0,resources=0,cloud-native=0,observability=0,extensibility=0")
    )

    assert [move.to_weight for move in weight_moves(a, (worse,))] == [0.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gagn=2", "there is no dimension or capability 'gagn'"),
        ("gang", "'gang' is no NAME=FACTOR"),
        ("gang=2,gang=3", "gang is given twice"),
        ("gang=-1", "gang=-1 is below 0"),
        ("gang=much", "gang='much' is not a number"),
        ("gang-on-spot=2", "there is no dimension or capability 'gang-on-spot'"),
    ],
)
def test_factors_that_cannot_be_read_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_factors(text)

    assert refused.value.message.startswith(f"--weights: {message}")


def test_an_unknown_weight_is_told_its_likely_name() -> None:
    with pytest.raises(UsageError) as refused:
        parse_factors("senario=2")

    assert refused.value.hint == "Did you mean scenario?"


def test_factors_that_leave_nothing_are_refused() -> None:
    with pytest.raises(UsageError):
        only()
