"""Real plain clients, with nothing of ours: open, edit, stale, hover and code action work, and nothing is lost."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from dsh_lsp import discovery
from tests.support.agent import Agent
from tests.support.world import World

HERE = Path(__file__).parent

TEXT = "".join(f"line {n}\n" for n in range(1, 21))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("emacs") is None, reason="Emacs is not installed"),
]


class Emacs:
    """An Emacs in batch mode; made by `start`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, world: World, client: str) -> "Emacs":
        """Start it with a client (``eglot``, ``lsp-mode``)."""
        env = {**world.env, "DSH_PYTHON": sys.executable, "TERM": "dumb"}
        command = [
            "emacs",
            "--batch",
            "-l",
            str(HERE / "emacs.el"),
            "-l",
            str(HERE / f"{client}.el"),
            "-f",
            "dsh-serve",
        ]
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=world.workspace, limit=1 << 20
            )
        )

    async def run(self, form: str) -> str:
        """Evaluate a form, which stands on one line; its value, printed."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(" ".join(form.split()).encode() + b"\n")
        async with asyncio.timeout(60.0):
            while line := await process.stdout.readline():
                if line.startswith(b"ANSWER "):
                    answer = json.loads(line.removeprefix(b"ANSWER "))
                    assert answer["ok"], answer["value"]
                    return str(answer["value"])
        assert process.stderr is not None
        raise AssertionError(f"Emacs has ended: {(await process.stderr.read()).decode()[:3000]}")

    async def text(self) -> str:
        """The buffer's text."""
        return await self.run("(buffer-substring-no-properties (point-min) (point-max))")

    async def gets(self, text: str) -> bool:
        """Wait for the buffer to have a text; whether it has."""
        look = f"(save-excursion (goto-char 1) (search-forward {json.dumps(text)} nil t))"
        return await self.run(f"(dsh-wait (lambda () {look}))") != "nil"

    async def has(self, text: str) -> None:
        """Wait until the buffer has a text."""
        found = await self.gets(text)
        assert found, f"{text} is not in {await self.text()}. What Emacs said: {await self._said()}"

    async def _said(self) -> str:
        """The end of its messages, and with it its own."""
        self._process.kill()
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode(errors="replace")[-2000:]

    async def end(self) -> None:
        """End it."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        await self._process.communicate()


@pytest.fixture(params=["eglot", "lsp-mode"])
async def emacs(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Emacs]:
    """An Emacs with a.txt open and attached."""
    if request.param == "lsp-mode" and not list(Path("/usr/share/emacs/site-lisp/elpa").glob("lsp-mode-*")):
        pytest.skip("lsp-mode is not installed")
    world.file(".git/HEAD", "ref: refs/heads/main\n")
    world.file("a.txt", TEXT)
    started = await Emacs.start(world, request.param)
    try:
        await started.run('(progn (find-file "a.txt") (dsh-start))')
        yield started
    finally:
        await started.end()


async def agent_of(world: World) -> Agent:
    """An agent on the server's socket."""
    async with asyncio.timeout(20.0):
        while not (found := await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])):
            pass
    agent = await Agent.connect(found[0].socket)
    await agent.open_session()
    return agent


async def test_the_story_in_a_plain_client(world: World, emacs: Emacs) -> None:
    """Unsaved typing stays, edits arrive beside it, a stale one is refused, hover and a code action review.

    The answer to a hover shows that the server has what was typed before.
    """
    agent = await agent_of(world)
    await emacs.run('(progn (goto-char 1) (forward-line 2) (insert "typed\\n") (funcall dsh-changed) (dsh-hover))')
    await emacs.has("typed")
    before = await agent.read("a.txt")
    edit = agent.start("edit", file_path="a.txt", old_string="line 9\n", new_string="line nine\n")
    await emacs.has("line nine")
    await emacs.run("(progn (funcall dsh-changed) (dsh-hover))")
    edited = await edit.result()
    await emacs.run('(progn (goto-char 1) (insert "above\\n") (funcall dsh-changed) (dsh-hover))')
    stale = await agent.edit("a.txt", "line 15", "line fifteen")
    shown = await emacs.run('(progn (goto-char 1) (search-forward "line nine") (dsh-hover))')
    # An edit that comes in one piece with the answer to the command is lost in Emacs: the change is pending then.
    for _ in range(3):
        await emacs.run('(progn (dsh-act "quickfix.dsh.undo") 1)')
        if await emacs.gets("line 9\n"):
            break
    lines = (await emacs.text()).splitlines()
    await agent.close()

    assert "typed" in before["value"]["text"]
    assert not edited["isError"], edited
    assert "FS_STALE_VERSION" == stale["error"]["code"]
    assert "line 9" in shown
    wanted = ["above", *TEXT.splitlines()]
    wanted[3:3] = ["typed"]
    assert wanted == lines
    assert TEXT.encode() == world.bytes("a.txt")
