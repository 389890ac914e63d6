"""The rules of room: work that no node, pool or quota may ever hold."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from schedplan.model.cluster import Market, NodeStatus, Pool
from schedplan.model.findings import Severity
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.workload import JobState, Topology, WorkerShape
from schedplan.timegrid import TimeGrid
from tests.validate.judged import JOB, LOAD, POOL, SERVICE, codes, found


def test_work_without_a_ready_node_is_an_error():
    assert "SP1210" in codes(found(jobs=(JOB,)))
    assert "SP1210" in codes(found(replace(POOL, status=NodeStatus.DOWN), jobs=(JOB,)))
    assert () == found()


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (WorkerShape(gpus=8.0), []),
        (WorkerShape(gpus=9.0), ["SP1211"]),
        (WorkerShape(gpus=1.0, accelerators=("H100",)), ["SP1211"]),
        (WorkerShape(gpus=1.0, resources=(("rdma", 1.0),)), ["SP1211"]),
    ],
)
def test_a_worker_that_no_node_takes(shape, expected):
    assert expected == codes(found(POOL, jobs=(replace(JOB, shape=shape),)))


def test_what_is_required_is_an_error_and_what_may_be_left_out_a_warning():
    job = replace(JOB, shape=WorkerShape(gpus=9.0))

    assert [Severity.WARNING] == [finding.severity for finding in found(POOL, jobs=(job,))]
    assert [Severity.ERROR] == [finding.severity for finding in found(POOL, jobs=(replace(job, required=True),))]


def test_history_is_not_judged():
    assert () == found(POOL, jobs=(replace(JOB, shape=WorkerShape(gpus=9.0), state=JobState.COMPLETED, runtime_minutes=None),))


def test_a_gang_larger_than_every_pool():
    # 3 nodes x 8 devices hold 24 workers of one device
    assert [] == codes(found(POOL, jobs=(replace(JOB, workers=24),)))

    (finding,) = found(POOL, jobs=(replace(JOB, workers=25),))

    assert "SP1212" == finding.code
    assert "it needs 25 workers at once; the largest place for it (p) holds 24" == finding.message


def test_a_gang_that_fits_in_sum_but_not_on_nodes():
    # 4 workers x 5 devices = 20 of 24, but a node of 8 holds one worker of 5: 3 in all
    (finding,) = found(POOL, jobs=(replace(JOB, workers=4, shape=WorkerShape(gpus=5.0)),))

    assert "SP1213" == finding.code
    assert "4 workers x 5 devices = 20 of 24 devices" in finding.message
    assert "holds 3 workers (1 on each of 3 nodes of p)" in finding.message


@pytest.mark.parametrize(("workers", "expected"), [(8, []), (9, ["SP1212"])])
def test_a_rack_is_the_place_where_a_rack_is_asked_for(workers, expected):
    # two racks of one node with 8 devices each
    racks = tuple(Pool(name, accelerator="A100", gpus=8, rack=name) for name in ("r1", "r2"))

    assert expected == codes(found(*racks, jobs=(replace(JOB, workers=workers, topology=Topology.RACK),)))


@pytest.mark.parametrize(("reclaims", "expected"), [(0.1, []), (0.2, ["SP1212"])])
def test_a_gang_on_spot_never_spans_two_reclaim_rates(reclaims, expected):
    # one node of 8 devices each: together 16 workers, apart 8
    p = Pool("p", accelerator="A100", gpus=8, market=Market.SPOT, price_per_hour=1.0, interruptions_per_hour=0.1)
    job = replace(JOB, workers=16, spot_ok=True, checkpoint_minutes=10.0)

    assert expected == codes(found(p, replace(p, name="q", interruptions_per_hour=reclaims), jobs=(job,)))


def test_least_replicas_must_fit():
    assert [] == codes(found(POOL, services=(replace(SERVICE, min_replicas=24),), series=(LOAD,)))
    assert ["SP1214"] == codes(found(POOL, services=(replace(SERVICE, min_replicas=25),), series=(LOAD,)))


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [
        ((Quota("default", 8.0),), []),  # without max it may borrow
        ((Quota("default", 16.0, max=16.0),), []),
        ((Quota("default", 15.0, max=15.0),), ["SP1218"]),
        ((Quota("default", 9.0, parent="ml"), Quota("other", 7.0, parent="ml")), []),  # 16 promised together
        ((Quota("default", 9.0, parent="ml"), Quota("other", 6.0, parent="ml")), ["SP1218"]),
        ((Quota("default", 9.0, parent="ml"), Quota("other", 7.0, parent="ml", lend=6.0)), ["SP1218"]),  # 1 is kept for the other
        ((Quota("default", 8.0, max=8.0, accelerator="A100"),), ["SP1218"]),
        ((Quota("default", 8.0, max=8.0, accelerator="H100"),), []),
        ((Quota("default", 31.0, max=31.0, resource=QuotaResource.CPUS),), ["SP1218"]),
        ((Quota("default", 32.0, max=32.0, resource=QuotaResource.CPUS),), []),
    ],
)
def test_a_gang_beyond_its_quota(quotas, expected):
    # 2 workers x 8 devices = 16, x 16 cores = 32, on A100 alone; the other tenant has work of its own
    gang = replace(JOB, workers=2, shape=WorkerShape(gpus=8.0, cpus=16.0))
    jobs = (gang, replace(JOB, name="o", tenant="other"))
    findings = found(
        replace(POOL, cpus=64.0), replace(POOL, name="q", accelerator="H100", status=NodeStatus.DOWN), jobs=jobs, quotas=quotas
    )

    assert expected == [code for code in codes(findings) if code == "SP1218"]


def test_rows_of_one_gang_count_together_and_the_numbers_are_told():
    rows = tuple(replace(JOB, name=name, gang="g", workers=2, shape=WorkerShape(gpus=4.0)) for name in ("a", "b"))

    (finding,) = found(POOL, jobs=rows, quotas=(Quota("default", 15.0, max=15.0),))

    assert ("SP1218", "2 jobs: a, b", Severity.WARNING) == (finding.code, finding.subject, finding.severity)
    assert (
        "it needs 2 workers x 4 + 2 workers x 4 = 16 gpus (max: 15) at once; tenant default may never hold as much"
        == finding.message
    )
    assert [] == codes(found(POOL, jobs=rows, quotas=(Quota("default", 16.0, max=16.0),)))
    elastic = replace(rows[0], gang=None, workers=4, min_workers=2)
    assert [] == codes(found(POOL, jobs=(elastic,), quotas=(Quota("default", 8.0, max=8.0),)))


@pytest.mark.parametrize(("jobs", "expected"), [(48, []), (49, ["SP1219"])])
def test_more_work_than_devices_have_within_the_horizon(jobs, expected):
    # 24 devices x 2 h = 48 device-hours; each job is one
    work = tuple(replace(JOB, name=f"j{number}") for number in range(jobs))
    findings = found(POOL, jobs=work, grid=TimeGrid.regular(0, 60, 2))

    assert expected == codes(findings)
    assert [] == codes(found(POOL, jobs=work))
    if findings:
        assert Severity.NOTE == findings[0].severity
        told = "49 waiting jobs ask for 49 device-hours within the horizon of 2 h; the 24 devices that take any of them have 48"
        assert told in findings[0].message


def test_shares_of_devices_on_pools_that_are_not_sliced_are_counted_by_pool():
    share = WorkerShape(gpus=0.5)
    jobs = (replace(JOB, shape=share), replace(JOB, name="k", shape=share), replace(JOB, name="l"))
    pools = (POOL, replace(POOL, name="q"), replace(POOL, name="sliced", slices_per_gpu=7))
    services = (replace(SERVICE, shape=share),)

    (finding,) = found(*pools, jobs=jobs, services=services, series=(LOAD,))

    assert ("SP1215", Severity.WARNING, "2 pools: p, q") == (finding.code, finding.severity, finding.subject)
    assert "2 jobs and 1 service" in finding.message
    assert [] == codes(found(pools[2], jobs=jobs))


def test_many_jobs_on_many_nodes_are_judged_in_a_few_seconds():
    # 1,500 nodes of their own name; 8,000 jobs of 40 shapes, each with a deadline of its own
    pools = tuple(replace(POOL, name=f"n{number:04d}", count=1, min_count=1, max_count=1) for number in range(1500))
    jobs = tuple(
        replace(
            JOB,
            name=f"j{number:04d}",
            shape=WorkerShape(gpus=(1 + number % 40) / 50),
            deadline_s=7200 + number,
            runtime_minutes=60.0 + number,
        )
        for number in range(8000)
    )
    began_s = process_time()
    findings = found(*pools, jobs=jobs, grid=TimeGrid.regular(0, 60, 24))

    assert {"SP1215", "SP1221", "SP1223"} == set(codes(findings))
    assert process_time() - began_s < 10.0  # measured: 2 s; asking every node for every job takes minutes
