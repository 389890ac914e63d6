"""Progress on standard error: phase, elapsed time and, where a solver runs, objective, bound and gap.

On a terminal one line that keeps moving; elsewhere a plain line every ten seconds; as JSON lines, one for each phase and for
whatever gets better besides, where that was asked for. A solver that says nothing for long is still seen to be at work: what is
told is what is known, whenever it is due.
"""

from __future__ import annotations

import json
import sys
import time
from threading import Event, Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from schedplan.cli.talk import Talk, takes_color, write_line
from schedplan.report.verbatim import visible

if TYPE_CHECKING:
    from rich.status import Status
    from rich.text import Text

    from schedplan.model import progress as search

PLAIN_EVERY_S = 10.0
LOOK_EVERY_S = 0.5


class Progress:
    """Tells progress inside a `with`; calling it is a report. form: auto, plain or off."""

    def __init__(self, talk: Talk, form: str) -> None:
        self._talk = talk
        self._is_off = form == "off" or talk.is_quiet
        self._is_live = not self._is_off and form == "auto" and not talk.is_json and sys.stderr.isatty()
        self._begin_s = time.monotonic()
        self._last_s = self._begin_s
        self._known: tuple[str, float | None, float | None, float | None] = ("", None, None, None)
        self._lock = Lock()
        self._is_over = Event()
        self._status: Status | None = None
        self._teller: Thread | None = None

    def __enter__(self) -> Self:
        if self._is_live:
            self._status = _status(self, self._talk.color)
            self._status.start()
        elif not self._is_off:
            self._teller = Thread(target=self._tell_on, daemon=True)
            self._teller.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._is_over.set()
        if self._status is not None:
            self._status.stop()
        if self._teller is not None:
            self._teller.join()

    def __call__(self, phase: str, objective: float | None = None, bound: float | None = None, gap: float | None = None) -> None:
        """Take in where the work stands, and tell it: as JSON whatever is new, else unless something was told a moment ago."""
        is_new = self._known != (phase, objective, bound, gap)
        self._known = (phase, objective, bound, gap)
        if not self._is_off and not self._is_live:
            self._tell_if_due(is_due=is_new and self._talk.is_json)

    def watch(self, reached: search.Progress) -> None:
        """Take in how far a search is."""
        self(reached.phase, reached.objective, reached.bound, reached.gap)

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(_sentence(time.monotonic() - self._begin_s, *self._known))

    def _tell_on(self) -> None:
        while not self._is_over.wait(LOOK_EVERY_S):
            self._tell_if_due()

    def _tell_if_due(self, *, is_due: bool = False) -> None:
        with self._lock:
            now_s = time.monotonic()
            if not is_due and now_s - self._last_s < PLAIN_EVERY_S:
                return
            self._last_s = now_s
        elapsed_s = now_s - self._begin_s
        if self._talk.is_json:
            phase, objective, bound, gap = self._known
            report = {"level": "progress", "phase": phase, "elapsed_s": round(elapsed_s, 1)}
            write_line(json.dumps({**report, "objective": objective, "bound": bound, "gap": gap}, sort_keys=True))
        else:
            write_line(_sentence(elapsed_s, *self._known))


def _status(progress: Progress, color: str) -> Status:
    from rich.console import Console
    from rich.status import Status

    console = Console(file=sys.stderr, no_color=not takes_color(sys.stderr, color), highlight=False)
    return Status(progress, console=console)


def _sentence(elapsed_s: float, phase: str, objective: float | None, bound: float | None, gap: float | None) -> str:
    parts = [visible(phase), f"{elapsed_s:.0f} s"]
    if objective is not None:
        parts.append(f"objective {objective:.6g}")
    if bound is not None:
        parts.append(f"bound {bound:.6g}")
    if gap is not None:
        parts.append(f"gap {gap:.2%}")
    return "  ".join(parts)
