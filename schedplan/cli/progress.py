"""Progress on standard error: phase, elapsed time and, where a solver runs, objective, bound and gap.

On a terminal one line that is rewritten; elsewhere a plain line every ten seconds; as JSON lines where that was asked for.
"""

from __future__ import annotations

import json
import sys
import time
from types import TracebackType
from typing import Self

from schedplan.cli.talk import Talk, shown, write_line

PLAIN_EVERY_S = 10.0
LIVE_EVERY_S = 0.1
_REWRITE = "\r\x1b[2K"


class Progress:
    """Tells progress inside a `with`; calling it is a report. form: auto, plain or off."""

    def __init__(self, talk: Talk, form: str) -> None:
        self._talk = talk
        self._is_off = form == "off" or talk.is_quiet
        self._is_live = form == "auto" and not talk.is_json and sys.stderr.isatty()
        self._every_s = LIVE_EVERY_S if self._is_live else PLAIN_EVERY_S
        self._begin_s = time.monotonic()
        self._last_s = self._begin_s
        self._has_line = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        if self._has_line:
            sys.stderr.write(_REWRITE)
            sys.stderr.flush()

    def __call__(self, phase: str, objective: float | None = None, bound: float | None = None, gap: float | None = None) -> None:
        """Tell where the work stands, unless something was told a moment ago."""
        now_s = time.monotonic()
        if self._is_off or now_s - self._last_s < self._every_s:
            return
        self._last_s = now_s
        elapsed_s = now_s - self._begin_s
        if self._talk.is_json:
            report = {"level": "progress", "phase": phase, "elapsed_s": round(elapsed_s, 1)}
            write_line(json.dumps({**report, "objective": objective, "bound": bound, "gap": gap}, sort_keys=True))
        elif self._is_live:
            self._has_line = True
            sys.stderr.write(_REWRITE + _sentence(phase, elapsed_s, objective, bound, gap))
            sys.stderr.flush()
        else:
            write_line(_sentence(phase, elapsed_s, objective, bound, gap))


def _sentence(phase: str, elapsed_s: float, objective: float | None, bound: float | None, gap: float | None) -> str:
    parts = [shown(phase), f"{elapsed_s:.0f} s"]
    if objective is not None:
        parts.append(f"objective {objective:.6g}")
    if bound is not None:
        parts.append(f"bound {bound:.6g}")
    if gap is not None:
        parts.append(f"gap {gap:.2%}")
    return "  ".join(parts)
