"""Measures of a replay on schedules whose numbers are derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.measures.replay import jain, replay_measures
from schedplan.model.timeline import DropReason, Parts, Timeline

HOUR = 3600


def timeline() -> Timeline:
    """Two nodes of 4 devices, in hours: a (4 devices) n1 0-2; b (2) n2 0-1; g (8, a gang) submitted at 1, on both 2-4.

    w (1), submitted at 3, never starts. One job was larger than the machine.
    """
    return Timeline(
        policy="made by hand",
        unit="device",
        nodes=("n1", "n2"),
        capacity=np.array([4.0, 4.0]),
        jobs=("a", "b", "g", "w"),
        tenants=("x", "y"),
        tenant=np.array([0, 0, 1, 1]),
        workers=np.array([1, 1, 2, 1]),
        amount=np.array([4.0, 2.0, 8.0, 1.0]),
        worker_amount=np.array([4.0, 2.0, 4.0, 1.0]),
        is_gang=np.array([True, True, True, False]),
        submit_s=np.array([0, 0, 1, 3]) * HOUR,
        run_s=np.array([2, 1, 2, 5]) * HOUR,
        started=np.array([True, True, True, False]),
        start_s=np.array([0, 0, 2, 0]) * HOUR,
        end_s=np.array([2, 1, 4, 0]) * HOUR,
        killed=np.zeros(4, dtype=np.bool_),
        reason=np.zeros(4, dtype=np.int64),
        has_deadline=np.array([True, False, True, True]),
        deadline_s=np.array([2, 0, 3, 9]) * HOUR,
        parts=Parts(
            job=np.array([0, 1, 2, 2]),
            node=np.array([0, 1, 0, 1]),
            workers=np.array([1, 1, 1, 1]),
            amount=np.array([4.0, 2.0, 4.0, 4.0]),
            taken_s=np.array([0, 0, 2, 2]) * HOUR,
            devices=((0, 1, 2, 3), (0, 1), (0, 1, 2, 3), (0, 1, 2, 3)),
        ),
        price_per_h=10.0,
        dropped=((DropReason.TOO_LARGE, 1),),
    )


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], float | None]:
    return {(one.name, dict(one.labels).get("tenant", "")): one.value for one in replay_measures(timeline(), "CNY")}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wait_s_mean", HOUR / 3),  # 0, 0, 1 h
        ("wait_s_p50", 0.0),
        ("wait_s_p95", HOUR),  # the third of three by nearest rank
        ("response_s_mean", 2 * HOUR),  # 2, 1, 3 h
        ("bounded_slowdown_mean", (1 + 1 + 1.5) / 3),  # g: (1 + 2) / 2
        ("makespan_s", 4 * HOUR),
        ("utilization", 26 / 32),  # 4 x 2 + 2 x 1 + 8 x 2 device-hours of 8 x 4
        ("allocation", 26 / 32),
        ("queue_length_mean", 2 / 4),  # g waits from 1 to 2, w from 3 to 4
        ("queue_length_max", 1.0),
        ("queue_length_p50", 0.0),
        ("gang_start_rate", 1.0),
        ("wait_largest_decile_s", HOUR),  # one of three gangs: g
        # Largest worker 4. 0-1: 2 free on n2, none fits: 0 of 2. 1-2: 4 free on n2: 4 of 4. 2-4: nothing free. Mean of 0 and 1.
        ("fragmentation", 0.5),
        # Average worker (4 + 2 + 8 + 1) / 5 = 3. 0-1: the 2 of n2 hold no 3, and nobody waits: 2; then 0. Mean over 4 h.
        ("stranded_devices", 0.5),
        ("unplaced", 2.0),
        ("deadline_hits", 1 / 3),
        # Slowdowns 1 and 1.5: 2.5^2 / (2 x 3.25).
        ("jain_tenants", 6.25 / 6.5),
        ("cost", 40.0),
        ("preemptions", 0.0),
    ],
)
def test_each_measure(measured: dict[tuple[str, str], float | None], name: str, expected: float) -> None:
    assert expected == pytest.approx(measured[name, ""])


def test_waits_by_tenant(measured: dict[tuple[str, str], float | None]) -> None:
    assert (0.0, HOUR) == (measured["wait_s_mean", "x"], measured["wait_s_mean", "y"])


def test_nothing_to_measure() -> None:
    assert jain([]) is None
    assert 1.0 == jain([2.0, 2.0])
