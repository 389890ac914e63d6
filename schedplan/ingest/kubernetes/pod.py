"""A Pod of Kubernetes, as it runs, waits or is written down, as a row of the table `jobs`. It reads no file."""

from __future__ import annotations

from datetime import UTC

from schedplan.ingest.draft import Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.metadata import full_name, gang_of, tenant_of
from schedplan.ingest.kubernetes.pod_spec import PodSpec, pod_spec
from schedplan.timegrid import InstantError, parse_instant

OF_NODE = "a pod of a DaemonSet or of the node itself, which comes with the node and is no work to place"
_STATES = {"Pending": "pending", "Running": "running", "Succeeded": "completed", "Failed": "failed", "Unknown": "running"}
_OWNERS_OF_NODE = ("DaemonSet", "Node")


def is_of_node(pod: Element) -> bool:
    """Return whether a pod comes with its node: a DaemonSet's, or a static one."""
    return any(owner.get("kind").text() in _OWNERS_OF_NODE for owner in pod.get("metadata", "ownerReferences").items())


def pod_row(pod: Element, number: int) -> tuple[dict[str, Value], PodSpec]:
    """Return the row of a pod and what its spec says; FieldError where a field is not what it should be."""
    spec = pod_spec(pod.get("spec"))
    phase = pod.get("status", "phase").text()
    state = "pending" if phase is None else _STATES.get(phase)
    if state is None:
        raise shape_error("status.phase", phase, ", ".join(_STATES))
    start_s = instant(pod.get("status", "startTime")) if state != "pending" else None
    end_s = _end(pod) if state in ("completed", "failed") else None
    row: dict[str, Value] = {
        **spec.columns(),
        "job": full_name(pod, number),
        "tenant": tenant_of(pod),
        "gang": gang_of(pod),
        "submit_time": instant(pod.get("metadata", "creationTimestamp")),
        "start_time": start_s,
        "end_time": end_s,
        "state": state,
    }
    if spec.node is not None and state != "pending":
        row["placement"] = f"{spec.node}*{row['workers']}"
    if start_s is not None and end_s is not None and end_s > start_s:
        row["runtime_minutes"] = (end_s - start_s) / 60
    return row, spec


def instant(element: Element) -> int | None:
    """Return a time of Kubernetes in seconds since 1970; FieldError where it is none."""
    text = element.text()
    if text is None:
        return None
    try:
        return parse_instant(text, UTC)[0]
    except InstantError as problem:
        raise shape_error(element.place, text, str(problem)) from None


def _end(pod: Element) -> int | None:
    """Return when the last container ended."""
    ends = [instant(one.get("state", "terminated", "finishedAt")) for one in pod.get("status", "containerStatuses").items()]
    stated = [end for end in ends if end is not None]
    return max(stated) if stated and len(stated) == len(ends) else None
