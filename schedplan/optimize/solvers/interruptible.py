"""Native work that an interrupt of the main thread ends at once: it runs beside, and the main thread only waits."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
POLL_S = 0.1


def interruptible(work: Callable[[], T], stop: Callable[[], None] | None = None) -> T:
    """Return what `work` returns, or raise what it raises.

    On an interrupt or termination `stop` is called and its end awaited; without a `stop` the work is left behind to end with
    the process.
    """
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as problem:  # noqa: BLE001 handed to the thread that waits
            failed.append(problem)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
    except BaseException:
        if stop is not None:
            stop()
            thread.join()
        raise
    if failed:
        raise failed[0]
    return found[0]
