"""An edit of a buffer without unsaved typing is saved where the editor can; what the user typed meanwhile never is."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.applying import Exactly, UserTypesDuringApply
from tests.support.edit_request import EditRequest
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import OwnClient
from tests.support.world import Via, World

TEXT = "".join(f"line {n}\n" for n in range(1, 20))


class TypesAfterwards:
    """The person types when the edit has just been made, before the editor answers."""

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Apply, and type."""
        Exactly()(editor, request)
        editor.type(request.documents[0].uri, "line 9\n", "typed\n")


async def edited(world: World, via: Via, applying: Any, **options: Any) -> tuple[StrictEditor, str, dict[str, Any]]:
    """An editor of ours with an open, saved file, in which an agent has edited a line while the user typed."""
    editor = await world.editor(OwnClient, applying=applying, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(world.file("a.txt", TEXT))
    agent = await world.agent(via=via, **options)
    await agent.read("a.txt")
    return editor, uri, await agent.edit("a.txt", "line 2\n", "agent\n")


async def test_an_edit_of_a_clean_buffer_is_saved(world: World, via: Via) -> None:
    """The disk has it, and the result says so."""
    _, _, result = await edited(world, via, Exactly())

    assert (True, "buffer") == (result["value"]["saved"], result["value"]["via"])
    assert TEXT.replace("line 2\n", "agent\n").encode() == world.bytes("a.txt")


@pytest.mark.parametrize(
    "applying",
    [
        pytest.param(TypesAfterwards, id="after the edit"),
        pytest.param(
            lambda: UserTypesDuringApply(lambda editor, uri: editor.type(uri, "line 9\n", "typed\n"), Exactly()),
            id="before it",
        ),
    ],
)
async def test_typing_beside_an_edit_is_not_saved(world: World, via: Via, applying: Callable[[], Any]) -> None:
    """Also where the edit was made again over the typing: what the user types is the user's to save."""
    editor, uri, result = await edited(world, via, applying(), onStale="rebase")

    assert not result["isError"]
    assert result["value"]["saved"] is False
    assert "not save" in result["value"]["notes"][0]
    assert TEXT.replace("line 2\n", "agent\n").replace("line 9\n", "typed\n") == editor.text(uri)
    assert TEXT.encode() == world.bytes("a.txt")


async def test_a_file_that_was_deleted_is_not_saved_back_and_the_agent_is_told(world: World, via: Via) -> None:
    """A checkout took it away and the tab is still open: the text is the buffer's, and so is the edit, and no more."""
    file = world.file("a.txt", "one\ntwo\n")
    editor = await world.editor(OwnClient, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    file.unlink()
    read = await agent.read("a.txt")
    result = await agent.edit("a.txt", "one", "ONE")

    assert "no longer on disk" in read["content"][0]["text"]
    assert (False, "ONE\ntwo\n") == (result["value"]["saved"], editor.text(uri))
    assert "There is no file on disk" in result["content"][0]["text"]
    assert "still has the old text" not in result["content"][0]["text"]
    assert ([], False) == (editor.take("dsh/saveDocument"), file.exists())
    assert editor.save(uri, force=True)
    again = await agent.read("a.txt")
    assert [] == again["value"]["notes"]
    assert (await agent.edit("a.txt", "two", "TWO"))["value"]["saved"]
