"""Reader `slurm-json`: what Slurm's commands print with --json, and slurmrestd answers, of the releases 22.05 to 25.x."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from schedplan.ingest.document import json_document, sniffed_document
from schedplan.ingest.draft import Draft
from schedplan.ingest.element import Element
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.association import Association, add_quotas, json_association
from schedplan.ingest.slurm.job_record import SlurmJob, add_jobs
from schedplan.ingest.slurm.json_jobs import accounting_job, controller_job
from schedplan.ingest.slurm.json_nodes import controller_node, partition_nodes, reservation_rows
from schedplan.ingest.slurm.node_record import add_nodes, joined
from schedplan.tables.read import TableFile

Found = TypeVar("Found")
_LISTS = ("jobs", "nodes", "reservations", "partitions", "associations")


@dataclass(frozen=True, slots=True)
class SlurmJson:
    """Jobs become `jobs`, nodes and partitions `nodes`, reservations `outages`, associations `quotas`."""

    name: str = "slurm-json"
    description: str = "Slurm with --json (sacct, squeue, sinfo, scontrol, sacctmgr) and slurmrestd, 22.05 to 25.x"
    tables: tuple[str, ...] = ("jobs", "nodes", "outages", "quotas")
    recognised_by: str = "a JSON mapping with `meta` and `errors` and one of jobs, nodes, reservations, partitions, associations"

    def sniff(self, path: Path) -> bool:
        """Return whether the file is an answer of Slurm."""
        document = sniffed_document(path)
        return document.has("meta") and document.has("errors")

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the table of the list in the file; InputError with all its faults. Times are seconds, so no zone is needed."""
        del options
        document = json_document(path)
        held = [name for name in _LISTS if document.has(name)]
        errors = [item.first("description", "error").text() or "" for item in document.get("errors").items()]
        if not held or (errors and not any(document.get(name).items() for name in held)):
            draft = Draft.of("jobs", path)
            told = f"Slurm answered with an error and no data: {errors[0]}" if errors else "the answer of Slurm holds no list"
            draft.refuse_file(told, "Ask Slurm again; jobs, nodes, reservations and associations are read.")
        return tuple(_table(path, name, document.get(name)).file() for name in held)


def _table(path: Path, name: str, items: Element) -> Draft:
    if name == "jobs":
        draft = Draft.of("jobs", path)
        add_jobs(draft, _each(draft, items, _job))
        draft.ignored |= {"name"}
        return draft
    if name == "reservations":
        draft = Draft.of("outages", path)
        for row, rows in enumerate(_each(draft, items, reservation_rows), start=1):
            for one in rows:
                draft.add(row, one)
        return draft
    if name == "associations":
        draft = Draft.of("quotas", path)
        found: list[Association] = list(_each(draft, items, json_association))
        add_quotas(draft, found)
        return draft
    draft = Draft.of("nodes", path)
    if name == "partitions":
        add_nodes(draft, joined(node for nodes in _each(draft, items, partition_nodes) for node in nodes))
    else:
        add_nodes(draft, _each(draft, items, controller_node))
    return draft


def _job(row: int, job: Element) -> SlurmJob:
    return controller_job(row, job) if job.has("job_state") else accounting_job(row, job)


def _each(draft: Draft, items: Element, read: Callable[[int, Element], Found]) -> list[Found]:
    """Return what each entry of a list is read as; a fault for each that is not what it should be. Rows count from 1."""
    found: list[Found] = []
    for row, item in enumerate(items.items(), start=1):
        try:
            found.append(read(row, item))
        except FieldError as problem:
            draft.refuse(row, problem)
    return found
