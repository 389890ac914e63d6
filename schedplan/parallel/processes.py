"""The side that asks: it starts processes, hands them chunks, and puts the answers where their inputs stood.

Processes are started anew, never forked, and never import the caller's main module; each has one thread for linear algebra, so
that as many of them as there are cores do not get into one another's way.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any

from schedplan.parallel.outcome import Failure, Given, Outcome, Value

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
WORKER = "schedplan.parallel.worker"


class ProcessEndedError(Exception):
    """A process ended before it answered, by itself or because its time was over; `kind` says which."""

    def __init__(self, message: str, kind: str = "ProcessEnded") -> None:
        super().__init__(message)
        self.kind = kind


def run_in_processes(
    function: Callable[[Given], Value], inputs: Sequence[Given], workers: int, chunk: int, timeout_s: float | None = None
) -> tuple[Outcome[Value], ...]:
    """Return what became of each input, in their order; see `run_each`."""
    chunks: SimpleQueue[range] = SimpleQueue()
    begins = range(0, len(inputs), chunk)
    for begin in begins:
        chunks.put(range(begin, min(begin + chunk, len(inputs))))
    found: dict[int, Outcome[Value]] = {}
    askers = [_Asker(function, inputs, found, timeout_s) for _ in range(min(workers, len(begins)))]
    with ThreadPoolExecutor(len(askers)) as threads:
        try:
            for served in [threads.submit(asker.serve, chunks) for asker in askers]:
                served.result()
        finally:
            for asker in askers:
                asker.stop()
    return tuple(found[index] for index in range(len(inputs)))


class _Asker:
    """One process and what it is asked; a process that ends is replaced."""

    def __init__(
        self, function: Callable[[Any], Any], inputs: Sequence[Any], found: dict[int, Any], timeout_s: float | None
    ) -> None:
        self._function = function
        self._inputs = inputs
        self._found = found
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def serve(self, chunks: SimpleQueue[range]) -> None:
        """Answer chunks until there are none left."""
        while not self._stopped:
            try:
                chunk = chunks.get_nowait()
            except Empty:
                break
            self._answer(chunk)
        self.stop()

    def stop(self) -> None:
        """End the process, also while it is working."""
        self._stopped = True
        self._end()

    def _answer(self, chunk: range) -> None:
        try:
            outcomes = self._ask([self._inputs[index] for index in chunk])
        except ProcessEndedError as problem:
            if self._stopped:
                return
            if len(chunk) == 1:
                self._found[chunk[0]] = Outcome(None, Failure(problem.kind, str(problem)))
                return
            for index in chunk:
                self._answer(range(index, index + 1))
            return
        self._found.update(zip(chunk, outcomes, strict=True))

    def _ask(self, inputs: list[Any]) -> list[Outcome[Any]]:
        process = self._process = self._process or _start()
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = threading.Event()
        clock = self._clock(process, len(inputs), overdue)
        try:
            pickle.dump((self._function, inputs), process.stdin)
            process.stdin.flush()
            answer: list[Outcome[Any]] = pickle.load(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            status = self._end()
            if overdue.is_set():
                raise ProcessEndedError(f"no answer within {self._timeout_s:g} s", "Timeout") from None
            raise ProcessEndedError(f"the process that worked on it ended with status {status}") from None
        finally:
            if clock is not None:
                clock.cancel()
        return answer

    def _clock(self, process: subprocess.Popen[bytes], n_inputs: int, overdue: threading.Event) -> threading.Timer | None:
        """Return a clock that ends the process when the time of its inputs is over; None where they have all the time they take."""
        if self._timeout_s is None:
            return None

        def end() -> None:
            overdue.set()
            process.kill()

        clock = threading.Timer(self._timeout_s * n_inputs, end)
        clock.daemon = True
        clock.start()
        return clock

    def _end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
        return process.wait()


def _start() -> subprocess.Popen[bytes]:
    path = os.pathsep.join(each for each in sys.path if each)
    return subprocess.Popen(
        [sys.executable, "-m", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
    )
