"""Reader `scontrol`: `scontrol show` of nodes, jobs, partitions, reservations and topology.

Source: slurm.schedmd.com/scontrol.html (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.dependency import jobs_before
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.hostlist import HostlistError
from schedplan.ingest.slurm.job_id import JobId, parse_job_id
from schedplan.ingest.slurm.job_record import SlurmJob, add_jobs
from schedplan.ingest.slurm.key_values import Record, records
from schedplan.ingest.slurm.node_record import SlurmNode, add_nodes, joined
from schedplan.ingest.slurm.reservation import outages_of
from schedplan.ingest.slurm.state import node_status
from schedplan.ingest.slurm.topology import leaf_nodes
from schedplan.ingest.slurm.tres import Tres
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.read import TableFile

Found = TypeVar("Found")
_KINDS = ("NodeName", "JobId", "PartitionName", "ReservationName", "SwitchName")
_HELD = ("JobHeldUser", "JobHeldAdmin")
# Words that scontrol prints in a record and no configuration file holds.
_SIGNS = ("CPUTot=", "JobState=", "AllocNodes=", "NodeCnt=", "Level=")


@dataclass(frozen=True, slots=True)
class Scontrol:
    """Nodes, partitions and switches become `nodes`, jobs `jobs`, reservations `outages`."""

    name: str = "scontrol"
    description: str = "Slurm: scontrol show nodes, jobs, partition, reservation or topology, with -d or -o, too"
    tables: tuple[str, ...] = ("nodes", "jobs", "outages")
    recognised_by: str = (
        "a first line with NodeName=, JobId=, PartitionName=, ReservationName= or SwitchName=, as scontrol prints it"
    )

    def sniff(self, path: Path) -> bool:
        """Return whether the file begins with a record of scontrol."""
        head = head_text(path)
        return head.startswith(tuple(f"{kind}=" for kind in _KINDS)) and any(sign in head for sign in _SIGNS)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return one table per sort of record in the file; InputError with all its faults."""
        found = records(lines_of(path), _KINDS)
        files = []
        for kind in _KINDS:
            own = [record for record in found if record.kind == kind]
            if own:
                files.append(_table(path, kind, own, options).file())
        if not files:
            draft = Draft.of("nodes", path)
            hint = "Give what `scontrol show nodes`, `jobs`, `partition` or `reservation` prints."
            draft.refuse_file("the file holds no record of scontrol", hint)
        return tuple(files)


def _table(path: Path, kind: str, own: list[Record], options: ReadOptions) -> Draft:
    draft = Draft.of({"JobId": "jobs", "ReservationName": "outages"}.get(kind, "nodes"), path)
    if kind == "JobId":
        add_jobs(draft, _each(draft, own, options, _job))
        draft.ignored |= {"JobName"}
    elif kind == "ReservationName":
        for record, rows in zip(own, _each(draft, own, options, _outages), strict=False):
            for row in rows:
                draft.add(record.line, row)
    elif kind == "NodeName":
        add_nodes(draft, _each(draft, own, options, _node))
    elif kind == "PartitionName":
        members = [node for nodes in _each(draft, own, options, _members) for node in nodes]
        add_nodes(draft, joined(members))
        draft.note(len(own), f"{len(own)} partitions; of each its nodes and the longest run are read, of its other limits nothing")
    else:
        nodes, left = leaf_nodes(_each(draft, own, options, lambda record, fields: (record.line, fields)), draft)
        add_nodes(draft, nodes)
        draft.drop("a switch above the leaves; nodes hang on leaves", left)
    draft.note(kind in ("JobId", "ReservationName") and len(own), f"times have no offset and are read in {options.zone}")
    return draft


def _each(draft: Draft, own: list[Record], options: ReadOptions, read: Callable[[Record, Fields], Found]) -> list[Found]:
    found: list[Found] = []
    for record in own:
        try:
            found.append(read(record, record.fields(options.zone)))
        except FieldError as problem:
            draft.refuse(record.line, problem)
    return found


def _node(record: Record, fields: Fields) -> SlurmNode:
    state = fields.text("State") or ""
    status = node_status(tuple(state.split()[:1]))
    if status is None:
        raise FieldError("State", state, "states of a node such as IDLE or MIXED+DRAIN", "this is no state of a node")
    memory, kept = fields.whole("RealMemory"), fields.whole("MemSpecLimit") or 0
    return SlurmNode(
        record.line,
        fields.text("NodeName") or "",
        fields.gres("Gres"),
        fields.whole("CPUEfctv", "CPUTot"),
        None if memory is None else memory - kept,
        status,
        _words(fields.text("AvailableFeatures")),
        _words(fields.text("Partitions")),
    )


def _members(record: Record, fields: Fields) -> list[SlurmNode]:
    name = fields.text("PartitionName") or ""
    limits = fields.partition_limits(name, "MaxTime")
    return [SlurmNode(record.line, node, partitions=(name,), limits=limits) for node in fields.nodes("Nodes")]


def _outages(record: Record, fields: Fields) -> list[dict[str, str | int | float | bool | None]]:
    del record
    flags = _words(fields.text("Flags"))
    return outages_of(
        fields.text("ReservationName") or "", fields.nodes("Nodes"), fields.instant("StartTime"), fields.instant("EndTime"), flags
    )


def _job(record: Record, fields: Fields) -> SlurmJob:
    """Return a job. TRES is what it holds where it runs or ran, else what it asks for; TresPer... says the models asked for."""
    state = fields.state("JobState")
    held, asked = fields.tres("AllocTRES"), fields.tres("ReqTRES")
    both = fields.tres("TRES")
    n_nodes = both.nodes or asked.nodes or held.nodes or 1
    models = _models_asked(fields, n_nodes, (both if both != Tres() else asked).devices)
    requested = replace(asked if asked != Tres() else both, models=models)
    return SlurmJob(
        record.line,
        _id(fields),
        state,
        requested,
        held if held != Tres() else both,
        (fields.text("UserId") or "").partition("(")[0] or None,
        fields.text("Account"),
        fields.text("Partition"),
        fields.instant("SubmitTime"),
        fields.instant("EligibleTime"),
        fields.instant("StartTime"),
        fields.instant("EndTime"),
        fields.instant("Deadline"),
        fields.limit_s("TimeLimit"),
        (fields.text("TimeLimit") or "").lower() == "partition_limit",
        fields.nodes("NodeList"),
        fields.whole("Priority"),
        jobs_before(fields.text("Dependency") or ""),
        state == "pending" and fields.text("Reason") in _HELD,
    )


def _id(fields: Fields) -> JobId:
    array, task, het = fields.text("ArrayJobId"), fields.text("ArrayTaskId"), fields.text("HetJobId")
    own = fields.text("JobId") or ""
    if array and task:
        text = f"{array}_{task}" if task.isdigit() else f"{array}_[{task}]"
    else:
        text = f"{het}+{fields.text('HetJobOffset') or 0}" if het else own
    try:
        return parse_job_id(text)
    except HostlistError as problem:
        raise FieldError("JobId", text, "an id such as 57", str(problem)) from None


def _models_asked(fields: Fields, n_nodes: int, devices: int) -> tuple[tuple[str, int], ...]:
    per_node = tuple((model, count * n_nodes) for model, count in fields.gres("TresPerNode").models)
    found = per_node or fields.gres("TresPerJob").models or fields.gres("TresPerTask").models
    return ((found[0][0], devices),) if len(found) == 1 else found


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())
