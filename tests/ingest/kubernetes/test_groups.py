"""Pods that start together, whoever says so, and work that is told twice, by its pods and by what made them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.ingest import ingest
from schedplan.tables.convert import content
from schedplan.tables.read import read_table
from tests.ingest.kubernetes.test_kubernetes import GPU, SET, asks, node, of_kind, pod, read, rows

MINE = {"namespace": "ml"}
RUNNING = {"phase": "Running", "startTime": "2026-12-01T00:00:00Z"}
GROUP = "scheduling.volcano.sh/v1beta1/PodGroup"
KUEUE = "kueue.x-k8s.io/v1beta1/Workload"
TASKS = [
    {"name": "driver", "minMember": 1, "minResource": {"cpu": "1"}},
    {"name": "executor", "minMember": 3, "minResource": {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": 1}},
]


def one_gpu() -> dict[str, object]:
    return {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}


def named(item: dict[str, object], name: str, **metadata: object) -> dict[str, object]:
    return {**item, "metadata": {**MINE, "name": name, **metadata}}


def member(name: str, group: str) -> dict[str, object]:
    return pod(one_gpu(), metadata={"name": name, "annotations": {"scheduling.k8s.io/group-name": group}})


def picked(table: object, *names: str) -> list[tuple[object, ...]]:
    return [tuple(row.get(name) for name in names) for row in rows(table)]


def test_a_pod_group_gives_its_pods_their_queue_and_priority(tmp_path):
    group = named(of_kind(GROUP, {"minMember": 2, "queue": "research", "priorityClassName": "urgent"}), "g")
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 7}

    found = read(tmp_path, group, priority, member("a", "g"), member("b", "g"))["jobs"]

    assert [("ml/a", "ml/g", "research", 7), ("ml/b", "ml/g", "research", 7)] == picked(found, "job", "gang", "tenant", "priority")
    assert {"PodGroup: its pods are rows of one gang": 1}.items() <= dict(found.dropped).items()
    assert () == found.warnings


def test_a_pod_group_that_says_another_number_is_told(tmp_path):
    group = named(of_kind(GROUP, {"minMember": 1}), "g")

    found = read(tmp_path, group, member("a", "g"), member("b", "g"))["jobs"]

    assert any("minMember below the pods of a PodGroup (1)" in text for text in found.warnings)


def test_a_pod_group_alone_is_a_gang_of_its_least_number(tmp_path):
    asked = {"nvidia.com/gpu": "16", "cpu": "3"}
    alone = named(of_kind(GROUP, {"minMember": 2, "queue": "q", "minResources": asked}), "alone")
    odd = named(of_kind(GROUP, {"minMember": 3, "minResources": {"nvidia.com/gpu": "16"}}), "odd")

    found = read(tmp_path, alone, odd)["jobs"]

    # 16 devices and 3 cores for 2 pods are 8 and 1.5 each; 16 devices are nothing that 3 pods alike can have
    expected = [("ml/alone", 2, 8.0, 1.5, "q", "pending")]
    assert expected == picked(found, "job", "workers", "gpus_per_worker", "cpus_per_worker", "tenant", "state")
    assert [1] == [count for reason, count in found.dropped if "minResources" in reason]


def test_a_pod_group_of_a_job_in_the_file_counts_with_it(tmp_path):
    job = named(
        of_kind("batch.volcano.sh/v1alpha1/Job", {"tasks": [{"name": "t", "replicas": 2, "template": {"spec": one_gpu()}}]}), "w"
    )
    group = named(
        of_kind(GROUP, {"minMember": 2, "minResources": {"cpu": "2"}}), "g", ownerReferences=[{"kind": "Job", "name": "w"}]
    )

    found = read(tmp_path, group, job)["jobs"]

    assert ["ml/w"] == found.arrow.column("job").to_pylist()


def of_application(name: str, task: str, **metadata: object) -> dict[str, object]:
    annotations = {"yunikorn.apache.org/task-group-name": task, "yunikorn.apache.org/task-groups": json.dumps(TASKS)}
    labels = {"applicationId": "spark-1", "queue": "root.ml"}
    return pod(one_gpu(), metadata={"name": name, "labels": labels, "annotations": annotations, **metadata})


def test_task_groups_are_a_gang_with_the_pods_that_are_still_to_come(tmp_path):
    found = read(tmp_path, of_application("d", "driver"), of_application("e", "executor"))["jobs"]

    # of three executors one is there; two more are waited for, as large as the group says
    assert [
        ("ml/d", "ml/spark-1", 1, 1.0, None),
        ("ml/e", "ml/spark-1", 1, 1.0, None),
        ("ml/spark-1:executor", "ml/spark-1", 2, 1.0, 2.0),
    ] == picked(found, "job", "gang", "workers", "gpus_per_worker", "cpus_per_worker")
    assert {"root.ml"} == set(found.arrow.column("tenant").to_pylist())
    assert any("2 pods of task groups are waited for" in note for note in found.notes)
    assert 3 == len(content((found,)).jobs)


def test_a_job_with_a_task_group_starts_with_as_many_as_it_says(tmp_path):
    annotations = {
        "yunikorn.apache.org/task-group-name": "t",
        "yunikorn.apache.org/task-groups": json.dumps([{"name": "t", "minMember": 3, "minResource": {"cpu": 1}}]),
    }
    job = named(
        of_kind("batch/v1/Job", {"parallelism": 5, "template": {"metadata": {"annotations": annotations}, "spec": one_gpu()}}), "w"
    )

    assert [("ml/w", 5, 3)] == picked(read(tmp_path, job)["jobs"], "job", "workers", "min_workers")


@pytest.mark.parametrize(
    "text",
    ["{", "{}", "[1]", '[{"name": "a"}]', '[{"name": "a", "minMember": -1}]', '[{"name": "a", "name": "b", "minMember": 1}]'],
)
def test_task_groups_that_are_none_name_their_place(text, tmp_path):
    with pytest.raises(InputError) as refused:
        read(
            tmp_path,
            pod(one_gpu(), metadata={"annotations": {"yunikorn.apache.org/task-groups": text}, "labels": {"applicationId": "a"}}),
        )

    assert refused.value.faults[0].column.startswith("metadata.annotations.yunikorn.apache.org/task-groups")


def workload(name: str, conditions: dict[str, str], **more: object) -> dict[str, object]:
    sets = [
        {"name": "head", "count": 1, "template": {"spec": {"containers": [asks(cpu="1")]}}},
        {"name": "workers", "count": 4, "minCount": 2, "template": {"spec": one_gpu()}},
    ]
    item = named(of_kind(KUEUE, {"queueName": "mine", "priority": 3, "podSets": sets}), name, **more)
    told = [{"type": kind, "status": "True", "reason": reason} for kind, reason in conditions.items()]
    return {**item, "status": {"conditions": told}}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, "pending"),
        ({"QuotaReserved": "QuotaReserved"}, "pending"),
        ({"Admitted": "Admitted"}, "running"),
        ({"Admitted": "Admitted", "Finished": "Succeeded"}, "completed"),
        ({"Finished": "Failed"}, "failed"),
    ],
)
def test_a_workload_of_kueue_is_a_gang_in_its_queue(conditions, expected, tmp_path):
    local = named(of_kind("kueue.x-k8s.io/v1beta1/LocalQueue", {"clusterQueue": "team"}), "mine")

    found = read(tmp_path, local, workload("w", conditions))["jobs"]

    assert [
        ("ml/w:head", "ml/w", 1, None, "team", 3, expected),
        ("ml/w:workers", "ml/w", 4, 2, "team", 3, expected),
    ] == picked(found, "job", "gang", "workers", "min_workers", "tenant", "priority", "state")


def test_what_a_workload_of_kueue_queues_counts_once(tmp_path):
    owner = {"ownerReferences": [{"kind": "Job", "name": "w"}]}
    job = named(of_kind("batch/v1/Job", {"parallelism": 4, "template": {"spec": one_gpu()}}), "w")
    own = pod(one_gpu(), metadata={"name": "w-1", **owner})

    with_job = read(tmp_path, workload("job-w", {}, **owner), job, own)["jobs"]
    without = read(tmp_path, workload("job-w", {}, **owner), own)["jobs"]

    assert ["ml/w"] == with_job.arrow.column("job").to_pylist()
    assert ["ml/job-w:head", "ml/job-w:workers"] == without.arrow.column("job").to_pylist()


def running(name: str, node_name: str, owner: str) -> dict[str, object]:
    metadata = {"name": name, "ownerReferences": [{"kind": "Job", "name": owner}]}
    return pod({**one_gpu(), "nodeName": node_name}, metadata=metadata, status=RUNNING)


def job_of_two() -> dict[str, object]:
    return {**named(of_kind("batch/v1/Job", {"parallelism": 2, "template": {"spec": one_gpu()}}), "w"), "status": {"active": 2}}


def test_a_job_that_runs_is_where_its_pods_are(tmp_path):
    found = read(tmp_path, job_of_two(), running("w-1", "n1", "w"), running("w-2", "n2", "w"))["jobs"]

    assert [("ml/w", "n1*1;n2*1")] == picked(found, "job", "placement")
    assert () == found.warnings

    lacking = read(tmp_path, job_of_two(), running("w-1", "n1", "w"))["jobs"]
    assert [("ml/w", None)] == picked(lacking, "job", "placement")
    assert any("1 pod runs for workloads of the file whose rows can't say where" in text for text in lacking.warnings)


def written(folder: Path, name: str, *items: object) -> Path:
    path = folder / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


@pytest.mark.parametrize("order", [1, -1])
def test_pods_and_jobs_of_two_files_count_once(order, tmp_path):
    jobs = written(tmp_path, "jobs.json", job_of_two(), named(SET, "s"))
    labels = {"jobset.sigs.k8s.io/jobset-name": "s"}
    of_set = pod(one_gpu(), metadata={"name": "s-a-0-0", "labels": labels, "ownerReferences": [{"kind": "Job", "name": "s-a-0"}]})
    other = pod(one_gpu(), metadata={"name": "x", "ownerReferences": [{"kind": "Job", "name": "elsewhere"}]})
    pods = written(tmp_path, "pods.json", running("w-1", "n1", "w"), running("w-2", "n1", "w"), of_set, other, node(GPU))

    account = ingest((jobs, pods)[::order], tmp_path / "data")

    (of_pods,) = [file for file in account.files if file.path.endswith("pods.json") and file.table == "jobs"]
    assert (4, 1, [("made by a workload that is in another file, whose row counts it", 3)]) == (
        of_pods.rows_read,
        of_pods.rows_kept,
        [(one.reason, one.rows) for one in of_pods.dropped],
    )
    assert any("3 objects belong to workloads of another file and count there" in text for text in of_pods.warnings)
    assert () == of_pods.columns_ignored
    written_jobs = read_table(tmp_path / "data" / "jobs.parquet").arrow.to_pylist()
    assert [("ml/s", None), ("ml/w", "n1*2"), ("ml/x", None)] == [(row["job"], row["placement"]) for row in written_jobs]
