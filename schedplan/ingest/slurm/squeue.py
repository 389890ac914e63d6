"""Reader `squeue`: the queue with bars between columns. Source: slurm.schedmd.com/squeue.html (2026-11).

Text of squeue tells devices per node alone (%b): what a job asks for as a whole or per task is not in it, `squeue --json` tells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.job_record import SlurmJob, add_jobs
from schedplan.ingest.slurm.parsable import BAR, bar_table, header_of
from schedplan.ingest.slurm.state import job_state
from schedplan.ingest.slurm.tres import Tres
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.read import TableFile

FORMAT = "%i|%P|%j|%u|%T|%V|%S|%l|%D|%C|%m|%b|%r|%q|%a"
COLUMNS = (
    *("JOBID", "PARTITION", "NAME", "USER", "STATE", "SUBMIT_TIME", "START_TIME", "TIME_LIMIT", "NODES", "CPUS", "MIN_MEMORY"),
    *("TRES_PER_NODE", "REASON", "QOS", "ACCOUNT"),
)
_NOT_USED = ("NAME", "QOS", "MIN_MEMORY")
_USED = (*(name for name in COLUMNS if name not in _NOT_USED), "NODELIST", "TRES_ALLOC", "PRIORITY")
_HELD = ("JobHeldUser", "JobHeldAdmin")


@dataclass(frozen=True, slots=True)
class Squeue:
    """Every job of the queue becomes a row."""

    name: str = "squeue"
    description: str = f'Slurm: squeue -r -o "{FORMAT}", with or without header (-h)'
    tables: tuple[str, ...] = ("jobs",)
    recognised_by: str = "a header with JOBID and STATE separated by bars, or the 15 columns of that format without one"

    def sniff(self, path: Path) -> bool:
        """Return whether the file begins as squeue's, also as its fixed-width form, which is then refused."""
        first = head_text(path).split("\n", 1)[0]
        return _has_header(first) or _is_known(first) or _is_fixed_width(first)

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the jobs in the file; InputError with all its faults."""
        lines = lines_of(path)
        draft = Draft.of("jobs", path)
        if not lines or not (_has_header(lines[0]) or _is_known(lines[0])):
            hint = f'Run `squeue -r -o "{FORMAT}"`, or `squeue --json`, which also tells devices per job and per task.'
            draft.refuse_file("this is squeue in columns of a fixed width, which cut names and amounts", hint)
        has_header = _has_header(lines[0])
        names = tuple(name.upper() for name in header_of(lines[0])) if has_header else COLUMNS
        table = bar_table(lines, names, has_header, ("NAME",), lambda cells: _is_right(cells, options), _USED, draft.faults)
        jobs = []
        for row in table.rows:
            try:
                jobs.append(_job(row.line, Fields(dict(zip(names, row.cells, strict=True)), options.zone)))
            except FieldError as problem:
                draft.refuse(row.line, problem)
        add_jobs(draft, jobs)
        silent = sum(not job.requested.devices and not job.requested.others for job in jobs)
        draft.caution(
            silent and "TRES_ALLOC" not in names,
            f"{silent} jobs state no devices per node; squeue as text does not tell those asked for per job or per task, `squeue"
            " --json` does",
        )
        draft.note(not has_header, f"the file has no header; its columns are those of {FORMAT}")
        draft.note("MIN_MEMORY" in names, "MIN_MEMORY is per node or per core, which it does not say, so it is left aside")
        draft.note(len(jobs), f"times have no offset and are read in {options.zone}")
        draft.ignored |= {name for name in names if name not in _USED}
        return (draft.file(),)


def _has_header(line: str) -> bool:
    return BAR in line and {"JOBID", "STATE"} <= {name.upper() for name in header_of(line)}


def _is_known(line: str) -> bool:
    cells = line.split(BAR)
    return len(cells) == len(COLUMNS) and job_state(cells[4]) is not None and cells[8].isdigit() and cells[9].isdigit()


def _is_fixed_width(line: str) -> bool:
    words = line.split()
    return BAR not in line and words[:1] == ["JOBID"] and bool({"PARTITION", "STATE", "ST"} & set(words))


def _is_right(cells: dict[str, str], options: ReadOptions) -> bool:
    try:
        _job(0, Fields(cells, options.zone))
    except FieldError:
        return False
    return True


def _job(line: int, fields: Fields) -> SlurmJob:
    state = fields.state("STATE")
    nodes = fields.whole("NODES") or 1
    each = fields.gres("TRES_PER_NODE")
    asked = Tres(
        fields.whole("CPUS"),
        None,
        nodes,
        each.devices * nodes,
        tuple((model, count * nodes) for model, count in each.models),
        tuple((kind, count * nodes) for kind, count in each.others),
    )
    return SlurmJob(
        line,
        fields.job_id("JOBID"),
        state,
        asked,
        fields.tres("TRES_ALLOC") if "TRES_ALLOC" in fields.cells else asked,
        fields.text("USER"),
        fields.text("ACCOUNT"),
        fields.text("PARTITION"),
        fields.instant("SUBMIT_TIME"),
        None,
        fields.instant("START_TIME"),
        limit_s=fields.limit_s("TIME_LIMIT"),
        nodes=fields.nodes("NODELIST") if "NODELIST" in fields.cells else (),
        priority=fields.whole("PRIORITY"),
        is_held=state == "pending" and fields.text("REASON") in _HELD,
    )
