"""Records of `Key=Value` pairs: what `scontrol show` prints and slurm.conf, gres.conf and topology.conf hold.

A value may hold blanks (a reason, a job's name), so it ends where the next key begins. It knows no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo

from schedplan.ingest.slurm.fields import Fields

_KEY = re.compile(r"(?:^|(?<=\s))([A-Z][A-Za-z0-9_/:.]{0,60})=", re.ASCII)
_NAME_TO_LINE_END = "JobName"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its first line in the file, its first key, and its pairs."""

    line: int
    kind: str
    pairs: tuple[tuple[str, str], ...]

    def fields(self, zone: tzinfo) -> Fields:
        """Return the pairs as cells by key; of a key that stands twice, the first."""
        cells: dict[str, str] = {}
        for key, value in self.pairs:
            cells.setdefault(key, value)
        return Fields(cells, zone)


def records(lines: Iterable[str], kinds: tuple[str, ...]) -> list[Record]:
    """Return the records of a file: each begins in a line whose first key is one of `kinds`; comments and blank lines go."""
    found: list[Record] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        pairs = _pairs(text)
        if pairs and pairs[0][0] in kinds:
            found.append(Record(number, pairs[0][0], tuple(pairs)))
        elif found:
            last = found.pop()
            found.append(Record(last.line, last.kind, (*last.pairs, *pairs)))
    return found


def _pairs(text: str) -> list[tuple[str, str]]:
    places = list(_KEY.finditer(text))
    pairs: list[tuple[str, str]] = []
    for idx, place in enumerate(places):
        key = place.group(1)
        if key == _NAME_TO_LINE_END and " UserId=" not in text:
            pairs.append((key, text[place.end() :].strip()))
            break
        end = places[idx + 1].start() if idx + 1 < len(places) else len(text)
        pairs.append((key, text[place.end() : end].strip()))
    return pairs
