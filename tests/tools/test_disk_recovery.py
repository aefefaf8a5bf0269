"""The crash log, what the next process makes of it, and what happens where there is none."""

import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.errors import FsIoError, FsStaleVersion
from dsh_ledger.guards import MustBeVersion
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.crash_log import CrashLog
from dsh_tools.fs.in_place import is_half_written
from dsh_tools.fs.paths import Location, Workspace
from dsh_tools.fs.places import Place, open_place
from dsh_tools.fs.process_turns import ProcessTurns
from dsh_tools.fs.publish import Publisher
from dsh_tools.fs.recovery import Recovered, recover
from tests.support.disk_faults import (
    Interrupted,
    contents,
    mutated,
    names,
    replaced,
    replacing,
    run,
)

SEEN = MustBeVersion(version_of_text("seen\n"))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The directory of the crash logs."""
    path = tmp_path / "logs"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace."""
    path = tmp_path / "w"
    path.mkdir()
    return path


@pytest.fixture
def place(root: Path) -> Iterator[Place]:
    """The place of a file ``f`` that has ``old``."""
    (root / "f").write_bytes(b"old")
    with open_place(Location(os.fsencode(root), (b"f",)), "f") as found:
        assert found is not None
        yield found


def dead(logs: Path) -> CrashLog:
    """A log whose process is about to be dead: see `die`."""
    return CrashLog(lambda: logs)


def die(log: CrashLog) -> None:
    """Let go of the lock and nothing else, as a process that is killed does."""
    assert log._own is not None
    os.close(log._own)


def test_C17_what_a_live_process_is_doing_is_left_alone(place: Place, root: Path, logs: Path) -> None:
    """Its file is there after another's start, and gone after its own death (C17)."""
    log = dead(logs)
    log.replacing(place, b"0123456789abcdef", b"old", b"new")
    (root / ".dsh-0123456789abcdef.tmp").touch()

    assert ((), [".dsh-0123456789abcdef.tmp", "f"]) == (recover(logs), names(root))
    die(log)
    assert (Recovered(os.fsencode(root / "f"), "swept"),) == recover(logs)
    assert (["f"], []) == (names(root), names(logs))


def test_what_ended_well_leaves_nothing(root: Path, logs: Path) -> None:
    """Not even a directory, once the log is closed."""
    log = CrashLog(lambda: logs)
    mutated(root, "f", "n\n", publisher=Publisher(crash_log=log))
    mutated(root, "f", replacing("n", "N"), publisher=Publisher(crash_log=log))
    (root / "g").hardlink_to(root / "f")
    mutated(root, "f", replacing("N", "n"), publisher=Publisher(crash_log=log))
    [own] = logs.iterdir()

    assert [] == names(own)
    log.close()
    assert [] == names(logs)


def test_a_refused_edit_leaves_nothing(root: Path, logs: Path) -> None:
    """Nor does one that found another text at the last moment."""
    (root / "f").write_bytes(b"seen\n")
    log = CrashLog(lambda: logs)
    publisher = Interrupted({"checked": replaced(root / "f", b"theirs")}, crash_log=log)
    with pytest.raises(FsStaleVersion):
        run(root, "edit", SEEN, publisher)
    log.close()

    assert (["f"], []) == (names(root), names(logs))


@pytest.mark.parametrize("there", [b"changed by somebody", None])
def test_a_half_written_file_that_was_changed_since_is_left_and_its_content_kept(
    place: Place, root: Path, logs: Path, there: bytes | None
) -> None:
    """What somebody made of it stays; the old content is put aside, for its owner alone."""
    log = dead(logs)
    log.overwriting(place, b"old", b"newer")
    die(log)
    (root / "f").unlink()
    if there is not None:
        (root / "f").write_bytes(there)
    [done] = recover(logs)

    assert ("kept", {} if there is None else {"f": there}) == (done.outcome, contents(root))
    assert done.kept is not None
    kept = logs / done.kept
    assert (b"old", 0o600, 0o700) == (
        kept.read_bytes(),
        kept.stat().st_mode & 0o777,
        kept.parent.stat().st_mode & 0o777,
    )
    assert () == recover(logs)


@pytest.mark.parametrize(
    ("there", "outcome"), [(b"newed", "restored"), (b"ne", "kept"), (b"new", None), (b"old", None)]
)
def test_a_half_written_file_is_known_by_both_contents(
    place: Place, root: Path, logs: Path, there: bytes, outcome: str | None
) -> None:
    """A beginning of the new and an end of the old is half written; one of both is whole; the rest is somebody's."""
    old = b"oooed" if outcome == "restored" else b"old"
    log = dead(logs)
    log.overwriting(place, old, b"new")
    die(log)
    (root / "f").write_bytes(there)
    done = recover(logs)

    assert ([outcome] if outcome else []) == [each.outcome for each in done]
    assert (old if outcome == "restored" else there) == (root / "f").read_bytes()


def test_a_text_that_was_swapped_out_at_the_last_moment_is_kept_if_there_is_another_by_now(
    place: Place, root: Path, logs: Path
) -> None:
    """Two programs wrote: the later text stays, the earlier is put aside."""
    log = dead(logs)
    log.replacing(place, b"0123456789abcdef", b"old", b"new")
    die(log)
    (root / ".dsh-0123456789abcdef.swap").write_bytes(b"theirs")
    (root / "f").write_bytes(b"later")
    [done] = recover(logs)

    assert ("kept", {"f": b"later"}) == (done.outcome, contents(root))
    assert b"theirs" == (logs / str(done.kept)).read_bytes()


def test_a_text_that_was_swapped_out_returns_where_there_is_nothing(place: Place, root: Path, logs: Path) -> None:
    """The name is free: what another program wrote gets it back."""
    log = dead(logs)
    log.replacing(place, b"0123456789abcdef", b"old", b"new")
    die(log)
    (root / ".dsh-0123456789abcdef.swap").write_bytes(b"theirs")
    (root / "f").unlink()

    assert ["returned"] == [each.outcome for each in recover(logs)]
    assert {"f": b"theirs"} == contents(root)


def test_records_that_say_nothing_are_dropped(root: Path, logs: Path) -> None:
    """One that was cut off, was never followed by anything; nothing in the directory stops the rest."""
    (logs / "0").mkdir()
    for number, text in enumerate([b"", b"{", b"[]", b"{}", b'{"root": 1, "parts": [], "token": null}']):
        (logs / "0" / f"{number}.json").write_bytes(text)
    (logs / "0" / "9.old").write_bytes(b"x")
    (logs / "a-file").touch()

    assert () == recover(logs)
    assert ["a-file"] == names(logs)


def test_what_can_t_be_done_now_is_tried_again(place: Place, root: Path, logs: Path) -> None:
    """A folder that may not be entered just now: the record stays, and the next start does it."""
    log = dead(logs)
    log.replacing(place, b"0123456789abcdef", b"old", b"new")
    die(log)
    (root / ".dsh-0123456789abcdef.tmp").touch()
    (root.parent / "hidden").mkdir()
    moved = root.rename(root.parent / "hidden" / "w")
    root.touch()  # a file where the folder was: the walk fails

    assert () == recover(logs)
    root.unlink()
    moved.rename(root)
    assert ["swept"] == [each.outcome for each in recover(logs)]


# ---- without a log


def test_without_a_directory_publishing_goes_on(root: Path, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """It is said in the log, once; and in the note, where a copy of the old content would have been kept."""
    publisher = Publisher(crash_log=CrashLog(lambda: tmp_path / "nowhere"))
    mutated(root, "f", "n\n", publisher=publisher)
    (root / "g").hardlink_to(root / "f")
    outcome = mutated(root, "f", replacing("n", "N"), publisher=publisher)

    assert "No copy of the old content could be kept while it was written." == outcome.notes[-1]
    assert ["publications are not written down: No such file or directory"] == [
        record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING
    ]


# ---- who holds a file open


def test_who_has_a_file_open_for_writing_keeps_the_file(root: Path) -> None:
    """It is written in place, so that what that program writes next is in the file and not nowhere."""
    path = root / "f"
    path.write_bytes(b"n\n")
    with path.open("ab") as held:
        outcome = mutated(root, "f", replacing("n", "N"))
        held.write(b"theirs\n")

    assert ("Written in place, not atomically: another program has it open for writing.",) == outcome.notes
    assert b"N\ntheirs\n" == path.read_bytes()


def test_who_has_a_file_open_for_reading_is_no_obstacle(root: Path) -> None:
    """It goes on to read what it opened."""
    path = root / "f"
    path.write_bytes(b"n\n")
    with path.open("rb") as held:
        assert () == mutated(root, "f", replacing("n", "N")).notes
        assert (b"n\n", b"N\n") == (held.read(), path.read_bytes())


def test_who_opens_it_for_writing_between_is_waited_for(root: Path) -> None:
    """A program that writes and closes costs a moment, and makes the edit stale."""
    path = root / "f"
    path.write_bytes(b"seen\n")
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)

    def write_and_close() -> None:
        os.write(fd, b"theirs\n")
        os.close(fd)

    writer = threading.Timer(0.02, write_and_close)
    with pytest.raises(FsStaleVersion):
        run(root, "edit", SEEN, Interrupted({"checked": writer.start}))
    writer.join()
    assert {"f": b"seen\ntheirs\n"} == contents(root)


def test_where_leases_can_t_be_had_it_is_replaced_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system can't say who has a file open, that is no obstacle."""
    monkeypatch.setattr("fcntl.F_SETLEASE", 9999)
    path = root / "f"
    path.write_bytes(b"n\n")
    with path.open("ab"):
        assert () == mutated(root, "f", replacing("n", "N")).notes

    assert b"N\n" == path.read_bytes()


def test_what_is_added_to_our_text_before_it_is_taken_back_stays_and_so_does_what_it_covered(
    root: Path, logs: Path
) -> None:
    """One program replaces the file at the last moment, another appends to ours: both texts are somewhere."""
    path = root / "f"
    path.write_bytes(b"seen\n")

    def append() -> None:
        with path.open("ab") as file:
            file.write(b"added\n")

    log = dead(logs)
    publisher = Interrupted({"checked": replaced(path, b"theirs"), "published": append}, crash_log=log)
    with pytest.raises(FsStaleVersion):
        run(root, "edit", SEEN, publisher)
    die(log)
    [done] = recover(logs)

    assert {"f": b"seeN\nadded\n"} == contents(root)
    assert b"theirs" == (logs / str(done.kept)).read_bytes()


def test_in_place_what_another_program_wrote_right_after_is_not_written_over(root: Path) -> None:
    """The old content is put back over what is half ours, never over somebody's text."""
    path = root / "f"
    path.write_bytes(b"seen\n")
    (root / "other").hardlink_to(path)

    class Interfering(Publisher):
        def write_all(self, fd: int, data: bytes) -> None:
            super().write_all(fd, data)
            os.pwrite(fd, b"theirs", 0)

    with pytest.raises(FsIoError) as caught:
        run(root, "write", SEEN, Interfering())
    assert ("VERIFY_FAILED", False) == (caught.value.reason, caught.value.details["restored"])
    assert b"thei" == path.read_bytes()


# ---- half written


@given(st.binary(max_size=12), st.binary(max_size=12), st.data())
def test_what_an_interrupted_write_leaves_is_known(old: bytes, new: bytes, data: st.DataObject) -> None:
    """Any beginning of the new content over the old one, with room reserved or not, mended up to any point or not."""
    room = old.ljust(max(len(old), len(new)), b"\0") if data.draw(st.booleans()) else old
    written = data.draw(st.integers(0, len(new)))
    half = new[:written] + room[written:]
    mended = data.draw(st.integers(0, len(old)))
    again = old[:mended] + half[mended:]

    assert is_half_written(half, old, new)
    assert is_half_written(again, old, new) or not min(len(old), len(new)) <= len(again) <= max(len(old), len(new))


@pytest.mark.parametrize("found", [b"xld more", b"new!", b"newd mor", b"newd more!!", b"ol"])
def test_what_no_write_of_ours_leaves_is_not(found: bytes) -> None:
    """Other bytes, or another length."""
    assert not is_half_written(found, b"old more", b"new")


# ---- turns


def test_processes_take_turns(logs: Path) -> None:
    """Who has a target holds up another for that target, and for no other."""
    one, two = ProcessTurns(lambda: logs), ProcessTurns(lambda: logs)
    order: list[str] = []

    def second() -> None:
        with two.hold(b"/f"):
            order.append("second")

    with one.hold(b"/f"):
        with two.hold(b"/g"):
            order.append("other")
        waiting = threading.Thread(target=second)
        waiting.start()
        order.append("first")
    waiting.join(30)

    assert ["other", "first", "second"] == order


def test_the_log_speaks_of_bytes(root: Path, logs: Path) -> None:
    """A path that is no UTF-8 is found again."""
    folder = os.fsencode(root) + b"/\xff"
    Path(os.fsdecode(folder)).mkdir()
    with open_place(Location(os.fsencode(root), (b"\xff", b"f")), "f") as place:
        assert place is not None
        log = dead(logs)
        log.replacing(place, b"0123456789abcdef", None, b"new")
        die(log)
    with open(folder + b"/.dsh-0123456789abcdef.tmp", "wb"):  # noqa: PTH123 - the name is bytes
        pass
    [done] = recover(logs)

    assert (folder + b"/f", "swept") == (done.path, done.outcome)
    assert "./" not in str(Workspace([root]).shown_if_inside(done.path))
    assert Workspace([logs]).shown_if_inside(done.path) is None
