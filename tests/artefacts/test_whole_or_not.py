"""Results are complete or absent, whatever is killed, full, read-only or in the way; inputs are never touched."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from schedplan.errors import OutputError
from schedplan.tables import replacement
from schedplan.tables import scaffold as scaffolds
from schedplan.tables.artefacts import read_plan, write_plan, write_text_whole
from tests.artefacts.handmade import handmade_context, handmade_plan

ROOT = Path(__file__).parents[2]
AGAIN_AND_AGAIN = """
import pathlib, sys
from dataclasses import replace
from tests.artefacts.handmade import handmade_context, handmade_plan
from schedplan.tables.artefacts import write_plan
print("ready", flush=True)
first, count = int(sys.argv[2]), int(sys.argv[3])
for seed in range(first, first + count):
    write_plan(pathlib.Path(sys.argv[1]), replace(handmade_plan(), seed=seed), handmade_context())
"""
# The contents are made before the fork, so that a child does nothing but write until it is killed.
CHILDREN = """
import os, pathlib, sys
from dataclasses import replace
from tests.artefacts.handmade import handmade_context, handmade_plan
from schedplan.tables.artefact_folder import write_folder_whole
from schedplan.tables.artefact_plan import plan_files
from schedplan.tables.artefacts import PLAN_FOLDER
contents = [plan_files(replace(handmade_plan(), seed=seed), handmade_context()) for seed in range(1000, 1010)]
for _ in sys.stdin:
    child = os.fork()
    while child == 0:
        for files in contents:
            write_folder_whole(pathlib.Path(sys.argv[1]), files, PLAN_FOLDER)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""
ONCE = """
import pathlib, resource, sys
from tests.artefacts.handmade import handmade_context, handmade_plan
from schedplan.errors import OutputError
from schedplan.tables.artefacts import write_plan
if sys.argv[2] == "small-files":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
if sys.argv[2] == "nobody":
    import os
    os.seteuid(65534)
try:
    write_plan(pathlib.Path(sys.argv[1]), handmade_plan(), handmade_context())
except OutputError as error:
    print(error.message)
    sys.exit(error.exit_status)
"""


def write(target: Path, seed: int = 1, **options: object) -> None:
    write_plan(target, replace(handmade_plan(), seed=seed), handmade_context(), **options)  # type: ignore[arg-type]


def seed_at(target: Path) -> int:
    return read_plan(target)[0].seed


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def writing(target: Path, first: int, count: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", AGAIN_AND_AGAIN, target, str(first), str(count)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    process.stdout.close()
    return process.wait(timeout=60)


def write_once(target: Path, how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", ONCE, target, how], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(params=["exchange", "two renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Either way to replace a folder: in one step, or as on systems that have none."""
    if request.param == "two renames":
        monkeypatch.setattr(replacement, "_exchanged", lambda new, place: False)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_an_earlier_plan_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "runs" / "plan"
    write(target, 1)
    (target / "report.html").write_text("the report of the earlier plan")
    write(target, 2)

    assert seed_at(target) == 2
    assert ["plan"] == names_in(tmp_path / "runs")
    assert not (target / "report.html").exists()


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "plan").mkdir()
    write(tmp_path / "plan")

    assert seed_at(tmp_path / "plan") == 1


@pytest.mark.parametrize("obstacle", ["file", "folder", "foreign file in a plan", "symlink to a plan", "dangling symlink"])
@pytest.mark.usefixtures("way")
def test_what_is_in_the_way_is_refused_and_replaced_only_by_force(tmp_path: Path, obstacle: str) -> None:
    target, elsewhere = tmp_path / "plan", tmp_path / "elsewhere"
    write(elsewhere, 5)
    if obstacle == "file":
        target.write_text("mine")
    elif obstacle == "folder":
        target.mkdir()
        (target / "mine.txt").write_text("mine")
    elif obstacle == "foreign file in a plan":
        write(target, 4)
        (target / "mine.txt").write_text("mine")
    else:
        target.symlink_to(elsewhere if obstacle == "symlink to a plan" else tmp_path / "nowhere")
    before = names_in(tmp_path)

    with pytest.raises(OutputError) as caught:
        write(target, 1)
    assert (caught.value.code, caught.value.exit_status) == ("SP2102", 2)
    assert str(target) in caught.value.message
    assert before == names_in(tmp_path)

    write(target, 1, force=True)
    assert seed_at(target) == 1
    assert not target.is_symlink()
    assert seed_at(elsewhere) == 5


def test_a_device_or_pipe_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/full")):
        with pytest.raises(OutputError):
            write(path, force=True)
        with pytest.raises(OutputError):
            write_text_whole(path, "text", force=True)

    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_inputs_are_not_replaced_even_by_force(tmp_path: Path) -> None:
    data = tmp_path / "plan" / "data"
    data.mkdir(parents=True)
    jobs = data / "jobs.csv"
    jobs.write_text("job\n")
    (tmp_path / "link").symlink_to(tmp_path / "plan")

    for target in (tmp_path / "plan", jobs, data, tmp_path / "link" / "data", tmp_path / "plan" / "x" / ".." / "data"):
        with pytest.raises(OutputError) as caught:
            write(target, force=True, inputs=(tmp_path / "link" / "data" / "jobs.csv",))
        assert caught.value.code == "SP2103"
    with pytest.raises(OutputError):
        write_text_whole(jobs, "text", force=True, inputs=(jobs,))

    assert jobs.read_text() == "job\n"


def test_the_working_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    for target in (Path(), tmp_path.parent):
        with pytest.raises(OutputError):
            write(target, force=True)

    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_file_is_replaced_if_it_bears_the_mark(tmp_path: Path) -> None:
    path = tmp_path / "out" / "report.html"
    write_text_whole(path, "<html>schedplan 1", mark="schedplan")
    write_text_whole(path, "<html>schedplan ü", mark="schedplan")
    assert path.read_bytes() == "<html>schedplan ü".encode()

    path.write_text("mine")
    with pytest.raises(OutputError):
        write_text_whole(path, "<html>schedplan 3", mark="schedplan")
    assert path.read_text() == "mine"
    write_text_whole(path, "by force", force=True)
    assert path.read_text() == "by force"
    assert ["report.html"] == names_in(tmp_path / "out")


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "out.txt").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(OutputError):
        write_text_whole(tmp_path / "out.txt", "text")
    write_text_whole(tmp_path / "out.txt", "text", force=True)

    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "out.txt").read_text() == "text"


def test_a_limit_on_file_sizes_leaves_the_old_plan_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "plan", 3)
    before = {path.name: path.read_bytes() for path in (tmp_path / "plan").iterdir()}
    done = write_once(tmp_path / "plan", "small-files")

    assert done.returncode == 2
    assert f"{tmp_path / 'plan'} can't be written: File too large" in done.stdout
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "plan").iterdir()}
    assert ["plan"] == names_in(tmp_path)


def test_folders_made_for_a_result_that_failed_are_removed(tmp_path: Path) -> None:
    done = write_once(tmp_path / "a" / "b" / "plan", "small-files")

    assert done.returncode == 2
    assert [] == names_in(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user without rights")
def test_a_place_without_rights_leaves_the_old_plan(tmp_path: Path) -> None:
    write(tmp_path / "plan", 3)
    done = write_once(tmp_path / "plan", "nobody")

    assert done.returncode == 2
    assert "Permission denied" in done.stdout
    assert seed_at(tmp_path / "plan") == 3


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of 128 KiB, which only root can make."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("a small filesystem can't be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_leaves_the_old_plan_and_room_for_the_next(tiny_disk: Path) -> None:
    write(tiny_disk / "plan", 3)
    filler = tiny_disk / "filler"
    filler.write_bytes(bytes(os.statvfs(tiny_disk).f_bavail * os.statvfs(tiny_disk).f_frsize))

    with pytest.raises(OutputError, match="No space left on device"):
        write(tiny_disk / "plan", 4)
    assert seed_at(tiny_disk / "plan") == 3
    assert ["filler", "plan"] == names_in(tiny_disk)

    filler.unlink()
    write(tiny_disk / "plan", 4)
    assert seed_at(tiny_disk / "plan") == 4


def test_a_fault_at_any_call_leaves_the_old_plan_or_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the n-th call that changes the disk fails, for every n until none is left to fail
    target = tmp_path / "plan"
    write(target, 0)
    counted = ("write", "fsync", "rename", "mkdir")
    originals = {name: getattr(os, name) for name in counted}
    for n_th in range(1, 200):
        calls = 0

        def failing(name: str):
            def call(*args: object, **options: object) -> object:
                nonlocal calls
                calls += 1
                if calls == n_th:  # noqa: B023 - used within this round alone
                    raise OSError(28, "No space left on device")
                return originals[name](*args, **options)

            return call

        before = seed_at(target)
        with monkeypatch.context() as patch:
            for name in counted:
                patch.setattr(os, name, failing(name))
            with suppress(OutputError):
                write(target, n_th)
        assert seed_at(target) in (before, n_th)
        assert ["plan"] == names_in(tmp_path)
        if calls < n_th:
            break

    assert seed_at(target) == n_th
    assert n_th > 15


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: original(descriptor, content[:7]))
    write_text_whole(tmp_path / "out.txt", "x" * 1000)

    assert (tmp_path / "out.txt").read_text() == "x" * 1000


def test_a_hundred_kills_leave_a_complete_plan_and_no_work_for_people(tmp_path: Path) -> None:
    target = tmp_path / "plan"
    write(target, 0)
    chosen = random.Random(3)
    command = [sys.executable, "-c", CHILDREN, target]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        for _ in range(100):
            print("next", file=parent.stdin, flush=True)
            child = int(parent.stdout.readline())
            time.sleep(chosen.uniform(0.0, 0.04))
            os.kill(child, signal.SIGKILL)
            assert parent.stdout.readline() == "gone\n"
            assert seed_at(target) in (0, *range(1000, 1010))
        parent.stdin.close()

    write(target, 1)
    assert seed_at(target) == 1
    assert ["plan"] == names_in(tmp_path)


def test_a_kill_between_two_renames_is_mended_by_the_next_reader(tmp_path: Path) -> None:
    # what such a kill leaves: the old plan in the scaffold, nothing in its place, a lock that nobody holds
    target = tmp_path / "plan"
    write(target, 9)
    scaffold = tmp_path / f"{scaffolds._prefix(target)}abc"
    scaffold.mkdir()
    (scaffold / "lock").touch()
    target.rename(scaffold / "old")
    (scaffold / "new").mkdir()

    assert seed_at(target) == 9
    assert ["plan"] == names_in(tmp_path)


def test_the_scaffold_of_a_running_process_is_left_alone(tmp_path: Path) -> None:
    scaffold, lock = scaffolds._locked_scaffold(tmp_path / "plan")
    write(tmp_path / "plan")
    assert scaffold.exists()

    os.close(lock)
    write(tmp_path / "plan")
    assert ["plan"] == names_in(tmp_path)


def test_two_processes_writing_the_same_place_give_one_complete_winner(tmp_path: Path) -> None:
    target = tmp_path / "plan"
    write(target, 0)
    both = [writing(target, 1000, 50), writing(target, 2000, 50)]
    seen = set()
    while any(process.poll() is None for process in both):
        seen.add(seed_at(target))
    assert [0, 0] == [finish(process) for process in both]

    assert seed_at(target) in (1049, 2049)
    assert seen <= {0, *range(1000, 1050), *range(2000, 2050)}
    assert ["plan"] == names_in(tmp_path)
