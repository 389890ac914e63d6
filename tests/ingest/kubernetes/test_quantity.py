"""Quantities of Kubernetes: exact, and refused where the unit is none or in doubt."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedplan.ingest.kubernetes.quantity import cores, gib, memory_bytes, pieces, quantity
from schedplan.units import QuantityError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1Gi", 1_073_741_824),
        ("1G", 1_000_000_000),
        ("500m", Fraction(1, 2)),
        ("1.5", Fraction(3, 2)),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1E", 10**18),
        ("0.001Mi", Fraction(1_048_576, 1000)),
        ("1288490188800m", Fraction(1_288_490_188_800, 1000)),
        ("128Ki", 131_072),
        ("2k", 2000),
        ("3n", Fraction(3, 10**9)),
    ],
)
def test_quantities_are_exact(text, value):
    assert value == quantity(text)


@pytest.mark.parametrize(
    "text", ["1GB", "1gi", "1KB", "-20Gi", "1_000", "1,000", "", "Gi", "1 Gi", "inf", "٣", "0x10", "1e999", "1K"]
)
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(QuantityError):
        quantity(text)


def test_memory_below_a_mib_is_in_doubt():
    assert 1.0 == gib(memory_bytes("1Gi"))
    for text in ("400m", "4", "500000"):
        with pytest.raises(QuantityError, match="at least a MiB"):
            memory_bytes(text)
    assert 0 == memory_bytes("0")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("400m", "400m is 0.4 bytes); write 400Mi or 400M if that is meant"),
        ("500000", "500000 is 500000 bytes); write 500000Mi or 500000M if that is meant"),
        ("4Ki", "4Ki is 4096 bytes); write it with its unit, such as 400Mi"),
    ],
)
def test_the_advice_on_memory_in_doubt_is_about_the_amount_that_stands_there(text, advice):
    with pytest.raises(QuantityError) as refused:
        memory_bytes(text)

    assert str(refused.value).endswith(advice)


def test_devices_are_whole_and_cores_are_not():
    assert (8, 0.25) == (pieces("8"), cores("250m"))
    with pytest.raises(QuantityError):
        pieces("500m")
