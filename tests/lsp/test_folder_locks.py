"""Who is the hub of a folder: one process at a time, and nothing that was left behind is in the way."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dsh_lsp.announcements import key_of
from dsh_lsp.joining.folder_locks import FolderLocks, same_folder, without
from tests.support.python_child import IMPORTS

HOLDER = """
import sys
from pathlib import Path
from dsh_lsp.joining.folder_locks import FolderLocks
locks = FolderLocks(Path(sys.argv[1]))
print(locks.claim([Path(each) for each in sys.argv[2:]]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Three folders."""
    made = [tmp_path / name for name in "abc"]
    for folder in made:
        folder.mkdir()
    return made


def test_a_folder_has_one_holder_at_a_time(runtime: Path, folder: Path) -> None:
    """The second is told which folder it is; when the first lets go, it may have it."""
    first, second = FolderLocks(runtime), FolderLocks(runtime)

    assert first.claim([folder]) is None
    assert folder == second.claim([folder])
    first.release([folder])
    assert second.claim([folder]) is None
    second.release_all()


def test_claiming_again_what_one_has_is_fine(runtime: Path, folder: Path) -> None:
    """And it is let go once."""
    first, second = FolderLocks(runtime), FolderLocks(runtime)

    assert (None, None) == (first.claim([folder]), first.claim([folder, folder]))
    first.release([folder])
    assert second.claim([folder]) is None
    second.release_all()


def test_all_folders_are_claimed_or_none(runtime: Path, folders: list[Path]) -> None:
    """What was free is free again when one was not; what one had before stays."""
    first, second, third = (FolderLocks(runtime) for _ in range(3))
    a, b, c = folders
    first.claim([b])
    second.claim([c])

    assert b == second.claim([a, b])
    assert third.claim([a]) is None
    assert c == third.claim([c])
    for locks in (first, second, third):
        locks.release_all()


@pytest.mark.parametrize("turned", [False, True])
def test_the_order_of_folders_does_not_matter(runtime: Path, folders: list[Path], turned: bool) -> None:
    """Whoever has the first of all has them all: two that want the same ones can't have half of them each."""
    keys = sorted(folders, key=key_of)
    first, second = FolderLocks(runtime), FolderLocks(runtime)
    first.claim(keys[:1])

    assert keys[0] == second.claim(keys[::-1] if turned else keys)
    assert first.claim(keys) is None
    first.release_all()


def test_a_link_to_a_folder_is_the_folder(runtime: Path, folder: Path, tmp_path: Path) -> None:
    """The real path counts."""
    link = tmp_path / "link"
    link.symlink_to(folder)
    first, second = FolderLocks(runtime), FolderLocks(runtime)
    first.claim([folder])

    assert link == second.claim([link])
    assert same_folder(folder, link)
    assert [tmp_path] == without([link, tmp_path], [folder])
    first.release_all()


def test_a_killed_holder_is_in_nobodys_way(runtime: Path, folder: Path) -> None:
    """The system lets its lock go; the file that stays means nothing."""
    command = [sys.executable, "-c", HOLDER, str(runtime), str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": IMPORTS}, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout is not None
        assert b"None\n" == holder.stdout.readline()
        mine = FolderLocks(runtime)
        before = mine.claim([folder])
        holder.send_signal(signal.SIGKILL)
        holder.wait()

    assert folder == before
    assert mine.claim([folder]) is None
    mine.release_all()


def test_a_file_that_somebody_removed_is_made_anew_and_the_old_one_is_not_believed(runtime: Path, folder: Path) -> None:
    """Who tidies away a lock's file lets another process in; it is the file at the path that counts from then on."""
    first, second, third = (FolderLocks(runtime) for _ in range(3))
    first.claim([folder])
    [path] = (runtime / "locks").iterdir()
    path.unlink()

    assert second.claim([folder]) is None
    assert folder == third.claim([folder])
    for locks in (first, second):
        locks.release_all()


def test_a_file_that_goes_while_it_is_being_locked_is_not_the_lock(
    runtime: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening it and locking it: another process may have made a new one, and have locked that."""
    winner, loser = FolderLocks(runtime), FolderLocks(runtime)
    lock = fcntl.flock

    def overtaken(descriptor: int, operation: int) -> None:
        monkeypatch.undo()
        [path] = (runtime / "locks").iterdir()
        path.unlink()
        winner.claim([folder])
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", overtaken)

    assert folder == loser.claim([folder])
    winner.release_all()


def test_the_file_is_the_owners_and_asks_to_be_left_alone(runtime: Path, folder: Path) -> None:
    """0600 with the sticky bit in a directory of 0700; its name tells nothing, and it looks used when touched."""
    locks = FolderLocks(runtime)
    locks.claim([folder])
    [path] = (runtime / "locks").iterdir()
    os.utime(path, (0, 0))
    locks.touch()

    assert f"{key_of(folder)}.lock" == path.name
    assert 0o1600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    assert path.stat().st_mtime > 0
    assert locks.secret == path.read_text()
    locks.release_all()


def test_without_a_place_for_locks_there_is_a_warning_and_no_refusal(
    tmp_path: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that can't look whether it is alone serves its editor all the same."""
    (tmp_path / "file").touch()
    locks = FolderLocks(tmp_path / "file")

    assert locks.claim([folder]) is None
    assert "would not be noticed" in caplog.text
    assert str(tmp_path) not in caplog.text


def test_editors_of_another_hub_are_known_while_they_run(runtime: Path, folders: list[Path]) -> None:
    """Their processes, for the folders that one holds; what a killed one left is removed."""
    mine = FolderLocks(runtime)
    mine.claim(folders[:1])
    script = HOLDER.replace("print(locks.claim(", "print(locks.register(")
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script, str(runtime), *map(str, folders[:2])]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": IMPORTS}, stdin=pipe, stdout=pipe) as editor:
        assert editor.stdout is not None
        assert b"None\n" == editor.stdout.readline()
        running = mine.registered()
        editor.kill()
        editor.wait()

    assert {editor.pid} == running
    assert set() == mine.registered()
    assert 1 == len([path for path in (runtime / "locks").iterdir() if path.suffix == ".editor"])  # not mine to look at
    mine.register(folders)
    assert set() == mine.registered()
    mine.release_all()
