"""Agents' edits in the real VS Code: they arrive in the buffer, beside what the user types, and nothing is lost."""

import asyncio
import hashlib
from typing import Any

import pytest

from tests.vscode.lab.window import Window, eventually


def version(text: str) -> str:
    """The content version of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


async def mirror(agent: Any, name: str) -> str:
    """The content version that the server has of a file."""
    return str((await agent.read(name))["value"]["version"])


async def test_an_edit_of_a_clean_document_arrives_is_saved_and_is_painted(window: Window) -> None:
    """The agent's edit is in the buffer and, since nothing was unsaved, on the disk; its lines and words are marked."""
    await window.show("clean.txt", "one\ntwo\nthree\n")
    agent = await window.agent()
    await agent.read("clean.txt")
    edited = await agent.edit("clean.txt", "two", "two and more")

    assert not edited["isError"], edited
    assert {"via": "buffer", "saved": True}.items() <= edited["value"].items()
    assert await window.text("clean.txt") == "one\ntwo and more\nthree\n"
    assert window.on_disk("clean.txt") == b"one\ntwo and more\nthree\n"
    assert not await window.document("clean.txt", "document.isDirty")
    await window.until_painted("clean.txt", lambda seen: seen.get("modified") == [[1, 0, 1, 12]])
    painted = await window.painted("clean.txt")
    assert painted["words"] == [[1, 3, 1, 12]]
    boxes = window.editor.locator('.view-overlays .cdr[class*="TextEditorDecorationType"]')
    await eventually(boxes.count, "boxes on the screen", ok=lambda count: count >= 2)


async def test_an_edit_of_a_dirty_document_is_never_saved_for_the_user(window: Window) -> None:
    """Unsaved typing stays unsaved, the edit beside it too, and the result says so; one undo takes back the edit."""
    await window.show("dirty.txt", "one\ntwo\nthree\n")
    agent = await window.agent()
    await window.cursor(0, 3)
    await window.page.keyboard.type(" typed")
    await window.until_text("dirty.txt", "one typed\ntwo\nthree\n")
    await agent.read("dirty.txt")
    edited = await agent.edit("dirty.txt", "three", "THREE")

    assert {"via": "buffer", "saved": False}.items() <= edited["value"].items()
    assert await window.text("dirty.txt") == "one typed\ntwo\nTHREE\n"
    assert await window.document("dirty.txt", "document.isDirty")
    assert window.on_disk("dirty.txt") == b"one\ntwo\nthree\n"

    await window.focus_editor()
    await window.page.keyboard.press("Control+z")
    await window.until_text("dirty.txt", "one typed\ntwo\nthree\n")
    await window.until_painted("dirty.txt", lambda seen: "modified" not in seen)
    assert await mirror(agent, "dirty.txt") == version("one typed\ntwo\nthree\n")
    await window.page.keyboard.press("Control+y")
    await window.until_text("dirty.txt", "one typed\ntwo\nTHREE\n")


async def test_an_edit_from_stale_memory_is_refused(window: Window) -> None:
    """What the user typed since the agent read makes its edit stale; the buffer is as the user left it."""
    await window.show("stale.txt", "one\ntwo\n")
    agent = await window.agent()
    await agent.read("stale.txt")
    await window.cursor(0)
    await window.page.keyboard.type("0")
    await window.until_text("stale.txt", "0one\ntwo\n")
    await eventually(
        lambda: mirror_of_another(window, "stale.txt"), "the mirror", ok=lambda v: v == version("0one\ntwo\n")
    )
    edited = await agent.edit("stale.txt", "two", "TWO")

    assert edited["error"]["code"] == "FS_STALE_VERSION"
    assert await window.text("stale.txt") == "0one\ntwo\n"


async def mirror_of_another(window: Window, name: str) -> str:
    """What an agent that asks now is given; the one of the test has not read again."""
    return await mirror(await window.agent(), name)


async def test_typing_while_an_agent_edits_loses_nothing(window: Window) -> None:
    """During 40 edits the user types without a pause: each key and each acknowledged edit is in the text."""
    lines = [f"line {number}" for number in range(60)]
    await window.show("busy.txt", "\n".join(lines) + "\n")
    agent = await window.agent(onStale="rebase")
    await agent.read("busy.txt")
    await window.cursor(59, 7)
    typed = "the quick brown fox jumps over the lazy dog and types on and on " * 3

    async def edits() -> list[int]:
        done = []
        for number in range(40):
            for _ in range(6):
                answer = await agent.edit("busy.txt", f"line {number}\n", f"LINE {number}\n")
                if not answer["isError"]:
                    done.append(number)
                    break
                assert answer["error"]["code"] in {"FS_STALE_VERSION", "FS_APPLY_REJECTED"}, answer
                await agent.read("busy.txt")
        return done

    done, _ = await asyncio.gather(edits(), window.page.keyboard.type(typed, delay=35))
    expected = [f"LINE {n}" if n in done else f"line {n}" for n in range(59)] + [f"line 59{typed}"]
    await window.until_text("busy.txt", "\n".join(expected) + "\n")

    assert len(done) >= 30, done
    assert await mirror(agent, "busy.txt") == version("\n".join(expected) + "\n")
    assert window.on_disk("busy.txt") != "\n".join(expected).encode()


async def test_line_ends_and_the_byte_order_mark_stay(window: Window) -> None:
    """A file with CR LF and a byte order mark has them after an edit, an undo of the review, and a save."""
    before = "\ufeffone\r\ntwo\r\nthree\r\n".encode()
    await window.show("crlf.txt", before)
    agent = await window.agent()
    await agent.read("crlf.txt")
    edited = await agent.edit("crlf.txt", "two\n", "zwei\nzwo\n")

    assert not edited["isError"], edited
    assert await window.text("crlf.txt") == "one\r\nzwei\r\nzwo\r\nthree\r\n"
    assert window.on_disk("crlf.txt") == "\ufeffone\r\nzwei\r\nzwo\r\nthree\r\n".encode()
    await window.until_painted("crlf.txt", lambda seen: seen.get("modified") == [[1, 0, 2, 3]])
    await window.cursor(1)
    await window.command("dsh.undoHunk")
    await eventually(lambda: asyncio.to_thread(window.on_disk, "crlf.txt"), "the bytes", ok=lambda now: now == before)


async def test_autosave_saves_what_the_user_has_it_save(window: Window) -> None:
    """With autosave after a delay, an edit beside unsaved typing is saved by VS Code with it, and stays pending."""
    settings = (
        "await vscode.workspace.getConfiguration('files').update(args[0], args[1], vscode.ConfigurationTarget.Global)"
    )
    await window.host.run(settings, "autoSaveDelay", 300)
    await window.host.run(settings, "autoSave", "afterDelay")
    try:
        await window.show("auto.txt", "one\ntwo\n")
        agent = await window.agent()
        await window.cursor(0, 3)
        await window.page.keyboard.type("!")
        await agent.read("auto.txt")
        await eventually(lambda: window.text("auto.txt"), "typing", ok=lambda text: text == "one!\ntwo\n")
        edited = await until_edited(agent, "auto.txt", "two", "TWO")
        assert edited["value"]["via"] == "buffer"
        await eventually(
            lambda: asyncio.to_thread(window.on_disk, "auto.txt"), "autosave", ok=lambda x: x == b"one!\nTWO\n"
        )
        await eventually(lambda: window.document("auto.txt", "!document.isDirty"), "a clean tab")
        await window.until_painted("auto.txt", lambda seen: seen.get("modified") == [[1, 0, 1, 3]])
    finally:
        await window.host.run(settings, "autoSave", "off")
        await window.host.run(settings, "autoSaveDelay", None)


async def until_edited(agent: Any, name: str, old: str, new: str) -> Any:
    """Edit, and read again as long as the text is another one."""
    async with asyncio.timeout(10):
        while True:
            edited = await agent.edit(name, old, new)
            if not edited["isError"]:
                return edited
            assert edited["error"]["code"] == "FS_STALE_VERSION", edited
            await agent.read(name)


async def test_a_file_changed_on_the_disk_under_a_clean_buffer(window: Window) -> None:
    """Somebody writes the file: VS Code reloads, the agent's old knowledge is stale, and after reading it may edit."""
    await window.show("outside.txt", "one\ntwo\n")
    agent = await window.agent()
    await agent.read("outside.txt")
    window.file("outside.txt", "one\ntwo\nthree\n")
    await window.until_text("outside.txt", "one\ntwo\nthree\n")
    assert (await agent.edit("outside.txt", "two", "TWO"))["error"]["code"] == "FS_STALE_VERSION"
    await agent.read("outside.txt")
    edited = await agent.edit("outside.txt", "two", "TWO")

    assert edited["value"]["saved"], edited
    assert window.on_disk("outside.txt") == b"one\nTWO\nthree\n"


async def test_a_file_changed_on_the_disk_and_asked_for_at_once(window: Window) -> None:
    """The server has the buffer reloaded before it answers; or it serves the disk's text, and says so."""
    await window.show("race.txt", "one\n")
    agent = await window.agent()
    window.file("race.txt", "one\nmore\n")
    read = await agent.read("race.txt")

    assert read["value"]["version"] == version("one\nmore\n"), read
    await window.until_text("race.txt", "one\nmore\n")


async def test_a_file_changed_on_the_disk_under_a_dirty_buffer(window: Window) -> None:
    """The buffer is the truth: the agent sees and edits it; neither the disk's text nor the typing is overwritten."""
    await window.show("conflict.txt", "one\ntwo\n")
    agent = await window.agent()
    await window.cursor(0)
    await window.page.keyboard.type("X")
    await window.until_text("conflict.txt", "Xone\ntwo\n")
    window.file("conflict.txt", "theirs\n")
    await agent.read("conflict.txt")
    edited = await until_edited(agent, "conflict.txt", "two", "TWO")

    assert edited["value"]["saved"] is False
    assert await window.text("conflict.txt") == "Xone\nTWO\n"
    assert window.on_disk("conflict.txt") == b"theirs\n"


@pytest.mark.parametrize("glob", ["**/fixed.txt", "fixed.txt"])
async def test_a_document_that_is_read_only_for_the_user_is_so_for_agents(window: Window, glob: str) -> None:
    """What the settings keep people from changing is refused, with the reason; the text is as it was."""
    update = "await vscode.workspace.getConfiguration('files').update('readonlyInclude', args[0] ?? undefined, true)"
    await window.host.run(update, {glob: True})
    try:
        await window.show("fixed.txt", "one\n")
        agent = await window.agent()
        await agent.read("fixed.txt")
        refused = await agent.edit("fixed.txt", "one", "two")
    finally:
        await window.host.run(update, None)

    assert refused["error"]["code"] == "FS_APPLY_REJECTED"
    assert "read-only" in refused["error"]["message"]
    assert await window.text("fixed.txt") == "one\n"


async def test_what_is_pending_comes_back_when_a_document_is_opened_again(window: Window) -> None:
    """A tab that is closed decides nothing: the hunks are painted again in the next one."""
    await window.show("again.txt", "one\ntwo\n")
    agent = await window.agent()
    await agent.read("again.txt")
    assert not (await agent.edit("again.txt", "two", "TWO"))["isError"]
    await window.until_painted("again.txt", lambda seen: seen.get("modified") == [[1, 0, 1, 3]])
    await window.command("workbench.action.closeActiveEditor")
    await eventually(lambda: still_open(window, "again.txt"), "the end of the document", ok=lambda is_open: not is_open)
    assert not (await agent.read("again.txt"))["isError"]
    await window.show("again.txt")

    await window.until_painted("again.txt", lambda seen: seen.get("modified") == [[1, 0, 1, 3]])
    await window.cursor(1)
    await window.command("dsh.undoHunk")
    await window.until_text("again.txt", "one\ntwo\n")


async def still_open(window: Window, name: str) -> bool:
    """Whether VS Code has a document."""
    code = "return vscode.workspace.textDocuments.some(each => each.uri.fsPath === args[0] && !each.isClosed)"
    return bool(await window.host.run(code, str(window.folder / name)))


@pytest.mark.parametrize("text", ["", "one line", "one\n\n\n"], ids=["empty", "no end", "empty lines at the end"])
async def test_the_edges_of_a_file(window: Window, text: str) -> None:
    """A line after the last one, with undo: whatever the text ends with, it comes back exactly."""
    name = f"edge-{len(text)}.txt"
    await window.show(name, text)
    agent = await window.agent()
    await agent.read(name)
    edited = await agent.write(name, text + "added")

    assert not edited["isError"], edited
    assert await window.text(name) == text + "added"
    await window.until_painted(name, lambda seen: "added" in seen or "modified" in seen)
    await window.command("dsh.undoFile")
    await window.until_text(name, text)
    await window.until_painted(name, lambda seen: not seen)
