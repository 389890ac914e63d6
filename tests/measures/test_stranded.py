import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.stranded import average_worker
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

GRID = TimeGrid.regular(0, 60, 2)


def job(name, gpus, workers=1, cpus=0.0):
    return Job(name, workers=workers, shape=WorkerShape(gpus=gpus, cpus=cpus), runtime_minutes=60.0)


def stranded(pool, jobs, placed, on=(True, True)):
    problem = Problem("p", GRID, Cluster((pool,)), jobs)
    parts = tuple(JobPart(name, "n", 0, workers) for name, workers in placed)
    return account(problem, Decisions(parts, (), np.array([on]))).node_use.devices_stranded.tolist()[0]


def test_the_average_worker_is_rounded_up_to_whole_devices():
    # (4 + 1 + 1)/3 devices, (8 + 1 + 1)/3 cores.
    problem = Problem("p", GRID, Cluster((Pool("n", gpus=8),)), (job("a", 4, cpus=8), job("b", 1, workers=2, cpus=1)))
    found = average_worker(problem)

    assert (found.gpus, found.cpus) == (2, pytest.approx(10 / 3))


def test_free_devices_are_stranded_where_no_expected_worker_fits():
    # 8 devices, a holds 7: the average worker asks for 7, so the one left is stranded; later all 8 are free and useful.
    assert stranded(Pool("n", gpus=8), (job("a", 7),), [("a", 1)]) == [1.0, 0.0]


def test_a_waiting_worker_that_fits_makes_them_useful():
    # The average of 7 and 1 is 4, which does not fit; the job left out asks for 1.
    assert stranded(Pool("n", gpus=8), (job("a", 7), job("b", 1)), [("a", 1)]) == [0.0, 0.0]


def test_devices_without_cores_are_stranded():
    # Two devices are free, but a holds all cores.
    pool = Pool("n", gpus=4, cpus=8)

    assert stranded(pool, (job("a", 2, cpus=8),), [("a", 1)]) == [2.0, 0.0]


def test_nodes_that_are_off_strand_nothing():
    assert stranded(Pool("n", gpus=8), (job("a", 7),), [("a", 1)], on=(False, False)) == [0.0, 0.0]
