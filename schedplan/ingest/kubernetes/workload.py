"""Workloads of many pods as rows of the table `jobs`: Job, JobSet, Kubeflow, Volcano, Ray, Kueue. Each role is a row of a gang.

Sources: the API references of batch/v1, jobset.x-k8s.io, kubeflow.org/v1 and v2beta1, batch.volcano.sh, ray.io and
kueue.x-k8s.io (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedplan.ingest.draft import Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.labels import topology_of
from schedplan.ingest.kubernetes.metadata import annotation, full_name, queue_of, required_topology, tenant_of
from schedplan.ingest.kubernetes.pod import instant
from schedplan.ingest.kubernetes.pod_group import own_task_group, task_groups
from schedplan.ingest.kubernetes.pod_spec import PodSpec, pod_spec

_KUBEFLOW_KINDS = ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob")
_MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"


@dataclass(frozen=True, slots=True)
class Role:
    """Pods of one shape within a workload. name: None where there is one role only."""

    name: str | None
    template: Element
    replicas: int
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """Rows of one object, the specs of its pods, and what of it no column says."""

    rows: tuple[dict[str, Value], ...]
    specs: tuple[PodSpec, ...]
    unsaid: tuple[str, ...] = ()


def is_workload(item: Element) -> bool:
    """Return whether an object is a workload that is read."""
    return ((item.get("apiVersion").text() or "").split("/")[0], item.get("kind").text() or "") in _READERS


def workload(item: Element, number: int) -> Workload | None:
    """Return the rows of an object of Kubernetes, None where it is no workload that is read; FieldError for a faulty field."""
    kind, group = item.get("kind").text() or "", (item.get("apiVersion").text() or "").split("/")[0]
    read = _READERS.get((group, kind))
    if read is None:
        return None
    roles, unsaid = read(item)
    roles = [role for role in roles if role.replicas > 0]
    specs = tuple(pod_spec(role.template.get("spec")) for role in roles)
    state, name, is_gang = _state(item), full_name(item, number), len(roles) > 1
    rows = []
    for role, spec in zip(roles, specs, strict=True):
        row = {
            **spec.columns(role.replicas),
            "job": f"{name}:{role.name}" if is_gang else name,
            "kind": "training" if group == "kubeflow.org" else None,
            "tenant": _tenant(item, role),
            "gang": name if is_gang else None,
            "min_workers": role.least if role.least is not None and role.least < role.replicas else None,
            "topology": _topology(item, role),
            "submit_time": instant(item.get("metadata", "creationTimestamp")),
            "state": state,
            "time_limit_minutes": _limit(item, spec),
        }
        row["priority_class"] = spec.priority_class or _priority_class(item)
        if kind == "Workload":
            row["priority"] = item.get("spec", "priority").integer()
            row["priority_class"] = _priority_class(item) or spec.priority_class
        rows.append(row)
    return Workload(tuple(rows), specs, tuple(unsaid))


def _plain_job(item: Element) -> tuple[list[Role], list[str]]:
    """A Job starts its pods one by one, so it is elastic; one that Kueue admits waits for all, or for its least parallelism."""
    spec = item.get("spec")
    parallelism, completions = spec.get("parallelism").integer(), spec.get("completions").integer()
    pods = 1 if parallelism is None else parallelism
    if completions is not None:
        pods = min(pods, completions)
    least = annotation(item, _MIN_PARALLELISM)
    if least is not None and not (least.isascii() and least.isdigit()):
        raise shape_error(f"metadata.annotations.{_MIN_PARALLELISM}", least, "a whole number")
    template = spec.get("template")
    group = own_task_group(template)
    elastic = group.least if group else (int(least) if least else None) if queue_of(item) else 1
    unsaid = ["runs of a Job one after the other"] if completions is not None and completions > pods else []
    if group is not None and group.least > pods:
        unsaid.append("minMember of a task group beyond the pods of its Job")
    if len(list(task_groups(template))) > 1:
        unsaid.append("task groups of other pods than a Job makes")
    return [Role(None, template, pods, max(elastic, 1) if elastic is not None else None)], unsaid


def _job_set(item: Element) -> tuple[list[Role], list[str]]:
    roles = []
    for job in item.get("spec", "replicatedJobs").items():
        spec = job.get("template", "spec")
        replicas = job.get("replicas").integer()
        pods = spec.get("parallelism").integer()
        n_pods = (1 if replicas is None else replicas) * (1 if pods is None else pods)
        roles.append(Role(job.get("name").text(), spec.get("template"), n_pods))
    return roles, []


def _kubeflow(item: Element) -> tuple[list[Role], list[str]]:
    roles = []
    spec = item.get("spec")
    least = spec.get("elasticPolicy", "minReplicas").integer()
    for key, specs in spec.fields():
        if key.endswith("ReplicaSpecs"):
            for name, role in specs.fields():
                replicas = role.get("replicas").integer()
                own = least if name == "Worker" else None
                roles.append(Role(name, role.get("template"), 1 if replicas is None else replicas, own))
    return roles, []


def _volcano(item: Element) -> tuple[list[Role], list[str]]:
    """minAvailable pods must start together; with one task that is its least number, with several it can't be told which."""
    tasks, available = item.get("spec", "tasks").items(), item.get("spec", "minAvailable").integer()
    roles, unsaid = [], []
    for idx, task in enumerate(tasks):
        replicas = task.get("replicas").integer()
        least = task.get("minAvailable").integer() or (available if len(tasks) == 1 else None)
        roles.append(Role(task.get("name").text() or str(idx), task.get("template"), 1 if replicas is None else replicas, least))
    if available is not None and len(tasks) > 1 and available < sum(role.replicas for role in roles):
        unsaid.append("minAvailable over several tasks")
    return roles, unsaid


def _ray(item: Element) -> tuple[list[Role], list[str]]:
    spec = item.get("spec", "rayClusterSpec") if item.get("kind").text() == "RayJob" else item.get("spec")
    is_scaled = spec.get("enableInTreeAutoscaling").flag()
    roles = [Role("head", spec.get("headGroupSpec", "template"), 1)]
    for idx, group in enumerate(spec.get("workerGroupSpecs").items()):
        replicas = group.get("replicas").integer()
        least = group.get("minReplicas").integer() if is_scaled else None
        name = group.get("groupName").text() or f"workers-{idx}"
        roles.append(Role(name, group.get("template"), 1 if replicas is None else replicas, least))
    return roles, []


def _kueue(item: Element) -> tuple[list[Role], list[str]]:
    """A Workload tells the pods of the job that it queues; minCount pods of a set are enough to start it."""
    roles = []
    for pods in item.get("spec", "podSets").items():
        count = pods.get("count").integer()
        least = pods.get("minCount").integer()
        roles.append(Role(pods.get("name").text(), pods.get("template"), 1 if count is None else count, least))
    return roles, []


_READERS: dict[tuple[str, str], Callable[[Element], tuple[list[Role], list[str]]]] = {
    ("batch", "Job"): _plain_job,
    ("jobset.x-k8s.io", "JobSet"): _job_set,
    **{
        ("kubeflow.org", kind): _kubeflow
        for kind in ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob")
    },
    ("batch.volcano.sh", "Job"): _volcano,
    ("ray.io", "RayJob"): _ray,
    ("ray.io", "RayCluster"): _ray,
    ("kueue.x-k8s.io", "Workload"): _kueue,
}


def _state(item: Element) -> str:
    """Return the state by the conditions and counts that a controller writes; what was never given to one waits."""
    status = item.get("status")
    conditions = {one.get("type").text() for one in status.get("conditions").items() if one.get("status").text() == "True"}
    phase = status.first("phase", "jobDeploymentStatus").text() or status.get("state", "phase").text() or ""
    if "Finished" in conditions:
        reasons = {one.get("reason").text() for one in status.get("conditions").items() if one.get("type").text() == "Finished"}
        return "failed" if reasons & {"Failed", "JobFailed"} else "completed"
    if conditions & {"Complete", "Completed", "Succeeded"} or phase in ("Completed", "Complete", "Succeeded"):
        return "completed"
    if conditions & {"Failed"} or phase in ("Failed", "Aborted", "Terminated"):
        return "failed"
    is_running = bool(conditions & {"Running", "Admitted"}) or phase == "Running" or bool(status.get("active").value)
    return "running" if is_running else "pending"


def _tenant(item: Element, role: Role) -> str:
    template = role.template
    admitted = item.get("status", "admission", "clusterQueue").text()
    stated = item.get("spec").first("queue", "queueName").text()
    own = admitted or stated or item.get("spec", "runPolicy", "schedulingPolicy", "queue").text()
    # MPIJob of v2beta1 writes labels beside the spec of the pod, not under metadata
    beside = template.get("labels", "queue").text()
    return own or queue_of(item, template) or beside or tenant_of(item)


def _priority_class(item: Element) -> str | None:
    own = item.get("spec", "priorityClassName").text() or item.get("spec", "priorityClassRef", "name").text()
    return own or item.get("spec", "runPolicy", "schedulingPolicy", "priorityClass").text()


def _topology(item: Element, role: Role) -> str | None:
    key = required_topology(role.template, item)
    return None if key is None else topology_of(key)


def _limit(item: Element, spec: PodSpec) -> float | None:
    policy = item.get("spec", "runPolicy", "activeDeadlineSeconds").integer()
    seconds = item.get("spec", "activeDeadlineSeconds").integer() or policy
    found = seconds or spec.limit_s
    return found / 60 if found else None
