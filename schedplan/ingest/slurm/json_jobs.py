"""Jobs in Slurm's JSON: of accounting (`sacct --json`) and of the controller (`squeue --json`, `scontrol --json`, slurmrestd)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.slurm.dependency import jobs_before
from schedplan.ingest.slurm.hostlist import HostlistError
from schedplan.ingest.slurm.job_id import JobId, parse_job_id
from schedplan.ingest.slurm.job_record import SlurmJob
from schedplan.ingest.slurm.json_value import gres_text, instant, minutes_s, node_names, number, tres_list, tres_text, words
from schedplan.ingest.slurm.state import job_state
from schedplan.ingest.slurm.tres import Tres

_HELD = ("JobHeldUser", "JobHeldAdmin")


def accounting_job(row: int, job: Element) -> SlurmJob:
    """Return a job of `sacct --json`; FieldError where a field is not what it should be."""
    array, het = job.get("array"), job.get("het")
    state = _state(job.get("state", "current"))
    return SlurmJob(
        row,
        _id(
            job,
            number(array.get("job_id")),
            array.get("task_id"),
            array.first("task", "tasks"),
            het.get("job_id"),
            het.get("job_offset"),
        ),
        state,
        tres_list(job.get("tres", "requested")),
        tres_list(job.get("tres", "allocated")),
        job.get("user").text() or job.get("association", "user").text(),
        job.get("account").text(),
        job.get("partition").text(),
        instant(job.get("time", "submission")),
        instant(job.get("time", "eligible")),
        instant(job.get("time", "start")),
        instant(job.get("time", "end")),
        limit_s=minutes_s(job.get("time", "limit")),
        nodes=_accounting_nodes(job),
        priority=number(job.get("priority")),
        is_held=state == "pending" and job.get("state", "reason").text() in _HELD,
    )


def controller_job(row: int, job: Element) -> SlurmJob:
    """Return a job of `squeue --json` or slurmrestd; FieldError where a field is not what it should be."""
    state = _state(job.get("job_state"))
    nodes = node_names(job.get("nodes"))
    requested, allocated = tres_text(job.get("tres_req_str")), tres_text(job.get("tres_alloc_str"))
    n_nodes = requested.nodes or number(job.get("node_count")) or 1
    asked = _devices_asked(job, n_nodes)
    requested = _with_devices(replace(requested, nodes=n_nodes, cpus=requested.cpus or number(job.get("cpus"))), asked)
    if allocated != Tres():
        allocated = _with_devices(allocated, _devices_given(job) or asked)
    eligible = instant(job.get("eligible_time"))
    return SlurmJob(
        row,
        _id(
            job,
            number(job.get("array_job_id")),
            job.get("array_task_id"),
            job.get("array_task_string"),
            job.get("het_job_id"),
            job.get("het_job_offset"),
        ),
        state,
        requested,
        allocated,
        job.get("user_name").text(),
        job.get("account").text(),
        job.get("partition").text(),
        instant(job.get("submit_time")),
        eligible,
        instant(job.get("start_time")),
        instant(job.get("end_time")),
        instant(job.get("deadline")),
        minutes_s(job.get("time_limit")),
        nodes=nodes,
        priority=number(job.get("priority")),
        after=jobs_before(job.get("dependency").text() or ""),
        is_held=state == "pending" and job.get("state_reason").text() in _HELD,
    )


def _state(element: Element) -> str:
    """Return the state by the table's word; a list holds the state first and flags such as COMPLETING after it."""
    found = words(element)
    state = job_state(found[0]) if found else None
    if state is None:
        raise shape_error(element.place, element.value, "a state of a job such as RUNNING")
    return state


def _id(job: Element, array: int | None, task: Element, tasks: Element, het: Element, offset: Element) -> JobId:
    own, gang = number(job.get("job_id")), number(het)
    text = str(own)
    if array:
        of_one, of_many = number(task), tasks.text()
        text = f"{array}_{of_one}" if of_one is not None else f"{array}_[{of_many}]" if of_many else str(array)
    elif gang:
        text = f"{gang}+{number(offset) or 0}"
    try:
        return parse_job_id(text)
    except HostlistError as problem:
        raise shape_error(f"{job.place}.job_id", text, str(problem)) from None


def _accounting_nodes(job: Element) -> tuple[str, ...]:
    return node_names(job.get("nodes"))


def _devices_asked(job: Element, n_nodes: int) -> Tres:
    """Return the devices that a job asks for by job, node, task or socket; the largest where several say it."""
    factors = (
        ("tres_per_job", 1),
        ("tres_per_node", n_nodes),
        ("tres_per_task", number(job.get("tasks")) or 1),
        ("tres_per_socket", n_nodes * (number(job.get("sockets_per_node")) or 1)),
    )
    found = [_times(gres_text(job.get(name)), factor) for name, factor in factors]
    return max(found, key=lambda tres: tres.devices)


def _devices_given(job: Element) -> Tres | None:
    """Return the devices of all nodes in `gres_detail`; None where there are none."""
    models: Counter[str] = Counter()
    devices = 0
    for item in job.get("gres_detail").items():
        given = gres_text(item)
        devices += given.devices
        models.update(dict(given.models))
    return Tres(devices=devices, models=tuple(sorted(models.items()))) if devices else None


def _times(tres: Tres, factor: int) -> Tres:
    return replace(
        tres, devices=tres.devices * factor, models=tuple((model, count * factor) for model, count in tres.models), others=()
    )


def _with_devices(tres: Tres, other: Tres) -> Tres:
    """Return the amounts with the devices of `other` where they state none: a controller that does not count GPUs says nothing."""
    return replace(tres, devices=tres.devices or other.devices, models=tres.models or other.models)
