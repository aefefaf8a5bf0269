"""Sessions whose edits the user sees before they are made."""

from typing import Any

import pytest

from tests.support.applying import Applying, LikeNeovim, LikeVsCode
from tests.support.edit_request import EditRequest
from tests.support.editor import StrictEditor
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.world import Via, World

ASKED = "window/showMessageRequest"
ANNOTATES = {"workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}}}


class Recording:
    """A way of applying that remembers what it was asked."""

    def __init__(self, way: Applying) -> None:
        self.asked: list[Any] = []
        self._way = way

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Remember, and apply."""
        self.asked.append(request.params)
        self._way(editor, request)


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_the_user_sees_the_diff_and_the_edit_is_made_after_the_yes(world: World, via: Via, opened: bool) -> None:
    """The question has the file and the hunk; nothing has changed when it is asked."""
    editor = await world.editor(OwnClient)
    path = world.file("a.txt", "one\ntwo\n")
    if opened:
        editor.open(path)
    asked: list[str] = []

    def yes(params: dict[str, Any]) -> Any:
        asked.append(params["message"])
        assert b"one\ntwo\n" == world.bytes("a.txt")
        return params["actions"][0]

    editor.answers[ASKED] = yes
    agent = await world.agent(via=via, review="before")
    await agent.read("a.txt")
    result = await agent.edit("a.txt", "two", "TWO")

    assert not result["isError"]
    assert "one\nTWO\n" == (editor.text(path) if opened else world.bytes("a.txt").decode())
    assert "-two\n+TWO" in asked[0]
    assert "test agent wants to use edit: change a.txt" in asked[0]


@pytest.mark.parametrize("tool", ["edit", "write", "create"])
async def test_a_no_changes_nothing(world: World, via: Via, tool: str) -> None:
    """The result says so, and what was not made is not there."""
    editor = await world.editor(VsCodeLike)
    world.file("a.txt", "one\n")
    editor.answers[ASKED] = lambda params: params["actions"][1]
    agent = await world.agent(via=via, review="before")
    await agent.read("a.txt")
    if tool == "edit":
        result = await agent.edit("a.txt", "one", "two")
    else:
        result = await agent.write("a.txt" if tool == "write" else "new.txt", "two\n")

    assert "DENIED" == result["error"]["code"]
    assert "was not made" in result["error"]["message"]
    assert b"one\n" == world.bytes("a.txt")
    assert not world.path("new.txt").exists()


async def test_what_was_shown_is_what_is_made(world: World, via: Via) -> None:
    """A file that changes while the user thinks is stale, whatever the user says."""
    editor = await world.editor(VsCodeLike, initialization_options={"watch": False})  # else it may be told of, too
    world.file("a.txt", "one\ntwo\n")

    def yes(params: dict[str, Any]) -> Any:
        world.file("a.txt", "one\ntwo\nthree\n")
        return params["actions"][0]

    editor.answers[ASKED] = yes
    agent = await world.agent(via=via, review="before")
    await agent.read("a.txt")
    result = await agent.edit("a.txt", "two", "TWO")

    assert "FS_STALE_VERSION" == result["error"]["code"]
    assert b"one\ntwo\nthree\n" == world.bytes("a.txt")


async def test_refusals_come_before_the_question(world: World, via: Via) -> None:
    """The user is not bothered with an edit that could not be made."""
    await world.editor(VsCodeLike)
    world.file("a.txt", "one one\n")
    agent = await world.agent(via=via, review="before")
    unread = await agent.edit("a.txt", "one", "two")
    await agent.read("a.txt")
    ambiguous = await agent.edit("a.txt", "one", "two")
    missing = await agent.edit("a.txt", "three", "two")

    assert ["FS_NOT_OBSERVED", "FS_AMBIGUOUS_EDIT", "FS_EDIT_NOT_FOUND"] == [
        result["error"]["code"] for result in (unread, ambiguous, missing)
    ]


async def test_an_editor_that_confirms_edits_itself_gets_a_proposal(world: World, via: Via) -> None:
    """One edit with an annotation that needs confirmation, and no question besides."""
    recording = Recording(LikeVsCode())
    editor = await world.editor(VsCodeLike, capabilities=ANNOTATES, applying=recording)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    agent = await world.agent(via=via, review="before")
    await agent.read("a.txt")
    result = await agent.edit("a.txt", "two", "TWO")
    [request] = recording.asked

    assert not result["isError"]
    assert "one\nTWO\n" == editor.text(uri)
    [annotation] = request["edit"]["changeAnnotations"].values()
    assert annotation["needsConfirmation"]
    assert ["dsh"] == [edit["annotationId"] for edit in request["edit"]["documentChanges"][0]["edits"]]


async def test_a_neovim_is_asked_whatever_it_declares(world: World) -> None:
    """It would apply an annotated edit without asking anybody."""
    recording = Recording(LikeNeovim())
    editor = await world.editor(StockNeovim, capabilities=ANNOTATES, applying=recording)
    editor.open(world.file("a.txt", "one\ntwo\n"))
    editor.answers[ASKED] = lambda params: params["actions"][0]
    agent = await world.agent(review="before")
    await agent.read("a.txt")
    result = await agent.edit("a.txt", "two", "TWO")
    [request] = recording.asked

    assert not result["isError"]
    assert "changeAnnotations" not in request["edit"]
