"""The story: one file, one user with unsaved typing, one agent, and the refusals that keep them from each other's work.

Each step says what was promised and looks whether it is so. The outcome is the exit code.
"""

import asyncio
import os
import tempfile
from pathlib import Path

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException
from rich.console import Console

import dsh_ledger
import dsh_lsp
import dsh_tools
from dsh_lsp.client import ClientError
from dsh_lsp.demo.agent import ScriptedAgent
from dsh_lsp.demo.editor import HeadlessEditor
from dsh_lsp.demo.material import Material, Unsuitable, copy_of, fingerprint, material
from dsh_lsp.demo.screen import Screen
from dsh_lsp.rpc.errors import PeerGone
from dsh_lsp.wire import ToolRunResult

_LONGEST = 120.0
"""Seconds for the whole story; it takes a few."""

_UNUSABLE = 2
"""Exit code for a folder that the demo can't work on."""


async def run_demo(workspace: Path | None, console: Console | None = None) -> int:
    """Tell the story on a copy of a folder, or of dsh-lsp's own sources.

    Returns:
        0 if everything was as promised, 1 if something was not (it has been said what), 2 for an unusable folder.
    """
    console = console or _console()
    screen = Screen(console)
    with tempfile.TemporaryDirectory(prefix="dsh-demo-") as scratch:
        copy = Path(scratch) / "workspace"
        sources = [workspace] if workspace is not None else _own_sources()
        try:
            before = await asyncio.to_thread(_fingerprints, sources)
            await asyncio.to_thread(_copy, sources, copy, own=workspace is None)
            found = await asyncio.to_thread(material, copy)
        except Unsuitable as error:
            console.print(f"The demo can't be shown: {error}", style="red", markup=False, highlight=False)
            return _UNUSABLE
        editor = HeadlessEditor(copy, {**os.environ, "DSH_LSP_RUNTIME_DIR": f"{scratch}/run"})
        os.environ["DSH_LSP_RUNTIME_DIR"] = f"{scratch}/run"
        try:
            async with asyncio.timeout(_LONGEST):
                await _Story(screen, editor, found).tell()
        except (TimeoutError, OSError, ClientError, PeerGone, JsonRpcException, ValidationError) as error:
            screen.promise(False, f"the story came to its end ({type(error).__name__}: {error})")
        finally:
            editor.kill()
        screen.promise(await asyncio.to_thread(_fingerprints, sources) == before, "the original folder is untouched")
    screen.close()
    return 1 if screen.broken else 0


def _console() -> Console:
    """The terminal, or for a file or a pipe a page of a usual width."""
    console = Console()
    return console if console.is_terminal else Console(width=110)


def _own_sources() -> list[Path]:
    return [Path(package.__path__[0]) for package in (dsh_ledger, dsh_tools, dsh_lsp)]


def _fingerprints(sources: list[Path]) -> list[str]:
    return [fingerprint(source) for source in sources if source.is_dir()]


def _copy(sources: list[Path], copy: Path, *, own: bool) -> None:
    for source in sources:
        copy_of(source, copy / source.name if own else copy)


class _Story:
    def __init__(self, screen: Screen, editor: HeadlessEditor, found: Material) -> None:
        self._screen = screen
        self._editor = editor
        self._found = found
        self._agent = ScriptedAgent()
        self._path = str(found.file.relative_to(found.folder))
        self._typed: list[str] = []

    async def tell(self) -> None:
        uri = await self._an_editor_with_unsaved_typing()
        await self._the_agent_reads(uri)
        await self._an_edit_beside_the_typing(uri)
        await self._a_stale_edit(uri)
        await self._it_reads_again_and_succeeds(uri)
        await self._a_file_it_never_read()
        await self._new_files()
        await self._the_end(uri)

    async def _an_editor_with_unsaved_typing(self) -> str:
        screen = self._screen
        screen.step("An editor has a file open, with unsaved typing in it")
        await self._editor.start()
        uri = self._editor.open(self._found.file)
        typed = self._comment("the user is typing here, and has not saved")
        self._type(uri, self._found.first[0], typed)
        screen.user(f"opens {self._path} and types a line above line {self._found.first[0] + 1}")
        screen.promise(typed.encode() not in self._found.file.read_bytes(), "the typing is in the buffer only")
        return uri

    async def _the_agent_reads(self, uri: str) -> None:
        screen = self._screen
        screen.step("An agent attaches over the local socket and reads")
        endpoint = await self._agent.attach(self._found.folder)
        screen.agent(f"finds the server by its discovery file: {endpoint.split(':')[0]} socket, mode 0600")
        screen.agent(f"read {self._path}")
        result = await self._agent.call("read", file_path=self._path)
        screen.answer(result)
        value = result.value or {}
        screen.promise(value.get("via") == "buffer" and value.get("dirty") is True, "it is shown the unsaved buffer")
        screen.promise(self._typed[0] in value.get("text", ""), "and in it what the user typed")
        del uri

    async def _an_edit_beside_the_typing(self, uri: str) -> None:
        screen, (_, line) = self._screen, self._found.first
        screen.step("Its edit arrives in the live buffer, next to the unsaved typing")
        disk = self._found.file.read_bytes()
        added = self._comment("and the agent added this line")
        screen.agent(f"edit {self._path}: change one line and add another")
        result = await self._agent.call(
            "edit", file_path=self._path, old_string=line, new_string=f"{line} {self._comment('edited', '')}\n{added}"
        )
        screen.answer(result)
        screen.promise(not result.is_error, "the edit is applied")
        text = self._editor.buffers[uri].text
        screen.promise(added in text and self._typed[0] in text, "the buffer holds the edit and the typing")
        screen.promise(self._found.file.read_bytes() == disk, "the disk is as it was: unsaved typing is not saved")
        painted = await self._editor.repainted(uri, 1)
        screen.buffer(f"the editor's buffer: {self._path}", self._editor.buffers[uri], painted.hunks, self._typed)
        screen.promise(painted.hunks[0].removed_text == line, "the hunk is painted where it is, with its old text")

    async def _a_stale_edit(self, uri: str) -> None:
        screen, (_, line) = self._screen, self._found.second
        screen.step("The user types; the agent's next edit is from stale memory")
        self._type(uri, 0, self._comment("the user typed this after the agent had read"))
        screen.user("types another line, at the top")
        screen.agent(f"edit {self._path}, not knowing of it")
        before = self._editor.buffers[uri].text
        result = await self._edit_second(line)
        screen.answer(result, lines=20)
        screen.promise(_code(result) == "FS_STALE_VERSION", "the edit is refused with FS_STALE_VERSION")
        details = result.error.details if result.error else {}
        places = [change["newStart"] for change in details.get("changes", [])]
        screen.promise(1 in places, f"the refusal says what changed (line {', '.join(map(str, places)) or 'none'})")
        screen.promise(self._editor.buffers[uri].text == before, "the buffer is as the user left it")

    async def _it_reads_again_and_succeeds(self, uri: str) -> None:
        screen, (_, line) = self._screen, self._found.second
        screen.step("It reads again, and succeeds")
        screen.agent(f"read {self._path}, then the same edit")
        await self._agent.call("read", file_path=self._path)
        result = await self._edit_second(line)
        screen.answer(result)
        screen.promise(not result.is_error, "the edit is applied")
        painted = await self._editor.repainted(uri, 2)
        screen.buffer(f"the editor's buffer: {self._path}", self._editor.buffers[uri], painted.hunks, self._typed)
        text = self._editor.buffers[uri].text
        screen.promise(all(typed in text for typed in self._typed), "every line that the user typed is still there")
        screen.promise(
            painted.hunks[0].range.start.line > self._found.first[0],
            "the first hunk has moved with the typing above it",
        )

    async def _a_file_it_never_read(self) -> None:
        screen, unread = self._screen, self._found.unread
        screen.step("A file that it never read")
        before = (self._found.folder / unread).read_bytes()
        screen.agent(f"edit {unread}")
        result = await self._agent.call("edit", file_path=unread, old_string="a", new_string="b", replace_all=True)
        screen.answer(result)
        screen.promise(_code(result) == "FS_NOT_OBSERVED", "the edit is refused with FS_NOT_OBSERVED")
        screen.promise((self._found.folder / unread).read_bytes() == before, "the file is as it was")

    async def _new_files(self) -> None:
        screen, name = self._screen, "notes-of-the-agent.md"
        screen.step("A new file is created; somebody else's is not overwritten")
        screen.agent(f"write {name}")
        result = await self._agent.call("write", file_path=name, content="# Notes\n\nWritten by the agent.\n")
        screen.answer(result)
        path = self._found.folder / name
        screen.promise(
            not result.is_error and path.read_bytes() == b"# Notes\n\nWritten by the agent.\n", "the file is created"
        )
        theirs = self._found.folder / "notes-of-somebody-else.md"
        theirs.write_bytes(b"not yours\n")
        screen.agent(f"write {theirs.name}, which somebody else has just made")
        result = await self._agent.call("write", file_path=theirs.name, content="mine now\n")
        screen.answer(result)
        screen.promise(_code(result) == "FS_NOT_OBSERVED", "overwriting it is refused with FS_NOT_OBSERVED")
        screen.promise(theirs.read_bytes() == b"not yours\n", "its text is still theirs")

    async def _the_end(self, uri: str) -> None:
        screen = self._screen
        screen.step("The end")
        result = await self._agent.call("read", file_path=self._path)
        same = (result.value or {}).get("version") == self._editor.buffers[uri].content_version
        screen.promise(same, "the server's idea of the buffer is the buffer, to the last character")
        await self._agent.leave()
        screen.promise(await self._editor.stop() == 0, "the server leaves when the editor does, with exit code 0")

    async def _edit_second(self, line: str) -> ToolRunResult:
        return await self._agent.call(
            "edit", file_path=self._path, old_string=line, new_string=f"{line} {self._comment('edited too', '')}"
        )

    def _comment(self, text: str, otherwise: str = "…") -> str:
        mark = self._found.comment or otherwise
        return f"{mark} {text}".strip()

    def _type(self, uri: str, line: int, text: str) -> None:
        self._typed.append(text)
        self._editor.type_line(uri, line, text)


def _code(result: ToolRunResult) -> str | None:
    return result.error.code if result.error else None
