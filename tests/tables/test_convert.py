"""Tables as the model's records: every column at its place, defaults as the dictionary says, faults across columns and files."""

from __future__ import annotations

from dataclasses import fields

import pytest

from schedplan.errors import InputError
from schedplan.model.cluster import Market, NodeStatus, Pool, Speed, Taint
from schedplan.model.workload import (
    DeadlineKind,
    Job,
    JobKind,
    JobState,
    Placed,
    Service,
    Toleration,
    Topology,
    WorkerShape,
)
from schedplan.tables.convert import Content, content
from schedplan.tables.pools import PriceChange
from schedplan.tables.read import read_table


@pytest.fixture
def content_of(write_text):
    def convert(**texts: str) -> Content:
        return content(tuple(read_table(write_text(f"{name}.csv", text)) for name, text in texts.items()))

    return convert


def test_every_column_of_nodes_arrives(content_of):
    row = {
        "node": "p",
        "count": 2,
        "min_count": 1,
        "max_count": 3,
        "cluster": "c",
        "region": "r",
        "zone": "z",
        "rack": "k",
        "block": "b",
        "accelerator": "A100",
        "gpus": 8,
        "gpu_memory_gib": 80,
        "slices_per_gpu": 7,
        "device_groups": 2,
        "cpus": 96,
        "memory_gib": 1024,
        "resources": "rdma=4",
        "market": "spot",
        "price_per_hour": 12.5,
        "billing_minutes": 15,
        "interruptions_per_hour": 0.02,
        "startup_minutes": 5,
        "power_idle_w": 400,
        "power_max_w": 6500,
        "pue": 1.2,
        "status": "cordoned",
        "caches": "llama",
        "labels": "a=1",
        "taints": "gpu=y:NoSchedule",
    }

    (pool,) = content_of(nodes=f"{','.join(row)}\n{','.join(map(str, row.values()))}\n").cluster.pools

    expected = Pool(
        name="p",
        count=2,
        min_count=1,
        max_count=3,
        cluster="c",
        region="r",
        zone="z",
        rack="k",
        block="b",
        accelerator="A100",
        gpus=8,
        gpu_memory_gib=80.0,
        slices_per_gpu=7,
        device_groups=2,
        cpus=96.0,
        memory_gib=1024.0,
        resources=(("rdma", 4.0),),
        market=Market.SPOT,
        price_per_hour=12.5,
        billing_minutes=15.0,
        interruptions_per_hour=0.02,
        startup_minutes=5.0,
        power_idle_w=400.0,
        power_max_w=6500.0,
        pue=1.2,
        status=NodeStatus.CORDONED,
        caches=("llama",),
        labels=(("a", "1"),),
        taints=(Taint("gpu", "y", "NoSchedule"),),
    )
    assert expected == pool
    # `rules` are not a column: the project file gives them
    assert len(fields(Pool)) == len(row) + 1


def test_every_column_of_jobs_arrives(content_of):
    row = {
        "job": "j",
        "kind": "training",
        "tenant": "t",
        "user": "u",
        "priority": 3,
        "preemptible": "false",
        "required": "true",
        "submit_time": "2026-12-01T00:00:00Z",
        "start_time": "2026-12-01T00:00:01Z",
        "end_time": "2026-12-01T00:00:02Z",
        "state": "running",
        "placement": "n1*1;n2*1",
        "workers": 4,
        "min_workers": 2,
        "gang": "g",
        "after": "a;b",
        "gpus_per_worker": "1/7",
        "slice_profile": "1g.10gb",
        "cpus_per_worker": 12,
        "memory_gib_per_worker": 96,
        "resources_per_worker": "rdma=1",
        "max_per_node": 2,
        "gpu_memory_gib": 40,
        "accelerators": "A100|H100",
        "runtime_minutes": 240,
        "time_limit_minutes": 300,
        "earliest_start": "2026-12-01T00:00:03Z",
        "deadline": "2026-12-01T00:00:04Z",
        "deadline_kind": "soft",
        "spot_ok": "true",
        "checkpoint_minutes": 30,
        "checkpoint_cost_minutes": 1,
        "restart_minutes": 2,
        "topology": "rack",
        "affinity": "llama",
        "load_minutes": 3,
        "tolerations": "spot",
    }

    (job,) = content_of(jobs=f"{','.join(row)}\n{','.join(map(str, row.values()))}\n").jobs

    start_s = 1796083200
    shape = WorkerShape(1 / 7, 12.0, 96.0, (("rdma", 1.0),), 40.0, ("A100", "H100"), "1g.10gb", 2, (Toleration("spot", ""),))
    expected = Job(
        name="j",
        kind=JobKind.TRAINING,
        tenant="t",
        user="u",
        priority=3,
        preemptible=False,
        required=True,
        submit_s=start_s,
        start_s=start_s + 1,
        end_s=start_s + 2,
        state=JobState.RUNNING,
        placement=(Placed("n1", 1), Placed("n2", 1)),
        workers=4,
        min_workers=2,
        gang="g",
        after=("a", "b"),
        shape=shape,
        runtime_minutes=240.0,
        time_limit_minutes=300.0,
        earliest_start_s=start_s + 3,
        deadline_s=start_s + 4,
        deadline_kind=DeadlineKind.SOFT,
        spot_ok=True,
        checkpoint_minutes=30.0,
        checkpoint_cost_minutes=1.0,
        restart_minutes=2.0,
        topology=Topology.RACK,
        affinity="llama",
        load_minutes=3.0,
    )
    assert expected == job
    # `rules` and `saved_minutes` are no columns
    assert len(fields(Job)) - 1 + len(fields(WorkerShape)) == len(row) + 2


def test_every_column_of_services_arrives(content_of):
    row = {
        "service": "s",
        "series": "q",
        "tenant": "t",
        "priority": 3,
        "slo_ms": 200,
        "slo_quantile": "mean",
        "service_ms": 96,
        "service_cv": 0.3,
        "concurrency": 150,
        "gpus_per_replica": 0,
        "cpus_per_replica": 12,
        "memory_gib_per_replica": 96,
        "resources_per_replica": "rdma=1",
        "gpu_memory_gib": 40,
        "accelerators": "A100",
        "slice_profile": "1g.10gb",
        "max_per_node": 2,
        "tolerations": "gpu=y",
        "min_replicas": 2,
        "max_replicas": 9,
        "min_hold_minutes": 10,
        "markets": "spot|owned",
        "dedicated": "true",
        "startup_minutes": 3,
        "affinity": "llama",
        "load_minutes": 4,
        "spread": "zone:2",
        "cache_hit_ratio": 0.1,
    }

    found = content_of(services=f"{','.join(row)}\n{','.join(map(str, row.values()))}\n")

    expected = Service(
        name="s",
        slo_ms=200.0,
        service_ms=96.0,
        series="q",
        tenant="t",
        priority=3,
        slo_quantile=None,
        service_cv=0.3,
        concurrency=150,
        shape=WorkerShape(1 / 7, 12.0, 96.0, (("rdma", 1.0),), 40.0, ("A100",), "1g.10gb", 2, (Toleration("gpu", "y"),)),
        min_replicas=2,
        max_replicas=9,
        min_hold_minutes=10.0,
        markets=(Market.OWNED, Market.SPOT),
        dedicated=True,
        startup_minutes=3.0,
        affinity="llama",
        load_minutes=4.0,
        spread=("zone", 2),
        cache_hit_ratio=0.1,
    )
    assert (expected,) == found.services
    assert len(fields(Service)) - 1 + len(fields(WorkerShape)) == len(row) + 1


def test_defaults_are_those_of_the_records(content_of):
    found = content_of(nodes="node\na\n", jobs="job\nj\n", services="service,slo_ms,service_ms\ns,200,96\n")

    assert (Pool("a"),) == found.cluster.pools
    assert (Job("j"),) == found.jobs
    assert (Service("s", 200.0, 96.0, series="s"),) == found.services


@pytest.mark.parametrize(
    ("market", "expected"), [("owned", (4, 4, 4)), ("reserved", (4, 4, 4)), ("on_demand", (4, 0, 4)), ("spot", (4, 0, 4))]
)
def test_counts_follow_the_market(content_of, market, expected):
    (pool,) = content_of(nodes=f"node,count,market\na,4,{market}\n").cluster.pools

    assert expected == (pool.count, pool.min_count, pool.max_count)


def test_a_count_of_0_is_kept(content_of):
    (pool,) = content_of(nodes="node,count,max_count,market\na,0,5,spot\n").cluster.pools

    assert (0, 0, 5) == (pool.count, pool.min_count, pool.max_count)


@pytest.mark.parametrize(
    ("table", "text", "column"),
    [
        ("nodes", "node,count,min_count\na,1,2\n", "min_count"),
        ("nodes", "node,count,max_count\na,3,2\n", "max_count"),
        ("nodes", "node,gpus,device_groups\na,8,3\n", "device_groups"),
        ("nodes", "node,power_idle_w,power_max_w\na,2,1\n", "power_idle_w"),
        ("jobs", "job,workers,min_workers\na,2,3\n", "min_workers"),
        ("jobs", "job,workers,placement\na,2,n*3\n", "placement"),
        ("jobs", "job,after\na,a\n", "after"),
        ("jobs", "job,earliest_start,deadline\na,2026-12-02T00:00:00Z,2026-12-01T00:00:00Z\n", "deadline"),
        ("services", "service,slo_ms,service_ms,min_replicas,max_replicas\na,1,1,2,1\n", "max_replicas"),
        ("load", "unique_id,ds,y,unit\na,2026-12-01T00:00:00Z,1,x\na,2026-12-01T01:00:00Z,1,z\n", "unit"),
    ],
)
def test_contradictions_are_faults_with_their_place(content_of, table, text, column):
    with pytest.raises(InputError) as refused:
        content_of(**{table: text})

    (fault,) = refused.value.faults
    assert ("SP1011", column) == (fault.code, fault.column)
    assert len(text.splitlines()) == fault.row


def test_faults_of_all_tables_come_together(content_of):
    with pytest.raises(InputError) as refused:
        content_of(nodes="node,count,min_count\na,1,2\nb,1,2\n", jobs="job,workers,min_workers\na,2,3\n")

    assert [2, 3, 2] == [fault.row for fault in refused.value.faults]


def test_four_columns_each_are_enough_and_what_is_assumed_is_said(content_of):
    found = content_of(
        nodes="node,count,gpus,price_per_hour\nbox,3,8,20\n", jobs="job,workers,gpus_per_worker,runtime_minutes\nj1,2,4,90\n"
    )

    assert (Pool("box", 3, 3, 3, gpus=8, price_per_hour=20.0),) == found.cluster.pools
    assert (Job("j1", workers=2, shape=WorkerShape(4.0), runtime_minutes=90.0),) == found.jobs
    nodes_note, jobs_note = found.notes
    assert "market = owned" in nodes_note
    assert "cpus = unknown, never a limit" in nodes_note
    assert "deadline none" in jobs_note
    assert () == found.warnings


@pytest.mark.parametrize(
    ("table", "text", "column"),
    [
        ("nodes", "node,billing_minutes\na,60\n", "billing_minutes"),
    ],
)
def test_what_plans_do_not_act_on_is_a_named_warning(content_of, table, text, column):
    (warning,) = content_of(**{table: text}).warnings

    assert f"column {column} is read, but plans do not act on it yet" in warning


def test_defaults_written_out_are_no_warning(content_of):
    found = content_of(nodes="node,billing_minutes,device_groups\na,0,1\n", jobs="job,topology,workers,load_minutes\na,rack,2,0\n")

    assert () == found.warnings


def test_a_table_that_plans_do_not_act_on_is_a_warning(content_of):
    (warning,) = content_of(links="from_region,to_region\na,b\n").warnings

    assert "the table links is read, but plans do not act on it yet" in warning


def test_speeds_and_prices_arrive(content_of):
    found = content_of(
        nodes="node\na\n",
        speeds="accelerator,kind,speed\nH100,training,2.5\n",
        prices="node,ds,price_per_hour\na,2026-12-01T01:00:00Z,2\na,2026-12-01T00:00:00Z,1\n",
    )

    assert (Speed("H100", "training", 2.5),) == found.cluster.speeds
    assert (PriceChange("a", 1796083200, 1.0), PriceChange("a", 1796086800, 2.0)) == found.price_changes


def test_the_price_of_a_pool_that_is_not_there_is_a_fault(content_of):
    with pytest.raises(InputError) as refused:
        content_of(nodes="node\na\n", prices="node,ds,price_per_hour\nb,2026-12-01T01:00:00Z,2\n")

    assert ("SP1017", 2) == (refused.value.faults[0].code, refused.value.faults[0].row)


def test_files_of_one_table_add_up(write_text):
    first = read_table(write_text("a.csv", "node,count\na,1\nb,2\n"), "nodes")
    second = read_table(write_text("b.csv", "count,node\n2,b\n3,c\n"), "nodes")

    found = content((first, second))

    assert [("a", 1), ("b", 2), ("c", 3)] == [(pool.name, pool.count) for pool in found.cluster.pools]
    assert "1 rows stand in two files" in found.notes[0]


def test_a_key_with_other_values_in_another_file_is_a_fault(write_text):
    first = read_table(write_text("a.csv", "node,count\na,1\n"), "nodes")
    second = read_table(write_text("b.csv", "node,count\na,2\n"), "nodes")

    with pytest.raises(InputError) as refused:
        content((first, second))

    (fault,) = refused.value.faults
    assert ("SP1010", str(second.path), 2) == (fault.code, fault.file, fault.row)


def test_the_order_of_rows_changes_nothing(content_of):
    one = content_of(nodes="node,count\na,1\nb,2\n", jobs="job\nx\ny\n")
    other = content_of(nodes="node,count\nb,2\na,1\n", jobs="job\ny\nx\n")

    assert (one.cluster, one.jobs) == (other.cluster, other.jobs)


def test_a_share_that_is_not_that_of_the_profile_is_a_fault(content_of):
    # 1g.10gb has one of seven compute slices; half a device is not that
    with pytest.raises(InputError) as caught:
        content_of(jobs="job,gpus_per_worker,slice_profile\na,0.5,1g.10gb\n")

    assert "gpus_per_worker is not the share of a device that the profile 1g.10gb has" in str(caught.value)


def test_a_profile_says_the_share_of_a_device(content_of):
    (job,) = content_of(jobs="job,slice_profile\na,3g.20gb\n").jobs

    assert job.shape.gpus == 3 / 7
