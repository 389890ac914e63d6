"""A new folder put in the place of an old one, in one step where the system can.

The two change places (renameat2 with RENAME_EXCHANGE, https://man7.org/linux/man-pages/man2/rename.2.html; renamex_np with
RENAME_SWAP on macOS); where the system can't do that, the old one is renamed into the scaffold first, and whoever comes next puts
it back if the process was killed in between.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path

from schedplan.tables.scaffold import ATTEMPTS, NEW, OLD

_EXCHANGE = 2
_AT_FDCWD = -100
_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP)
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR)


def install(scaffold: Path, place: Path) -> None:
    """Put the scaffold's new folder in its place; what stood there ends up in the scaffold."""
    new = scaffold / NEW
    for _ in range(ATTEMPTS):
        if not os.path.lexists(place):
            if _renamed_to_free_place(new, place):
                break
        elif _exchanged(new, place) or _renamed_in_two_steps(new, place, scaffold / OLD):
            break
    else:
        raise OSError(errno.EBUSY, "other processes keep writing there")
    flush_folder(place.parent)


def write_flushed(path: Path, content: bytes) -> None:
    """Write all of `content` to a new file and have the disk take it; a write that takes only a part is continued."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_folder(folder: Path) -> None:
    """Have the disk take the entries of a folder, where the system can be asked for it."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise
    finally:
        os.close(descriptor)


def _renamed_to_free_place(new: Path, place: Path) -> bool:
    """Whether the rename went through; False where another process has taken the place meanwhile."""
    try:
        os.rename(new, place)
    except OSError as problem:
        if problem.errno in _TAKEN:
            return False
        raise
    return True


def _exchanged(new: Path, place: Path) -> bool:
    """Whether the two have changed places in one step; False where system or filesystem can't, or the place is free again."""
    names = {"linux": "renameat2", "darwin": "renamex_np"}
    if sys.platform not in names:
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), names[sys.platform], None)
    if call is None:
        return False
    first, second = os.fsencode(new), os.fsencode(place)
    paths = (_AT_FDCWD, first, _AT_FDCWD, second) if sys.platform == "linux" else (first, second)
    if call(*paths, ctypes.c_uint(_EXCHANGE)) == 0:
        return True
    problem = ctypes.get_errno()
    if problem in _NO_EXCHANGE or problem == errno.ENOENT:
        return False
    raise OSError(problem, os.strerror(problem), str(place))


def _renamed_in_two_steps(new: Path, place: Path, old: Path) -> bool:
    """Whether the new one took the place after the old one was moved away; where it can't, the old one is put back."""
    try:
        os.rename(place, old)
    except FileNotFoundError:
        return False
    try:
        if _renamed_to_free_place(new, place):
            return True
    except BaseException:
        os.rename(old, place)
        raise
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old)
    else:
        old.unlink()
    return False
