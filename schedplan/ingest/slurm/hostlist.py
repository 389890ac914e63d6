"""Slurm's lists of names such as `h100-[01-04,07],cpu-01`: taken apart, within limits. It knows no node.

Grammar: slurm.schedmd.com/scontrol.html (hostlist), 2026-11. Zeros on the left are kept: `[08-11]` is 08, 09, 10, 11.
"""

from __future__ import annotations

import re
from itertools import product
from math import prod

MAX_NAMES = 1_000_000
_RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?", re.ASCII)
_ARRAY_STEP = re.compile(r"(\d{1,12})-(\d{1,12})(?::(\d{1,6}))?", re.ASCII)


class HostlistError(ValueError):
    """A text that is no list of names; the message says why."""


def expand(text: str) -> tuple[str, ...]:
    """Return the names of a list, in its order; HostlistError where it is none or names more than a million."""
    names: list[str] = []
    for part in _parts(text):
        names.extend(_expand_part(part))
        if len(names) > MAX_NAMES:
            raise HostlistError(f"the list names more than {MAX_NAMES} nodes")
    return tuple(names)


def task_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list of array tasks such as `1-3,7` or `0-8:2`; HostlistError where it is none."""
    found: list[int] = []
    for part in text.split(","):
        match = _ARRAY_STEP.fullmatch(part.strip())
        if match is not None:
            first, last, step = int(match.group(1)), int(match.group(2)), int(match.group(3) or 1)
            if step < 1 or last < first or (last - first) // step >= MAX_NAMES:
                raise HostlistError(f"{part!r} is no range of tasks")
            found.extend(range(first, last + 1, step))
        elif re.fullmatch(r"\d{1,12}", part.strip(), re.ASCII):
            found.append(int(part))
        else:
            raise HostlistError(f"{part!r} is no task or range of tasks")
        if len(found) > MAX_NAMES:
            raise HostlistError(f"the list has more than {MAX_NAMES} tasks")
    return tuple(found)


def _parts(text: str) -> list[str]:
    """Return the parts between the commas that stand outside brackets."""
    parts, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += {"[": 1, "]": -1}.get(sign, 0)
        if depth not in (0, 1):
            raise HostlistError("the brackets of the list do not match")
        if sign == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    if depth:
        raise HostlistError("a bracket of the list is never closed")
    parts.append(text[begin:])
    if any(not part.strip() for part in parts):
        raise HostlistError("a name of the list is empty")
    return [part.strip() for part in parts]


def _expand_part(part: str) -> list[str]:
    pieces = re.split(r"\[([^\]]*)\]", part)
    choices = [[piece] if idx % 2 == 0 else _numbers(piece) for idx, piece in enumerate(pieces)]
    if prod(len(choice) for choice in choices) > MAX_NAMES:
        raise HostlistError(f"{part[:40]!r} names more than {MAX_NAMES} nodes")
    return ["".join(chosen) for chosen in product(*choices)]


def _numbers(inside: str) -> list[str]:
    found: list[str] = []
    for piece in inside.split(","):
        match = _RANGE.fullmatch(piece.strip())
        if match is None:
            raise HostlistError(f"{piece!r} is no number or range such as 01-04")
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) < int(first) or int(last) - int(first) >= MAX_NAMES:
            raise HostlistError(f"{piece!r} is no range of at most {MAX_NAMES} numbers")
        found.extend(str(number).zfill(len(first)) for number in range(int(first), int(last) + 1))
    return found
