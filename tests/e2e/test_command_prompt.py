"""``dsh-lsp agent`` in a terminal: a real one, as far as the program can tell."""

import asyncio
import os
import pty
import signal
import tty
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from dsh_lsp.client import observe
from tests.support.commands import PROGRAM, environment
from tests.support.editors import VsCodeLike
from tests.support.world import World

PROMPT = "dsh> "


@dataclass(slots=True)
class Terminal:
    """A program's terminal, from the outside.

    Attributes:
        process: The program.
        fd: The other side of its terminal.
    """

    process: "Popen[Any]"
    fd: int

    async def until(self, wanted: str, within: float = 20.0) -> str:
        """What appears on it, up to a text."""
        seen = b""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(within):
            while wanted.encode() not in seen:
                readable = asyncio.Event()
                loop.add_reader(self.fd, readable.set)
                try:
                    await readable.wait()
                finally:
                    loop.remove_reader(self.fd)
                try:
                    seen += os.read(self.fd, 65536)
                except OSError:
                    raise AssertionError(f"it ended without {wanted!r}: {seen.decode()}") from None
        return seen.decode().replace("\r", "")

    async def type(self, line: str, wanted: str = PROMPT) -> str:
        """Type a line; what appears after it, up to a text."""
        os.write(self.fd, f"{line}\n".encode())
        return await self.until(wanted)


@asynccontextmanager
async def prompt(world: World, *words: str) -> AsyncIterator[Terminal]:
    """The program in a terminal, after its first prompt."""
    terminal = _in_terminal(world, words)
    try:
        yield terminal
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
        await asyncio.to_thread(terminal.process.wait)
        os.close(terminal.fd)


def _in_terminal(world: World, words: Sequence[str]) -> Terminal:
    outside, inside = pty.openpty()
    tty.setraw(outside)
    process = Popen(
        [*PROGRAM, "agent", *words],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        cwd=world.workspace,
        env={**environment(world), "TERM": "dumb"},
        start_new_session=True,
    )
    os.close(inside)
    return Terminal(process, outside)


async def test_lines_are_calls_and_reviews(world: World) -> None:
    """Read, edit, look at what is pending, undo it; mistakes are told; what the user decides is told, too."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    await world.socket(editor)
    async with prompt(world) as terminal:
        await terminal.until(PROMPT)
        read = await terminal.type("read a.txt")
        edited = await terminal.type("edit a.txt two 'by hand'")
        refused = await terminal.type("edit a.txt nowhere x")
        wrong = await terminal.type("edit a.txt --nope 1")
        world.file("b.txt", "\x1b[31mred\n")
        escape = await terminal.type("read b.txt")
        unknown = await terminal.type("nope") + await terminal.type(":nope") + await terminal.type("read 'x")
        pending = await terminal.type(":pending")
        number = await terminal.type(":undo 7")
        undone = await terminal.type(":undo 1")
        nothing = await terminal.type(":keep")
        help_ = await terminal.type(":help") + await terminal.type("edit --help")
        os.write(terminal.fd, b"\x04")
        code = await asyncio.to_thread(terminal.process.wait, 10)
    history = Path(world.env["XDG_STATE_HOME"]) / "dsh-lsp" / "prompt-history"

    assert "     2| two\n" in read
    assert "Edited a.txt (+1 -1)." in edited
    assert "FS_EDIT_NOT_FOUND: " in refused
    assert "edit has no argument --nope" in wrong
    assert "⟨ESC⟩[31mred\n" in escape
    assert "there is no tool 'nope'" in unknown
    assert "there is no :nope" in unknown
    assert "No closing quotation" in unknown
    assert "  1  a.txt:2  modified +1 -1  by terminal" in pending
    assert "expected numbers as :pending lists them" in number
    assert "undone: a.txt" in undone
    assert "nothing is pending" in nothing
    assert ":keep [NUMBER...]" in help_
    assert "--old-string TEXT" in help_
    assert (0, "one\ntwo\n") == (code, editor.text(uri))
    assert "read a.txt\nedit a.txt two 'by hand'\n" in history.read_text("utf-8")
    assert 0 == history.stat().st_mode & 0o077


async def test_ctrl_c_gives_up_a_call_and_not_the_prompt(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server hears of it: the question to the user comes to nothing."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))
    editor = await world.editor(VsCodeLike)
    editor.hold("window/showMessageRequest")
    await world.socket(editor)
    async with prompt(world) as terminal:
        await terminal.until(PROMPT)
        os.write(terminal.fd, b"bash 'touch done'\n")
        question = await editor.held_request("window/showMessageRequest")
        terminal.process.send_signal(signal.SIGINT)
        given_up = await terminal.until(PROMPT)
        async with observe(world.workspace) as observer, asyncio.timeout(10):
            while (await observer.status()).sessions[0].running:
                pass  # each answer is a turn of the server's
        question.answer(None)
        told = await terminal.type("glob '*'")
        os.write(terminal.fd, b":quit\n")
        code = await asyncio.to_thread(terminal.process.wait, 10)

    assert "given up" in given_up
    assert "done" not in told.partition("\n")[2]
    assert 0 == code


async def test_without_a_server_it_says_so_and_leaves(world: World) -> None:
    """With exit code 2, in one line."""
    async with prompt(world, "--wait", "0") as terminal:
        said = await terminal.until("dsh-lsp serve there")
        code = await asyncio.to_thread(terminal.process.wait, 10)

    assert 2 == code
    assert "Traceback" not in said
