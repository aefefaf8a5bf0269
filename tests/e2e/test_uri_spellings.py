"""Clients spell URIs in their own ways: one file, and every answer in the client's spelling (G01)."""

from urllib.parse import quote

import pytest

from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import Via, World

NAME = "c:/w/a b\u00fc.txt"
"""A drive, a space and a letter beyond ASCII, as a name that Linux has, too."""


def spellings(path: str) -> dict[str, str]:
    """Ways to write the URI of a path."""
    raw = path.encode()
    return {
        "as VS Code": "file://" + quote(raw, safe="/").replace(":", "%3A"),
        "in lower case": "file://" + quote(raw, safe="/").replace("%C3%BC", "%c3%bc").replace("%3A", "%3a"),
        "with a colon": "file://" + quote(raw, safe="/:"),
        "as it is": "file://" + path.replace(" ", "%20"),
        "with a host": "file://localhost" + quote(raw, safe="/:"),
        "everything escaped": "file://" + "/".join("".join(f"%{b:02x}" for b in part) for part in raw.split(b"/")),
    }


@pytest.mark.parametrize("spelling", spellings("/"))
async def test_G01_an_edit_goes_to_the_uri_that_the_client_has_opened(world: World, via: Via, spelling: str) -> None:
    """Whatever the agent calls the file, and with a drive letter that is escaped (G01)."""
    path = world.file(NAME, "one\ntwo\n")
    editor = await world.editor(OwnClient)
    uri = editor.open(spellings(str(path))[spelling])
    agent = await world.agent(via=via)
    read = await agent.read(NAME)
    edited = await agent.edit(path.as_uri(), "two", "TWO")
    await editor.decorated(uri, lambda hunks: len(hunks) == 1)

    assert "one\ntwo\n" == read["value"]["text"]
    assert not edited["isError"]
    assert "one\nTWO\n" == editor.text(uri)
    for method in ("dsh/applyEdit", "dsh/saveDocument", "dsh/decorations"):
        assert {uri} == {params["uri"] for params in editor.inbox.all(method)}
    [listed] = (await agent.request("dsh/review/list", {"uri": path.as_uri()}))["hunks"]
    assert uri == listed["uri"]


async def test_G01_two_editors_may_spell_one_file_differently(world: World) -> None:
    """Each is asked and told in its own way (G01)."""
    path = world.file(NAME, "one\ntwo\n")
    first = await world.editor(OwnClient)
    await world.socket(first)
    second = await world.editor(OwnClient)
    known = spellings(str(path))
    mine, its = first.open(known["as VS Code"]), second.open(known["everything escaped"])
    await first.sync()
    await second.sync()
    agent = await world.agent(first)
    await agent.read(NAME)
    edited = await agent.edit(NAME, "two", "TWO")
    await first.decorated(mine, lambda hunks: len(hunks) == 1)
    await second.decorated(its, lambda hunks: len(hunks) == 1)

    assert not edited["isError"]
    assert ["one\nTWO\n"] * 2 == [first.text(mine), second.text(its)]


async def test_G01_a_drive_of_windows_is_no_path_here(world: World, via: Via) -> None:
    """It is refused with what it was taken for, and not searched for below the workspace (G01)."""
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    read = await agent.read("C:\\w\\a b.txt")

    assert "INVALID_ARGS" == read["error"]["code"]
    assert "is a path of Windows" in read["content"][0]["text"]
