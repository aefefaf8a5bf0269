"""Other programs that write at the worst moment, and what is there in the end: never less than what they wrote."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_ledger.errors import FsError, FsIoError, FsNotObserved, FsNotRegularFile, FsSandboxDenied, FsStaleVersion
from dsh_ledger.guards import Guard, MustBeAbsent, MustBeVersion, Unconditional
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.publish import Stage
from tests.support.disk_faults import (
    Interrupted,
    Tool,
    content,
    contents,
    mutated,
    names,
    overwritten,
    replaced,
    replacing,
    run,
)

SEEN = MustBeVersion(version_of_text("seen\n"))
ANY = Unconditional()
ABSENT = MustBeAbsent()

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
def test_C07_who_writes_meanwhile_is_not_overwritten(
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
def test_C07_who_was_noticed_in_time_is_never_swapped_out(tmp_path: Path, other: Other) -> None:
    """A write before the last look at the file is found by that look: no reader sees our text in between (C07)."""
    (tmp_path / "f").write_bytes(b"seen\n")
    publisher = Interrupted({"written": other(tmp_path / "f", b"mine\n")})

    with pytest.raises(FsStaleVersion):
        run(tmp_path, "edit", SEEN, publisher)
    assert ["written"] == publisher.stages


@interrupted
def test_C07_a_write_of_the_same_size_and_time_is_seen(
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
def test_C02_the_same_bytes_written_meanwhile_are_no_change(
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
def test_C12_a_creation_does_not_replace(tmp_path: Path, stage: Stage, kernel_renames: bool, guard: Guard) -> None:
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


# ---- a path that is swapped while it is used


@pytest.mark.parametrize(
    ("stage", "kind", "kernel_renames"),
    [
        ("written", "edit", True),
        ("checked", "edit", True),
        ("published", "edit", True),
        ("written", "edit", False),
        ("written", "create", True),
        ("checked", "create", True),
        ("published", "create", False),
        ("checked", "hard link", True),
    ],
)
def test_I03_a_folder_swapped_for_a_link_leads_nowhere(
    tmp_path: Path, stage: Stage, kind: str, kernel_renames: bool
) -> None:
    """A folder that becomes a link to the outside after the check: nothing outside is touched (I03)."""
    folder, outside = tmp_path / "w/d", tmp_path / "outside"
    folder.mkdir(parents=True)
    outside.mkdir()
    (outside / "f").write_bytes(b"a")
    if kind != "create":
        (folder / "f").write_bytes(b"a")
    if kind == "hard link":
        (folder / "other").hardlink_to(folder / "f")

    def swap() -> None:
        folder.rename(tmp_path / "w/moved")
        folder.symlink_to(outside)

    publisher = Interrupted({stage: swap}, kernel_renames=kernel_renames)
    if kind == "hard link":
        mutated(tmp_path / "w", "d/f", replacing("a", "b"), publisher=publisher)
        inside = {"f": b"b", "other": b"b"}
    else:
        with pytest.raises(FsSandboxDenied) as caught:
            mutated(tmp_path / "w", "d/f", "x" if kind == "create" else replacing("a", "b"), publisher=publisher)
        assert "d/f leads through a link that can't be followed safely." == caught.value.message
        inside = {} if kind == "create" else {"f": b"a"}

    assert {"f": b"a"} == contents(outside)
    assert inside == contents(tmp_path / "w/moved")
