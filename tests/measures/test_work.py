from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.work import (
    counted,
    counted_share,
    importance,
    job_size,
    node_share,
    reference_h,
    reference_work_per_h,
    release_s,
    run_minutes,
)
from schedplan.model.cluster import Cluster, Pool, Speed
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Placed, Service, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600
GRID = TimeGrid.regular(T0, 60, 4)
DEVICES = Cluster((Pool("a", count=2, max_count=2, gpus=4, cpus=10), Pool("b", cpus=80)))
CORES = Cluster((Pool("b", cpus=80), Pool("c")))


def test_devices_are_counted_where_any_node_has_some_else_cores():
    assert [counted(pool, DEVICES) for pool in DEVICES.pools] == [4.0, 0.0]
    assert [counted(pool, CORES) for pool in CORES.pools] == [80.0, 0.0]
    assert counted_share(WorkerShape(gpus=0.5, cpus=3), DEVICES) == 0.5
    assert counted_share(WorkerShape(gpus=0.5, cpus=3), CORES) == 3


def test_size_is_the_largest_share_in_devices():
    # 8 devices, 100 cores. 2 of 8 devices = 1/4 against 2 x 5 of 100 cores = 1/10; without devices 50 of 100 cores = 1/2 of 8.
    assert job_size(DEVICES, Job("j", workers=2, shape=WorkerShape(gpus=1, cpus=5))) == pytest.approx(2.0)
    assert job_size(DEVICES, Job("j", workers=2, shape=WorkerShape(cpus=25))) == pytest.approx(4.0)


def test_size_without_devices_is_the_share_itself():
    assert job_size(CORES, Job("j", shape=WorkerShape(cpus=20))) == pytest.approx(0.25)


def test_a_job_that_asks_for_nothing_known_weighs_a_thousandth():
    assert job_size(DEVICES, Job("j")) == pytest.approx(0.008)
    assert job_size(Cluster((Pool("c"),)), Job("j", shape=WorkerShape(cpus=20))) == pytest.approx(0.001)


def test_importance_is_urgency_times_size_times_hours():
    # Priorities 0, 5 and 9: the middle one has urgency 2; 2 devices for 1.5 h.
    jobs = tuple(Job(str(p), priority=p, workers=2, shape=WorkerShape(gpus=1), runtime_minutes=90.0) for p in (0, 5, 9))
    problem = Problem("p", GRID, DEVICES, jobs)

    assert importance(problem, jobs[1]) == pytest.approx(2 * 2 * 1.5)


def test_a_job_without_a_runtime_has_no_hours():
    with pytest.raises(ValueError, match="job j has no runtime"):
        reference_h(Job("j"))


@pytest.mark.parametrize(
    ("share", "pool", "shape"),
    [
        (0.25, Pool("n", gpus=4, cpus=10), WorkerShape(gpus=1, cpus=10)),
        (0.0, Pool("n", gpus=4, cpus=10), WorkerShape(cpus=10)),
        (0.5, Pool("n", cpus=10), WorkerShape(cpus=5)),
        (0.5, Pool("n", memory_gib=10), WorkerShape(memory_gib=5)),
        (0.0, Pool("n"), WorkerShape(cpus=5)),
    ],
)
def test_a_worker_bears_its_share_of_the_node(share, pool, shape):
    assert share == pytest.approx(node_share(pool, shape))


def test_a_running_job_has_its_rest_before_it_and_at_least_one_slot():
    pool = Pool("n", accelerator="fast")
    cluster = Cluster((pool,), (Speed("fast", "batch", 2.0),))
    fresh = Job("fresh", runtime_minutes=240.0)
    begun = Job("begun", runtime_minutes=240.0, state=JobState.RUNNING, start_s=T0 - H // 2)
    over = Job("over", runtime_minutes=240.0, state=JobState.RUNNING, start_s=T0 - 9 * H)
    problem = Problem("p", GRID, cluster, (begun, fresh, over))

    # Twice as fast: 120 min; 30 have run; what should be over has the first slot of 60 min.
    assert [run_minutes(problem, job, pool) for job in (fresh, begun, over)] == [120.0, 90.0, 60.0]


def test_data_is_loaded_where_the_cache_does_not_hold_it():
    holds, empty = Pool("holds", caches=("m",)), Pool("empty")
    job = Job("j", runtime_minutes=120.0, affinity="m", load_minutes=20.0)
    running = replace(job, state=JobState.RUNNING, start_s=T0 - H, placement=(Placed("empty", 1), Placed("holds", 1)), workers=2)
    problem = Problem("p", GRID, Cluster((empty, holds)), (job,))

    assert [run_minutes(problem, job, pool) for pool in (holds, empty)] == [120.0, 140.0]
    # of 140 min on the slower of its nodes 60 have run
    assert [run_minutes(problem, running, pool) for pool in (holds, empty)] == [80.0, 80.0]
    assert run_minutes(problem, replace(job, affinity=None), holds) == 140.0


def test_waits_count_from_the_release_inside_the_horizon():
    problem = Problem("p", GRID, DEVICES)

    assert release_s(problem, Job("j")) == T0
    assert release_s(problem, Job("j", submit_s=T0 - H)) == T0
    assert release_s(problem, Job("j", submit_s=T0 - H, earliest_start_s=T0 + H)) == T0 + H


def test_reference_work_of_a_service_is_a_constant_of_its_demand():
    # 100/s, half from the cache, 200 ms, two at once: 5 replicas busy, of 2 devices each.
    service = Service("s", 500, 200, concurrency=2, cache_hit_ratio=0.5, shape=WorkerShape(gpus=2))

    assert reference_work_per_h(service, DEVICES, float(np.float64(100))) == pytest.approx(10.0)
