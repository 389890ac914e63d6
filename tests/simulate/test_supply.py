"""Nodes that are taken back and come again, against closed forms; the same losses under every policy."""

from __future__ import annotations

from math import exp

import pytest

from schedplan.engines.policy_table import policy
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.timeline import StopCause, Timeline
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.options import ReplayOptions
from schedplan.simulate.replay import replay

HOUR = 3600
NODES = 400


def spot(per_hour: float, startup_minutes: float = 1 / 60) -> Cluster:
    pool = Pool(
        "s",
        count=NODES,
        min_count=0,
        max_count=NODES,
        gpus=1,
        market=Market.SPOT,
        interruptions_per_hour=per_hour,
        startup_minutes=startup_minutes,
    )
    return Cluster((pool,))


def runs(hours: float, **given: float) -> tuple[Job, ...]:
    """One job of a device on every node, so that each knows its own interruptions alone."""
    shape = WorkerShape(gpus=1)
    return tuple(
        Job(f"j{idx:04d}", submit_s=0, shape=shape, runtime_minutes=hours * 60, spot_ok=True, **given)  # type: ignore[arg-type]
        for idx in range(NODES)
    )


def held_s(found: Timeline) -> float:
    """Mean seconds that a job ran, in all its runs."""
    return float(found.run_s[found.started].mean())


@pytest.mark.parametrize("rate", [0.25, 0.5])
def test_from_the_beginning(rate: float) -> None:
    """E[T] = (e^(rate W) - 1) / rate for work W that begins anew after each interruption."""
    hours = 2.0
    seen = [
        held_s(replay(spot(rate), runs(hours), policy("first-fit"), ReplayOptions(seed=seed, loses_spot=True)).timeline)
        for seed in range(6)
    ]
    expected_s = (exp(rate * hours) - 1) / rate * HOUR

    assert expected_s == pytest.approx(sum(seen) / len(seen), rel=0.05)


def test_from_the_last_checkpoint() -> None:
    """E[T] = M e^(R/M) (e^((t+C)/M) - 1) W / t: checkpoints every t at cost C, restart R, mean time M between interruptions."""
    mean_h, every_h, cost_h, restart_h, hours = 2.0, 0.5, 0.05, 0.1, 20.0
    jobs = runs(hours, checkpoint_minutes=every_h * 60, checkpoint_cost_minutes=cost_h * 60, restart_minutes=restart_h * 60)
    seen = [
        held_s(replay(spot(1 / mean_h), jobs, policy("first-fit"), ReplayOptions(seed=seed, loses_spot=True)).timeline)
        for seed in range(3)
    ]
    expected_s = mean_h * exp(restart_h / mean_h) * (exp((every_h + cost_h) / mean_h) - 1) * hours / every_h * HOUR

    assert expected_s == pytest.approx(sum(seen) / len(seen), rel=0.03)


def test_the_same_nodes_are_lost_under_every_policy() -> None:
    cluster, jobs = spot(0.2, startup_minutes=30), runs(3.0)
    lost = []
    for name in ("fcfs", "easy", "best-fit", "sjf-skip"):
        found = replay(cluster, jobs, policy(name), ReplayOptions(seed=4, loses_spot=True)).timeline
        lost.append({stop.at_s for stop in found.stops if stop.at_s < HOUR})

        assert () == broken_laws(found)
        assert {StopCause.SPOT_RECLAIM} == {stop.cause for stop in found.stops}
    assert lost[0]
    assert all(one == lost[0] for one in lost)


def test_nothing_is_lost_where_nobody_asks_for_it() -> None:
    assert () == replay(spot(0.5), runs(1.0), policy("fcfs"), ReplayOptions(seed=1)).timeline.stops
