"""The benchmarks of replays run at their smallest size; the work they count is bounded, whatever the clock says."""

from __future__ import annotations

import tracemalloc

import pytest

from benchmarks.replays import CORES, DEVICES, SPECS, ReplaySpec, measured, single_devices, waiting
from schedplan.engines.policy_table import policy
from schedplan.simulate.replay import replay


@pytest.mark.parametrize("spec", SPECS, ids=[spec.name for spec in SPECS])
def test_every_spec_runs_to_the_end(spec: ReplaySpec) -> None:
    cost = measured(spec, spec.smoke)

    assert spec.smoke == cost.started
    # Two events a job and a decision for each instant at most.
    if spec.policy != "preempt":
        assert cost.counts["decisions"] <= 2 * spec.smoke


def test_a_replay_keeps_columns_and_no_object_per_job() -> None:
    """251 bytes a job were seen at most, its name of 57 among them."""
    replay(DEVICES, single_devices(10), policy("fcfs"))
    tracemalloc.start()
    try:
        found = replay(DEVICES, single_devices(20_000), policy("fcfs"))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert found.timeline.started.all()
    assert most <= 20_000 * 300


def test_the_work_of_a_decision_does_not_grow_with_the_queue() -> None:
    """Lanes are looked at, not jobs: with 500 waiting jobs in place of 50, at most twice the tries and reservations of a
    decision.
    """
    costs = [measured(ReplaySpec("waiting", "easy", CORES, waiting, size, 1), size).counts for size in (50, 500)]
    few, many = ((cost["backfill tries"] + cost["reservations"]) / cost["decisions"] for cost in costs)

    assert many <= 2 * few
