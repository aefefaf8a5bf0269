"""One window of VS Code: what a person sees and does in it, and what its extension host says of it."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Locator, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from dsh_lsp import discovery
from tests.support.agent import Agent
from tests.vscode.lab.host import Host

T = TypeVar("T")

_LINES = """nodes => nodes.map(node => [parseFloat(node.style.top), node.textContent])
  .sort((a, b) => a[0] - b[0]).map(line => line[1].replaceAll('\\u00a0', ' '))"""


_CLEAR = """for (const document of vscode.workspace.textDocuments) {
  if (document.isDirty && !document.isClosed) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
}
vscode.window.terminals.forEach(terminal => terminal.dispose());
await vscode.commands.executeCommand('workbench.action.closePanel');
await vscode.commands.executeCommand('workbench.action.closeAllEditors');
await vscode.commands.executeCommand('notifications.clearAll');"""


def server_in(folder: Path) -> None:
    """Give a folder a virtual environment with the server in it: the extension finds it there."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "dsh-lsp").symlink_to(Path(sys.executable).parent / "dsh-lsp")


async def eventually(
    look: Callable[[], Awaitable[T]], what: str, within: float = 15.0, ok: Callable[[T], bool] = bool
) -> T:
    """Look until what is seen is right; what was seen.

    Raises:
        AssertionError: It was not right in time (seconds); names the last look.
    """
    deadline = asyncio.get_running_loop().time() + within
    while True:
        seen = await look()
        if ok(seen):
            return seen
        assert asyncio.get_running_loop().time() < deadline, f"{what}: not within {within} s, but {seen!r}"
        await asyncio.sleep(0.03)


class Window:
    """A window.

    Attributes:
        page: What Chromium shows.
        folder: What is open in it.
        host: Its extension host; not there for a window that is not driven.
    """

    host: Host

    def __init__(self, page: Page, folder: Path, runtime: Path) -> None:
        self.page = page
        self.folder = folder
        self._runtime = runtime
        self._agents: list[Agent] = []

    def file(self, name: str, content: str | bytes = "") -> Path:
        """Write a file of the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def on_disk(self, name: str) -> bytes:
        """The bytes of a file on the disk."""
        return (self.folder / name).read_bytes()

    async def agent(self, **params: Any) -> Agent:
        """An agent on the socket of this window's server, with a session; it leaves when the test ends."""

        async def look() -> list[discovery.Found]:
            return await asyncio.to_thread(discovery.find, self.folder, [self._runtime])

        found = await eventually(look, "the server announces itself", 30.0)
        agent = await Agent.connect(found[0].socket)
        self._agents.append(agent)
        await agent.open_session(**params)
        return agent

    async def kill_server(self) -> None:
        """Kill the server of this window."""
        (found, *_) = await asyncio.to_thread(discovery.find, self.folder, [self._runtime])
        os.kill(found.pid, signal.SIGKILL)

    async def show(self, name: str, content: str | bytes | None = None) -> None:
        """Open a file in an editor, as a user does, and wait until the server has it."""
        if content is not None:
            self.file(name, content)
        # An extension that opens a document itself keeps it open for minutes after its tab was closed.
        await self.host.run(
            """const uri = vscode.Uri.file(args[0]);
            await vscode.commands.executeCommand('vscode.open', uri, { preview: false });
            await until(() => vscode.window.activeTextEditor?.document.uri.fsPath === args[0], args[0]);""",
            str(self.folder / name),
        )

    async def text(self, name: str) -> str:
        """The text of an open document."""
        return str(await self.document(name, "document.getText()"))

    async def document(self, name: str, of: str) -> Any:
        """An expression of an open ``document``."""
        return await self.host.run(
            f"""const document = vscode.workspace.textDocuments.find(each => each.uri.fsPath === args[0]);
            if (!document) throw new Error('not open: ' + args[0]);
            return {of};""",
            str(self.folder / name),
        )

    async def until_text(self, name: str, text: str, within: float = 10.0) -> None:
        """Wait until an open document has a text."""
        await eventually(lambda: self.text(name), f"the text of {name}", within, lambda seen: seen == text)

    async def painted(self, name: str) -> dict[str, list[list[int]]]:
        """What is painted in the editors of a document, by kind: ``[line, character, line, character]``."""
        painted: dict[str, list[list[int]]] = await self.host.run(
            "return ours.exports.painted(vscode.Uri.file(args[0]))", str(self.folder / name)
        )
        return painted

    async def until_painted(self, name: str, ok: Callable[[dict[str, list[list[int]]]], bool]) -> None:
        """Wait until what is painted is right."""
        await eventually(lambda: self.painted(name), f"what is painted in {name}", ok=ok)

    async def command(self, command: str, *args: Any) -> Any:
        """Run a command by its id, and wait for it."""
        return await self.host.run("return await vscode.commands.executeCommand(...args) ?? null", command, *args)

    async def palette(self, title: str) -> None:
        """Run a command as a user does, by its title."""
        await self.page.keyboard.press("F1")
        await self.page.locator(".quick-input-widget input").first.wait_for(state="visible")
        await self.page.keyboard.type(title)
        await self.page.locator(".quick-input-list .monaco-list-row", has_text=title).first.wait_for()
        await self.page.keyboard.press("Enter")

    @property
    def editor(self) -> Locator:
        """The active editor."""
        return self.page.locator(".editor-group-container.active .editor-instance .monaco-editor").last

    async def lines(self) -> list[str]:
        """The lines that the active editor shows, from the top."""
        lines: list[str] = await self.editor.locator(".view-line").evaluate_all(_LINES)
        return lines

    async def focus_editor(self) -> None:
        """Put the keyboard's focus into the active editor."""
        await self.command("workbench.action.focusActiveEditorGroup")
        await eventually(
            lambda: self.page.evaluate("document.activeElement?.closest('.monaco-editor') !== null"), "the focus"
        )

    async def cursor(self, line: int, character: int = 0, to: tuple[int, int] | None = None) -> None:
        """Set the cursor of the active editor (0-based), or select up to a place."""
        await self.host.run(
            """const [line, character, to] = args;
            const start = new vscode.Position(line, character);
            const end = to ? new vscode.Position(to[0], to[1]) : start;
            vscode.window.activeTextEditor.selection = new vscode.Selection(start, end);""",
            line,
            character,
            to,
        )
        await self.focus_editor()
        # The window knows of it a moment later, and so do its keys.
        where = to or (line, character)
        shown = f"Ln {where[0] + 1}, Col {where[1] + 1}"
        place = self.page.locator("#status\\.editor\\.selection")
        await eventually(
            place.inner_text, shown, ok=lambda text: text.startswith(shown) and ("selected" in text) == bool(to)
        )

    async def chord(self, key: str) -> None:
        """Press Alt+D and then another key, as a person does: once VS Code says that it waits for it."""
        await self.page.keyboard.press("Alt+d")
        await self.page.locator(".statusbar", has_text="Waiting for second key").wait_for()
        await self.page.keyboard.press(key)

    async def inline(self, row: Locator, label: str) -> None:
        """Click a button in a row of a tree, which shows while the mouse is over the row, until the row has gone."""
        for _ in range(6):
            with suppress(PlaywrightTimeout):  # the row was drawn again under the mouse
                await row.hover(timeout=1_000)
                await row.locator(f'.action-label[aria-label^="{label}"]').click(timeout=1_000)
                await row.wait_for(state="detached", timeout=3_000)
            if not await row.count():
                return
        raise AssertionError(f"{label} can't be clicked")

    async def clear(self) -> None:
        """Let the agents go, close everything, unsaved or not, and keep what is pending."""
        while self._agents:
            agent = self._agents.pop()
            if agent.peer.inbox.gone is None:
                with suppress(Exception):
                    await agent.request("dsh/session/close", {"sessionId": agent.session_id}, within=2)
            await agent.close()
        await self.page.keyboard.press("Escape")
        await self.host.run(_CLEAR, within=60.0)
