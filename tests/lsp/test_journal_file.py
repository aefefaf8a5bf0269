"""Journals on the disk: repaired, private, one writer, and nothing lost when the disk is full."""

import asyncio
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dsh_ledger.journal import FS_OBSERVED, SESSION_START, TOOL_CALL, TOOL_RESULT, Event, UnreadableLine, encode
from dsh_lsp.journals.journal_file import JournalBusy, JournalFile, JournalRefused, read_events
from dsh_lsp.journals.journals import Journals
from dsh_lsp.journals.session_journal import JournalFailed, SessionJournal
from dsh_lsp.journals.state_dir import journal_name
from tests.support.disk_faults import mounted

START = encode(Event(1, "t", SESSION_START, {"sessionId": "s"}))
CALL = encode(Event(2, "t", TOOL_CALL, {"callId": "c", "name": "read"}))
RESULT = encode(Event(3, "t", TOOL_RESULT, {"callId": "c"}))


@pytest.mark.parametrize("cut", range(1, len(CALL)))
def test_a_torn_last_line_is_cut_off_or_completed(tmp_path: Path, cut: int) -> None:
    """Wherever the write ended: what was whole stays, and the next event begins on a line of its own."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(START + CALL[:-cut])

    file, scan = JournalFile.open(path, "s")
    file.append(RESULT)
    file.close()

    whole = START + CALL if cut == 1 else START
    assert whole + RESULT == path.read_bytes()
    assert (0, 2 if cut == 1 else 1) == (scan.unreadable, scan.standing.last_seq)


@pytest.mark.parametrize("tail", [b"", CALL[:-1], CALL[:9], b"\x00" * 4096, b"{" * 200_000])
def test_a_reader_sees_whole_lines_only(tmp_path: Path, tail: bytes) -> None:
    """Somebody who reads while the server writes, or after it was killed, is not told of half a line."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(START + tail)

    assert [1, 2] if tail == CALL[:-1] else [1] == [event.seq for event in read_events(path)]  # type: ignore[union-attr]


def test_an_unreadable_line_is_skipped_and_said(tmp_path: Path) -> None:
    """What is around it is still there."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(START + b"\x00\xff rubbish\n" + CALL + RESULT)

    file, scan = JournalFile.open(path, "s")
    file.close()

    assert [Event, UnreadableLine, Event, Event] == [type(event) for event in read_events(path)]
    assert (1, 3, ["c"]) == (scan.unreadable, scan.standing.last_seq, list(scan.results))


def test_the_file_is_the_users_alone(tmp_path: Path) -> None:
    """Mode 0600, also where somebody had opened it to others."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(START)
    path.chmod(0o644)

    file, _ = JournalFile.open(path, "s")
    file.close()

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """The second is told so; when the first has let go it may."""
    path = tmp_path / "s.jsonl"
    first, _ = JournalFile.open(path, "s")
    with pytest.raises(JournalBusy):
        JournalFile.open(path, "s")
    first.close()

    JournalFile.open(path, "s")[0].close()


def test_what_is_no_journal_of_this_session_is_left_alone(tmp_path: Path) -> None:
    """Another session's, a link, a directory."""
    other, link, directory = tmp_path / "o.jsonl", tmp_path / "l.jsonl", tmp_path / "d.jsonl"
    other.write_bytes(encode(Event(1, "t", SESSION_START, {"sessionId": "other"})))
    link.symlink_to(other)
    directory.mkdir()

    for path in (other, link):
        with pytest.raises(JournalRefused):
            JournalFile.open(path, "s")
    with pytest.raises(OSError):
        JournalFile.open(directory, "s")
    assert other.read_bytes().endswith(b"}}\n")


async def test_events_are_numbered_at_once_and_written_in_order(tmp_path: Path) -> None:
    """Whoever appends, and whenever they flush."""
    file, _ = JournalFile.open(tmp_path / "s.jsonl", "s")
    journal = SessionJournal(ThreadPoolExecutor(2), file)

    async def write(n: int) -> None:
        for _ in range(20):
            journal.append("x", {"n": n})
            if n % 2:
                await journal.flush()

    await asyncio.gather(*(write(n) for n in range(5)))
    await journal.close()

    assert list(range(1, 101)) == [event.seq for event in read_events(tmp_path / "s.jsonl")]  # type: ignore[union-attr]


async def test_a_cancelled_flush_loses_nothing(tmp_path: Path) -> None:
    """The writing goes on; the next flush waits for it."""
    file, _ = JournalFile.open(tmp_path / "s.jsonl", "s")
    journal = SessionJournal(ThreadPoolExecutor(1), file)
    journal.append("x", {"text": "y" * 1_000_000})
    flushing = asyncio.ensure_future(journal.flush())
    await asyncio.sleep(0)
    flushing.cancel()
    journal.append("x", {})
    await journal.flush()

    assert [1, 2] == [event.seq for event in read_events(tmp_path / "s.jsonl")]  # type: ignore[union-attr]
    await journal.close()


async def test_a_full_disk_is_said_and_nothing_is_half_written(tmp_path: Path, small_disk: Path) -> None:
    """The event is kept and written once there is room; what is in the file is whole at any time."""
    path = small_disk / "s.jsonl"
    file, _ = JournalFile.open(path, "s")
    journal = SessionJournal(ThreadPoolExecutor(1), file)
    journal.append("x", {"text": "fits"})
    await journal.flush()
    ballast = small_disk / "ballast"
    fill(ballast)

    journal.append("x", {"text": "y" * 20_000})
    with pytest.raises(JournalFailed) as failure:
        await journal.flush()
    assert ("ENOSPC", True) == (failure.value.reason, journal.is_broken)
    assert [1] == [event.seq for event in read_events(path)]  # type: ignore[union-attr]

    ballast.unlink()
    journal.append("x", {"text": "more"})
    await journal.flush()
    assert [1, 2, 3] == [event.seq for event in read_events(path)]  # type: ignore[union-attr]
    assert not journal.is_broken
    await journal.close()


async def test_a_recorded_result_is_found_again(tmp_path: Path) -> None:
    """One that was there when the journal was opened, and one that came since."""
    view = {"card": "generic"}
    data = {"callId": "old", "isError": False, "content": [], "view": view}
    path = tmp_path / "s.jsonl"
    path.write_bytes(START + encode(Event(2, "t", TOOL_RESULT, data)))
    file, scan = JournalFile.open(path, "s")
    journal = SessionJournal(ThreadPoolExecutor(1), file, scan.standing.last_seq, scan.results)
    journal.append(FS_OBSERVED, {})
    journal.append(TOOL_RESULT, {**data, "callId": "new"})

    old, new = await journal.result("old"), await journal.result("new")

    assert old is not None
    assert new is not None
    assert (2, "old", 4, "new") == (old.seq, old.call, new.seq, new.call)
    assert await journal.result("never") is None
    await journal.close()


async def test_sessions_of_any_id_have_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id is no path, however it looks; two ids that a file system may take for one are two."""
    monkeypatch.setenv("DSH_LSP_STATE_DIR", str(tmp_path / "state"))
    ids = ["a", "A", "../../etc/passwd", "a/b", ".", "..", "ä", "x" * 200, "id.0", "\ud800", "a\0b"]
    journals = Journals(tmp_path)
    for session in ids:
        journal, standing = await journals.open(session)
        assert standing is None
        journal.append(SESSION_START, {"sessionId": session})
        await journal.close()

    files = list((tmp_path / "state").rglob("*"))
    assert len(ids) == len({path.name.lower() for path in files if path.is_file()})
    assert set(ids) == {listed.session for listed in await journals.listed()}
    assert "a.jsonl" == journal_name("a")
    journals.close()


async def test_without_a_place_for_journals_sessions_go_on_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A warning says so, once, without the path."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DSH_LSP_STATE_DIR", str(tmp_path / "file"))
    journals = Journals(tmp_path)

    journal, standing = await journals.open("s")
    await journals.open("t")
    number = journal.append(SESSION_START, {"sessionId": "s"})
    await journal.flush()

    assert (None, 1, False) == (standing, number, journal.is_kept)
    assert 1 == len(caplog.records)
    assert str(tmp_path) not in caplog.text
    await journal.close()


def fill(path: Path) -> None:
    """Leave no room on a disk."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            return


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB, where one may be mounted."""
    place = tmp_path / "small"
    place.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", at=place):
        yield place
