"""What the columns of a headerless sacct file are: a layout that is known, or told by what stands in them. Never by guess."""

from __future__ import annotations

import re
from datetime import UTC

from schedplan.ingest.slurm.hostlist import HostlistError
from schedplan.ingest.slurm.job_id import parse_job_id
from schedplan.ingest.slurm.parsable import header_of
from schedplan.ingest.slurm.state import job_state
from schedplan.ingest.slurm.tres import parse_tres
from schedplan.timegrid import InstantError, parse_instant
from schedplan.units import QuantityError

# The command of Open XDMoD's shredder: open.xdmod.org, resource manager Slurm (2026-11).
XDMOD = (
    *("JobID", "JobIDRaw", "Cluster", "Partition", "QOS", "Account", "Group", "GID", "User", "UID", "Submit", "Eligible", "Start"),
    *(
        "End",
        "Elapsed",
        "ExitCode",
        "State",
        "NNodes",
        "NCPUS",
        "ReqCPUS",
        "ReqMem",
        "ReqTRES",
        "AllocTRES",
        "Timelimit",
        "NodeList",
    ),
    "JobName",
)
_TIME_NAMES = {3: ("Submit", "Start", "End"), 4: ("Submit", "Eligible", "Start", "End")}
_SAMPLE = 2_000
_NO_TIME = ("", "Unknown", "None")


def columns_of(lines: list[str]) -> tuple[tuple[str, ...], str] | None:
    """Return (names of the columns, how they are known) of lines without a header; None where they can't be told."""
    rows = [header_of(line) for line in lines[:_SAMPLE] if line.strip()]
    if not rows:
        return None
    if _is_xdmod(rows):
        return XDMOD, "the file has no header; its 26 columns are those of Open XDMoD's sacct command"
    return _by_content(rows)


def _is_xdmod(rows: list[tuple[str, ...]]) -> bool:
    wide = [row for row in rows if len(row) >= len(XDMOD)]
    return len(wide) == len(rows) and all(_is_job(row[0]) and _is_time(row[10]) and job_state(row[16]) for row in wide)


def _by_content(rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], str] | None:
    width = min(len(row) for row in rows)
    if any(len(row) != width for row in rows):
        return None
    columns = list(zip(*rows, strict=True))
    states = [idx for idx, cells in enumerate(columns) if all(job_state(cell) for cell in cells)]
    times = [idx for idx, cells in enumerate(columns) if all(map(_is_time, cells)) and any(cell[:1].isdigit() for cell in cells)]
    amounts = [idx for idx, cells in enumerate(columns) if any(cells) and all(map(_is_tres, cells))]
    names = _TIME_NAMES.get(len(times))
    if not (all(map(_is_job, columns[0])) and len(states) == 1 and names and len(amounts) <= 1):
        return None
    if not all(_is_ascending([row[idx] for idx in times]) for row in rows):
        return None
    found = [f"column {idx + 1}" for idx in range(width)]
    found[0], found[states[0]] = "JobID", "State"
    for idx, name in zip(times, names, strict=True):
        found[idx] = name
    for idx in amounts:
        found[idx] = "AllocTRES"
    told = ", ".join(f"{idx + 1} {name}" for idx, name in enumerate(found) if not name.startswith("column"))
    return tuple(found), f"the file has no header; told by what stands in them, its columns are {told}"


def _is_job(text: str) -> bool:
    try:
        return bool(parse_job_id(text).names)
    except HostlistError:
        return False


def _is_time(text: str) -> bool:
    if text in _NO_TIME:
        return True
    try:
        parse_instant(text, UTC)
    except InstantError:
        return False
    return "T" in text


def _is_tres(text: str) -> bool:
    if not re.match(r"[a-z/]+=|$", text, re.ASCII):
        return False
    try:
        parse_tres(text)
    except QuantityError:
        return False
    return True


def _is_ascending(texts: list[str]) -> bool:
    stated = [text for text in texts if text not in _NO_TIME]
    return stated == sorted(stated)
