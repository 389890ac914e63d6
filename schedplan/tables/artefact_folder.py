"""Files and folders that are written whole or not at all. It knows nothing of what is in them.

A result is built in a scaffold, a hidden folder beside its place on the same filesystem, flushed to the disk and then put in
its place by one rename. Where something of the same kind stands there already, the two change places in one step
(renameat2 with RENAME_EXCHANGE, https://man7.org/linux/man-pages/man2/rename.2.html; renamex_np with RENAME_SWAP on macOS);
where the system can't do that, the old one is renamed into the scaffold first, and whoever comes next puts it back if the
process was killed in between. A scaffold holds a lock as long as its process lives, so that the rest of a killed run is told
from the work of a running one.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import OutputError

if sys.platform != "win32":
    import fcntl

IN_THE_WAY = "SP2102"
INPUT_IN_THE_WAY = "SP2103"

_NEW, _OLD, _LOCK = "new", "old", "lock"
_MARK_BYTES = 4096
_ATTEMPTS = 1000
_EXCHANGE = 2
_AT_FDCWD = -100
_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP)
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR)


@dataclass(frozen=True, slots=True)
class FolderKind:
    """What a folder of results is: its `record` is a JSON object whose `kind` says so; `names` are all files it may hold."""

    kind: str
    record: str
    names: tuple[str, ...]


def write_folder_whole(
    target: Path, files: tuple[tuple[str, bytes], ...], kind: FolderKind, *, force: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Put a folder with `files` (name, or folder/name, and content) at `target`: complete, or the place is left as it was.

    A folder of the same kind, or an empty one, is replaced whole. Anything else in the way is refused without `force`, which
    also replaces a file, a foreign folder or a symbolic link (the link itself, never what it points to). Raises OutputError,
    whatever `force` says, where the target is, or holds, one of `inputs` or the working directory, or can't be written.
    """
    place = _place(target)
    _refuse_inputs(place, target, inputs)
    _refuse_working_directory(place, target)
    _refuse_folder_obstacle(place, target, kind, force)
    with _scaffold(place, target) as scaffold:
        new = scaffold / _NEW
        new.mkdir()
        for name, content in files:
            (new / name).parent.mkdir(exist_ok=True)
            _write_flushed(new / name, content)
        for below in sorted({(new / name).parent for name, _ in files} - {new}):
            _flush_folder(below)
        _flush_folder(new)
        _refuse_folder_obstacle(place, target, kind, force)
        _install(scaffold, place)


def write_text_whole(path: Path, text: str, *, mark: str | None = None, force: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Put a UTF-8 file with `text` at `path`: complete, or the place is left as it was.

    A file that has `mark` in its first 4 KiB is a result of the same kind and is replaced; without a mark, or for any other
    file or a symbolic link in the way, `force` is needed. Raises OutputError as write_folder_whole does.
    """
    write_bytes_whole(path, text.encode("utf-8"), mark=mark, force=force, inputs=inputs)


def write_bytes_whole(
    path: Path, content: bytes, *, mark: str | None = None, force: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Put a file with `content` at `path`, with the promises of write_text_whole."""
    place = _place(path)
    _refuse_inputs(place, path, inputs)
    _refuse_file_obstacle(place, path, mark, force)
    with _scaffold(place, path) as scaffold:
        new = scaffold / _NEW
        _write_flushed(new, content)
        _refuse_file_obstacle(place, path, mark, force)
        os.replace(new, place)
        _flush_folder(place.parent)


def restore_interrupted(target: Path) -> None:
    """Put back what a run that was killed between its two renames had moved away from `target`; silent where nothing was."""
    place = _place(target)
    _clear_leftovers(place)


def _place(target: Path) -> Path:
    """Return where the target really stands: its parent without links, its own name as it is."""
    absolute = Path(os.path.abspath(target))
    if not absolute.name:
        raise OutputError(
            f"{target} is no place for a result: it is the root of the filesystem", hint="Name a folder or file in it."
        )
    return Path(os.path.realpath(absolute.parent)) / absolute.name


def _refuse_inputs(place: Path, shown: Path, inputs: Iterable[Path]) -> None:
    for given in inputs:
        resolved = Path(os.path.realpath(given))
        if place == resolved or place in resolved.parents or _is_same_as_any(place, (resolved, *resolved.parents)):
            raise OutputError(
                f"{shown} can't be replaced: it is, or holds, {given}, which is read from and never written to",
                code=INPUT_IN_THE_WAY,
                hint="Choose another place with --out.",
            )


def _refuse_working_directory(place: Path, shown: Path) -> None:
    """A folder that is replaced must not be the one the caller stands in: all that is beside it there would be lost."""
    here = Path(os.path.realpath(os.curdir))
    if place == here or place in here.parents:
        raise _in_the_way(shown, "the working directory, or a folder above it", None)


def _is_same_as_any(place: Path, paths: tuple[Path, ...]) -> bool:
    """Whether the place is one of `paths` under another spelling (a filesystem that ignores case)."""
    if place.is_symlink() or not place.exists():
        return False
    return any(path.exists() and path.samefile(place) for path in paths)


def _refuse_folder_obstacle(place: Path, shown: Path, kind: FolderKind, force: bool) -> None:
    mode = _mode_of(place, shown)
    if mode is None:
        return
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise _in_the_way(shown, "neither a file nor a folder", None)
    if force:
        return
    if stat.S_ISLNK(mode):
        raise _in_the_way(shown, "a symbolic link", "Name what it points to, or replace the link itself with --force.")
    if stat.S_ISREG(mode):
        raise _in_the_way(shown, f"a file, and the {kind.kind} is a folder", "Choose another place, or replace it with --force.")
    names = sorted(entry.name for entry in _entries(place, shown))
    if not names:
        return
    if not _is_kind(place / kind.record, kind):
        raise _in_the_way(
            shown, f"a folder that is no {kind.kind} of schedplan", "Choose another place, or replace it with --force."
        )
    foreign = [name for name in names if name not in kind.names and name != kind.record]
    if foreign:
        told = ", ".join(foreign[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else "")
        raise _in_the_way(
            shown, f"a {kind.kind} that also holds files of others ({told})", "Move them away, or give them up with --force."
        )


def _refuse_file_obstacle(place: Path, shown: Path, mark: str | None, force: bool) -> None:
    mode = _mode_of(place, shown)
    if mode is None:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise _in_the_way(shown, "a folder" if stat.S_ISDIR(mode) else "no regular file", None)
    if force:
        return
    if stat.S_ISLNK(mode):
        raise _in_the_way(shown, "a symbolic link", "Name what it points to, or replace the link itself with --force.")
    if mark is None or not _has_mark(place, shown, mark):
        raise _in_the_way(shown, "a file of another kind", "Choose another place, or replace it with --force.")


def _in_the_way(shown: Path, what: str, hint: str | None) -> OutputError:
    return OutputError(f"{shown} is in the way: {what}", code=IN_THE_WAY, hint=hint or "Choose another place with --out.")


def _mode_of(place: Path, shown: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise _cannot_write(shown, problem) from problem


def _entries(place: Path, shown: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise _cannot_write(shown, problem) from problem


def _is_kind(record: Path, kind: FolderKind) -> bool:
    try:
        document = json.loads(record.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("kind") == kind.kind


def _has_mark(place: Path, shown: Path, mark: str) -> bool:
    try:
        with place.open("rb") as file:
            return mark.encode("utf-8") in file.read(_MARK_BYTES)
    except OSError as problem:
        raise _cannot_write(shown, problem) from problem


def _cannot_write(shown: Path, problem: OSError) -> OutputError:
    reason = problem.strerror or type(problem).__name__
    return OutputError(
        f"{shown} can't be written: {reason}; what stood there before is untouched",
        hint="Free space or permissions there, or choose another place with --out.",
    )


@contextmanager
def _scaffold(place: Path, shown: Path) -> Iterator[Path]:
    """Give a locked hidden folder beside `place`; gone at the end, as are the folders made for it where nothing came of it."""
    made: list[Path] = []
    try:
        try:
            _make_parents(place.parent, made)
            _clear_leftovers(place)
            scaffold, lock = _locked_scaffold(place)
            try:
                yield scaffold
            finally:
                _remove_scaffold(scaffold, lock)
        except OSError as problem:
            raise _cannot_write(shown, problem) from problem
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
    for _ in range(_ATTEMPTS):
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
    for name in (_NEW, _OLD):
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


def _clear_leftovers(place: Path) -> None:
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
    old = scaffold / _OLD
    try:
        if os.path.lexists(old) and not os.path.lexists(place):
            os.rename(old, place)
    except OSError:
        os.close(lock)
        return
    _remove_scaffold(scaffold, lock)


def _write_flushed(path: Path, content: bytes) -> None:
    """Write all of `content` to a new file and have the disk take it; a write that takes only a part is continued."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
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


def _install(scaffold: Path, place: Path) -> None:
    """Put the scaffold's new folder in its place; what stood there ends up in the scaffold."""
    new = scaffold / _NEW
    for _ in range(_ATTEMPTS):
        if not os.path.lexists(place):
            if _renamed_to_free_place(new, place):
                break
        elif _exchanged(new, place) or _renamed_in_two_steps(new, place, scaffold / _OLD):
            break
    else:
        raise OSError(errno.EBUSY, "other processes keep writing there")
    _flush_folder(place.parent)


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
