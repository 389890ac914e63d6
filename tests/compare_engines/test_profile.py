"""Features of a workload, each by hand on a few jobs."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.compare_engines.profile import Feature, Profile, profile_of
from schedplan.model.problem import Demand
from schedplan.model.workload import JobKind, Service, WorkerShape
from schedplan.timegrid import TimeGrid
from tests.compare_engines.workloads import FOUR_NODES, WITH_SPOT, job, profile


def value(found: Profile, feature: Feature) -> float:
    return round(found.value_of[feature], 9)


def test_gangs_count_by_device_hours() -> None:
    """4 workers x 1 device x 3 h = 12 of 12 + 1 x 4 h = 16 device-hours."""
    found = profile(job("gang", workers=4, hours=3), job("single", hours=4))

    assert value(found, Feature.GANGS) == 0.75
    assert (found.n_gangs, found.largest_gang) == (1, "gang of 4 workers and 4 devices")


def test_a_job_is_big_when_it_asks_for_more_than_a_node_has() -> None:
    """A node has 8: the job of 9 is big, the one of 8 is not; 9 of 17 device-hours."""
    found = profile(job("nine", workers=9), job("eight", workers=8))

    assert value(found, Feature.BIG_JOBS) == round(9 / 17, 9)


def test_tenants_press_when_they_are_mixed_and_the_load_is_high() -> None:
    """Two tenants with half of the work each: chance 1 - 2/4 = 1/2 that two hours differ. 2 x 16 device-hours on 32 devices in
    1 h: offered load 1, so the pressure is 1/2; on the same devices over 2 h it is half of that."""
    together = profile(job("a", workers=16, tenant="a"), job("b", workers=16, tenant="b"))
    apart = profile(job("a", workers=16, tenant="a"), job("b", workers=16, tenant="b", at_h=1))

    assert (0.5, 1.0) == (value(together, Feature.TENANTS), together.offered_load)
    assert (0.25, 0.5) == (value(apart, Feature.TENANTS), apart.offered_load)


def test_priorities_spread_by_work() -> None:
    """3 of 4 device-hours at one priority: 1 - 9/16 - 1/16 = 3/8."""
    found = profile(job("low", hours=3), job("high", priority=5))

    assert value(found, Feature.PRIORITIES) == 0.375


def test_shares_of_devices_and_slices_are_counted() -> None:
    sliced = job("slice", gpus=0.5)
    found = profile(sliced, job("whole"), job("half", gpus=0.5), job("named", shape=WorkerShape(1.0, slice_profile="1g.10gb")))

    assert (0.5, 2, 1) == (value(found, Feature.FRACTIONS), found.n_fractional, found.n_sliced)


def test_spot_counts_only_where_there_are_spot_nodes() -> None:
    jobs = (job("may", workers=2, spot_ok=True), job("may-not", workers=2))

    assert (0.0, 0) == (value(profile(*jobs), Feature.SPOT), profile(*jobs).n_gangs_on_spot)
    assert (0.5, 1) == (value(profile(*jobs, cluster=WITH_SPOT), Feature.SPOT), profile(*jobs, cluster=WITH_SPOT).n_gangs_on_spot)


def test_arrivals_count_half_at_one_a_minute() -> None:
    """61 submissions over 60 min are 61 an hour: 61 / 121."""
    found = profile(*(job(f"j{minute:02d}", at_h=minute / 60) for minute in range(61)))

    assert value(found, Feature.ARRIVALS) == round(61 / 121, 9)


def test_limits_count_by_how_many_state_one_and_how_near_it_is() -> None:
    """Half of the jobs state a limit, and use 60 of its 120 min: 1/2 x 1/2."""
    found = profile(job("limited", time_limit_minutes=120.0), job("free"))

    assert value(found, Feature.LIMITS) == 0.25


def test_tuning_jobs_ask_for_a_search() -> None:
    assert value(profile(job("t", kind=JobKind.TUNING), job("b")), Feature.TUNING) == 0.5


def test_services_hold_what_their_load_keeps_busy() -> None:
    """1,000 requests/s x 0.1 s / concurrency 50 = 2 devices for 2 h = 4 device-hours beside a job of 4 h: half. The load is 500
    on average and 1,000 at the peak of the second grid: swing 1/2."""
    service = Service("s", 200.0, 100.0, concurrency=50, shape=WorkerShape(gpus=1.0))
    grid = TimeGrid.regular(0, 60, 2)
    level, swinging = np.array([1000.0, 1000.0]), np.array([0.0, 1000.0])

    steady = profile_of(FOUR_NODES, (job("j", hours=4),), (service,), (Demand("s", level, level),), grid)
    moving = profile_of(FOUR_NODES, (job("j", hours=4),), (service,), (Demand("s", swinging, swinging),), grid)

    assert (0.5, 0.0) == (value(steady, Feature.SERVING), value(steady, Feature.SWING))
    assert value(moving, Feature.SWING) == 0.5
    assert steady.hours == 2.0


def test_jobs_without_length_count_as_the_mean_and_that_is_said() -> None:
    """The gang of 2 counts as 3 h, the mean of 2 and 4: 6 of 12 device-hours."""
    found = profile(job("two", hours=2), job("four", hours=4), job("open", workers=2, runtime_minutes=None))

    assert value(found, Feature.GANGS) == 0.5
    assert found.notes == ("1 job states no length; each counts as 3 h, the mean of those that do, else 1 h",)


def test_nothing_at_all_is_a_profile_of_zeros() -> None:
    found = profile()

    assert {0.0} == {one.value for one in found.features}
    assert found.hours == 0.0
    assert found.offered_load is None


@pytest.mark.parametrize("feature", Feature, ids=lambda one: one.value)
def test_every_feature_has_a_value_between_0_and_1_and_its_numbers(feature: Feature) -> None:
    found = profile(job("a", workers=40, hours=100), job("b", gpus=0.25, at_h=5))

    assert 0.0 <= found.value_of[feature] <= 1.0
    assert found.evidence(feature)
