"""HiGHS without a word on standard output: what it prints there would break a result that is read by a program."""

from __future__ import annotations

import highspy


class SilentHighs(highspy.Highs):
    """HiGHS without callbacks, because starting them prints a banner before any option can forbid it."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.setOptionValue("output_flag", False)

    def enableCallbacks(self) -> None:  # noqa: N802 the name is HiGHS'
        """Start none."""
