"""Reader `sacct`: `sacct -P` and `sacct -p`, with or without header, with or without steps and earlier attempts.

Source: slurm.schedmd.com/sacct.html (2026-11); captured from Slurm 22.05 and from logs of Open XDMoD.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.headerless import columns_of
from schedplan.ingest.slurm.job_record import SlurmJob, add_jobs
from schedplan.ingest.slurm.parsable import BAR, bar_table, header_of
from schedplan.ingest.slurm.tres import Tres, requested_memory_mib
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.read import TableFile
from schedplan.units import QuantityError

COMMAND = (
    "sacct -a -X -P -o JobID,User,Account,Partition,State,Submit,Eligible,Start,End,Timelimit,ReqTRES,AllocTRES,NodeList,Priority"
)
_NEEDED = ("JobID", "State")
_FREE = ("JobName", "Comment", "AdminComment", "SystemComment", "Constraints", "SubmitLine", "WorkDir")
_USED = (
    *("JobID", "User", "Account", "Partition", "State", "Submit", "Eligible", "Start", "End", "Timelimit", "NNodes", "AllocNodes"),
    *("NCPUS", "AllocCPUS", "ReqCPUS", "ReqMem", "ReqTRES", "AllocTRES", "ReqGRES", "AllocGRES", "NodeList", "Priority", "Reason"),
)
_HELD = ("JobHeldUser", "JobHeldAdmin")


@dataclass(frozen=True, slots=True)
class Sacct:
    """Every job becomes a row; a step, and an attempt before the last, becomes none."""

    name: str = "sacct"
    description: str = "Slurm accounting: sacct -P or -p, with or without header (-n), steps and duplicates (-D), also gzipped"
    tables: tuple[str, ...] = ("jobs",)
    recognised_by: str = "a header with JobID and State separated by bars; or rows of job ids, states and times separated by bars"

    def sniff(self, path: Path) -> bool:
        """Return whether the file begins as sacct's, also as its fixed-width form, which is then refused."""
        lines = head_text(path).splitlines()
        return bool(lines) and (_has_header(lines[0]) or _is_fixed_width(lines) or _is_headerless(lines))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the jobs in the file; InputError with all its faults."""
        lines = lines_of(path)
        draft = Draft.of("jobs", path)
        if not lines or _is_fixed_width(lines):
            hint = f"Run `{COMMAND}`, or `sacct --json`."
            draft.refuse_file("this is sacct in columns of a fixed width, which cut names and amounts", hint)
        names, has_header = _columns(draft, lines, options)
        table = bar_table(lines, names, has_header, _FREE, lambda cells: _is_right(cells, options), _USED, draft.faults)
        jobs, marked = [], 0
        for row in table.rows:
            try:
                job, is_marked = _job(row.line, Fields(dict(zip(names, row.cells, strict=True)), options.zone))
            except FieldError as problem:
                draft.refuse(row.line, problem)
                continue
            marked += is_marked
            jobs.append(job)
        add_jobs(draft, jobs)
        told = ", ".join(str(line) for line in table.mended[:5])
        draft.note(len(table.mended), f"{len(table.mended)} lines have a bar within a text; read all the same: {told}")
        draft.note(
            marked, f"{marked} ReqMem are marked per core by 2**31 alone, as old sacct printed it; TRES says the same memory"
        )
        draft.note(len(jobs), f"times have no offset and are read in {options.zone}")
        draft.ignored |= {name for name in names if name not in _USED}
        draft.convert("memory of a job in its unit to memory_gib_per_worker", len(draft.rows))
        return (draft.file(),)


def _columns(draft: Draft, lines: list[str], options: ReadOptions) -> tuple[tuple[str, ...], bool]:
    renames = dict(options.renames)
    if _has_header(lines[0]) or any(name in renames for name in header_of(lines[0])):
        known = {name.lower(): name for name in (*_USED, *_FREE)}
        return tuple(renames.get(name, known.get(name.lower(), name)) for name in header_of(lines[0])), True
    if renames:
        width = len(header_of(lines[0]))
        return tuple(renames.get(str(number), f"column {number}") for number in range(1, width + 1)), False
    found = columns_of(lines)
    if found is None:
        hint = f"Run `{COMMAND}` without -n, or name the columns by their number: --map 1=JobID --map 2=State --map 3=Submit."
        draft.refuse_file("the columns have no header and can't be told by what stands in them", hint)
    names, how = found
    draft.notes.append(how)
    return names, False


def _has_header(line: str) -> bool:
    names = {name.lower() for name in header_of(line)}
    return BAR in line and {name.lower() for name in _NEEDED} <= names


def _is_fixed_width(lines: list[str]) -> bool:
    return BAR not in lines[0] and lines[0].split()[:2] == ["JobID", "JobName"] and lines[1:2] != [] and set(lines[1]) <= set("- ")


def _is_headerless(lines: list[str]) -> bool:
    return BAR in lines[0] and columns_of(lines) is not None


def _is_right(cells: dict[str, str], options: ReadOptions) -> bool:
    try:
        _job(0, Fields(cells, options.zone))
    except FieldError:
        return False
    return True


def _job(line: int, fields: Fields) -> tuple[SlurmJob, bool]:
    """Return the job of one row, and whether its memory carries the mark of old sacct."""
    requested, allocated = fields.tres("ReqTRES"), fields.tres("AllocTRES")
    nodes, cpus = fields.whole("NNodes", "AllocNodes") or 1, fields.whole("NCPUS", "AllocCPUS", "ReqCPUS")
    memory, is_marked = _requested_memory(fields, nodes, cpus or 1)
    requested = _filled(requested, nodes, fields.whole("ReqCPUS") or cpus, memory, fields.gres("ReqGRES"))
    if allocated != Tres() or fields.gres("AllocGRES") != Tres():
        allocated = _filled(allocated, nodes, cpus, memory, fields.gres("AllocGRES"))
    limit = fields.cells.get("Timelimit", "").strip()
    job = SlurmJob(
        line,
        fields.job_id("JobID"),
        fields.state("State"),
        requested,
        allocated,
        fields.text("User"),
        fields.text("Account"),
        fields.text("Partition"),
        fields.instant("Submit"),
        fields.instant("Eligible"),
        fields.instant("Start"),
        fields.instant("End"),
        limit_s=fields.limit_s("Timelimit"),
        is_limit_of_partition=limit.lower() == "partition_limit",
        nodes=fields.nodes("NodeList"),
        priority=fields.whole("Priority"),
        is_held=fields.text("Reason") in _HELD and fields.state("State") == "pending",
    )
    return job, is_marked


def _requested_memory(fields: Fields, nodes: int, cpus: int) -> tuple[Fraction | None, bool]:
    text = fields.text("ReqMem")
    if text is None:
        return None, False
    try:
        return requested_memory_mib(text, nodes, cpus)
    except QuantityError as problem:
        raise FieldError("ReqMem", text, str(problem), "this is no memory of Slurm") from None


def _filled(tres: Tres, nodes: int, cpus: int | None, memory: Fraction | None, gres: Tres) -> Tres:
    """Return the amounts, what is missing filled in from the columns beside them; GRES columns are per node."""
    return replace(
        tres,
        nodes=tres.nodes if tres.nodes is not None else nodes,
        cpus=tres.cpus if tres.cpus is not None else cpus,
        memory_mib=tres.memory_mib if tres.memory_mib is not None else memory,
        devices=tres.devices or gres.devices * nodes,
        models=tres.models or tuple((model, count * nodes) for model, count in gres.models),
    )
