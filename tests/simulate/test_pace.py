"""Rates, bursts and holds: gangs that wait for the rest of their places, admission by quota, nodes that are started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from schedplan.engines.parameter import Value
from schedplan.engines.stack import Preset
from schedplan.engines.stack_table import stacks_of
from schedplan.measures.replay import replay_measures
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.quota import Quota
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.rate import Rate
from schedplan.simulate.replay import replay

MINUTE = 60
ONE_NODE = Cluster((Pool("n", 1, 1, 1, gpus=8),))
TWO_NODES = Cluster((Pool("n", 2, 2, 2, gpus=4),))


def job(name: str, workers: int, minutes: float, at_s: int = 0, gpus: float = 1.0, **other: object) -> Job:
    made = Job(name, workers=workers, shape=WorkerShape(gpus=gpus), runtime_minutes=minutes, submit_s=at_s)
    return replace(made, **other)  # type: ignore[arg-type]


def run(
    stack: str, jobs: tuple[Job, ...], cluster: Cluster = ONE_NODE, quotas: tuple[Quota, ...] = (), **changes: Value
) -> tuple[Timeline, dict[str, float | None]]:
    """Return the timeline and the measures of the default of a stack; changes: of its parameters, with __ for . and _ for -."""
    named: Mapping[str, Value] = {path.replace("__", ".").replace("_", "-"): value for path, value in changes.items()}
    found = replay(cluster, jobs, stacks_of(stack)[0].policy(Preset.DEFAULT, named), quotas=quotas).timeline
    return found, {one.name: one.value for one in replay_measures(found) if not one.labels}


def starts(found: Timeline) -> dict[str, int]:
    return {name: int(at_s) for name, at_s, ran in zip(found.jobs, found.start_s, found.started, strict=True) if ran}


def test_a_rate_gives_its_burst_after_a_rest_and_then_so_many_a_second() -> None:
    rate = Rate(2.5, 10)
    given = []
    for now_s in (0, 1, 2, 10):
        given.append(rate.left(now_s))
        rate.take(given[-1])

    assert [10, 2, 3, 10] == given


def test_kube_scheduler_binds_5000_single_pods_in_98_seconds() -> None:
    """100 at once, then 50 a second: (5000 - 100) / 50 = 98. YuniKorn's makers measured 99 s with KWOK."""
    cluster = Cluster((Pool("n", 500, 500, 500, gpus=0, cpus=64),))
    pods = tuple(Job(f"p{idx:04d}", shape=WorkerShape(gpus=0, cpus=1), runtime_minutes=60, submit_s=0) for idx in range(5000))

    found, measured = run("kube-scheduler", pods, cluster)

    assert int(found.start_s.max()) == 98
    assert (found.start_s == 0).sum() == 100
    assert measured["decision_latency_s_max"] == 98.0


def test_coscheduling_rejects_a_gang_of_which_more_than_a_tenth_has_no_place() -> None:
    """5 of 8 devices are held for an hour; 3 of a gang of 8 would fit: it holds none of them, and a small job takes them."""
    found, measured = run("coscheduling", (job("a", 1, 60, gpus=5), job("gang", 8, 10, 1), job("small", 3, 10, 2)))

    assert starts(found) == {"a": 0, "gang": 3600, "small": 2}
    assert measured["gang_start_rate"] == 1.0


def test_coscheduling_holds_a_gang_of_which_a_tenth_is_missing_for_a_minute() -> None:
    """A gang of 20 on 20 devices, of which 2 are held for an hour: a tenth is missing, so 18 are held, for 60 s, over and over. A
    job of two devices that comes at 10 s starts at 60 s only if the gang didn't take its places again first: it is tried first."""
    cluster = Cluster((Pool("n", 1, 1, 1, gpus=20),))

    found, measured = run("coscheduling", (job("a", 1, 60, gpus=2), job("gang", 20, 10, 1)), cluster)

    assert starts(found)["gang"] == 3600
    assert measured["gang_start_rate"] == 1.0
    assert int(found.let_go.sum()) == 3599 // 60
    # 18 devices held from 1 s to 3,600 s beside 2 for an hour; then 20 for 10 min, of 20 devices over 70 min.
    assert measured["allocation"] == pytest.approx((18 * 3599 + 2 * 3600 + 20 * 600) / (20 * 4200))


def test_yunikorn_soft_binds_a_gang_in_parts_after_a_quarter_of_an_hour_and_hard_fails_it() -> None:
    """5 of 8 devices are held for an hour, a gang of 8 waits with 3 placeholders: released after 900 s, then bound apart, or
    failed."""
    jobs = (job("a", 1, 60, gpus=5), job("gang", 8, 10, 1))

    soft, hard = run("yunikorn", jobs), run("yunikorn", jobs, yunikorn__gang_style="Hard")

    assert (starts(soft[0]), starts(hard[0])) == ({"a": 0, "gang": 3600}, {"a": 0})
    assert (soft[1]["gang_start_rate"], soft[1]["unplaced"], hard[1]["unplaced"]) == (0.5, 0.0, 1.0)
    assert (int(soft[0].let_go.sum()), int(hard[0].let_go.sum())) == (1, 1)


def test_kueue_admits_what_the_sum_holds_and_shows_what_waits_for_nodes() -> None:
    """Two nodes of 4 devices with 3 held on each: 2 are free, but no node holds a worker of 2. It is admitted, and stands without
    nodes for 59 min 59 s with 2 devices."""
    jobs = (job("a", 2, 60, gpus=3), job("b", 1, 10, 1, gpus=2))

    found, measured = run("kueue+kube-scheduler", jobs, TWO_NODES)

    assert starts(found) == {"a": 0, "b": 3600}
    assert measured["phantom_admitted_device_h"] == pytest.approx(2 * 3599 / 3600)


def test_kueue_evicts_pods_that_are_not_all_ready_and_queues_the_job_again() -> None:
    """2 of a gang of 3 x 2 devices find nodes; after 100 s they are evicted, after another 60 s tried again, then after 120 s."""
    jobs = (job("a", 2, 60, gpus=5), job("gang", 3, 10, 1, gpus=2))
    cluster = Cluster((Pool("n", 2, 2, 2, gpus=8),))

    found, measured = run("kueue+kube-scheduler", jobs, cluster, kueue__pods_ready_timeout=100.0)

    assert measured["gang_start_rate"] == 0.5
    assert starts(found)["gang"] >= 3600
    gone = sorted({int(at_s) for at_s in found.parts.gone_s(found.end_s[found.parts.job])[found.let_go]})
    assert gone[:3] == [101, 261, 481]


def test_kueue_admits_by_quota_one_job_of_each_tenant_in_a_round() -> None:
    """x may hold 4 of 8, y 8. x has three jobs of 2, y one: all of one round start, and x waits with its third."""
    quotas = (Quota("x", 4, max=4), Quota("y", 4, max=8))
    jobs = (*(job(f"x{idx}", 1, 10, gpus=2, tenant="x") for idx in range(3)), job("y", 1, 10, gpus=2, tenant="y"))

    found, _ = run("kueue+kube-scheduler", jobs, quotas=quotas)

    assert starts(found) == {"x0": 0, "x1": 0, "x2": 600, "y": 0}


def test_kueue_admits_no_faster_than_its_rate() -> None:
    """One at the start, then two in a second: the fifth at 2 s."""
    found, _ = run("kueue+kube-scheduler", tuple(job(f"j{idx}", 1, 10) for idx in range(7)), kueue__admissions_per_s=2.0)

    assert [0, 0, 1, 1, 2, 2, 3] == sorted(starts(found).values())


def test_autopilot_starts_nodes_for_work_and_gives_them_back() -> None:
    """a waits 100 s for the node; b comes while it is there; c comes 20 min after the last end, and waits again."""
    jobs = (job("a", 1, 10), job("b", 1, 1, 300), job("c", 1, 1, 2000))

    found, measured = run("gke-autopilot", jobs)

    assert starts(found) == {"a": 100, "b": 300, "c": 2100}
    assert measured["decision_latency_s_max"] == 100.0


def test_volcano_passes_over_a_queue_that_holds_what_it_deserves() -> None:
    """x holds 4 of 8, its share; y asks for 5, which do not fit: x's next job waits for them although it would fit."""
    jobs = (job("x0", 1, 10, gpus=4, tenant="x"), job("y", 1, 10, 1, gpus=5, tenant="y"), job("x1", 1, 10, 2, tenant="x"))

    found, _ = run("volcano", jobs)

    assert starts(found) == {"x0": 0, "y": 600, "x1": 600}


def test_kai_serves_the_queue_below_its_fair_share_first() -> None:
    """x holds 6 of 8 when both ask for the last 2: y has nothing, and is first, although x's job is older."""
    jobs = (
        job("x0", 1, 10, gpus=6, tenant="x"),
        job("x1", 1, 10, 1, gpus=3, tenant="x"),
        job("x2", 1, 10, 2, gpus=2, tenant="x"),
        job("y", 1, 10, 2, gpus=2, tenant="y"),
    )

    found, _ = run("kai", jobs)

    assert starts(found)["y"] == 2
    assert starts(found)["x2"] == 600


def test_ray_does_what_a_trial_of_ray_showed() -> None:
    """Ray 2.60.0 on three emulated nodes of 8: PACK puts 12 bundles on two nodes, 8 and 4, and 4 on one; of two groups of 2 x 8 the
    second waits, a group of 4 x 1 goes by, and the second starts when the first is gone."""
    cluster = Cluster((Pool("n", 3, 3, 3, gpus=8),))

    twelve, _ = run("ray", (job("pack", 12, 10),), cluster)
    mixed, _ = run("ray", (job("a", 2, 10, gpus=8), job("b", 2, 10, 1, gpus=8), job("c", 4, 10, 2)), cluster)

    assert sorted(twelve.parts.workers.tolist()) == [4, 8]
    assert starts(mixed) == {"a": 0, "b": 600, "c": 2}
    assert mixed.parts.workers[mixed.parts.job == 2].tolist() == [4]
