"""The order of names that people expect: numbers in them count as numbers, so `job-9` comes before `job-10`."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"([0-9]+)")


def name_order(name: str) -> tuple[tuple[str | tuple[int, str], ...], str]:
    """Return the key that sorts a name. Names whose numbers are equal, such as `01` and `1`, are sorted as text."""
    parts = _NUMBER.split(name)
    numbers = [part.lstrip("0") for part in parts[1::2]]
    told: list[str | tuple[int, str]] = list(parts)
    told[1::2] = [(len(number), number) for number in numbers]  # as many digits at most as a text may have, unlike int
    return tuple(told), name
