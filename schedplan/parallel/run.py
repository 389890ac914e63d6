"""One function over many inputs, one after another or shared out among processes. It knows nothing of what the function does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from schedplan.parallel.outcome import Given, Outcome, Value, attempt
from schedplan.parallel.processes import run_in_processes

CHUNK = 16


def run_each(
    function: Callable[[Given], Value],
    inputs: Sequence[Given],
    workers: int = 1,
    chunk: int = CHUNK,
    timeout_s: float | None = None,
) -> tuple[Outcome[Value], ...]:
    """Return what became of each input, in their order, whatever the number of workers.

    function: at the top level of a module, so that another process can import it; inputs and values can be pickled. An input that
    raises, or that ends its process, is a failure of its own; the others get their values. chunk: inputs sent at a time; no
    process is started for a single chunk. timeout_s: what one input may take in a process before that is ended; far more than it
    needs, or what becomes of it depends on the machine.
    """
    if workers > 1 and len(inputs) > chunk:
        return run_in_processes(function, inputs, workers, chunk, timeout_s)
    return tuple(attempt(function, each) for each in inputs)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
