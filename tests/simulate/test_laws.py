"""Laws of conservation on random workloads, what two ways of keeping the machine agree on, and what a policy may not know."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from schedplan.engines.policy import Policy
from schedplan.engines.policy_table import POLICIES, policy
from schedplan.measures.replay import replay_measures
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Pool, Speed
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.options import Detail, ReplayOptions
from schedplan.simulate.replay import replay
from tests.simulate.trials import MIXED, guide_for, law_fault, random_jobs

BY_ITSELF = tuple(one for one in POLICIES if one.name != "plan")


def single_devices(seed: int, count: int) -> tuple[Job, ...]:
    return tuple(replace(job, shape=WorkerShape(gpus=1)) for job in random_jobs(seed, count))


def by_name(found: Timeline) -> dict[str, int]:
    return {job: int(start_s) for job, start_s, started in zip(found.jobs, found.start_s, found.started, strict=True) if started}


@pytest.mark.parametrize("chosen", BY_ITSELF, ids=[one.name for one in BY_ITSELF])
def test_laws_hold(chosen: Policy) -> None:
    faults = [law_fault(chosen.name, seed, 60 if seed else 250) for seed in range(5)]

    assert [None] * 5 == faults


def test_laws_see_what_breaks_them() -> None:
    found = replay(MIXED, random_jobs(1), policy("fcfs")).timeline
    late = replace(found, submit_s=found.submit_s + 10**7)
    twice = replace(found, parts=replace(found.parts, node=found.parts.node * 0))
    short = replace(found, workers=found.workers + 1)

    assert "is submitted" in broken_laws(late)[0]
    assert any("at once" in law for law in broken_laws(twice))
    assert "workers" in broken_laws(short)[0]


def test_same_bytes_again() -> None:
    jobs = random_jobs(5)
    once, again = (replay(MIXED, jobs, policy("kube-scheduler"), ReplayOptions(seed=3)) for _ in range(2))
    other = replay(MIXED, jobs, policy("kube-scheduler"), ReplayOptions(seed=4))

    assert replay_measures(once.timeline) == replay_measures(again.timeline)
    assert once.timeline.parts.node.tolist() == again.timeline.parts.node.tolist()
    assert once.timeline.parts.node.tolist() != other.timeline.parts.node.tolist()


@pytest.mark.parametrize("name", ["fcfs", "easy", "best-fit"])
def test_the_sum_gives_the_same_starts_as_the_nodes(name: str) -> None:
    machine = Cluster((Pool("n", count=5, min_count=5, max_count=5, gpus=4),))
    for seed in range(10):
        jobs = single_devices(seed, 150)
        starts = [by_name(replay(machine, jobs, policy(name), ReplayOptions(detail=detail)).timeline) for detail in Detail]

        assert starts[0] == starts[1] == starts[2]


@pytest.mark.parametrize("chosen", BY_ITSELF, ids=[one.name for one in BY_ITSELF])
def test_the_future_changes_no_earlier_start(chosen: Policy) -> None:
    """True run times below the limit, and later submissions, are not known before they come."""
    jobs = tuple(replace(job, time_limit_minutes=70.0) for job in random_jobs(2, 120))
    cut_s = sorted(job.submit_s or 0 for job in jobs)[60]
    draw = random.Random(9)
    other = tuple(
        job
        if (job.submit_s or 0) <= cut_s
        else replace(job, submit_s=(job.submit_s or 0) + draw.randint(0, 500), runtime_minutes=draw.randint(1, 70))
        for job in jobs
    )
    first, second = (
        by_name(replay(MIXED, jobs, chosen, guide=guide_for(chosen)).timeline),
        by_name(replay(MIXED, other, chosen, guide=guide_for(chosen)).timeline),
    )

    assert {job: at for job, at in first.items() if at <= cut_s} == {job: at for job, at in second.items() if at <= cut_s}


def test_a_reservation_is_never_delayed_under_easy() -> None:
    """Estimates are never too short here, so no head may start later than what it was first promised."""
    reserved = 0
    for seed in range(12):
        for detail, jobs in ((Detail.NODES, random_jobs(seed, 200)), (Detail.POOL, single_devices(seed, 200))):
            cluster = MIXED if detail is Detail.NODES else Cluster((Pool("n", gpus=12),))
            counts = dict(replay(cluster, jobs, policy("easy"), ReplayOptions(detail=detail)).counts)
            reserved += counts["reservations"]

            assert "heads later than first reserved" not in counts
            assert "overrun estimates met" not in counts
    assert reserved > 600


def test_overrun_estimates_are_counted() -> None:
    """On a device at half speed a job without limit runs twice as long as estimated: its release is taken as a second away."""
    cluster = Cluster((Pool("n", gpus=2, accelerator="old"),), (Speed("old", "batch", 0.5),))
    jobs = (
        Job("a", submit_s=0, shape=WorkerShape(gpus=1), runtime_minutes=10 / 60),
        Job("b", submit_s=1, shape=WorkerShape(gpus=2), runtime_minutes=1 / 60),
        Job("c", submit_s=12, shape=WorkerShape(gpus=1), runtime_minutes=1 / 60),
    )
    found = replay(cluster, jobs, policy("easy"))

    # a runs 0-20, not 0-10; at 12 c (estimate 1) would end at 13 <= 12 + 1 and goes, until 14; b 20-22.
    assert {"a": 0, "b": 20, "c": 12} == by_name(found.timeline)
    assert dict(found.counts)["overrun estimates met"] > 0
    assert 20 == int(found.timeline.run_s[0])
