"""Edits of what has changed since it was read, in sessions that want them rebased: refused only where that overlaps."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.edits import Change, Edit, Overlap
from dsh_ledger.errors import FsError, FsStaleVersion
from dsh_ledger.guards import MayHaveDrifted, MustBeVersion
from dsh_ledger.ledger import Ledger
from dsh_ledger.versions import version_of_bytes, version_of_text
from dsh_tools.builtin import EDIT, MULTI_EDIT, READ, STR_REPLACE_EDITOR, WRITE
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.diff import minimal_change
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.guard_check import change_under, check_guard
from dsh_tools.fs.paths import Workspace
from dsh_tools.matching import Replace
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import run_tool
from dsh_tools.snapshots import Snapshots

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map(lambda lines: "".join(f"{x}\n" for x in lines))
TEXTS = st.builds(lambda lines, last: lines + last, LINES, st.sampled_from(["", "", "a"]))


@st.composite
def edited_and_drifted(draw: st.DrawFn) -> tuple[str, str, Change]:
    """An observed text, what it has become, and an edit of the observed one."""
    seen, now = draw(TEXTS), draw(TEXTS)
    start = draw(st.integers(0, len(seen)))
    end = draw(st.integers(start, len(seen)))
    return seen, now, Change.of(Edit(start, end, draw(st.text("xy\n", max_size=3))))


@given(edited_and_drifted())
def test_an_edit_is_rebased_over_the_drift_or_refused_where_they_overlap(case: tuple[str, str, Change]) -> None:
    """The result is what the algebra says; it is refused exactly where that says that they overlap."""
    seen, now, change = case
    guard = MayHaveDrifted(version_of_text(seen), seen)
    drift = minimal_change(seen, now)
    expected = change.rebased(drift)
    check_guard(guard, "p", version_of_text(now), now)
    if isinstance(expected, Overlap):
        with pytest.raises(FsStaleVersion):
            change_under(guard, "p", version_of_text(now), now, lambda _text: change)
    else:
        made = change_under(guard, "p", version_of_text(now), now, lambda _text: change)

        assert expected == made
        assert drift.then(made).apply(seen) == made.apply(now)


def test_what_the_observed_text_does_not_hold_is_stale_and_not_missing() -> None:
    """As long as the session's text is out of date, nobody is told of its lines: the version comes before the match."""
    guard = MayHaveDrifted(version_of_text("one\n"), "one\n")
    with pytest.raises(FsStaleVersion) as caught:
        change_under(guard, "p", version_of_text("one\ntwo\n"), "one\ntwo\n", Replace("two", "2", path="p"))

    assert "one\ntwo\n" == caught.value.current_text


@pytest.mark.parametrize("there", [None, b"\x00\xff"])
def test_where_there_is_no_text_any_more_nothing_is_rebased(there: bytes | None) -> None:
    """A file that is gone, or has become something else, is stale."""
    version = None if there is None else version_of_bytes(there)
    with pytest.raises(FsStaleVersion):
        check_guard(MayHaveDrifted(version_of_text("a"), "a"), "p", version, None)


# ---- the tools on a disk


class Session:
    """A session on a disk of its own whose edits are rebased."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "a.txt"
        self.snapshots = Snapshots()
        self.ledger = Ledger()
        self.disk = DiskFileSystem(Workspace([folder]))

    def tool_run(self) -> ToolRun:
        """What a call may use."""
        seen = SessionLedger(self.ledger, "s", self.ledger.apply, self.snapshots.get)
        return ToolRun("s", "c", self.disk, seen, self.snapshots)

    async def call(self, tool: AnyTool, **arguments: Any) -> ToolResult:
        """Run a tool."""
        return await run_tool(tool, arguments, self.tool_run())

    async def edit(self, old: str, new: str, **arguments: Any) -> ToolResult:
        """Run edit."""
        return await self.call(EDIT, file_path="a.txt", old_string=old, new_string=new, **arguments)


@pytest.fixture
async def session(tmp_path: Path) -> Any:
    """A session that has read ``a.txt``: the numbers from 1 to 9, one a line."""
    (tmp_path / "a.txt").write_bytes(b"".join(b"%d\n" % n for n in range(1, 10)))
    made = Session(tmp_path)
    await made.call(READ, file_path="a.txt")
    yield made
    made.disk.close()


def drifted(session: Session, old: bytes, new: bytes) -> None:
    """Somebody else changes the file."""
    session.file.write_bytes(session.file.read_bytes().replace(old, new))


def text_of(result: ToolResult) -> str:
    """What the model reads."""
    return "".join(block.text for block in result.content if block.type == "text")


async def test_an_edit_elsewhere_is_applied_to_the_current_text_and_says_so(session: Session) -> None:
    """The result, the model's text and the card say what had changed; the hunks are those of the edit alone."""
    drifted(session, b"2\n", b"two\nand more\n")
    result = await session.edit("7", "seven")

    assert b"1\ntwo\nand more\n3\n4\n5\n6\nseven\n8\n9\n" == session.file.read_bytes()
    assert isinstance(result.value, dict)
    assert isinstance(result.meta, dict)
    assert (1, 1) == (result.value["added"], result.value["removed"])
    assert version_of_text("1\ntwo\nand more\n3\n4\n5\n6\n7\n8\n9\n") == result.value["beforeVersion"]
    where = "elsewhere (changed lines: 2-3)"
    note = f"The file had changed since you read it, {where}; the edit was applied to the current text."
    assert [note] == result.value["notes"] == result.meta["notes"]
    assert {
        "changes": [{"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 2}],
        "total": 1,
        "truncated": False,
    }.items() <= result.value["rebased"].items()
    assert "+and more" in text_of(result)


async def test_the_session_has_observed_the_new_version_then(session: Session) -> None:
    """The next edit is an ordinary one, and has nothing to say."""
    drifted(session, b"2\n", b"two\n")
    await session.edit("7", "seven")
    result = await session.edit("two", "2")

    assert isinstance(result.value, dict)
    assert ([], None) == (result.value["notes"], result.value.get("rebased"))


async def test_an_unchanged_file_is_not_rebased(session: Session) -> None:
    """Nothing is said where nothing had changed."""
    result = await session.edit("7", "seven")

    assert isinstance(result.value, dict)
    assert "rebased" not in result.value


@pytest.mark.parametrize(("old", "new"), [("7", "VII"), ("6\n7", "x"), ("7\n8", "x"), ("5\n6\n7\n8\n9", "x")])
async def test_an_edit_of_what_has_changed_is_refused_and_explained(session: Session, old: str, new: str) -> None:
    """Also where only a line of its context has: FS_STALE_VERSION with the changes, and the file as it was."""
    drifted(session, b"7\n", b"seven\n")
    result = await session.edit(old, new)

    assert isinstance(result.error, FsStaleVersion)
    assert "Changed lines: 7." in result.error.message
    assert b"seven" in session.file.read_bytes()


async def test_without_the_observed_text_an_edit_is_refused(session: Session) -> None:
    """What is not kept any more can't be rebased from; it is never applied on trust."""
    session.snapshots.end()
    drifted(session, b"2\n", b"two\n")
    result = await session.edit("7", "seven")

    assert isinstance(result.error, FsStaleVersion)
    assert "a.txt has changed since you read it." == result.error.message


async def test_a_write_is_never_rebased(session: Session) -> None:
    """It is about all of the text."""
    drifted(session, b"2\n", b"two\n")
    result = await session.call(WRITE, file_path="a.txt", content="mine\n")

    assert isinstance(result.error, FsStaleVersion)


async def test_a_write_under_the_guard_of_an_edit_is_strict(session: Session, tmp_path: Path) -> None:
    """A policy may answer as it likes: the disk takes it as the version alone."""
    target = await session.disk.resolve("a.txt")
    guard = MayHaveDrifted(version_of_text("other"), "other")
    with pytest.raises(FsStaleVersion):
        await session.disk.write_text(target, "mine", guard)
    assert MustBeVersion(version_of_text("other")) != guard


EDITS: list[Callable[[Session], Coroutine[Any, Any, ToolResult]]] = [
    lambda session: session.edit("7", "seven"),
    lambda session: session.call(
        MULTI_EDIT,
        file_path="a.txt",
        edits=[{"old_string": "7", "new_string": "s"}, {"old_string": "s", "new_string": "seven"}],
    ),
    lambda session: session.call(STR_REPLACE_EDITOR, command="str_replace", path="a.txt", old_str="7", new_str="seven"),
]


@pytest.mark.parametrize("edit", EDITS)
async def test_every_tool_that_edits_is_rebased(
    session: Session, edit: Callable[[Session], Coroutine[Any, Any, ToolResult]]
) -> None:
    """One implementation for all of them."""
    drifted(session, b"1\n", b"0\n1\n")
    result = await edit(session)

    assert not result.is_error
    assert b"0\n1\n2\n3\n4\n5\n6\nseven\n8\n9\n" == session.file.read_bytes()


async def test_an_insertion_moves_with_its_line(session: Session) -> None:
    """After line 7 of what was read, which is line 8 by now."""
    drifted(session, b"1\n", b"0\n1\n")
    await session.call(STR_REPLACE_EDITOR, command="insert", path="a.txt", insert_line=7, new_str="7.5")

    assert b"0\n1\n2\n3\n4\n5\n6\n7\n7.5\n8\n9\n" == session.file.read_bytes()


async def test_what_others_have_made_ambiguous_is_still_the_place_that_was_meant(session: Session) -> None:
    """The edit is matched in the text that the agent has read, where it was unique."""
    drifted(session, b"1\n", b"7\n1\n")
    await session.edit("7", "seven")

    assert b"7\n1\n2\n3\n4\n5\n6\nseven\n8\n9\n" == session.file.read_bytes()


async def test_line_ends_are_no_drift(session: Session) -> None:
    """A file that got other line ends has the same content; they stay."""
    session.file.write_bytes(session.file.read_bytes().replace(b"\n", b"\r\n"))
    result = await session.edit("7", "seven")

    assert isinstance(result.value, dict)
    assert "rebased" not in result.value
    assert b"\r\nseven\r\n" in session.file.read_bytes()


async def test_a_file_that_is_gone_is_stale(session: Session) -> None:
    """There is nothing to apply the edit to."""
    session.file.unlink()
    result = await session.edit("7", "seven")

    assert isinstance(result.error, FsError)
    assert "FS_STALE_VERSION" == result.error.code
