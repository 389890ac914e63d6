"""Each rule on the smallest data that breaks it, and on the nearest that does not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from schedplan.errors import UsageError
from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool, Speed
from schedplan.model.findings import Finding, Severity
from schedplan.model.forecast import Series
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.workload import DeadlineKind, Job, JobState, Placed, Service, Topology, WorkerShape
from schedplan.tables.faults import Code
from schedplan.tables.read import ColumnSlip
from schedplan.timegrid import TimeGrid
from schedplan.validate.registry import RULES, documented_codes, rule_text, validate
from schedplan.validate.subject import Subject

POOL = Pool("p", count=3, min_count=3, max_count=3, accelerator="A100", gpus=8)
JOB = Job("j", shape=WorkerShape(gpus=1.0), runtime_minutes=60.0)
SERVICE = Service("s", slo_ms=200.0, service_ms=50.0, series="s", shape=WorkerShape(gpus=1.0))
LOAD = Series("s", 0, 3600, np.array([1.0, 1.5, 1.0]))
SPOT = Pool(
    "spot", count=10, min_count=0, max_count=10, gpus=1, market=Market.SPOT, price_per_hour=1.0, interruptions_per_hour=0.01
)
NIGHT = Job(
    "night",
    workers=10,
    shape=WorkerShape(gpus=1.0),
    runtime_minutes=240.0,
    earliest_start_s=0,
    deadline_s=4 * 3600,
    spot_ok=True,
    checkpoint_minutes=30.0,
)


def found(*pools: Pool, jobs: tuple[Job, ...] = (), services: tuple[Service, ...] = (), **rest: object) -> tuple[Finding, ...]:
    speeds = rest.pop("speeds", ())
    return validate(Subject(Cluster(pools, speeds), jobs, services, **rest))  # type: ignore[arg-type]


def codes(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings]


def test_data_without_fault_has_no_findings():
    assert () == found(POOL, jobs=(JOB,), services=(SERVICE,), series=(LOAD,))


def test_a_service_without_load_is_an_error():
    (finding,) = found(POOL, services=(replace(SERVICE, series="t"),), series=(LOAD, replace_id("t2")))

    assert ("SP1201", Severity.ERROR, "service s") == (finding.code, finding.severity, finding.subject)
    assert "Did you mean t2?" == finding.hint
    assert () == found(POOL, services=(SERVICE,), forecast_ids=("s",))


def replace_id(unique_id: str) -> Series:
    return replace(LOAD, unique_id=unique_id)


def test_a_job_that_waits_for_an_unknown_one_is_an_error():
    assert ["SP1202"] == codes(found(POOL, jobs=(replace(JOB, after=("k",)),)))
    assert [] == codes(found(POOL, jobs=(replace(JOB, after=("k",)), replace(JOB, name="k"))))


def test_more_numbers_of_workers_than_are_tried_on_spot_are_an_error():
    # 1 to 4,096 workers are as many numbers as are tried; one more is too many. Off spot few of them are choices.
    spot = replace(POOL, market=Market.SPOT, min_count=0)
    job = replace(JOB, workers=4096, min_workers=1, spot_ok=True)

    assert "SP1217" not in codes(found(spot, jobs=(job,)))
    assert "SP1217" in codes(found(spot, jobs=(replace(job, workers=4097),)))
    assert "SP1217" not in codes(found(POOL, jobs=(replace(job, workers=4097),)))


def test_jobs_that_wait_for_one_another_are_an_error():
    jobs = (replace(JOB, name="a", after=("c",)), replace(JOB, name="b", after=("a",)), replace(JOB, name="c", after=("b",)))
    first, *others = found(POOL, jobs=jobs)

    assert [] == others
    assert ("SP1202", "3 jobs: a, b, c") == (first.code, first.subject)
    assert first.message.endswith("none can start: a after c after b after a")


def test_a_row_that_waits_for_what_waits_for_another_row_is_an_error():
    # z starts after x, y after z; x and y start together: y would have to start after itself
    jobs = (replace(JOB, name="x", gang="g"), replace(JOB, name="y", gang="g", after=("z",)), replace(JOB, name="z", after=("x",)))

    assert ["SP1202"] == codes(found(POOL, jobs=jobs))


@pytest.mark.parametrize(
    ("placement", "expected"),
    [((), ["SP1203"]), ((Placed("q", 1),), ["SP1203"]), ((Placed("p/2", 1),), []), ((Placed("p", 1),), [])],
)
def test_a_running_job_stands_on_nodes_that_there_are(placement, expected):
    assert expected == codes(found(POOL, jobs=(replace(JOB, state=JobState.RUNNING, placement=placement),)))


def test_a_running_job_without_any_place_is_a_warning_and_with_half_of_one_an_error():
    job = replace(JOB, workers=2, state=JobState.RUNNING)

    assert [Severity.WARNING] == [finding.severity for finding in found(POOL, jobs=(job,))]
    assert [Severity.ERROR] == [finding.severity for finding in found(POOL, jobs=(replace(job, placement=(Placed("p/1", 1),)),))]


def test_speeds_speak_of_devices_that_there_are():
    assert ["SP1204"] == codes(found(POOL, speeds=(Speed("A10", "batch", 2.0),)))
    assert [] == codes(found(POOL, speeds=(Speed("A100", "batch", 2.0),)))


def test_missing_speeds_are_noted_once():
    # two models, one kind of job: A100/batch given, H100/batch missing
    other = replace(POOL, name="q", accelerator="H100")

    (finding,) = found(POOL, other, jobs=(JOB,), speeds=(Speed("A100", "batch", 1.0),))

    assert ("SP1205", Severity.NOTE) == (finding.code, finding.severity)
    assert "1 pair of device model and kind has no speed and runs at 1" in finding.message
    assert "H100/batch" in finding.message


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [
        ((Quota("default", 8.0),), []),
        ((Quota("default", 8.0, parent="ml"), Quota("ml", 16.0)), []),  # ml has work below it
        ((Quota("defualt", 8.0),), [("tenant defualt", "Did you mean default?")]),
        ((Quota("default", 8.0, accelerator="A100"),), []),
        ((Quota("default", 8.0, accelerator="A10"),), [("quotas", "Did you mean A100?")]),
    ],
)
def test_a_quota_that_counts_nothing_is_a_warning(quotas, expected):
    findings = found(POOL, jobs=(JOB,), quotas=quotas)

    assert expected == [(finding.subject, finding.hint) for finding in findings]
    assert {"SP1206"} >= set(codes(findings))


def test_a_column_that_looks_misspelt_is_a_warning_with_its_file():
    (finding,) = found(slips=(ColumnSlip("jobs.csv", "gpus_per_workr", "gpus_per_worker"),))

    assert ("SP1207", Severity.WARNING, "jobs.csv", "gpus_per_workr") == (
        finding.code,
        finding.severity,
        finding.file,
        finding.column,
    )
    assert "did you mean gpus_per_worker?" in finding.message


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


def test_a_job_needs_a_run_time_or_a_limit():
    assert ["SP1220"] == codes(found(POOL, jobs=(replace(JOB, runtime_minutes=None),)))
    assert [] == codes(found(POOL, jobs=(replace(JOB, runtime_minutes=None, time_limit_minutes=60.0),)))


@pytest.mark.parametrize(("deadline_s", "expected"), [(3601, []), (3600, ["SP1225"]), (3599, ["SP1221"])])
def test_a_window_shorter_than_the_run(deadline_s, expected):
    job = replace(JOB, earliest_start_s=0, deadline_s=deadline_s)

    assert expected == codes(found(POOL, jobs=(job,)))
    assert [] == codes(found(POOL, jobs=(replace(job, deadline_kind=DeadlineKind.SOFT),)))


def test_zero_slack_of_a_hard_deadline_is_told():
    # from 0 to 3600 s are the 60 min that it runs
    (finding,) = found(POOL, jobs=(replace(JOB, earliest_start_s=0, deadline_s=3600),))

    assert ("SP1225", Severity.WARNING, "job j") == (finding.code, finding.severity, finding.subject)
    assert "it has zero slack before its deadline: 60 min of work in a window of 60 min" == finding.message


def test_a_faster_device_opens_a_window():
    # 60 min at speed 2 are 30 min, in a window of 31
    job = replace(JOB, earliest_start_s=0, deadline_s=1860)

    assert [] == codes(found(POOL, jobs=(job,), speeds=(Speed("A100", "batch", 2.0),)))


def test_zero_slack_on_spot_is_told_with_its_chance():
    # 10 nodes x 0.01 per hour x 4 h: untouched with exp(-0.4) = 67.0 %
    (finding,) = found(SPOT, jobs=(NIGHT,))

    assert ("SP1222", Severity.WARNING) == (finding.code, finding.severity)
    assert "zero slack" in finding.message
    assert "67.0%" in finding.message


def test_slack_beyond_the_expected_rework_is_no_finding():
    # at 0.1 per hour 4 h with checkpoints every half hour lose about (e^0.05 - 1) / 0.1 x 8 - 4 = 0.1 h
    assert ["SP1222"] == codes(found(SPOT, jobs=(replace(NIGHT, deadline_s=4 * 3600 + 300),)))
    assert [] == codes(found(SPOT, jobs=(replace(NIGHT, deadline_s=4 * 3600 + 420),)))
    assert ["SP1225"] == codes(found(replace(SPOT, interruptions_per_hour=0.0), jobs=(NIGHT,)))


def test_a_service_on_spot_is_a_warning():
    anywhere = replace(SERVICE, markets=tuple(Market))

    (mixed,) = found(POOL, SPOT, services=(anywhere,), series=(LOAD,))
    assert "SP1230" == mixed.code
    # 3 nodes x 8 devices
    assert "all others hold 24 replicas at most" in mixed.message
    (alone,) = [one for one in found(SPOT, services=(anywhere,), series=(LOAD,)) if one.code == "SP1230"]
    assert "no other node takes it, so there is no fallback" in alone.message
    assert [] == codes(found(POOL, services=(anywhere,), series=(LOAD,)))


@pytest.mark.parametrize(("slo_ms", "expected"), [(299.0, ["SP1231"]), (300.0, [])])
def test_a_service_time_that_misses_the_target_alone(slo_ms, expected):
    # exponential with mean 100: the 0.95 quantile is 100 x ln 20 = 299.57
    service = replace(SERVICE, service_ms=100.0, slo_ms=slo_ms)

    assert expected == codes(found(POOL, services=(service,), series=(LOAD,)))


def test_a_peak_that_needs_more_replicas_than_there_is_room_for():
    # constant 50 ms, one request at a time, mean target far away: 25 replicas at least for 481 x 0.05 = 24.05 of load; 24 fit
    service = replace(SERVICE, service_cv=0.0, slo_ms=10_000.0, slo_quantile=None)

    assert ["SP1232"] == codes(found(POOL, services=(service,), series=(replace(LOAD, values=np.array([1.0, 481.0])),))[:1])
    assert "SP1232" not in codes(found(POOL, services=(service,), series=(replace(LOAD, values=np.array([1.0, 470.0])),)))


def test_a_burst_within_the_start_up_of_a_node():
    # steps of 5 min, start-up 10 min = 2 steps: from 1 to 2 within two steps is a doubling
    pool = Pool("e", count=1, min_count=0, max_count=9, gpus=1, market=Market.ON_DEMAND, price_per_hour=1.0, startup_minutes=10.0)
    load = Series("s", 0, 300, np.array([1.0, 1.0, 1.5, 2.0, 2.0]))

    (finding,) = found(pool, services=(SERVICE,), series=(load,))

    assert "SP1233" == finding.code
    assert "from 1970-01-01T00:05:00Z its load grows 2.0 times within 10 min" in finding.message
    assert [] == codes(found(replace(pool, startup_minutes=5.0), services=(SERVICE,), series=(load,)))
    assert [] == codes(found(replace(pool, min_count=9, count=9), services=(SERVICE,), series=(load,)))


def test_gaps_of_load_are_told():
    (finding,) = found(POOL, series=(replace(LOAD, values=np.array([1.0, np.nan, 2.0])),))

    assert ("SP1234", Severity.WARNING) == (finding.code, finding.severity)
    assert "1 of 3 intervals have no value, the first at 1970-01-01T01:00:00Z" == finding.message


def test_nodes_that_are_paid_by_the_hour_and_cost_nothing():
    assert ["SP1240"] == codes(found(replace(SPOT, price_per_hour=0.0)))
    assert [] == codes(found(replace(SPOT, price_per_hour=0.0), priced=(("spot", 1.0),)))
    assert [] == codes(found(POOL))


def test_sizes_that_look_like_another_unit():
    assert ["SP1241", "SP1241"] == codes(found(replace(POOL, cpus=96_000.0, memory_gib=1_048_576.0)))


def test_an_unknown_size_that_work_asks_for_is_noted_once():
    job = replace(JOB, shape=WorkerShape(gpus=1.0, cpus=4.0))

    assert [("SP1242", "cpus")] == [(one.code, one.column) for one in found(POOL, replace(POOL, name="q"), jobs=(job,))]


@pytest.mark.parametrize(("price", "expected"), [(2.0, []), (99.0, []), (101.0, ["SP1244"]), (0.24, ["SP1244"])])
def test_a_price_far_from_others_of_its_model(price, expected):
    # per device 5, 5 and price: the median is 5, and 20 times or a twentieth of it 100 and 0.25
    paid = replace(POOL, count=1, min_count=0, market=Market.ON_DEMAND, gpus=1)
    pools = [replace(paid, name=name, price_per_hour=each, cpus=cpus) for name, each, cpus in (("a", 5.0, 1.0), ("b", 5.0, 2.0))]

    assert expected == codes(found(*pools, replace(paid, price_per_hour=price)))
    assert expected == codes(found(*pools, replace(paid, price_per_hour=5.0), priced=(("p", price),)))


def test_a_node_that_costs_more_on_spot_than_on_demand():
    paid = Pool("d", accelerator="A100", gpus=1, min_count=0, market=Market.ON_DEMAND, price_per_hour=2.0)
    spot = replace(paid, name="s", market=Market.SPOT, price_per_hour=3.0)

    (finding,) = found(paid, spot)

    assert ("SP1244", "pool s") == (finding.code, finding.subject)
    assert "it costs 3 per hour on spot, and 2 on demand (d)" == finding.message
    assert [] == codes(found(paid, replace(spot, price_per_hour=2.0)))
    assert [] == codes(found(paid, replace(spot, gpus=2)))


def test_times_of_the_past_that_do_not_fit():
    ran = replace(JOB, state=JobState.COMPLETED, submit_s=100, start_s=200, end_s=3800)

    # 3600 s are 60 min
    assert [] == codes(found(POOL, jobs=(ran,)))
    (early,) = found(POOL, jobs=(replace(ran, submit_s=201),))
    assert ("SP1243", "start_time") == (early.code, early.column)
    (seconds,) = found(POOL, jobs=(replace(ran, runtime_minutes=3600.0), replace(ran, name="k", runtime_minutes=3600.0)))
    assert "runtime_minutes is 3600, and from start_time to end_time are 60 min (the first of 2)" == seconds.message
    assert "Are these seconds?" in (seconds.hint or "")
    (hours,) = found(POOL, jobs=(replace(ran, runtime_minutes=1.0),))
    assert "Are these hours?" in (hours.hint or "")
    assert [] == codes(found(POOL, jobs=(replace(ran, runtime_minutes=90.0),)))


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


def test_work_that_asks_for_no_device_where_every_node_has_some():
    none = WorkerShape(cpus=1.0)
    jobs = (replace(JOB, shape=none), replace(JOB, name="k", shape=none), replace(JOB, name="l"))

    assert [("SP1208", "2 jobs: j, k")] == [(one.code, one.subject) for one in found(replace(POOL, cpus=8.0), jobs=jobs)]
    assert [] == codes(found(replace(POOL, cpus=8.0), Pool("cores", cpus=8.0), jobs=jobs))


def test_shares_of_devices_on_pools_that_are_not_sliced_are_counted_by_pool():
    share = WorkerShape(gpus=0.5)
    jobs = (replace(JOB, shape=share), replace(JOB, name="k", shape=share), replace(JOB, name="l"))
    pools = (POOL, replace(POOL, name="q"), replace(POOL, name="sliced", slices_per_gpu=7))
    services = (replace(SERVICE, shape=share),)

    (finding,) = found(*pools, jobs=jobs, services=services, series=(LOAD,))

    assert ("SP1215", Severity.WARNING, "2 pools: p, q") == (finding.code, finding.severity, finding.subject)
    assert "2 jobs and 1 service" in finding.message
    assert [] == codes(found(pools[2], jobs=jobs))


def test_a_job_longer_than_the_horizon():
    # 2 slots of 60 min: 120 min hold a job of 120 min and none of 121; at speed 2 the second takes 60.5 min
    grid = TimeGrid.regular(0, 60, 2)
    jobs = (replace(JOB, runtime_minutes=120.0), replace(JOB, name="k", runtime_minutes=121.0))

    (finding,) = found(POOL, jobs=jobs, grid=grid)

    assert ("SP1223", Severity.WARNING, "job k") == (finding.code, finding.severity, finding.subject)
    assert "it runs 121 min on the fastest node that takes it; the whole horizon is 120 min" == finding.message
    assert [] == codes(found(POOL, jobs=jobs, grid=grid, speeds=(Speed("A100", "batch", 2.0),)))
    assert [] == codes(found(POOL, jobs=jobs))


def test_a_hard_deadline_that_is_over_when_the_plan_begins():
    grid = TimeGrid.regular(7200, 60, 24)
    jobs = tuple(replace(JOB, name=name, deadline_s=deadline_s) for name, deadline_s in (("a", 7200), ("b", 3600), ("c", 10860)))

    (finding,) = found(POOL, jobs=jobs, grid=grid)

    # c has a minute more than it runs
    assert ("SP1224", Severity.WARNING, "2 jobs: a, b") == (finding.code, finding.severity, finding.subject)
    assert "1970-01-01T02:00:00Z at the latest" in finding.message
    soft = tuple(replace(job, deadline_kind=DeadlineKind.SOFT) for job in jobs)
    assert [] == codes(found(POOL, jobs=soft, grid=grid))


def test_a_window_begins_with_the_plan():
    job = replace(JOB, deadline_s=5400)

    # from 3600 to 5400 s are 30 min, for 60 min; from 0 they are 90
    assert ["SP1221"] == codes(found(POOL, jobs=(job,), grid=TimeGrid.regular(3600, 60, 24)))
    assert [] == codes(found(POOL, jobs=(job,), grid=TimeGrid.regular(0, 60, 24)))


def test_a_deadline_before_the_release_is_told_by_its_times():
    (finding,) = found(POOL, jobs=(replace(JOB, submit_s=31_500_000, deadline_s=0),))

    assert "SP1221" == finding.code
    assert "its deadline, 1970-01-01T00:00:00Z, is before its release, 1970-12-31T14:00:00Z" == finding.message


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


def test_findings_come_in_the_order_of_codes_and_jobs_alike_are_told_once():
    big = WorkerShape(gpus=1000.0)
    jobs = tuple(replace(JOB, name=name, runtime_minutes=None, shape=big) for name in ("b", "a"))

    expected = [("SP1211", "2 jobs: b, a"), ("SP1220", "2 jobs: b, a")]
    assert expected == [(one.code, one.subject) for one in found(POOL, jobs=jobs)]


def test_every_code_is_documented():
    assert {code.value for code in Code} | {rule.code for rule in RULES} == set(documented_codes())
    assert len({rule.code for rule in RULES}) == len(RULES)
    sources = Path(__file__).parents[2] / "schedplan" / "validate"
    used = {code for path in sorted(sources.glob("*.py")) for code in re.findall(r"SP12\d\d", path.read_text())}
    assert used <= set(documented_codes())


def test_a_rule_is_explained_by_its_code():
    assert "more or fewer fields than the header" in rule_text("SP1003")
    assert rule_text("sp1222") == rule_text("SP1222")
    with pytest.raises(UsageError):
        rule_text("SP1299")
