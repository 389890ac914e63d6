"""Reader `spot-availability`: how many spot nodes could be had, tick by tick, as how often one is taken back per node-hour.

Sources: skypilot-org/spot-traces (NSDI 2024) and uclasystem/bamboo, traces/ (2026-11). Rate = nodes taken back / node-hours up to
then; a fall from 3 to 1 between two ticks takes back two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from itertools import pairwise
from pathlib import Path

from schedplan.ingest.document import json_document, sniffed_document
from schedplan.ingest.draft import Draft
from schedplan.ingest.element import shape_error
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile
from schedplan.timegrid import InstantError, parse_instant

_SKYPILOT_NAME = re.compile(r"(?:.*__)?(?P<zone>[a-z]+-[a-z]+-\d[a-z])_(?P<model>[a-z0-9]+)_(?P<gpus>\d{1,3})", re.ASCII)
_MEMBER = re.compile(r"(?P<ms>\d{1,15}),(?P<act>add|remove),(?P<node>[\w.-]{1,100})", re.ASCII)
_COUNT = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2}),\s*(?P<clock>\d{2}:\d{2}:\d{2}),\s*(?P<count>\d{1,9})", re.ASCII)
_S_PER_H = 3600


@dataclass(frozen=True, slots=True)
class Tally:
    """What a trace comes to: node-hours that nodes were up, and nodes that were taken back. most: up at once."""

    node_hours: float
    taken: int
    most: int
    hours: float

    @property
    def rate(self) -> float:
        return self.taken / self.node_hours if self.node_hours else 0.0


def tally(counts: Iterable[tuple[float, int]]) -> Tally:
    """Return what (seconds since the start, nodes up from then on) come to; the last entry only ends what was before."""
    points = list(counts)
    node_s, taken = 0.0, 0
    for (begin, up), (end, then) in pairwise(points):
        node_s += up * (end - begin)
        taken += max(up - then, 0)
    hours = (points[-1][0] - points[0][0]) / _S_PER_H if points else 0.0
    return Tally(node_s / _S_PER_H, taken, max((up for _, up in points), default=0), hours)


@dataclass(frozen=True, slots=True)
class SpotAvailability:
    """A trace becomes one row of `nodes`, of the market spot, with its rate of interruptions."""

    name: str = "spot-availability"
    description: str = "availability of spot nodes over time: SkyPilot's JSON traces, Bamboo's memberships and counts"
    tables: tuple[str, ...] = ("nodes",)
    recognised_by: str = "JSON with metadata.gap_seconds and data; or lines `ms,add|remove,node`; or lines `date, time, count`"

    def sniff(self, path: Path) -> bool:
        """Return whether the file is a trace of one of the three forms."""
        document = sniffed_document(path)
        if document.get("metadata").has("gap_seconds") and document.has("data"):
            return True
        lines = head_text(path).splitlines()[:5]
        return bool(lines) and any(all(form.fullmatch(line.strip()) for line in lines) for form in (_MEMBER, _COUNT))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the one row of the trace; InputError with all its faults."""
        del options  # only differences of times matter, so no zone does
        draft = Draft.of("nodes", path)
        name = plain_name(path).rsplit(".", 1)[0]
        row: dict[str, str | int | float | bool | None] = {"node": name}
        if sniffed_document(path).has("data"):
            points = _skypilot(draft, path)
            match = _SKYPILOT_NAME.fullmatch(name)
            if match is not None:
                model, zone, gpus = match.group("model", "zone", "gpus")
                row = {"node": f"{zone}_{model}_{gpus}", "zone": zone, "accelerator": model.upper(), "gpus": int(gpus)}
                draft.note(True, "zone, device model and devices of an instance are those that the name of the file says")
        else:
            points = _lines(draft, lines_of(path))
        draft.faults.raise_if_any()
        found = tally(points)
        draft.rows_used = len(points)
        draft.add(1, {**row, "market": "spot", "count": 0, "max_count": found.most, "interruptions_per_hour": found.rate})
        draft.note(
            True,
            f"{found.taken} nodes were taken back in {found.node_hours:.1f} node-hours of {found.hours:.1f} h, up to {found.most}"
            f" at once: {found.rate:.4g} interruptions per node-hour; the trace states no price",
        )
        return (draft.file(),)


def _skypilot(draft: Draft, path: Path) -> list[tuple[float, int]]:
    document = json_document(path)
    try:
        gap = document.get("metadata", "gap_seconds").integer()
        if gap is None or gap <= 0:
            raise shape_error("metadata.gap_seconds", gap, "seconds above 0")
        counts = [item.integer() for item in document.get("data").items()]
        if any(count is None or count < 0 for count in counts):
            raise shape_error("data", next(count for count in counts if count is None or count < 0), "counts of nodes >= 0")
    except FieldError as problem:
        draft.refuse(1, problem)
        return []
    draft.note(True, f"{len(counts)} ticks of {gap} s; the file does not say when it begins")
    return [(float(idx * gap), count) for idx, count in enumerate(counts) if count is not None]


def _lines(draft: Draft, lines: list[str]) -> list[tuple[float, int]]:
    """Return the nodes up after every line; a fault for each line that is of no form."""
    points: list[tuple[float, int]] = []
    up: set[str] = set()
    for number, line in enumerate(lines, start=1):
        member, count = _MEMBER.fullmatch(line.strip()), _COUNT.fullmatch(line.strip())
        if member is not None:
            (up.add if member.group("act") == "add" else up.discard)(member.group("node"))
            points.append((int(member.group("ms")) / 1000, len(up)))
        elif count is not None:
            try:
                at_s = parse_instant(f"{count.group('day')}T{count.group('clock')}", UTC)[0]
            except InstantError as problem:
                draft.refuse(number, FieldError("time", line, "a date and a time", str(problem)))
                continue
            points.append((float(at_s), int(count.group("count"))))
        elif line.strip():
            draft.refuse(number, FieldError("line", line, "ms,add|remove,node or date, time, count"))
    for number, ((before, _), (after, _)) in enumerate(pairwise(points), start=2):
        if after < before:
            draft.refuse(number, FieldError("time", f"{after:g}", "a time at or after the line above", "time runs backwards"))
    return points
