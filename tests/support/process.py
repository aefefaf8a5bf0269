"""A server as a child process on three pipes.

Held: its output as messages, its standard error as text, and its end. It is killed by its own process id, and nothing
else ever is. Deliberately absent: what the messages mean.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from tests.support import framing
from tests.support.warm import WarmProcess, can_be_warm

_LAST_WORDS = 4000


class Server(Protocol):
    """What the fake editor needs of whatever it talks to; each member is explained at `ServerProcess`."""

    broken: str | None

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def exit_code(self) -> int | None:
        """What it ended with."""
        ...

    @property
    def stderr(self) -> str:
        """What it wrote to its standard error."""
        ...

    def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Its messages."""
        ...

    def write(self, data: bytes) -> None:
        """Write to it."""
        ...

    async def wait(self, seconds: float) -> int | None:
        """Its exit code."""
        ...

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to it."""
        ...

    async def end(self) -> None:
        """Leave nothing behind."""
        ...

    def epitaph(self) -> str:
        """How it is."""
        ...


class ServerProcess:
    """A running server; made by `start`.

    Attributes:
        broken: What is wrong with its output, once something is.
    """

    def __init__(self, process: asyncio.subprocess.Process | WarmProcess) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("the server was started without pipes")
        self.writer = process.stdin
        self.broken: str | None = None
        self._process = process
        self._reader = process.stdout
        self._stderr = bytearray()
        self._spoke = asyncio.Event()
        self._listening = asyncio.create_task(self._listen(process.stderr))

    @classmethod
    async def start(
        cls, command: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> "ServerProcess":
        """Start a command; without ``env``, in this process's environment.

        A server as tests usually start it is forked from one that is warm; see `warm`.
        """
        if env is not None and can_be_warm(command, env):
            return cls(await WarmProcess.start(command, env, cwd))
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd)
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """What it ended with; None while it runs, negative for a signal."""
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """What it wrote to its standard error so far."""
        return self._stderr.decode("utf-8", "replace")

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Its messages until its output ends or breaks."""
        try:
            while (message := await framing.read(self._reader)) is not None:
                yield message
        except framing.BrokenFrame as error:
            self.broken = str(error)

    def write(self, data: bytes) -> None:
        """Write to its standard input; what can't be written is lost, as it is for any client of a dead server."""
        if not self.writer.is_closing():
            self.writer.write(data)

    async def wait(self, seconds: float) -> int | None:
        """Its exit code; None if it still runs after that time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                code = await self._process.wait()
                await self._listening
                return code
        return None

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to it, if it runs."""
        if self.exit_code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def said(self, words: str, within: float = 20.0) -> None:
        """Return when it has said this on its standard error (seconds)."""
        async with asyncio.timeout(within):
            while words not in self.stderr:
                if self._listening.done():
                    raise AssertionError(f"it never said {words!r}: {self.epitaph()}")
                self._spoke.clear()
                await self._spoke.wait()

    async def end(self) -> None:
        """Kill it if it still runs, and leave nothing behind."""
        self.kill()
        await self._process.wait()
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening

    def epitaph(self) -> str:
        """How it is, and its last words on standard error, for the messages of failures."""
        state = "runs" if self.exit_code is None else f"exited with {self.exit_code}"
        words = self.stderr[-_LAST_WORDS:].strip()
        return f"the server (pid {self.pid}) {state}" + (f"; its stderr ends with:\n{words}" if words else "")

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(65536):
            self._stderr += chunk
            self._spoke.set()
        self._spoke.set()
