"""Published figures of engines, against the models that stand in for them."""

from __future__ import annotations

from statistics import fmean

import pytest

from schedplan.engines.parameter import Tier
from schedplan.engines.policies.kueue import PUBLISHED_RATE
from schedplan.engines.stack import Preset
from schedplan.engines.stack_table import parameters_of, stacks_of
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.replay import replay

TENTHS = 10
"""A second of the replay is a tenth of one of the benchmark, whose work lasts 200 to 1,000 ms."""
CLASSES = (("large", 50, 12, 10, 200, 20), ("medium", 100, 5, 5, 100, 5), ("small", 350, 1, 2, 50, 1))
"""(class, workloads per ClusterQueue, interval, run time, priority, request), times in tenths of a second.

Source: kubernetes-sigs/kueue test/performance/scheduler/configs/baseline/generator.yaml; 5 cohorts of 6 queues, nominal 20,
borrowing 100. Published means of five runs (rangespec.yaml): 351.1 s, waits 6.7, 76.8 and 215.5 s, bounded by calls of the API.
"""
PUBLISHED_S = {"makespan": 351.1, "large": 6.7, "medium": 76.8, "small": 215.5}


def baseline(admissions_per_s: float) -> dict[str, float]:
    """Return the mean wait to admission of each class, and the makespan, in seconds of the benchmark."""
    queues = [(f"cohort{cohort}", f"cq{cohort}-{queue}") for cohort in range(5) for queue in range(6)]
    jobs = tuple(
        Job(
            f"{tenant}-{name}-{idx:03d}",
            shape=WorkerShape(gpus=request),
            runtime_minutes=run / 60,
            submit_s=idx * interval,
            priority=priority,
            tenant=tenant,
        )
        for _, tenant in queues
        for name, count, interval, run, priority, request in CLASSES
        for idx in range(count)
    )
    quotas = tuple(Quota(tenant, 20, parent=cohort, max=120) for cohort, tenant in queues)
    changes = {"kueue.admissions-per-s": admissions_per_s / TENTHS, "kueue.topology-aware": True}
    policy = stacks_of("kueue+kube-scheduler")[0].policy(Preset.DEFAULT, changes)

    found = replay(Cluster((Pool("units", 1, 1, 1, gpus=600),)), jobs, policy, quotas=quotas).timeline

    assert len(found.jobs) == 15_000
    assert found.started.all()
    waits: dict[str, list[float]] = {}
    for job, waited in zip(found.jobs, (found.start_s - found.submit_s).tolist(), strict=True):
        waits.setdefault(job.split("-")[2], []).append(waited / TENTHS)
    return {**{name: fmean(values) for name, values in waits.items()}, "makespan": (found.last_s - found.first_s) / TENTHS}


def test_kueue_baseline_with_the_published_rate_of_admissions() -> None:
    found = baseline(PUBLISHED_RATE)

    assert found["large"] < found["medium"] < found["small"]
    assert found["small"] == pytest.approx(PUBLISHED_S["small"], rel=0.15)
    assert found["medium"] == pytest.approx(PUBLISHED_S["medium"], rel=0.4)
    assert found["makespan"] == pytest.approx(PUBLISHED_S["makespan"], rel=0.1)


def test_kueue_baseline_without_a_limit_is_bounded_by_its_work_alone() -> None:
    """30 x (350 x 0.2 x 1 + 100 x 0.5 x 5 + 50 x 1 x 20) unit-seconds on 600 units: 66 s."""
    found = baseline(1e5)

    assert found["makespan"] == pytest.approx(66.0, rel=0.02)
    assert found["large"] < 1.0 < found["medium"] < 15.0 < found["small"] < 50.0


def test_the_rate_of_admissions_is_shown_as_calibrated() -> None:
    (rate,) = (one for one in parameters_of("kueue") if one.name == "admissions-per-s")

    assert (rate.tier, rate.default) == (Tier.MEASURED, pytest.approx(15_000 / 351, abs=0.01))
    assert rate.band is not None
