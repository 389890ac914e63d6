"""What a job of Slurm waits for: `afterok:25(unfulfilled),afterany:7_3`. Only that it waits is kept, not for which outcome."""

from __future__ import annotations

import re

_ENDS = frozenset({"afterok", "afterany", "afternotok", "aftercorr", "afterburstbuffer"})
_PART = re.compile(r"(?P<kind>[a-z]+):(?P<jobs>[\d_:+*]+)(?:\([a-z ]*\))?", re.ASCII)
_JOB = re.compile(r"\d{1,12}(?:_\d{1,9})?", re.ASCII)


def jobs_before(text: str) -> tuple[str, ...]:
    """Return the jobs that must end before this one starts; `after:` (they must start) and `singleton` name none."""
    found: list[str] = []
    for part in re.split(r"[,?]", text):
        match = _PART.fullmatch(part.strip())
        if match is not None and match.group("kind") in _ENDS:
            found.extend(name for name in match.group("jobs").split(":") if _JOB.fullmatch(name))
    return tuple(dict.fromkeys(found))
