"""Each rule on the smallest data that breaks it, and on the nearest that does not. Windows and room have files of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schedplan.errors import UsageError
from schedplan.model.cluster import Market, Pool, Speed
from schedplan.model.findings import Severity
from schedplan.model.forecast import Series
from schedplan.model.quota import Quota
from schedplan.model.workload import JobState, Placed, WorkerShape
from schedplan.tables.faults import Code
from schedplan.tables.read import ColumnSlip
from schedplan.validate.registry import RULES, documented_codes, rule_text
from tests.validate.judged import JOB, LOAD, POOL, SERVICE, SPOT, codes, found


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


def test_work_that_asks_for_no_device_where_every_node_has_some():
    none = WorkerShape(cpus=1.0)
    jobs = (replace(JOB, shape=none), replace(JOB, name="k", shape=none), replace(JOB, name="l"))

    assert [("SP1208", "2 jobs: j, k")] == [(one.code, one.subject) for one in found(replace(POOL, cpus=8.0), jobs=jobs)]
    assert [] == codes(found(replace(POOL, cpus=8.0), Pool("cores", cpus=8.0), jobs=jobs))


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
