"""Notebooks: open ones are the editor's, closed ones are files in JSON."""

import json
from typing import Any

from tests.support.editor import StrictEditor
from tests.support.editors import VsCodeLike
from tests.support.world import Via, World

NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": ["x = 1\n"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5},
    indent=1,
)


def open_notebook(editor: StrictEditor, uri: str) -> None:
    """Say that a notebook is open, with its one cell."""
    cell = f"vscode-notebook-cell:{uri.removeprefix('file:')}#W0sZmlsZQ%3D%3D"
    params: dict[str, Any] = {
        "notebookDocument": {
            "uri": uri,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": 2, "document": cell}],
        },
        "cellTextDocuments": [{"uri": cell, "languageId": "python", "version": 1, "text": "x = 1\n"}],
    }
    editor.notify("notebookDocument/didOpen", params)


def close_notebook(editor: StrictEditor, uri: str) -> None:
    """Say that it is not open any more."""
    editor.notify("notebookDocument/didClose", {"notebookDocument": {"uri": uri}, "cellTextDocuments": []})


async def test_D19_an_open_notebook_is_not_written_behind_the_editors_back(world: World, via: Via) -> None:
    """Edits and writes are refused while it is open; a read says that the text may be behind; closed, it is a file."""
    world.file("n.ipynb", NOTEBOOK)
    editor = await world.editor(VsCodeLike)
    open_notebook(editor, world.uri("n.ipynb"))
    await editor.sync()
    agent = await world.agent(via=via)
    read = await agent.read("n.ipynb")
    edited = await agent.edit("n.ipynb", "x = 1", "x = 2")
    written = await agent.write("n.ipynb", "{}")
    kept = world.bytes("n.ipynb")
    close_notebook(editor, world.uri("n.ipynb"))
    await editor.sync()
    later = await agent.edit("n.ipynb", "x = 1", "x = 2")

    assert editor.server_capabilities["notebookDocumentSync"]["notebookSelector"]
    assert "open in the editor as a notebook" in read["content"][0]["text"]
    assert ["FS_APPLY_REJECTED", "FS_APPLY_REJECTED"] == [edited["error"]["code"], written["error"]["code"]]
    assert "as a notebook" in edited["content"][0]["text"]
    assert NOTEBOOK.encode() == kept
    assert not later["isError"]
    assert b"x = 2" in world.bytes("n.ipynb")


async def test_D19_another_spelling_of_the_same_notebook_is_refused_too(world: World) -> None:
    """It is the file that counts: a link to it, a path with dots, a percent-encoded URI."""
    world.file("n b.ipynb", NOTEBOOK)
    world.path("link.ipynb").symlink_to("n b.ipynb")
    editor = await world.editor(VsCodeLike)
    open_notebook(editor, world.uri("n b.ipynb").replace("n%20b", "%6E%20b"))
    await editor.sync()
    agent = await world.agent()
    spellings = ["n b.ipynb", "link.ipynb", "./x/../n b.ipynb", world.uri("n b.ipynb")]
    await agent.read("n b.ipynb")

    codes = [(await agent.edit(each, "x = 1", "x = 2"))["error"]["code"] for each in spellings]

    assert ["FS_APPLY_REJECTED"] * 4 == codes
    assert NOTEBOOK.encode() == world.bytes("n b.ipynb")


async def test_D19_a_closed_notebook_that_is_no_json_any_more_is_warned_of(world: World, via: Via) -> None:
    """The edit is made, as it was asked for, and the result says what it has broken; a good one says nothing."""
    world.file("n.ipynb", NOTEBOOK)
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    await agent.read("n.ipynb")
    good = await agent.edit("n.ipynb", "x = 1", "x = 2")
    broken = await agent.edit("n.ipynb", '"metadata": {},', '"metadata": {')

    assert [] == good["value"]["notes"]
    assert "no valid JSON any more (line " in broken["value"]["notes"][0]
    assert "no valid JSON any more" in broken["content"][0]["text"]


async def test_a_notebook_of_an_editor_that_has_gone_is_a_file_again(world: World) -> None:
    """Nobody holds its cells then."""
    world.file("n.ipynb", NOTEBOOK)
    editor = await world.editor(VsCodeLike)
    open_notebook(editor, world.uri("n.ipynb"))
    await world.kill(editor)
    await world.editor(VsCodeLike)
    agent = await world.agent()
    await agent.read("n.ipynb")

    assert not (await agent.edit("n.ipynb", "x = 1", "x = 2"))["isError"]


async def test_an_open_notebook_is_known_to_the_hub_that_takes_over(world: World) -> None:
    """An editor's own process tells the next hub of it, as of its documents."""
    world.file("n.ipynb", NOTEBOOK)
    world.file("closed.ipynb", NOTEBOOK)
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    second = await world.editor(VsCodeLike)
    for name in ("n.ipynb", "closed.ipynb"):
        open_notebook(second, world.uri(name))
    close_notebook(second, world.uri("closed.ipynb"))
    await second.sync()
    await world.kill(first)
    agent = await world.agent(second)
    await agent.read("n.ipynb")
    await agent.read("closed.ipynb")

    assert "FS_APPLY_REJECTED" == (await agent.edit("n.ipynb", "x = 1", "x = 2"))["error"]["code"]
    assert not (await agent.edit("closed.ipynb", "x = 1", "x = 2"))["isError"]
