"""Exit statuses: what each number tells a script."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """The documented statuses, and the one that a shell gives a program whose reader has gone."""

    DONE = 0
    ANSWER_IS_NO = 1
    COULD_NOT_RUN = 2
    INFEASIBLE = 3
    NO_PLAN = 4
    OUR_FAULT = 70
    INTERRUPTED = 130
    READER_GONE = 141
    TERMINATED = 143
