"""Guards on a real disk: what each lets through in each state, also while other programs write at the worst moment."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from dsh_ledger.errors import FsError, FsIoError, FsNotFound, FsNotObserved, FsNotRegularFile, FsStaleVersion
from dsh_ledger.guards import Guard, MustBeAbsent, MustBeVersion, Unconditional
from dsh_ledger.versions import version_of_bytes, version_of_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.fs.publish import Publisher, Stage
from tests.support.disk_faults import Interrupted, contents, names, overwritten, replaced, replacing

SEEN = MustBeVersion(version_of_text("seen\n"))
ANY = Unconditional()
ABSENT = MustBeAbsent()

Tool = Literal["write", "edit"]


def run(root: Path, tool: Tool, guard: Guard, publisher: Publisher | None = None) -> WriteOutcome:
    """One mutation of ``f``: a write of ``new``, or an edit of ``n`` to ``N``."""

    async def mutate() -> WriteOutcome:
        disk = DiskFileSystem(Workspace([root]), publisher=publisher)
        try:
            target = await disk.resolve("f")
            if tool == "write":
                return await disk.write_text(target, "new\n", guard)
            return await disk.edit_text(target, replacing("n", "N"), guard)
        finally:
            disk.close()

    return asyncio.run(mutate())


def content(root: Path) -> bytes | None:
    """The bytes of ``f``, or None."""
    return (root / "f").read_bytes() if (root / "f").exists() else None


# ---- each guard in each state


@pytest.mark.parametrize(
    ("tool", "guard", "there", "expected"),
    [
        ("write", ANY, None, b"new\n"),
        ("write", ANY, b"seen\n", b"new\n"),
        ("write", ANY, b"another\n", b"new\n"),
        ("write", ABSENT, None, b"new\n"),
        ("write", ABSENT, b"seen\n", FsNotObserved),
        ("write", ABSENT, b"", FsNotObserved),
        ("write", SEEN, None, FsStaleVersion),
        ("write", SEEN, b"seen\n", b"new\n"),
        ("write", SEEN, b"seen\r\n", b"new\r\n"),
        ("write", SEEN, b"another\n", FsStaleVersion),
        ("edit", ANY, None, FsNotFound),
        ("edit", ANY, b"seen\n", b"seeN\n"),
        ("edit", ANY, b"another\n", b"aNother\n"),
        ("edit", ABSENT, None, FsNotFound),
        ("edit", ABSENT, b"seen\n", FsNotObserved),
        ("edit", SEEN, None, FsStaleVersion),
        ("edit", SEEN, b"seen\n", b"seeN\n"),
        ("edit", SEEN, b"\xef\xbb\xbfseen\r\n", b"\xef\xbb\xbfseeN\r\n"),
        ("edit", SEEN, b"another\n", FsStaleVersion),
        ("edit", SEEN, b"no match, but stale\n", FsStaleVersion),
    ],
)
def test_what_a_guard_lets_through(
    tmp_path: Path, tool: Tool, guard: Guard, there: bytes | None, expected: bytes | type[FsError]
) -> None:
    """Absent, the same, changed: the guard alone decides, before any text is matched."""
    if there is not None:
        (tmp_path / "f").write_bytes(there)

    if isinstance(expected, bytes):
        run(tmp_path, tool, guard)
        assert expected == content(tmp_path)
    else:
        with pytest.raises(expected):
            run(tmp_path, tool, guard)
        assert there == content(tmp_path)
    assert set(names(tmp_path)) <= {"f"}


def test_a_stale_refusal_carries_what_is_there(tmp_path: Path) -> None:
    """The current version and text come with it, for the explanation."""
    (tmp_path / "f").write_bytes(b"other\r\n")
    with pytest.raises(FsStaleVersion) as caught:
        run(tmp_path, "edit", SEEN)

    assert (version_of_text("other\n"), "other\n") == (caught.value.current, caught.value.current_text)


def test_content_that_became_binary_is_stale_first(tmp_path: Path) -> None:
    """Bytes that don't decode have a version too, and it is not the one that was seen."""
    (tmp_path / "f").write_bytes(b"\xff")
    with pytest.raises(FsStaleVersion) as caught:
        run(tmp_path, "edit", SEEN)

    assert (version_of_bytes(b"\xff"), None) == (caught.value.current, caught.value.current_text)


def test_c01_a_touch_is_not_a_change(tmp_path: Path) -> None:
    """Another modification time means nothing (C01)."""
    (tmp_path / "f").write_bytes(b"seen\n")
    os.utime(tmp_path / "f", (time.time() + 100, time.time() + 100))
    run(tmp_path, "edit", SEEN)

    assert b"seeN\n" == content(tmp_path)


def test_different_content_of_the_same_size_and_time_is_a_change(tmp_path: Path) -> None:
    """What a modification time can't see, the version sees."""
    (tmp_path / "f").write_bytes(b"seen\n")
    was = (tmp_path / "f").stat()
    (tmp_path / "f").write_bytes(b"sean\n")
    os.utime(tmp_path / "f", ns=(was.st_atime_ns, was.st_mtime_ns))

    with pytest.raises(FsStaleVersion):
        run(tmp_path, "edit", SEEN)


# ---- other programs, between the check and the publication

Other = Callable[[Path, bytes], Callable[[], object]]


def disguised(path: Path, data: bytes) -> Callable[[], object]:
    """Another program overwrites a file and sets its modification time back."""

    def overwrite() -> None:
        was = path.stat()
        path.write_bytes(data)
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    return overwrite


stages: list[Stage] = ["written", "checked"]
interrupted = pytest.mark.parametrize(
    ("stage", "other", "kernel_renames"),
    [(stage, other, kernel) for stage in stages for other in (replaced, overwritten) for kernel in (True, False)],
)


@interrupted
@pytest.mark.parametrize("tool", ["write", "edit"])
def test_c07_who_writes_meanwhile_is_not_overwritten(
    tmp_path: Path, tool: Tool, stage: Stage, other: Other, kernel_renames: bool
) -> None:
    """A write by another program after the version check makes the call stale, and its bytes stay (C07)."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({stage: other(tmp_path / "f", b"mine")}, kernel_renames=kernel_renames)

    with pytest.raises(FsStaleVersion) as caught:
        run(tmp_path, tool, SEEN, publisher)

    assert ("mine", b"mine") == (caught.value.current_text, content(tmp_path))
    assert ["f"] == names(tmp_path)


@pytest.mark.parametrize("other", [replaced, overwritten, disguised])
def test_c07_who_was_noticed_in_time_is_never_swapped_out(tmp_path: Path, other: Other) -> None:
    """A write before the last look at the file is found by that look: no reader sees our text in between (C07)."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({"written": other(tmp_path / "f", b"mine\n")})

    with pytest.raises(FsStaleVersion):
        run(tmp_path, "edit", SEEN, publisher)
    assert ["written"] == publisher.stages


@interrupted
def test_c07_a_write_of_the_same_size_and_time_is_seen(
    tmp_path: Path, stage: Stage, other: Other, kernel_renames: bool
) -> None:
    """Also when size and modification time say that nothing happened (C07)."""
    path = tmp_path / "f"
    path.write_bytes(b"seen\n")
    was = path.stat()

    def sly() -> None:
        other(path, b"sean\n")()
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    with pytest.raises(FsStaleVersion):
        run(tmp_path, "edit", SEEN, Interrupted({stage: sly}, kernel_renames=kernel_renames))
    assert (b"sean\n", ["f"]) == (content(tmp_path), names(tmp_path))


@interrupted
def test_c02_the_same_bytes_written_meanwhile_are_no_change(
    tmp_path: Path, stage: Stage, other: Other, kernel_renames: bool
) -> None:
    """A sync tool that rewrites identical bytes does not make a call stale (C02)."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({stage: other(tmp_path / "f", b"seen\n")}, kernel_renames=kernel_renames)
    run(tmp_path, "edit", SEEN, publisher)

    assert (b"seeN\n", ["f"]) == (content(tmp_path), names(tmp_path))


@interrupted
def test_an_unconditional_edit_goes_on_top(tmp_path: Path, stage: Stage, other: Other, kernel_renames: bool) -> None:
    """Without a version to keep to, the plan is asked again for what is there then."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({stage: other(tmp_path / "f", b"mine\r\n")}, kernel_renames=kernel_renames)
    outcome = run(tmp_path, "edit", ANY, publisher)

    assert ("mine\n", b"miNe\r\n") == (outcome.before, content(tmp_path))


@pytest.mark.parametrize("stage", stages)
@pytest.mark.parametrize("kernel_renames", [True, False])
def test_what_was_deleted_meanwhile_stays_deleted(tmp_path: Path, stage: Stage, kernel_renames: bool) -> None:
    """A deletion after the check is a stale version of nothing."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({stage: (tmp_path / "f").unlink}, kernel_renames=kernel_renames)

    with pytest.raises(FsStaleVersion) as caught:
        run(tmp_path, "edit", SEEN, publisher)
    assert (None, []) == (caught.value.current, names(tmp_path))


@pytest.mark.parametrize("stage", stages)
@pytest.mark.parametrize("kernel_renames", [True, False])
@pytest.mark.parametrize("guard", [ABSENT, ANY])
def test_c12_a_creation_does_not_replace(tmp_path: Path, stage: Stage, kernel_renames: bool, guard: Guard) -> None:
    """A file that appears while another is created stays; only an unconditional write then replaces it (C12)."""
    publisher = Interrupted({stage: overwritten(tmp_path / "f", b"u\n")}, kernel_renames=kernel_renames)

    if guard is ABSENT:
        with pytest.raises(FsNotObserved):
            run(tmp_path, "write", guard, publisher)
        assert b"u\n" == content(tmp_path)
    else:
        assert "u\n" == run(tmp_path, "write", guard, publisher).before
        assert b"new\n" == content(tmp_path)
    assert ["f"] == names(tmp_path)


def test_who_writes_right_after_is_not_overwritten(tmp_path: Path) -> None:
    """Another program's text over ours, before it was read back, stays, and the call does not claim success."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({"published": replaced(tmp_path / "f", b"theirs")})

    with pytest.raises(FsIoError) as caught:
        run(tmp_path, "edit", SEEN, publisher)
    assert ("VERIFY_FAILED", False) == (caught.value.reason, caught.value.details["restored"])
    assert {"f": b"theirs"} == contents(tmp_path)


@pytest.mark.parametrize("other", [replaced, overwritten])
def test_of_two_other_writers_the_last_one_stays(tmp_path: Path, other: Other) -> None:
    """One writes before our swap, one before it is taken back: the newer text is there in the end."""
    (tmp_path / "f").write_bytes(b"seen\n")
    path = tmp_path / "f"
    publisher = Interrupted({"checked": replaced(path, b"first"), "published": other(path, b"second")})

    with pytest.raises(FsStaleVersion):
        run(tmp_path, "edit", SEEN, publisher)
    assert (b"second", ["f"]) == (content(tmp_path), names(tmp_path))


def test_a_deletion_of_ours_does_not_take_theirs_along(tmp_path: Path) -> None:
    """Who writes before our swap keeps the text, even if the name is deleted before it is taken back."""
    path = tmp_path / "f"
    path.write_bytes(b"seen\n")
    publisher = Interrupted({"checked": replaced(path, b"theirs"), "published": path.unlink})

    with pytest.raises(FsStaleVersion):
        run(tmp_path, "edit", SEEN, publisher)
    assert (b"theirs", ["f"]) == (content(tmp_path), names(tmp_path))


def test_an_interruption_leaves_their_bytes_somewhere(tmp_path: Path) -> None:
    """Torn out between a swap and what follows it, the publication does not remove what it swapped out."""
    path = tmp_path / "f"
    path.write_bytes(b"seen\n")

    def tear() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, "edit", SEEN, Interrupted({"checked": replaced(path, b"theirs"), "published": tear}))
    assert sorted([b"seeN\n", b"theirs"]) == sorted(contents(tmp_path).values())


def test_a_directory_in_the_file_s_place_comes_back(tmp_path: Path) -> None:
    """Whatever takes the name, not only files, is put back."""
    path = tmp_path / "f"
    path.write_bytes(b"seen\n")

    def become_directory() -> None:
        path.unlink()
        path.mkdir()

    with pytest.raises(FsError):
        run(tmp_path, "edit", SEEN, Interrupted({"checked": become_directory}))
    assert (True, ["f"]) == (path.is_dir(), names(tmp_path))


def test_a_pipe_in_an_empty_file_s_place_comes_back(tmp_path: Path) -> None:
    """A FIFO has no bytes, and is not the empty file that was read."""
    path = tmp_path / "f"
    path.touch()

    def become_fifo() -> None:
        path.unlink()
        os.mkfifo(path)

    with pytest.raises(FsNotRegularFile):
        run(tmp_path, "write", ANY, Interrupted({"checked": become_fifo}))
    assert (True, ["f"]) == (path.is_fifo(), names(tmp_path))


def test_endless_contention_ends(tmp_path: Path) -> None:
    """Who keeps writing wins; the call gives up with a reason, and its bytes are nowhere."""
    path = tmp_path / "f"
    path.write_bytes(b"n0")
    numbers = iter(range(1, 100))
    publisher = Interrupted(always={"checked": lambda: path.write_bytes(b"n%d" % next(numbers))})

    with pytest.raises(FsIoError) as caught:
        run(tmp_path, "edit", ANY, publisher)
    assert ("CONTENDED", ["f"]) == (caught.value.reason, names(tmp_path))
    assert b"n%d" % (next(numbers) - 1) == content(tmp_path)


async def test_c15_many_at_once_leave_nothing_behind(tmp_path: Path) -> None:
    """A hundred creations and a hundred edits in one folder, and only the files are there (C15)."""
    disk = DiskFileSystem(Workspace([tmp_path]))
    targets = [await disk.resolve(f"f{number}") for number in range(100)]
    await asyncio.gather(*(disk.write_text(target, "new", ABSENT) for target in targets))
    await asyncio.gather(*(disk.edit_text(target, replacing("n", "N"), ANY) for target in targets))
    disk.close()

    assert {f"f{number}": b"New" for number in range(100)} == contents(tmp_path)


async def test_mutations_of_one_file_take_turns(tmp_path: Path) -> None:
    """Fifty appends by two disks with the same locks are fifty lines: no edit is lost."""
    (tmp_path / "f").write_bytes(b"end\n")
    one = DiskFileSystem(Workspace([tmp_path]))
    two = one.for_workspace(Workspace([tmp_path]))
    target = await one.resolve("f")
    plans = [replacing("end\n", f"{number}\nend\n") for number in range(50)]
    await asyncio.gather(*((one, two)[n % 2].edit_text(target, plan, ANY) for n, plan in enumerate(plans)))
    one.close()

    assert sorted([*map(str, range(50)), "end"]) == sorted((tmp_path / "f").read_text(encoding="utf-8").split())


async def test_two_with_the_same_credential_make_one_edit(tmp_path: Path) -> None:
    """Of two guarded edits from the same version one succeeds and one is stale."""
    (tmp_path / "f").write_bytes(b"seen\n")
    disk = DiskFileSystem(Workspace([tmp_path]))
    target = await disk.resolve("f")
    both = (disk.edit_text(target, replacing("s", new), SEEN) for new in "12")
    results = await asyncio.gather(*both, return_exceptions=True)
    disk.close()

    assert sorted(["WriteOutcome", "FsStaleVersion"]) == sorted(type(result).__name__ for result in results)
