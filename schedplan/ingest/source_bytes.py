"""The text of a source file: plain, gzipped or zstd-compressed UTF-8, within limits. It knows no format of its content."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from schedplan.errors import InputError
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.raw_file import MAX_BYTES, PACKED_DAMAGE, UnreadableError, opened, refuse, refuse_foreign

HEAD_BYTES = 1 << 16
MAX_DOCUMENT_BYTES = 1 << 28
_BYTE_ORDER_MARK = "\ufeff"


def head_text(path: Path) -> str:
    """Return the first 64 KiB of a file's text, cut at a line; empty where it has none. Never raises for its content."""
    try:
        size, changed = path.stat().st_size, path.stat().st_mtime_ns
    except (OSError, ValueError):
        return ""
    return _head(path, size, changed)


def whole_text(path: Path, limit: int = MAX_BYTES) -> str:
    """Return the whole text of a file, at most `limit` bytes when unpacked; InputError where it can't be read."""
    faults = FaultList(str(path))
    try:
        return _whole(path, limit, faults)
    except UnreadableError:
        raise InputError.of_faults(faults.all()) from None


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file without their ends; InputError where it can't be read."""
    return whole_text(path).splitlines()


@lru_cache(maxsize=4)
def _head(path: Path, size: int, changed: int) -> str:
    del size, changed  # they only tell one state of the file from the next
    try:
        with opened(path) as stream:
            raw = stream.read(HEAD_BYTES)
    except PACKED_DAMAGE:
        return ""
    if b"\0" in raw:
        return ""
    text = raw.decode("utf-8", errors="ignore").removeprefix(_BYTE_ORDER_MARK)
    return text[: text.rfind("\n") + 1] if len(raw) == HEAD_BYTES and "\n" in text else text


def _whole(path: Path, limit: int, faults: FaultList) -> str:
    try:
        refuse_foreign(path, faults)
        with opened(path) as stream:
            raw = stream.read(limit + 1)
    except PACKED_DAMAGE as problem:
        refuse(
            faults, Code.UNREADABLE, f"it can't be read to its end: {str(problem).splitlines()[0] if str(problem) else 'damaged'}"
        )
    if len(raw) > limit:
        refuse(faults, Code.TOO_LARGE, f"the text is longer than {limit} bytes")
    if b"\0" in raw:
        refuse(faults, Code.ENCODING, "the text holds NUL bytes, so it is no UTF-8 text", hint="Save the file as UTF-8.")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        refuse(faults, Code.ENCODING, f"byte 0x{raw[problem.start]:02x} is not UTF-8", line, "Save the file as UTF-8.")
    return text.removeprefix(_BYTE_ORDER_MARK)
