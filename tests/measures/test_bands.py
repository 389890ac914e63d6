"""Bands and paired differences, and bounds of hindsight, against what is known of them."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from schedplan.engines.policy_table import policy
from schedplan.measures.bands import bands, differences
from schedplan.measures.hindsight import LABELS, hindsight_measures
from schedplan.measures.replay import replay_measures
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.findings import Measure
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.replay import replay


def of(value: float | None) -> tuple[Measure, ...]:
    return (Measure("wait_s_mean", value, "s"),)


def test_equal_values_have_no_width() -> None:
    (band,) = bands([of(4.0), of(4.0), of(4.0)], 0)

    assert (4.0, 4.0, 4.0, 3) == (band.mean, band.low, band.high, band.replications)


def test_a_value_that_is_missing_is_left_out() -> None:
    (band,) = bands([of(4.0), of(None), of(6.0)], 0)

    assert (5.0, 2) == (band.mean, band.replications)
    assert () == bands([of(4.0), of(None)], 0)


def test_the_band_is_that_of_the_mean() -> None:
    """100 values 0 to 99: deviation 28.866, of the mean 2.887; the band is the mean -+ 1.96 of those, within a tenth."""
    (band,) = bands([of(float(value)) for value in range(100)], 0)

    assert 49.5 == band.mean
    assert 49.5 - 1.96 * 2.887 == pytest.approx(band.low, abs=0.3)
    assert 49.5 + 1.96 * 2.887 == pytest.approx(band.high, abs=0.3)


def test_pairing_tells_apart_what_bands_do_not() -> None:
    """Values from 0 to 900; each is 1 more in the other: bands overlap, the paired difference is 1 without width."""
    base = [of(100.0 * idx) for idx in range(10)]
    other = [of(100.0 * idx + 1) for idx in range(10)]
    (found,) = differences("b", other, "a", base, 0)

    assert (1.0, 1.0, 1.0, False) == (found.mean, found.low, found.high, found.is_tie)


def test_a_tie_is_called_one() -> None:
    """+1 and -1 in turn: the band holds 0."""
    base = [of(10.0)] * 10
    (found,) = differences("b", [of(10.0 + (-1) ** idx) for idx in range(10)], "a", base, 0)

    assert found.is_tie


def jobs_of(seed: int, count: int) -> tuple[Job, ...]:
    draw = random.Random(seed)
    return tuple(
        Job(
            f"j{idx}",
            submit_s=draw.randint(0, 20),
            workers=draw.choice([1, 1, 2, 3]),
            shape=WorkerShape(gpus=1),
            runtime_minutes=draw.randint(1, 20) / 60,
        )
        for idx in range(count)
    )


@pytest.mark.parametrize("seed", range(10))
def test_no_order_of_five_jobs_passes_the_bound(seed: int) -> None:
    """All 120 orders, each job as early as what comes before it in the order allows (fcfs and easy as well)."""
    jobs = jobs_of(seed, 5)
    cluster = Cluster((Pool("n", gpus=3),))
    found = replay(cluster, jobs, policy("fcfs")).timeline
    bound_of = {one.name: one.value or 0.0 for one in hindsight_measures(found)}
    for order in permutations(jobs):
        waits, last_s = placed(order, 3)
        response_s = sum(waits) / 5 + sum(round((job.runtime_minutes or 0) * 60) for job in jobs) / 5

        assert sum(waits) / 5 >= bound_of["wait_s_mean"] - 1e-9
        assert response_s >= bound_of["response_s_mean"] - 1e-9
        assert last_s - min(job.submit_s or 0 for job in jobs) >= bound_of["makespan_s"] - 1e-9


def placed(order: tuple[Job, ...], devices: int) -> tuple[list[int], int]:
    """Waits and last end of jobs put one after the other at the first second from which so many devices are free throughout."""
    used = [0] * 400
    waits, last_s = [], 0
    for job in order:
        start_s, run_s = job.submit_s or 0, round((job.runtime_minutes or 0) * 60)
        while max(used[start_s : start_s + run_s]) + job.workers > devices:
            start_s += 1
        for at_s in range(start_s, start_s + run_s):
            used[at_s] += job.workers
        waits.append(start_s - (job.submit_s or 0))
        last_s = max(last_s, start_s + run_s)
    return waits, last_s


def test_the_bound_by_hand() -> None:
    """Two devices, at 0 a (2 devices, 4 s), b (1 device, 2 s): work 4 s and 1 s of the machine. Shortest first: b ends at 1, a at
    5: mean 3, as the mean run time is 3. Last: max(4, 5) = 5, in which 10 of 10 device-seconds are used.
    """
    jobs = (
        Job("a", submit_s=0, workers=2, shape=WorkerShape(gpus=1), runtime_minutes=4 / 60),
        Job("b", submit_s=0, shape=WorkerShape(gpus=1), runtime_minutes=2 / 60),
    )
    found = replay(Cluster((Pool("n", gpus=2),)), jobs, policy("fcfs")).timeline

    assert {"makespan_s": 5.0, "response_s_mean": 3.0, "wait_s_mean": 0.0, "utilization": 1.0} == {
        one.name: one.value for one in hindsight_measures(found) if one.labels == LABELS
    }
    assert {one.name: one.value for one in replay_measures(found)}["makespan_s"] == 6.0
