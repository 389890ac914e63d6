"""`--machine`: what it says, and the nodes that the demand of a log suggests."""

from __future__ import annotations

import pytest

from schedplan.errors import InputError, UsageError
from schedplan.model.workload import Job, WorkerShape
from schedplan.tables.machine import Machine, MachineResource, NodeCount, machine_pool, parse_machine


def job(name: str, gpus: float = 1.0, workers: int = 1, minutes: float = 60, submit_s: int = 0) -> Job:
    return Job(name, submit_s=submit_s, workers=workers, shape=WorkerShape(gpus=gpus), runtime_minutes=minutes)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("40x8gpu", NodeCount(40, 8, MachineResource.GPU)),
        (" 2 x 64 CPUs ", NodeCount(2, 64, MachineResource.CPU)),
        ("auto", None),
    ],
)
def test_a_machine_is_count_and_size(text, stated):
    assert Machine(stated) == parse_machine(text)


@pytest.mark.parametrize("text", ["", "40", "40x8", "40x8tpu", "0x8gpu", "40x0gpu", "-1x8gpu", "4.5x8gpu", "2000000x8gpu"])
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(UsageError) as refused:
        parse_machine(text)
    assert refused.value.hint


def test_a_stated_machine_is_one_pool():
    pool, note = machine_pool(parse_machine("40x8gpu"), (job("a"),))

    assert (40, 40, 40, 8, 1, None) == (pool.count, pool.min_count, pool.max_count, pool.gpus, pool.slices_per_gpu, pool.cpus)
    assert "as --machine says: 40 nodes of 8 devices; its cores and memory are not known" in note


def test_shares_make_the_devices_shareable():
    pool, note = machine_pool(parse_machine("1x8gpu"), (job("a", gpus=0.25),))

    assert 1000 == pool.slices_per_gpu
    assert "1/1000" in note


def test_auto_takes_the_mean_demand_at_seventy_percent():
    # 20 devices for 1 h, then 10 for 1 h: mean 15 over the 2 h; 15 / 0.7 = 21.4 devices = 2.7 nodes of 8
    pool, note = machine_pool(parse_machine("auto"), (job("a", workers=20), job("b", workers=10, submit_s=3600)))

    assert (3, 8) == (pool.count, pool.gpus)
    assert "made up: 3 nodes of 8 devices, for a mean demand of 15.0 devices at a utilization of 70%" in note


def test_auto_makes_nodes_large_enough_for_the_largest_worker():
    pool, _ = machine_pool(parse_machine("auto"), (job("a", gpus=16),))

    # 16 / 0.7 = 22.9 devices in nodes of 16
    assert (2, 16) == (pool.count, pool.gpus)


def test_auto_counts_cores_where_no_job_asks_for_a_device():
    jobs = (Job("a", submit_s=0, workers=70, shape=WorkerShape(cpus=1.0), runtime_minutes=60),)

    pool, _ = machine_pool(parse_machine("auto"), jobs)

    # 70 / 0.7 = 100 cores in nodes of 64
    assert (2, 0, 64.0) == (pool.count, pool.gpus, pool.cpus)


def test_auto_needs_times():
    with pytest.raises(InputError, match="no job states both"):
        machine_pool(parse_machine("auto"), (Job("a", shape=WorkerShape(gpus=1)),))


def test_what_the_machine_cannot_hold_is_said():
    choosy = Job("c", shape=WorkerShape(gpus=1, accelerators=("A100",)))

    _, note = machine_pool(parse_machine("2x8gpu"), (job("a", gpus=16), job("b", workers=17), job("d", workers=18), choosy))

    assert "jobs with a worker larger than a node of 8 devices: 1" in note
    assert "jobs larger than all its 16 devices: 2" in note
    assert "jobs that ask for a device model, which it does not state: 1" in note
