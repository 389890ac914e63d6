"""One cell of each kind: what it holds, how it is spelled canonically, and what it refuses."""

from __future__ import annotations

from datetime import UTC

import pytest

from schedplan.tables.cells import CellError, amounts_of, placed_of, quantile_of, spread_of, stored, taints_of, tolerations_of
from schedplan.tables.column import Column, Kind


def column(kind: Kind, **limits: object) -> Column:
    return Column("c", kind, "", **limits)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (Kind.INTEGER, "8.0", 8),
        (Kind.INTEGER, "-3", -3),
        (Kind.FLOAT, "1e3", 1000.0),
        (Kind.FLOAT, ".5", 0.5),
        (Kind.SHARE, "3/7", 3 / 7),
        (Kind.SHARE, "2", 2.0),
        (Kind.BOOLEAN, "TRUE", True),
        (Kind.BOOLEAN, "no", False),
        (Kind.AMOUNTS, "rdma=4; disk_gib = 900.5", "disk_gib=900.5;rdma=4"),
        (Kind.PAIRS, "b=2;a=1;", "a=1;b=2"),
        (Kind.TAINTS, "gpu=yes:NoSchedule;spot:NoExecute", "gpu=yes:NoSchedule;spot:NoExecute"),
        (Kind.TOLERATIONS, "spot;gpu=yes", "gpu=yes;spot"),
        (Kind.KEYS, "b;a", "a;b"),
        (Kind.ALTERNATIVES, "H100|A100", "A100|H100"),
        (Kind.PLACED, "n2*1;n1*3", "n1*3;n2*1"),
        (Kind.QUANTILE, ".950", "0.95"),
        (Kind.QUANTILE, "mean", "mean"),
        (Kind.SPREAD, "zone:2", "zone:2"),
        (Kind.TIMESTAMP, "1990-01-01", 631152000),
    ],
)
def test_a_cell_has_one_value_and_one_spelling(kind, text, expected):
    actual, _ = stored(column(kind), text, UTC)

    assert expected == actual
    assert type(expected) is type(actual)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.INTEGER, "8.5"),
        (Kind.FLOAT, "8GiB"),
        (Kind.SHARE, "1.5"),
        (Kind.SHARE, "8/7"),
        (Kind.SHARE, "0/7"),
        (Kind.SHARE, "1/0"),
        (Kind.BOOLEAN, "maybe"),
        (Kind.BOOLEAN, "2"),
        (Kind.AMOUNTS, "rdma"),
        (Kind.AMOUNTS, "rdma=-1"),
        (Kind.AMOUNTS, "rdma=1;rdma=2"),
        (Kind.AMOUNTS, "rdma=inf"),
        (Kind.PAIRS, "a=1;;b=2"),
        (Kind.PAIRS, "=1"),
        (Kind.TAINTS, "gpu=yes"),
        (Kind.TAINTS, "gpu=yes:Sometimes"),
        (Kind.TOLERATIONS, "=yes"),
        (Kind.KEYS, "a;a"),
        (Kind.ALTERNATIVES, "A100||H100"),
        (Kind.PLACED, "n1"),
        (Kind.PLACED, "n1*0"),
        (Kind.PLACED, "n1*" + "9" * 5000),
        (Kind.PLACED, "*2"),
        (Kind.QUANTILE, "1"),
        (Kind.QUANTILE, "95"),
        (Kind.SPREAD, "zone"),
        (Kind.SPREAD, "planet:2"),
        (Kind.SPREAD, "zone:٢"),
    ],
)
def test_anything_else_is_refused(kind, text):
    with pytest.raises(CellError):
        stored(column(kind), text, UTC)


@pytest.mark.parametrize(
    ("limits", "fits", "fits_not"),
    [({"at_least": 0}, "0", "-1"), ({"above": 0}, "0.1", "0"), ({"at_most": 5}, "5", "6"), ({"below": 1}, "0.9", "1")],
)
def test_limits_hold_to_the_edge(limits, fits, fits_not):
    assert float(fits) == stored(column(Kind.FLOAT, **limits), fits, UTC)[0]
    with pytest.raises(CellError, match="outside the limits"):
        stored(column(Kind.FLOAT, **limits), fits_not, UTC)


def test_a_choice_that_is_nearly_right_is_suggested():
    with pytest.raises(CellError) as refused:
        stored(column(Kind.CHOICE, choices=("owned", "on_demand")), "On-Demand", UTC)

    assert "Did you mean on_demand?" == refused.value.hint


def test_stored_texts_are_taken_apart():
    assert (("disk_gib", 900.0), ("rdma", 4.0)) == amounts_of("rdma=4;disk_gib=900")
    assert (("gpu", "yes", "NoSchedule"), ("spot", "", "NoExecute")) == taints_of("gpu=yes:NoSchedule;spot:NoExecute")
    assert (("gpu", "yes"), ("spot", "")) == tolerations_of("gpu=yes;spot")
    assert (("n*1", 3), ("n2", 1)) == placed_of("n2*1;n*1*3")
    assert (0.95, None) == (quantile_of("0.95"), quantile_of("mean"))
    assert ("zone", 2) == spread_of("zone:2")
    assert () == amounts_of(None)


@pytest.mark.parametrize("text", ["1e16", "1e300", "1e-13", "-1e16"])
def test_numbers_that_no_quantity_has_are_refused(text):
    with pytest.raises(CellError, match="too large or too small"):
        stored(column(Kind.FLOAT), text, UTC)


def test_a_whole_number_is_exact_at_any_size():
    assert 123456789012345678 == stored(column(Kind.INTEGER), "123456789012345678", UTC)[0]
