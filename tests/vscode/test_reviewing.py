"""Deciding on hunks: from the lens, the tree, the keyboard, the hover, the diff editor; whole, and in part."""

from typing import Any

import pytest
from playwright.async_api import Locator

from tests.vscode.lab.window import Window, eventually

_BEFORE = "".join(f"line {number}\n" for number in range(30))


async def three_hunks(window: Window, name: str) -> Any:
    """A file with changes in lines 5, 15 and 16, and 25 (0-based), and the agent that made them."""
    await window.show(name, _BEFORE)
    agent = await window.agent()
    await agent.read(name)
    for old, new in (("line 5\n", "FIVE\n"), ("line 15\nline 16\n", "FIFTEEN\nSIXTEEN\n"), ("line 25\n", "")):
        edited = await agent.edit(name, old, new)
        assert not edited["isError"], edited
    await window.until_painted(name, lambda seen: len(seen.get("modified", [])) == 2 and "deletedAbove" in seen)
    return agent


def after(*changed: str) -> str:
    """The text with some of the changes: ``5``, ``15``, ``16``, ``25``."""
    text = _BEFORE
    for mark, old, new in (
        ("5", "line 5\n", "FIVE\n"),
        ("15", "line 15\n", "FIFTEEN\n"),
        ("16", "line 16\n", "SIXTEEN\n"),
        ("25", "line 25\n", ""),
    ):
        text = text.replace(old, new) if mark in changed else text
    return text


async def test_lenses_stand_above_each_hunk_and_decide(window: Window) -> None:
    """Each hunk has who, what, keep, undo and diff above it; a click on one decides on that hunk alone."""
    await three_hunks(window, "lens.txt")
    await window.cursor(0)
    lens = window.editor.locator(".codelens-decoration a")
    await eventually(lens.all_inner_texts, "the lenses", ok=lambda seen: sum("Keep" in text for text in seen) == 3)
    assert "test agent changed 1 line (+1 \u22121)" in [text.strip() for text in await lens.all_inner_texts()]

    await click_lens(window, "Undo", 0)
    await window.until_text("lens.txt", after("15", "16", "25"))
    await window.until_painted("lens.txt", lambda seen: len(seen.get("modified", [])) == 1)
    await eventually(lens.all_inner_texts, "two lenses", ok=lambda seen: sum("Keep" in text for text in seen) == 2)
    await click_lens(window, "Keep", 0)
    await window.until_painted("lens.txt", lambda seen: "modified" not in seen)

    assert await window.text("lens.txt") == after("15", "16", "25")


async def test_the_name_of_an_agent_makes_no_icon(window: Window) -> None:
    """It is read in a lens as it is."""
    await window.show("icon.txt", "one\n")
    agent = await window.agent(agent={"name": "$(check) Keep"})
    await agent.read("icon.txt")
    await agent.edit("icon.txt", "one", "ONE")
    lens = window.editor.locator(".codelens-decoration a")

    said = "$(check) Keep changed 1 line (+1 \u22121)"
    await eventually(lens.all_inner_texts, said, ok=lambda seen: said in [text.strip() for text in seen])


async def click_lens(window: Window, label: str, number: int) -> None:
    """Click the lens of a name, counted from the top."""
    lenses: list[Locator] = await window.editor.locator(".codelens-decoration a", has_text=label).all()
    boxes = [(box["y"], lens) for lens in lenses if (box := await lens.bounding_box()) is not None]
    await sorted(boxes, key=lambda each: each[0])[number][1].click()


async def test_keys_go_from_hunk_to_hunk_and_decide(window: Window) -> None:
    """Alt+D and N, P, K, U: around the file's end too, and only for the hunk at the cursor."""
    await three_hunks(window, "keys.txt")
    await window.cursor(0)

    async def line() -> int:
        return int(await window.host.run("return vscode.window.activeTextEditor.selection.active.line"))

    async def go(key: str, to: int) -> None:
        await window.chord(key)
        await eventually(line, f"the cursor in line {to}", 5, ok=lambda now: now == to)

    for number in (5, 15, 25, 5):
        await go("n", number)
    await go("p", 25)
    await go("p", 15)
    await window.chord("u")
    await window.until_text("keys.txt", after("5", "25"))
    await go("p", 5)
    await window.chord("k")
    await window.until_painted("keys.txt", lambda seen: set(seen) == {"deletedAbove", "before", "texts"})

    assert await window.text("keys.txt") == after("5", "25")


async def test_the_editor_s_own_undo_takes_an_undone_hunk_back(window: Window) -> None:
    """An undone hunk is one step of the undo stack; taken back, its text is the user's."""
    await three_hunks(window, "undo.txt")
    await window.cursor(5)
    await window.command("dsh.undoHunk")
    await window.until_text("undo.txt", after("15", "16", "25"))
    await window.focus_editor()
    await window.page.keyboard.press("Control+z")

    await window.until_text("undo.txt", after("5", "15", "16", "25"))


@pytest.mark.parametrize(("key", "left"), [("k", "onemoretwo"), ("u", "onetwo")], ids=["keep", "undo"])
async def test_a_selection_decides_on_part_of_a_hunk(window: Window, key: str, left: str) -> None:
    """One selected line of an addition of two is kept or undone; the other one stays pending."""
    name = f"part-{key}.txt"
    await window.show(name, "one\ntwo\n")
    agent = await window.agent()
    await agent.read(name)
    await agent.edit(name, "one\n", "one\nmore\nand more\n")
    await window.until_painted(name, lambda seen: seen.get("added") == [[1, 0, 2, 8]])
    await window.cursor(1, 0, to=(1, 4))
    await window.chord(key)
    line = 2 if key == "k" else 1
    await window.until_painted(name, lambda seen: seen.get("added") == [[line, 0, line, 8]])

    assert (await window.text(name)).replace("\n", "") == left.replace("two", "and moretwo")


async def test_several_selections_are_those_that_the_user_sees(window: Window) -> None:
    """Undoing the first of them moves the lines of the second."""
    await window.show("selections.txt", _BEFORE)
    agent = await window.agent()
    await agent.read("selections.txt")
    await agent.edit("selections.txt", "line 2\n", "line 2\nnew\nand new\nand more\n")
    await agent.edit("selections.txt", "line 12\n", "TWELVE\n")
    await window.until_painted("selections.txt", lambda seen: {"added", "modified"} <= set(seen))
    await window.host.run(
        """vscode.window.activeTextEditor.selections =
             [[3, 5], [15, 15]].map(([first, last]) => new vscode.Selection(first, 0, last, 3));"""
    )
    await window.command("dsh.undoSelection")

    await window.until_text("selections.txt", _BEFORE)


async def test_the_tree_shows_session_file_and_hunk_and_decides(window: Window) -> None:
    """Rows with counts; Ctrl+Enter keeps and Delete undoes the selected one, inline buttons too."""
    agent = await three_hunks(window, "tree.txt")
    window.file("closed.txt", "a\nb\n")
    await agent.read("closed.txt")
    await agent.edit("closed.txt", "b", "B")
    await window.command("dsh.changes.focus")
    rows = window.page.locator('.pane:has(.title:text-is("Agent Changes")) .monaco-list-row')
    labels = ["test agent", "tree.txt", "Line 6: changed 1 line", "Line 16: changed 2 lines", "Line 26: removed 1 line"]

    async def seen() -> list[str]:
        return [text.split("\n")[0] for text in await rows.locator(".label-name").all_inner_texts()]

    shown = await eventually(seen, "the rows", ok=lambda names: len(names) == 7)
    assert [name for name in labels if name not in shown] == []
    assert "closed.txt" in shown

    row = rows.filter(has_text="Line 6")
    await row.click()
    await window.page.keyboard.press("Delete")
    await window.until_text("tree.txt", after("15", "16", "25"))
    row = rows.filter(has_text="Line 16")
    await window.inline(row, "Keep Agent Change")
    await window.until_painted("tree.txt", lambda painted: "modified" not in painted)
    row = rows.filter(has_text="closed.txt")
    await window.inline(row, "Undo Agent Changes in File")
    await eventually(disk_of(window, "closed.txt"), "the closed file", ok=lambda now: now == b"a\nb\n")

    shown = await eventually(seen, "what is left", ok=lambda names: len(names) == 3)
    assert shown[1:] == ["tree.txt", "Line 26: removed 1 line"]


def disk_of(window: Window, name: str) -> Any:
    """Look at a file on the disk."""

    async def look() -> bytes:
        return window.on_disk(name)

    return look


async def test_undoing_all_in_several_files_is_asked_about_first(window: Window) -> None:
    """One dialog, because closed files are written; its button undoes in all of them, a created file is gone."""
    agent = await three_hunks(window, "all.txt")
    await agent.write("created-for-all.txt", "new\n")
    await window.command("dsh.refresh")
    await window.host.run("void vscode.commands.executeCommand('dsh.undoAll')")
    dialog = window.page.locator(".monaco-dialog-box")
    await dialog.wait_for()
    assert "Undo 4 changes of agents in 2 files?" in await dialog.inner_text()
    await dialog.get_by_role("button", name="Undo All").click()
    await window.until_text("all.txt", _BEFORE)

    await eventually(exists_not(window, "created-for-all.txt"), "the end of the created file")


def exists_not(window: Window, name: str) -> Any:
    """Look whether a file is not there."""

    async def look() -> bool:
        return not (window.folder / name).exists()

    return look


async def test_the_diff_editor_compares_with_the_text_from_before(window: Window) -> None:
    """The native diff: the text from before, exact, on the left, the file itself on the right; it follows decisions."""
    await three_hunks(window, "compare.txt")
    await window.cursor(15)
    await window.chord("d")
    tab = """const input = vscode.window.tabGroups.activeTabGroup.activeTab.input;
        if (!(input instanceof vscode.TabInputTextDiff)) return null;
        const before = vscode.workspace.textDocuments.find(each => each.uri.toString() === input.original.toString());
        return [input.original.scheme, before?.getText() ?? null, input.modified.fsPath, before?.languageId];"""
    found = await eventually(lambda: window.host.run(tab), "the diff editor", ok=lambda seen: bool(seen and seen[1]))

    assert found == ["dsh-base", _BEFORE, str(window.folder / "compare.txt"), "plaintext"]
    await window.until_painted("compare.txt", lambda seen: not seen)  # the diff editor paints the same
    await window.host.run("await vscode.commands.executeCommand('dsh.keepFile', vscode.Uri.file(args[0]))", found[2])
    kept = after("5", "15", "16", "25")
    await eventually(lambda: window.host.run(tab), "the new base", ok=lambda seen: bool(seen and seen[1] == kept))


async def test_a_created_file_is_compared_with_nothing(window: Window) -> None:
    """The text from before of a file that an agent made is empty, also while the file is not open."""
    agent = await window.agent()
    await agent.write("made.txt", "one\ntwo\n")
    await window.host.run(
        "await vscode.commands.executeCommand('dsh.openDiff', vscode.Uri.file(args[0]))",
        str(window.folder / "made.txt"),
    )
    base = """const input = vscode.window.tabGroups.activeTabGroup.activeTab.input;
        const before = vscode.workspace.textDocuments.find(each => each.uri.toString() === input.original?.toString());
        return before ? [before.getText()] : null;"""

    assert await eventually(lambda: window.host.run(base), "the diff editor") == [""]


async def test_a_hover_shows_what_was_there_before(window: Window) -> None:
    """The old lines as a diff, with nothing hidden in them, and links that decide."""
    await window.show("hover.txt", "one\nt\u202ewo\nthree\n")
    agent = await window.agent()
    await agent.read("hover.txt")
    await agent.edit("hover.txt", "t\u202ewo\n", "two\n")
    await window.until_painted("hover.txt", lambda seen: "modified" in seen)
    texts = await window.host.run(
        """const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider',
          vscode.Uri.file(args[0]), new vscode.Position(1, 1));
        return hovers.flatMap(hover => hover.contents.map(content => content.value));""",
        str(window.folder / "hover.txt"),
    )

    text = "\n".join(texts)
    assert "-t\u27e8U+202E\u27e9wo" in text
    assert "command:dsh.undoHunk?" in text


async def test_the_title_of_the_editor_has_buttons_while_something_is_pending(window: Window) -> None:
    """Previous, next, keep, undo and diff appear with the first hunk, and go with the last."""
    await three_hunks(window, "title.txt")
    buttons = window.page.locator('.editor-actions .action-label[aria-label^="Keep Agent Changes in File"]')
    await buttons.wait_for()
    assert await window.page.locator('.editor-actions .action-label[aria-label^="Next Agent Change"]').count() == 1
    await buttons.click()

    await buttons.wait_for(state="detached")
    await window.until_painted("title.txt", lambda seen: not seen)
