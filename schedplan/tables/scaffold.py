"""A hidden folder beside the place of a result, in which it is built; of killed runs only this folder is left.

A scaffold holds a lock as long as its process lives, so that the rest of a killed run is told from the work of a running one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schedplan.tables.obstacles import cannot_write

if sys.platform != "win32":
    import fcntl

NEW, OLD = "new", "old"
_LOCK = "lock"
ATTEMPTS = 1000


@contextmanager
def scaffold_beside(place: Path, shown: Path) -> Iterator[Path]:
    """Give a locked hidden folder beside `place`; gone at the end, as are the folders made for it where nothing came of it."""
    made: list[Path] = []
    try:
        try:
            _make_parents(place.parent, made)
            clear_leftovers(place)
            scaffold, lock = _locked_scaffold(place)
            try:
                yield scaffold
            finally:
                _remove_scaffold(scaffold, lock)
        except OSError as problem:
            raise cannot_write(shown, problem) from problem
    except BaseException:
        for folder in reversed(made):
            if not _removed_empty(folder):
                break
        raise


def _make_parents(folder: Path, made: list[Path]) -> None:
    """Make the folder and those above it, noting in `made` each that was not there."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        try:
            path.mkdir()
        except FileExistsError:
            continue
        made.append(path)


def _removed_empty(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def _prefix(place: Path) -> str:
    """Return how the names of the scaffolds for a place begin; of fixed length, so that any name of a target has room."""
    return f".schedplan-{hashlib.sha256(os.fsencode(place.name)).hexdigest()[:12]}-"


def _locked_scaffold(place: Path) -> tuple[Path, int]:
    """Return a new scaffold and the descriptor that holds its lock."""
    for _ in range(ATTEMPTS):
        scaffold = Path(tempfile.mkdtemp(prefix=_prefix(place), dir=place.parent))
        lock = None
        try:
            lock = _lock_of(scaffold)
        except FileNotFoundError:
            continue
        except BaseException:
            shutil.rmtree(scaffold, ignore_errors=True)
            raise
        if lock is not None:
            return scaffold, lock
    raise OSError(errno.EBUSY, "other processes keep writing there")


def _lock_of(scaffold: Path) -> int | None:
    """Return a descriptor that holds the scaffold's lock; None where its process lives or it has just been removed."""
    path = scaffold / _LOCK
    if sys.platform == "win32":
        return _windows_lock(path)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.lstat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _windows_lock(path: Path) -> int | None:
    """There an open file can't be removed: whoever removes and makes the file anew is its only owner."""
    try:
        path.unlink(missing_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    except (PermissionError, FileExistsError):
        return None


def _remove_scaffold(scaffold: Path, lock: int) -> None:
    """Remove the scaffold, its lock last, so that one removed halfway is still taken for what it is."""
    for name in (NEW, OLD):
        path = scaffold / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            _removed_file(path)
    if sys.platform == "win32":
        os.close(lock)
    shutil.rmtree(scaffold, ignore_errors=True)
    if sys.platform != "win32":
        os.close(lock)


def _removed_file(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


def clear_leftovers(place: Path) -> None:
    """Remove the scaffolds of killed runs for this place, putting back a result that one of them had moved away."""
    prefix = _prefix(place)
    try:
        with os.scandir(place.parent) as entries:
            names = sorted(entry.name for entry in entries if entry.name.startswith(prefix) and entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in names:
        _clear_leftover(place.parent / name, place)


def _clear_leftover(scaffold: Path, place: Path) -> None:
    try:
        lock = _lock_of(scaffold)
    except OSError:
        return
    if lock is None:
        return
    old = scaffold / OLD
    try:
        if os.path.lexists(old) and not os.path.lexists(place):
            os.rename(old, place)
    except OSError:
        os.close(lock)
        return
    _remove_scaffold(scaffold, lock)
