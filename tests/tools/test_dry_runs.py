"""Dry runs, and how many replacements are expected: what would be done is shown or refused, and nothing is changed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dsh_ledger.errors import FsAmbiguousEdit, FsEditNotFound, FsPermissionDenied, FsSandboxDenied, FsStaleVersion
from dsh_ledger.versions import version_of_text
from dsh_tools.builtin import EDIT, MULTI_EDIT, READ
from dsh_tools.contract import AnyTool, ToolResult
from dsh_tools.pipeline import run_tool
from dsh_tools.presenting import call_card, result_card
from dsh_tools.testing.workspaces import TemporaryWorkspace


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[TemporaryWorkspace]:
    """A workspace whose session has read ``a.py``."""
    (tmp_path / "a.py").write_bytes(b"x = 1\r\ny = x\r\nx\r\n")
    made = TemporaryWorkspace(tmp_path)
    await call(made, READ, file_path="a.py")
    yield made
    made.close()


async def call(workspace: TemporaryWorkspace, tool: AnyTool, **arguments: Any) -> ToolResult:
    """Run a tool."""
    return await run_tool(tool, arguments, workspace.run())


async def edit(workspace: TemporaryWorkspace, old: str, new: str, **arguments: Any) -> ToolResult:
    """Run edit on ``a.py``."""
    return await call(workspace, EDIT, file_path="a.py", old_string=old, new_string=new, **arguments)


async def test_B13_a_dry_run_shows_what_would_be_applied_and_changes_nothing(
    workspace: TemporaryWorkspace, tmp_path: Path
) -> None:
    """The value is that of the edit, but for what it says of having been done; then the edit itself goes through."""
    before = dict(workspace.ledger.observations("s-test"))
    dry = await edit(workspace, "x", "z", replace_all=True, dry_run=True)
    assert b"x = 1\r\ny = x\r\nx\r\n" == (tmp_path / "a.py").read_bytes()
    assert ["a.py"] == [path.name for path in tmp_path.iterdir()]
    assert before == dict(workspace.ledger.observations("s-test"))
    assert workspace.snapshots.get(version_of_text("z = 1\ny = z\nz\n")) is None

    wet = await edit(workspace, "x", "z", replace_all=True)

    assert isinstance(dry.value, dict)
    assert {**dry.value, "saved": True, "dryRun": None} == {**(wet.value or {}), "dryRun": None}  # type: ignore[dict-item]
    assert (3, True, False) == (dry.value["replacements"], dry.value["dryRun"], dry.value["saved"])
    assert "dryRun" not in (wet.value or {})  # type: ignore[operator]


async def test_B13_its_card_and_text_claim_nothing(workspace: TemporaryWorkspace) -> None:
    """The model is told that it was a dry run; the card is no diff card, so that nobody counts it as a change."""
    arguments = {"file_path": "a.py", "old_string": "y = x", "new_string": "y = 2", "dry_run": True}
    result = await run_tool(EDIT, arguments, workspace.run())
    card = result_card(EDIT, "edit", arguments, result)

    assert result.content[0].text.startswith(  # type: ignore[union-attr]
        "Dry run, nothing was changed: this would replace 1 place in a.py (+1 -1).\n"
    )
    assert ("generic", "Dry run of an edit of a.py") == (card.card, card.title)
    assert "+y = 2" in card.model_dump()["text"]
    assert "Dry run of an edit of a.py" == call_card(EDIT, "edit", arguments).title


async def test_a_dry_run_is_refused_as_the_edit_would_be(workspace: TemporaryWorkspace, tmp_path: Path) -> None:
    """Stale, not found, ambiguous, protected, read-only: the same codes."""
    ambiguous = await edit(workspace, "x", "z", dry_run=True)
    missing = await edit(workspace, "q", "z", dry_run=True)
    (tmp_path / "a.py").chmod(0o444)
    read_only = await edit(workspace, "y", "z", dry_run=True)
    (tmp_path / "a.py").chmod(0o644)
    (tmp_path / "a.py").write_bytes(b"other\n")
    stale = await edit(workspace, "q", "z", dry_run=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_bytes(b"x\n")
    await call(workspace, READ, file_path=".git/config")
    arguments = {"file_path": ".git/config", "old_string": "x", "new_string": "y", "dry_run": True}
    protected = await run_tool(EDIT, arguments, workspace.run())

    assert [FsAmbiguousEdit, FsEditNotFound, FsPermissionDenied, FsStaleVersion, FsSandboxDenied] == [
        type(result.error) for result in (ambiguous, missing, read_only, stale, protected)
    ]


async def test_several_edits_are_tried_together(workspace: TemporaryWorkspace, tmp_path: Path) -> None:
    """One diff of all of them, and the file as it was."""
    edits = [{"old_string": "x = 1", "new_string": "a = 1"}, {"old_string": "a = 1", "new_string": "b = 1"}]
    result = await call(workspace, MULTI_EDIT, file_path="a.py", edits=edits, dry_run=True)

    assert isinstance(result.value, dict)
    assert (True, 2, 1) == (result.value["dryRun"], result.value["replacements"], result.value["added"])
    assert b"x = 1\r\ny = x\r\nx\r\n" == (tmp_path / "a.py").read_bytes()


async def test_more_places_than_expected_are_ambiguous(workspace: TemporaryWorkspace, tmp_path: Path) -> None:
    """They may be the wrong ones: count and lines are told, and nothing is changed."""
    result = await edit(workspace, "x", "z", replace_all=True, expected_replacements=2)

    assert isinstance(result.error, FsAmbiguousEdit)
    assert "old_string occurs 3 times in a.py, on lines 1, 2, 3. expected_replacements is 2." == result.error.message
    expected = {"path": "a.py", "count": 3, "lines": [1, 2, 3], "truncated": False, "expected": 2}
    assert expected == result.error.details
    assert b"x = 1\r\ny = x\r\nx\r\n" == (tmp_path / "a.py").read_bytes()


async def test_fewer_places_than_expected_are_not_found(workspace: TemporaryWorkspace, tmp_path: Path) -> None:
    """The others do not match exactly."""
    result = await edit(workspace, "y", "z", replace_all=True, expected_replacements=2)

    assert isinstance(result.error, FsEditNotFound)
    assert (
        "old_string occurs 1 time in a.py, on line 2, and not 2 times as expected_replacements says. "
        "The file has not changed since you read it." == result.error.message
    )
    assert {"path": "a.py", "count": 1, "lines": [2], "truncated": False, "expected": 2} == result.error.details
    assert b"x = 1\r\ny = x\r\nx\r\n" == (tmp_path / "a.py").read_bytes()


async def test_as_many_places_as_expected_are_replaced(workspace: TemporaryWorkspace, tmp_path: Path) -> None:
    """The expectation is met."""
    assert not (await edit(workspace, "x", "z", replace_all=True, expected_replacements=3)).is_error
    assert b"z = 1\r\ny = z\r\nz\r\n" == (tmp_path / "a.py").read_bytes()
    assert not (await edit(workspace, "y", "w", expected_replacements=1)).is_error


async def test_of_several_edits_the_one_with_another_count_is_named(workspace: TemporaryWorkspace) -> None:
    """By its index; none of them is applied."""
    edits = [
        {"old_string": "y", "new_string": "w"},
        {"old_string": "x", "new_string": "z", "replace_all": True, "expected_replacements": 4},
    ]
    result = await call(workspace, MULTI_EDIT, file_path="a.py", edits=edits)

    assert isinstance(result.error, FsEditNotFound)
    assert (1, 3, 4) == tuple(result.error.details[name] for name in ("index", "count", "expected"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"expected_replacements": 2}, "expected_replacements over 1 needs replace_all"),
        ({"expected_replacements": 0}, "Input should be greater than or equal to 1"),
    ],
)
async def test_an_expectation_that_can_not_be_met_is_refused(
    workspace: TemporaryWorkspace, more: dict[str, Any], message: str
) -> None:
    """Without replace_all there is one replacement or none."""
    result = await edit(workspace, "y", "z", **more)

    assert result.error is not None
    assert "INVALID_ARGS" == result.error.code
    assert message in result.error.message
