"""`-` as a source: what is piped in, kept in a file while it is read, and told by its own name. It knows no format."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from schedplan.errors import Fault, UsageError
from schedplan.tables.read import TableFile

STANDARD_INPUT = Path("-")
_NAME = "stdin"


@contextmanager
def spooled(paths: tuple[Path, ...]) -> Iterator[tuple[Path, ...]]:
    """Yield the paths, `-` as the file that holds what is piped in; UsageError where it stands there twice."""
    if STANDARD_INPUT not in paths:
        yield paths
        return
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("- stands among the sources twice", hint="What is piped in can be read once.")
    with TemporaryDirectory() as folder:
        kept = Path(folder) / _NAME
        with kept.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield tuple(kept if path == STANDARD_INPUT else path for path in paths)


def renamed_file(file: TableFile, asked: Path) -> TableFile:
    """Return a file under the path that was asked for, also in what is said of it."""
    if file.path == asked:
        return file
    old, new = str(file.path), str(asked)
    notes, cautions = (tuple(text.replace(old, new, 1) for text in texts) for texts in (file.notes, file.cautions))
    return replace(file, path=asked, notes=notes, cautions=cautions)


def renamed_fault(fault: Fault, read: Path, asked: Path) -> Fault:
    """Return a fault of the file under the path that was asked for."""
    if read == asked:
        return fault
    file = str(asked) if fault.file == str(read) else fault.file
    return replace(fault, file=file, message=fault.message.replace(str(read), str(asked), 1))
