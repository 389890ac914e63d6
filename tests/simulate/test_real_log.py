"""The first 15,000 Philly jobs on 40 nodes of 8 devices: laws hold, policies rank as their rules say, the work stays bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.engines.policy_table import policy
from schedplan.ingest.philly import Philly
from schedplan.ingest.reader import ReadOptions
from schedplan.measures.replay import replay_measures
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster
from schedplan.model.workload import Job
from schedplan.simulate.replay import Replay, replay
from schedplan.tables.convert import content
from schedplan.tables.machine import machine_pool, parse_machine

JOBS = 15_000


@pytest.fixture(scope="module")
def jobs(shared_data: Path) -> tuple[Job, ...]:
    files = Philly().read(shared_data / "traces" / "philly_2017_vcA.csv.gz", ReadOptions())
    return tuple(sorted(content(files).jobs, key=lambda job: (job.submit_s or 0, job.name))[:JOBS])


@pytest.mark.real_data
def test_philly_under_three_policies(jobs: tuple[Job, ...]) -> None:
    pool, _ = machine_pool(parse_machine("40x8gpu"), jobs)
    found = {name: replay(Cluster((pool,)), jobs, policy(name)) for name in ("fcfs", "easy", "best-fit")}
    waits = {name: _value(one, "wait_s_mean") for name, one in found.items()}

    for one in found.values():
        assert () == broken_laws(one.timeline)
        assert JOBS == int(one.timeline.started.sum())
        # Work in = work out: device-seconds asked for are those that ran.
        assert sum(job.devices * round((job.runtime_minutes or 0) * 60) for job in jobs) == pytest.approx(
            float((one.timeline.amount * one.timeline.run_s).sum())
        )
    assert waits["best-fit"] < waits["easy"] < waits["fcfs"]
    counts = dict(found["easy"].counts)
    assert "heads later than first reserved" not in counts
    # Two events a job, and a decision for each instant at most; far fewer reservations and tries than jobs x waiting.
    assert counts["decisions"] <= 2 * JOBS
    assert counts["backfill tries"] <= 3 * JOBS


def _value(found: Replay, name: str) -> float:
    value = next(one.value for one in replay_measures(found.timeline) if one.name == name and not one.labels)
    assert value is not None
    return value
