"""HiGHS on one thread, so that a run can be repeated, and without a word on standard output. It knows no rows.

What it prints there would break a result that is read by a program.
"""

from __future__ import annotations

import highspy

from schedplan.errors import SolverError


class SilentHighs(highspy.Highs):
    """HiGHS without callbacks, because starting them prints a banner before any option can forbid it."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.setOptionValue("output_flag", False)
        self.setOptionValue("threads", 1)

    def enableCallbacks(self) -> None:  # noqa: N802 the name is HiGHS'
        """Start none."""

    def run(self) -> highspy.HighsStatus:
        """Return the status of a solve; raises SolverError where HiGHS calls it an error, which is no answer about the model.

        The library keeps its threads from one solve of the process to the next, and refuses to solve with another number of them.
        Whoever solved before may have asked for more than one, so they are given up once.
        """
        status = super().run()
        if status == highspy.HighsStatus.kError:
            self.resetGlobalScheduler(True)
            status = super().run()
        if status == highspy.HighsStatus.kError:
            raise SolverError("HiGHS could not solve a linear program", hint="Please report it with the inputs that show it.")
        return status
