"""Reader `swf`: the Standard Workload Format of the Parallel Workloads Archive, with the machine of its header.

Source: cs.huji.ac.il/labs/parallel/workload/swf.html (2026-11). -1 is unknown. The machine is MaxProcs nodes of one core; a job of
n processors is n workers of one core.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.ingest.undated import EPOCH_S, SAID
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile
from schedplan.units import QuantityError, parse_number

FIELDS = (
    *("job", "submit", "wait", "run", "processors", "cpu_time", "memory", "requested_processors", "requested_time"),
    *("requested_memory", "status", "user", "group", "executable", "queue", "partition", "preceding", "think"),
)
_HEADER = re.compile(r";\s*(\w+):\s*(.*)", re.ASCII)
_STATES = {0: "failed", 1: "completed", 2: "preempted", 3: "completed", 4: "failed", 5: "cancelled"}
_PARTIAL = (2, 3, 4)
_OFTEN_UNKNOWN = ("wait", "requested_processors", "requested_time", "requested_memory")
_UNKNOWN = -1
_KIB_PER_GIB = 1 << 20
_IS_START = re.compile(r"submit\s+times\s+are\s+actually\s+start\s+times", re.IGNORECASE)
POOL = "processors"


@dataclass(frozen=True, slots=True)
class Swf:
    """Every line of a job becomes a job; the header's machine becomes `nodes`."""

    name: str = "swf"
    description: str = "Standard Workload Format (.swf), also gzipped; the machine from MaxProcs of its header"
    tables: tuple[str, ...] = ("jobs", "nodes")
    recognised_by: str = "lines that begin with ; and then lines of 18 numbers"

    def sniff(self, path: Path) -> bool:
        """Return whether the first line without a semicolon has 18 numbers."""
        lines = head_text(path).splitlines()
        first = next((line for line in lines if line.strip() and not line.lstrip().startswith(";")), "")
        return len(first.split()) == len(FIELDS) and all(re.fullmatch(r"-?\d+(\.\d+)?", word, re.ASCII) for word in first.split())

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the jobs, and the nodes where the header states the machine; InputError with all its faults."""
        del options  # UnixStartTime is an instant, so no zone is needed
        lines = lines_of(path)
        header = [match.groups() for match in (_HEADER.match(line.strip()) for line in lines) if match is not None]
        stated = {name: value.strip() for name, value in reversed(header)}
        comments = " ".join(line.strip().lstrip("; ") for line in lines if line.strip().startswith(";"))
        draft = Draft.of("jobs", path)
        start_s = _whole(draft, stated, "UnixStartTime")
        is_start = _IS_START.search(comments) is not None
        counts: Counter[str] = Counter()
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith(";"):
                try:
                    _add(draft, number, line, EPOCH_S if start_s is None else start_s, is_start, counts)
                except FieldError as problem:
                    draft.refuse(number, problem)
        _tell(draft, counts, start_s, is_start, len(lines))
        draft.ignored |= {"cpu_time", "memory", "group", "executable", "partition", "think"}
        jobs = draft.file()
        machine = _whole(draft, stated, "MaxProcs") or _whole(draft, stated, "MaxNodes")
        return (jobs, _machine(path, machine)) if machine else (jobs,)


def _add(draft: Draft, number: int, line: str, start_s: int, is_start: bool, counts: Counter[str]) -> None:
    words = line.split()
    if len(words) != len(FIELDS):
        raise FieldError("line", line.strip(), f"{len(FIELDS)} numbers", f"the line has {len(words)} fields")
    values: dict[str, float | None] = {}
    for name, word in zip(FIELDS, words, strict=True):
        try:
            value = parse_number(word)
        except QuantityError as problem:
            raise FieldError(name, word, str(problem)) from None
        values[name] = None if value == _UNKNOWN else value
    status = values["status"]
    if status in _PARTIAL:
        draft.drop("a part of a job that was suspended (status 2, 3 or 4); its summary line counts")
        return
    _count(values, counts)
    draft.add(number, _row(values, start_s, is_start))


def _row(values: dict[str, float | None], start_s: int, is_start: bool) -> dict[str, Value]:
    submit, wait, run = values["submit"], values["wait"], values["run"]
    begin = submit if is_start and wait is None else None if submit is None or wait is None else submit + wait
    workers = int(values["processors"] or values["requested_processors"] or 1)
    each = values["requested_memory"]
    state = _STATES.get(int(values["status"])) if values["status"] is not None else None
    return {
        "job": str(int(values["job"] or 0)),
        "tenant": None if values["queue"] is None else f"queue-{int(values['queue'])}",
        "user": None if values["user"] is None else f"user-{int(values['user'])}",
        "submit_time": None if submit is None else start_s + int(submit),
        "start_time": None if begin is None else start_s + int(begin),
        "end_time": None if begin is None or run is None else start_s + int(begin + run),
        "state": state or "completed",
        "workers": workers,
        "cpus_per_worker": 1.0,
        "memory_gib_per_worker": None if each is None else each / _KIB_PER_GIB,
        "runtime_minutes": run / 60 if run else None,
        "time_limit_minutes": values["requested_time"] / 60 if values["requested_time"] else None,
        "after": None if values["preceding"] is None else str(int(values["preceding"])),
    }


def _count(values: dict[str, float | None], counts: Counter[str]) -> None:
    counts["jobs"] += 1
    counts["instant"] += values["run"] == 0
    for name in _OFTEN_UNKNOWN:
        counts[name] += values[name] is None
    counts["no_size"] += values["processors"] is None and values["requested_processors"] is None
    counts["no_status"] += values["status"] is None


def _tell(draft: Draft, counts: Counter[str], start_s: int | None, is_start: bool, n_lines: int) -> None:
    n_jobs = counts["jobs"]
    draft.note(n_jobs, f"{n_jobs} jobs; {n_lines - n_jobs - sum(draft.dropped.values())} other lines are the header and blank")
    draft.note(start_s is None, SAID)
    draft.note(start_s is not None, "times count from UnixStartTime of the header, which is an instant whatever TimeZone says")
    draft.caution(is_start, "the header says that the times of submission are those of the start, so the log shows no waiting")
    draft.note(counts["instant"], f"{counts['instant']} jobs ran 0 s; their runtime_minutes stays empty")
    draft.note(counts["no_status"], f"{counts['no_status']} jobs have no status; they are taken as completed")
    draft.caution(counts["no_size"], f"{counts['no_size']} jobs state no processors; they are taken as one")
    unknown = [
        f"{name} ({counts[name]})"
        for name in ("wait", "requested_processors", "requested_time", "requested_memory")
        if counts[name]
    ]
    draft.note(bool(unknown), f"unknown (-1): {', '.join(unknown)}")


def _whole(draft: Draft, stated: dict[str, str], name: str) -> int | None:
    text = stated.get(name, "")
    words = text.split()
    if not words:
        return None
    if not (words[0].isascii() and words[0].isdigit() and len(words[0]) <= 12):
        draft.refuse(1, FieldError(name, text, "a whole number", "the header states no number"))
        return None
    return int(words[0]) or None


def _machine(path: Path, processors: int) -> TableFile:
    draft = Draft.of("nodes", path)
    draft.add(1, {"node": POOL, "count": processors, "cpus": 1.0})
    draft.note(True, f"the machine is {processors} nodes of one core, after MaxProcs of the header ({plain_name(path)})")
    return draft.file()
