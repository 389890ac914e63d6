"""What is paid for while devices start, and what a record of orders missed."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.measures.provisioning import paid, provisioned

HOUR = 3600


@pytest.mark.parametrize(
    ("startup_s", "expected"),
    [
        (0, [1, 3, 1, 1]),
        # the two that serve in the second hour are paid for from its beginning less an hour: all of the first
        (HOUR, [3, 3, 1, 1]),
        (2 * HOUR, [3, 3, 1, 1]),
        # a quarter of the first hour: 1 + 2/4
        (HOUR // 4, [1.5, 3, 1, 1]),
        # a whole hour and a quarter of the one before, which there is none of; then 3/4 * 1 + 1/4 * 1
        (HOUR * 5 // 4, [3, 3, 1, 1]),
    ],
)
def test_devices_are_paid_for_while_they_start(startup_s, expected):
    assert expected == pytest.approx(paid(np.array([1.0, 3.0, 1.0, 1.0]), HOUR, startup_s).tolist())


def test_a_record_of_orders():
    # 2, 2, 4 devices for 1, 3, 4 needed by loads of 10, 30, 60: the second of three hours is missed by one device; the first has
    # one of two to spare, so 1/8 of all; the slack per hour is 1/2, 0, 0, its 95th percentile 0.9 of the way from 0 to 1/2
    found = provisioned(np.array([2.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0]), np.array([10.0, 30.0, 60.0]), HOUR, 0)

    assert 8.0 == found.paid_device_h
    assert 1 / 3 == pytest.approx(found.missed_intervals)
    assert 0.7 == pytest.approx(found.slo_attainment)
    assert 1.0 == found.missed_device_h
    assert 1 / 8 == found.slack_mean
    assert 0.45 == pytest.approx(found.slack_p95)


def test_an_interval_nobody_saw_counts_for_nothing():
    gap = np.array([2.0, np.nan])

    assert 2.0 == provisioned(np.array([2.0, 9.0]), gap, gap, HOUR, 0).paid_device_h
    assert 0.0 == provisioned(np.array([2.0, 9.0]), gap, gap, HOUR, 0).missed_intervals


def test_without_load_or_devices_there_is_no_share():
    nothing = provisioned(np.zeros(2), np.zeros(2), np.zeros(2), HOUR, 0)

    assert (None, None, None) == (nothing.slo_attainment, nothing.slack_mean, nothing.slack_p95)
    with pytest.raises(ValueError, match="no interval"):
        provisioned(np.zeros(1), np.array([np.nan]), np.zeros(1), HOUR, 0)
