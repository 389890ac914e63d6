"""Objects of Kubernetes: what nodes, pods, workloads and queues become, and what is said of the rest."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from schedplan.errors import Fault, InputError
from schedplan.ingest.kubernetes.kubernetes import Kubernetes
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile


def read(tmp_path: Path, *items: object) -> dict[str, TableFile]:
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return {table.table: table for table in Kubernetes().read(path, ReadOptions())}


def rows(table: TableFile) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if value is not None} for row in table.arrow.to_pylist()]


def node(allocatable: dict[str, str], **more: object) -> dict[str, object]:
    ready = [{"type": "Ready", "status": more.pop("ready", "True")}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": more.pop("labels", {})},
        "spec": more.pop("spec", {}),
        "status": {"allocatable": allocatable, "capacity": more.pop("capacity", allocatable), "conditions": ready},
    }


def pod(spec: dict[str, object], **more: object) -> dict[str, object]:
    metadata = {"name": "p1", "namespace": "ml", **more.pop("metadata", {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        "status": more.pop("status", {"phase": "Pending"}),
    }


def asks(**requests: str) -> dict[str, object]:
    return {"resources": {"requests": requests}}


GPU = {"nvidia.com/gpu": "8", "cpu": "95500m", "memory": "1Gi"}


def test_a_node_is_what_is_allocatable_of_it(tmp_path):
    labels = {
        "topology.kubernetes.io/zone": "z1",
        "topology.kubernetes.io/region": "r1",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.memory": "81920",
        "karpenter.sh/capacity-type": "spot",
        "node.kubernetes.io/instance-type": "p5",
    }
    spec = {"unschedulable": True, "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}
    found = read(tmp_path, node({**GPU, "rdma/hca": "4"}, labels=labels, spec=spec, capacity={**GPU, "cpu": "96"}))["nodes"]

    (row,) = rows(found)
    assert ("n1", "NVIDIA-H100-80GB-HBM3", 8, 80.0, 95.5, 1.0) == tuple(
        row[name] for name in ("node", "accelerator", "gpus", "gpu_memory_gib", "cpus", "memory_gib")
    )
    assert ("z1", "r1", "spot", "cordoned", "rdma/hca=4", "gpu=yes:NoSchedule", "node.kubernetes.io/instance-type=p5") == tuple(
        row[name] for name in ("zone", "region", "market", "status", "resources", "taints", "labels")
    )


def test_a_node_that_is_not_ready_is_down(tmp_path):
    assert "down" == rows(read(tmp_path, node(GPU, ready="Unknown"))["nodes"])[0]["status"]


def test_slices_are_told_beside_no_whole_device(tmp_path):
    offered = {"nvidia.com/gpu": "0", "nvidia.com/mig-3g.40gb": "2", "nvidia.com/mig-1g.10gb": "1", "cpu": "8"}
    stale = {"nvidia.com/gpu.count": "1", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}

    cut = read(tmp_path, node(offered, labels=stale))["nodes"]
    more = read(tmp_path, node({**offered, "nvidia.com/mig-1g.10gb": "8"}, labels=stale))["nodes"]

    # 2 x 3 + 1 = 7 slices fit one device; 2 x 3 + 8 = 14 are two
    assert [(1, 7), (2, 7)] == [(rows(one)[0]["gpus"], rows(one)[0]["slices_per_gpu"]) for one in (cut, more)]
    assert [False, True] == [any("more slices than" in text for text in one.warnings) for one in (cut, more)]


def test_devices_that_are_not_offered_are_left_out_and_said(tmp_path):
    found = read(tmp_path, node({**GPU, "nvidia.com/gpu": "6"}, capacity=GPU))["nodes"]

    assert 6 == rows(found)[0]["gpus"]
    assert any("1 node offers fewer devices than it have" in text for text in found.warnings)


def test_a_pod_asks_for_its_containers_or_its_largest_init_container(tmp_path):
    spec = {
        "initContainers": [
            {"restartPolicy": "Always", **asks(cpu="500m")},
            asks(cpu="4", memory="1Gi"),
        ],
        "containers": [asks(cpu="1", memory="2Gi"), asks(cpu="1", memory="2Gi")],
        "overhead": {"cpu": "250m"},
    }

    (row,) = rows(read(tmp_path, pod(spec))["jobs"])

    # cores: the sidecar's half beside 4 of an init container is 4.5, beside 1 + 1 only 2.5; a quarter more is overhead
    assert (4.75, 4.0, "ml/p1") == (row["cpus_per_worker"], row["memory_gib_per_worker"], row["job"])


def test_a_limit_alone_is_the_request(tmp_path):
    spec = {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 2, "cpu": 1.5}, "requests": {"cpu": "1"}}}]}

    (row,) = rows(read(tmp_path, pod(spec))["jobs"])

    assert (2.0, 1.0) == (row["gpus_per_worker"], row["cpus_per_worker"])


def test_a_pod_that_runs_has_its_place_and_what_belongs_to_a_node_is_no_work(tmp_path):
    status = {"phase": "Running", "startTime": "2026-12-01T00:00:00Z"}
    spec = {
        "nodeName": "n1",
        "containers": [asks(cpu="1")],
        "tolerations": [{"key": "gpu", "operator": "Exists"}, {"operator": "Exists"}],
    }
    daemon = pod(spec, metadata={"name": "d", "ownerReferences": [{"kind": "DaemonSet"}]}, status=status)

    found = read(tmp_path, pod(spec, status=status), daemon)["jobs"]

    assert [("running", "n1*1", "gpu")] == [(row["state"], row["placement"], row["tolerations"]) for row in rows(found)]
    assert [1] == [count for _, count in found.dropped]
    assert any("1 pod tolerates every taint" in text for text in found.warnings)


def test_a_pod_that_ended_has_a_run_time(tmp_path):
    ended = [{"state": {"terminated": {"finishedAt": "2026-12-01T00:03:00Z"}}}]
    status = {"phase": "Succeeded", "startTime": "2026-12-01T00:00:00Z", "containerStatuses": ended}

    assert 3.0 == rows(read(tmp_path, pod({"containers": [asks(cpu="1")]}, status=status))["jobs"])[0]["runtime_minutes"]


def test_a_slice_is_a_profile_and_several_are_workers(tmp_path):
    (row,) = rows(read(tmp_path, pod({"containers": [{"resources": {"limits": {"nvidia.com/mig-1g.10gb": 2, "cpu": 4}}}]}))["jobs"])

    assert ("1g.10gb", 2, 2.0) == (row["slice_profile"], row["workers"], row["cpus_per_worker"])


def test_models_are_chosen_by_label_and_what_no_column_says_is_said(tmp_path):
    terms = [{"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "In", "values": ["H100", "A100"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    spec = {"containers": [asks(cpu="1")], "affinity": affinity, "nodeSelector": {"disk": "ssd"}}

    found = read(tmp_path, pod(spec))["jobs"]

    assert "A100|H100" == rows(found)[0]["accelerators"]
    assert any("nodeSelector disk (1)" in text for text in found.warnings)


def template(gpus: int) -> dict[str, object]:
    return {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": gpus}}}]}}


def task(gpus: int, **more: object) -> dict[str, object]:
    return {"template": template(gpus), **more}


def of_kind(kind: str, spec: dict[str, object]) -> dict[str, object]:
    version, _, name = kind.rpartition("/")
    return {"apiVersion": version, "kind": name, "spec": spec}


RAY = {
    "enableInTreeAutoscaling": True,
    "headGroupSpec": task(0),
    "workerGroupSpecs": [task(1, groupName="g", replicas=4, minReplicas=1)],
}
TORCH = of_kind("kubeflow.org/v1/PyTorchJob", {"pytorchReplicaSpecs": {"Master": task(0), "Worker": task(8, replicas=3)}})
TENSOR = of_kind("kubeflow.org/v1/TFJob", {"tfReplicaSpecs": {"PS": task(0, replicas=2), "Worker": task(1, replicas=2)}})
VOLCANO = of_kind("batch.volcano.sh/v1alpha1/Job", {"minAvailable": 2, "tasks": [task(1, name="t", replicas=4)]})
SET = of_kind(
    "jobset.x-k8s.io/v1alpha2/JobSet",
    {"replicatedJobs": [{"name": "a", "replicas": 2, "template": {"spec": task(1, parallelism=4)}}]},
)
WORKLOADS = [
    (TORCH, [("d/w:Master", "d/w", 1, 0.0, None), ("d/w:Worker", "d/w", 3, 8.0, None)]),
    (TENSOR, [("d/w:PS", "d/w", 2, 0.0, None), ("d/w:Worker", "d/w", 2, 1.0, None)]),
    (VOLCANO, [("d/w", None, 4, 1.0, 2)]),
    (SET, [("d/w", None, 8, 1.0, None)]),
    (of_kind("ray.io/v1/RayJob", {"rayClusterSpec": RAY}), [("d/w:head", "d/w", 1, 0.0, None), ("d/w:g", "d/w", 4, 1.0, 1)]),
    (of_kind("batch/v1/Job", task(1, parallelism=5, completions=3)), [("d/w", None, 3, 1.0, 1)]),
]


@pytest.mark.parametrize(("item", "expected"), WORKLOADS)
def test_roles_of_a_workload_are_rows_of_a_gang(tmp_path, item, expected):
    found = read(tmp_path, {**item, "metadata": {"name": "w", "namespace": "d"}})["jobs"]

    assert expected == [
        (row["job"], row.get("gang"), row["workers"], row["gpus_per_worker"], row.get("min_workers")) for row in rows(found)
    ]
    assert content((found,)).jobs


def test_a_job_of_kueue_waits_for_all_its_pods_and_priorities_and_queues_go_by_name(tmp_path):
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "w", "labels": {"kueue.x-k8s.io/queue-name": "mine"}},
        "spec": {"parallelism": 4, "template": {"spec": {"priorityClassName": "urgent", "containers": [asks(cpu="1")]}}},
    }
    local = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "mine"},
        "spec": {"clusterQueue": "team"},
    }
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000}

    (row,) = rows(read(tmp_path, job, local, priority)["jobs"])

    assert ("team", 1000, 4, None) == (row["tenant"], row["priority"], row["workers"], row.get("min_workers"))


def test_pods_and_jobs_of_a_workload_in_the_file_count_once(tmp_path):
    spec = {"containers": [asks(cpu="1")]}
    whole = {**SET, "metadata": {"name": "w", "namespace": "ml"}}
    part = of_kind("batch/v1/Job", {"parallelism": 4, "template": {"spec": spec}})
    part["metadata"] = {"name": "w-a-0", "namespace": "ml", "ownerReferences": [{"kind": "JobSet", "name": "w"}]}
    own = pod(spec, metadata={"name": "w-a-0-0", "ownerReferences": [{"kind": "Job", "name": "w-a-0"}]})
    other = pod(spec, metadata={"name": "x", "ownerReferences": [{"kind": "Job", "name": "elsewhere"}]})

    found = read(tmp_path, own, part, whole, other)["jobs"]

    assert ["ml/w", "ml/x"] == found.arrow.column("job").to_pylist()
    assert [1, 1] == [count for _, count in found.dropped]
    assert any("2 objects belong to workloads of the file" in text for text in found.notes)


def test_a_queue_of_the_same_name_in_another_namespace_is_another(tmp_path):
    def queue(namespace: str, cluster: str) -> dict[str, object]:
        metadata = {"name": "mine", "namespace": namespace}
        return {**of_kind("kueue.x-k8s.io/v1beta2/LocalQueue", {"clusterQueue": cluster}), "metadata": metadata}

    labels = {"kueue.x-k8s.io/queue-name": "mine"}
    spec = {"containers": [asks(cpu="1")]}
    asked = [pod(spec, metadata={"name": "p", "namespace": name, "labels": labels}) for name in ("a", "b", "c")]

    found = read(tmp_path, queue("a", "one"), queue("b", "two"), *asked)["jobs"]

    assert ["one", "two", "mine"] == found.arrow.column("tenant").to_pylist()
    assert any("1 row names a queue" in note for note in found.notes)


def test_queues_become_quotas(tmp_path):
    flavors = [
        {"name": "h100", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 16, "borrowingLimit": 8, "lendingLimit": 4}]},
        {"name": "any", "resources": [{"name": "cpu", "nominalQuota": "100"}, {"name": "credits", "nominalQuota": 1}]},
    ]
    spec = {"cohort": "all", "resourceGroups": [{"flavors": flavors}]}
    labels = {"nodeLabels": {"nvidia.com/gpu.product": "H100"}}
    kueue, hard = "kueue.x-k8s.io/v1beta1", {"requests.nvidia.com/gpu": "4", "limits.cpu": "9", "pods": "3"}

    found = read(
        tmp_path,
        {"apiVersion": kueue, "kind": "ResourceFlavor", "metadata": {"name": "h100"}, "spec": labels},
        {"apiVersion": kueue, "kind": "ClusterQueue", "metadata": {"name": "team"}, "spec": spec},
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "ml"}, "spec": {"hard": hard}},
        {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "Queue",
            "metadata": {"name": "v"},
            "spec": {"weight": 2, "capability": {"nvidia.com/gpu": 8}},
        },
    )["quotas"]

    # borrowing at most 8 beyond 16 is 24
    assert [
        ("team", "all", "gpus", "H100", 16.0, 24.0),
        ("team", "all", "cpus", None, 100.0, None),
        ("ml", None, "gpus", None, 4.0, 4.0),
        ("v", None, "gpus", None, 0.0, 8.0),
    ] == [tuple(row.get(name) for name in ("tenant", "parent", "resource", "accelerator", "nominal", "max")) for row in rows(found)]
    assert ("credits",) == found.ignored


def test_queues_of_yunikorn_have_their_whole_path(tmp_path):
    path = tmp_path / "queues.yaml"
    queue = "{name: b, resources: {guaranteed: {vcore: 2000m, memory: 2G}, max: {vcore: 4}}}"
    path.write_text(f"partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n    - {queue}\n")

    (table,) = chosen_reader(path).read(path, ReadOptions())

    assert [("root.b", "root", "cpus", 2.0, 4.0), ("root.b", "root", "memory_gib", 1.862645149230957, None)] == [
        tuple(row.get(name) for name in ("tenant", "parent", "resource", "nominal", "max")) for row in rows(table)
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("apiVersion: v1\nkind: ConfigMap\n", "nothing in the file becomes a row"),
        ("apiVersion: apps/v1\nkind: Deployment\n", "write it into the table services"),
        ("networkTopologyDiscovery: []\n", "no object of Kubernetes"),
        ("a: 1\na: 2\n", "stands twice"),
    ],
)
def test_what_becomes_no_row_is_refused_with_what_it_is(tmp_path, text, word):
    path = tmp_path / "a.yaml"
    path.write_text(text)

    with pytest.raises(InputError, match=word):
        chosen_reader(path).read(path, ReadOptions())


def test_quantities_in_doubt_name_their_place(tmp_path):
    half = {"resources": {"requests": {"nvidia.com/gpu": "0.5"}}}
    with pytest.raises(InputError) as refused:
        read(tmp_path, node({"memory": "8GB"}), pod({"containers": [asks(memory="400m")]}), pod({"containers": [half]}))
    assert [
        (1, "status.allocatable.memory"),
        (2, "spec.containers[0].resources.requests.memory"),
        (3, "spec.containers[0].resources.requests.nvidia.com/gpu"),
    ] == [(fault.row, fault.column) for fault in refused.value.faults]


def test_a_damaged_object_is_read_or_refused(tmp_path):
    draw = random.Random(5)
    whole = yaml.safe_dump_all([node(GPU), pod({"containers": [asks(cpu="1")], "nodeName": "n1"}), WORKLOADS[0][0]])
    values = ["", "[]", "{}", "-1", "9" * 30, "é", "~", "true", "1e999", "!!x y", "&a *a", '"\\0"', "2026-13-01", "null"]
    outcomes = [_faults(tmp_path / "a.yaml", _damaged(whole, values, draw)) for _ in range(250)]

    assert {True, False} == {faults is None for faults in outcomes}
    assert all(faults for faults in outcomes if faults is not None)


def _damaged(text: str, values: list[str], draw: random.Random) -> str:
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    key, colon, _ = lines[at].partition(":")
    lines[at] = f"{key}{colon} {draw.choice(values)}"
    return "\n".join(lines)


def _faults(path: Path, text: str) -> tuple[Fault, ...] | None:
    path.write_text(text)
    try:
        content(Kubernetes().read(path, ReadOptions()))
    except InputError as refused:
        return refused.faults
    return None


def test_a_list_is_piped_in(tmp_path):
    items = [node(GPU), pod({"containers": [{"resources": {"limits": {"nvidia.com/gpu": "2"}}}]})]
    command = [sys.executable, "-m", "schedplan", "ingest", "-", "--out", str(tmp_path / "data")]

    subprocess.run(command, input=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode(), check=True)

    (nodes, jobs) = json.loads((tmp_path / "data" / "ingest.json").read_text())["files"]
    assert [("-", "nodes", 1), ("-", "jobs", 1)] == [(one["path"], one["table"], one["rows_kept"]) for one in (nodes, jobs)]


@pytest.mark.real_data
def test_the_files_of_clusters_and_of_their_schedulers(shared_data):
    nodes = chosen_reader(shared_data / "kubernetes" / "alibaba_gpu_v2023_gpu_nodes.yaml.gz")
    (table,) = nodes.read(shared_data / "kubernetes" / "alibaba_gpu_v2023_gpu_nodes.yaml.gz", ReadOptions())
    assert (1213, 6212) == (table.n_rows, sum(row["gpus"] for row in table.arrow.to_pylist()))

    (vgpu,) = Kubernetes().read(shared_data / "kubernetes" / "kubectl_get_nodes_rke2_gpu.json", ReadOptions())
    # 16367668Ki / 2**20 GiB
    assert [("NVIDIA-A16-4Q", 1, 4.0, 16367668 / 2**20)] == [
        (row["accelerator"], row["gpus"], row["gpu_memory_gib"], row["memory_gib"]) for row in vgpu.arrow.to_pylist()
    ]


@pytest.mark.real_data
def test_manifests_as_their_projects_write_them(shared_data):
    found, refused = {}, []
    for path in sorted((shared_data / "manifests").iterdir()):
        try:
            found[path.stem.split("__")[-1]] = [
                (table.table, table.n_rows) for table in chosen_reader(path).read(path, ReadOptions())
            ]
        except InputError:
            refused.append(path.stem.split("__")[-1])

    assert {
        "shared-quota-setup": [("quotas", 1)],
        "ray-job-sample": [("jobs", 2)],
        "sample-job-partial-admission": [("jobs", 1)],
        "sample-jobset-tas-required": [("jobs", 1)],
        "sample-pytorchjob": [("jobs", 2)],
        "kueue-pod-group": [("jobs", 2)],
        "sample-gpu-queues": [("quotas", 3)],
        "mindspore-gpu": [("jobs", 2)],
        "job": [("jobs", 1)],
        "yunikorn-configs": [("quotas", 8)],
        "pi": [("jobs", 2)],
    } == {name: tables for name, tables in found.items() if tables != [("quotas", 0)]}
    assert ["resource-flavor-taints", "example", "queues"] == refused
