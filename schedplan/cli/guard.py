"""Whatever happens in a command ends here, as one message on standard error and one documented exit status."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import typer

from schedplan.cli.exits import ExitStatus
from schedplan.cli.talk import Talk, shown, write_line
from schedplan.errors import OutputError, SchedplanError
from schedplan.report.verbatim import visible

REPORT_HINT = "This is a fault of schedplan. Please report it with the command and what it prints with -vv"
USAGE_CODE, FAULT_CODE, INTERRUPTED_CODE, TERMINATED_CODE = "SP2001", "SP9001", "SP9130", "SP9143"


@dataclass(frozen=True, slots=True)
class Manner:
    """How an error is told. Read off the raw arguments, since the ones that can't be parsed must be told too."""

    is_json: bool
    has_traceback: bool
    color: str

    @classmethod
    def of(cls, arguments: Sequence[str], environ: Mapping[str, str]) -> Manner:
        """Return the manner that the arguments and variables ask for."""
        output = _last_value(arguments, "-o", "--output") or environ.get("SCHEDPLAN_OUTPUT")
        color = _last_value(arguments, None, "--color") or environ.get("SCHEDPLAN_COLOR")
        log_format = _last_value(arguments, None, "--log-format") or environ.get("SCHEDPLAN_LOG_FORMAT")
        return cls("json" in (output, log_format), _verbosity(arguments) > 1, color if color in ("always", "never") else "auto")


def guarded(run: Callable[[], int], arguments: Sequence[str]) -> int:
    """Return the exit status of `run`, having told what went wrong."""
    manner = Manner.of(arguments, os.environ)
    ends: list[BaseException] = []
    try:
        with _signals_raise(ends):
            status = run()
            sys.stdout.flush()
    except typer.Exit as end:
        status = end.exit_code
    except BrokenPipeError:
        _silence_stdout()
        status = ExitStatus.READER_GONE
    except BaseException as problem:  # noqa: BLE001 the last place where anything can be told
        # A signal that strikes while a native module starts comes out as that module's error.
        is_ours = isinstance(problem, SchedplanError | OSError)
        status = _told(manner, ends[0] if ends and not is_ours else problem)
    return int(status)


def end_with_status() -> None:
    """Let a signal that strikes outside of `guarded` end the process with its documented status; nothing is open there."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)


def heed_no_signal() -> None:
    """Let no signal change the status of a process that has done its work and only ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(ExitStatus.INTERRUPTED if number == signal.SIGINT else ExitStatus.TERMINATED)


def _told(manner: Manner, problem: BaseException) -> int:
    """Tell what went wrong, and return the status it stands for."""
    match problem:
        case SchedplanError():
            _tell_refusal(manner, problem)
            return problem.exit_status
        case typer.TyperException():
            _tell(manner, USAGE_CODE, problem.format_message().replace("Value error, ", ""), hint=_usage_hint(problem))
            return ExitStatus.COULD_NOT_RUN
        case OSError():
            _silence_stdout()
            _tell(manner, OutputError.default_code, f"{problem.filename or 'standard output'}: {problem.strerror or problem}")
            return ExitStatus.COULD_NOT_RUN
        case KeyboardInterrupt() | typer.Abort():
            _tell(manner, INTERRUPTED_CODE, "interrupted")
            return ExitStatus.INTERRUPTED
        case SystemExit():
            if problem.code == ExitStatus.TERMINATED:
                _tell(manner, TERMINATED_CODE, "terminated")
            return problem.code if isinstance(problem.code, int) else ExitStatus.OUR_FAULT
    _tell_fault(manner, problem)
    return ExitStatus.OUR_FAULT


def _tell_refusal(manner: Manner, problem: SchedplanError) -> None:
    first = problem.faults[0] if problem.faults else None
    hint = problem.hint or (first.hint if first and manner.is_json else None)
    place = (first.file, first.row, first.column) if first else (None, None, None)
    # Only faults have lines of their own; any other newline comes from a name.
    message = problem.message if problem.faults or manner.is_json else visible(problem.message)
    _tell(manner, problem.code, message, hint=hint, place=place)
    if manner.has_traceback and problem.exit_status == ExitStatus.OUR_FAULT:
        write_line(shown("".join(traceback.format_exception(problem))))


def _tell_fault(manner: Manner, problem: BaseException) -> None:
    reason = " ".join(str(problem).split())
    _tell(manner, FAULT_CODE, f"{type(problem).__name__}: {reason}" if reason else type(problem).__name__, hint=REPORT_HINT)
    if manner.has_traceback:
        write_line(shown("".join(traceback.format_exception(problem))))


def _tell(
    manner: Manner,
    code: str,
    message: str,
    *,
    hint: str | None = None,
    place: tuple[str | None, int | None, str | None] = (None, None, None),
) -> None:
    file, row, column = place
    if manner.is_json:
        error = {"code": code, "message": message, "file": file, "row": row, "column": column, "hint": hint}
        write_line(json.dumps({"error": error}, sort_keys=True))
        return
    talk = Talk(color=manner.color)
    write_line(f"{talk.painted('error')} {code}: {shown(message)}")
    if hint:
        write_line(f"{talk.painted('hint')}: {visible(hint)}")


def _usage_hint(problem: typer.TyperException) -> str | None:
    context = getattr(problem, "ctx", None)
    return f"{context.command_path} -h shows what it takes" if context is not None else None


def _last_value(arguments: Sequence[str], short: str | None, long: str) -> str | None:
    value = None
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument in (short, long):
            value = arguments[position + 1] if position + 1 < len(arguments) else None
        elif argument.startswith(f"{long}="):
            value = argument.removeprefix(f"{long}=")
        elif short is not None and argument.startswith(short) and not argument.startswith("--"):
            value = argument.removeprefix(short)
    return value


def _verbosity(arguments: Sequence[str]) -> int:
    flags = [argument for argument in arguments if argument == "--verbose" or (argument[:2] == "-v" and not argument.strip("-v"))]
    return sum(1 if flag == "--verbose" else flag.count("v") for flag in flags)


@contextmanager
def _signals_raise(ends: list[BaseException]) -> Iterator[None]:
    """Let SIGINT and SIGTERM unwind the stack, so that what is open is closed and what is half removed; each adds what it raises.

    An interrupt that is ignored, as under nohup, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        ends.append(KeyboardInterrupt())
        raise ends[-1]

    def terminate(number: int, frame: FrameType | None) -> None:
        ends.append(SystemExit(int(ExitStatus.TERMINATED)))
        raise ends[-1]

    handlers = {signal.SIGTERM: terminate}
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _end):
        handlers[signal.SIGINT] = interrupt
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _silence_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's own flush at exit says nothing either."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
