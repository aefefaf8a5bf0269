"""Guards on a real disk: what each lets through in each state, also while other programs write at the worst moment."""

import os
import time
from pathlib import Path

import pytest

from dsh_ledger.errors import FsError, FsNotFound, FsNotObserved, FsStaleVersion
from dsh_ledger.guards import Guard, MustBeAbsent, MustBeVersion, Unconditional
from dsh_ledger.versions import version_of_bytes, version_of_text
from tests.support.disk_faults import Tool, content, names, run

SEEN = MustBeVersion(version_of_text("seen\n"))
ANY = Unconditional()
ABSENT = MustBeAbsent()

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


def test_C01_a_touch_is_not_a_change(tmp_path: Path) -> None:
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
