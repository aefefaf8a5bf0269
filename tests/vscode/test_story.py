"""The story of the demo, told in the real VS Code."""

from tests.vscode.lab.window import Window, eventually

_SOURCE = "".join(f"def function_{number}():\n    return {number}\n\n\n" for number in range(12))


async def test_the_story_of_the_demo(window: Window) -> None:
    """Unsaved typing is read, edited beside, protected from a stale edit, and still there at the end."""
    await window.show("story.py", _SOURCE)
    window.file("unread.py", "a = 1\n")
    agent = await window.agent()
    await window.cursor(0)
    await window.page.keyboard.type("# the user typed this\n")
    await eventually(lambda: window.document("story.py", "document.lineCount"), "typing", ok=lambda n: n == 50)

    read = await agent.read("story.py")
    while "# the user typed this\n" not in read["value"]["text"]:
        read = await agent.read("story.py")
    assert {"via": "buffer", "dirty": True}.items() <= read["value"].items()

    edited = await agent.edit("story.py", "    return 2\n", "    return 2  # edited\n    # and added\n")
    assert edited["value"]["saved"] is False
    assert window.on_disk("story.py") == _SOURCE.encode()
    await window.until_painted("story.py", lambda seen: seen.get("modified") == [[10, 0, 11, 15]])

    await window.cursor(0)
    await window.page.keyboard.type("# and this, after the agent had read\n")
    await window.until_painted("story.py", lambda seen: seen.get("modified") == [[11, 0, 12, 15]])
    stale = await agent.edit("story.py", "    return 9\n", "    return 9  # edited too\n")
    assert stale["error"]["code"] == "FS_STALE_VERSION"
    assert 1 in [change["newStart"] for change in stale["error"]["details"]["changes"]]

    await agent.read("story.py")
    assert not (await agent.edit("story.py", "    return 9\n", "    return 9  # edited too\n"))["isError"]
    text = await window.text("story.py")
    assert text.startswith("# and this, after the agent had read\n# the user typed this\ndef function_0")
    await window.until_painted("story.py", lambda seen: len(seen.get("modified", [])) == 2)

    unread = await agent.run("edit", file_path="unread.py", old_string="a", new_string="b")
    assert unread["error"]["code"] == "FS_NOT_OBSERVED"
    assert not (await agent.write("notes.md", "# Notes\n"))["isError"]
    assert window.on_disk("notes.md") == b"# Notes\n"
    window.file("theirs.md", "not yours\n")
    assert (await agent.write("theirs.md", "mine now\n"))["error"]["code"] == "FS_NOT_OBSERVED"
    assert window.on_disk("theirs.md") == b"not yours\n"
