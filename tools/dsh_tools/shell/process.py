"""One command in bash, from its start to the end of everything it started.

It has a session of its own, no terminal, nothing to read, and one pipe for both outputs, so that they stay in order. No
start file is read. Whatever ends the wait (its end, the time, a cancellation), nothing of its session is left running
when `run_command` returns; `dsh_tools.shell.sessions` says what is out of reach.

Of a server that is killed itself (``SIGKILL``), the commands go on. Needs Linux 5.3 (``pidfd_open``).
"""

import asyncio
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from typing import Final

from dsh_tools.shell.environment import child_environment
from dsh_tools.shell.output import BoundedOutput, Shown
from dsh_tools.shell.sessions import running_groups, send
from dsh_tools.uninterrupted import uninterrupted

_LINGER: Final = 0.5
"""Seconds that what a command started may outlive it, and that its output may stay open."""

_TERM_GRACE: Final = 1.0
"""Seconds between SIGTERM and SIGKILL."""

_KILL_GRACE: Final = 2.0
"""Seconds to wait for what SIGKILL does not end at once: it is in the kernel, waiting for a device."""

_LOOK: Final = 0.02
"""Seconds between two looks at what is left: nothing tells when a process that is no child has ended."""

_PIECE: Final = 1 << 16
"""Bytes per read: they stay in the cache."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        exit_code: Its exit code, or None if it did not end by itself.
        signal: The signal that ended it, by name, or None.
        timed_out: It was ended because its time was out.
        output: What it printed, both streams in order.
        left_running: It ended by itself and left processes behind, which were ended.
        still_printing: Something that left the session may still print; it is out of reach.
    """

    exit_code: int | None
    signal: str | None
    timed_out: bool
    output: Shown
    left_running: bool
    still_printing: bool


@cache
def bash_path() -> str | None:
    """The absolute path of bash, looked up once, when it is first needed; None if there is none."""
    found = shutil.which("bash")
    return None if found is None else os.path.abspath(found)  # noqa: PTH100 - a link must keep its name


async def run_command(bash: str, command: str, directory: bytes, timeout: float) -> Ended:  # noqa: ASYNC109 - a result
    """Run a command to its end.

    Args:
        bash: The path of bash.
        command: What ``bash -c`` is given.
        directory: The real path of the working directory.
        timeout: Seconds after which it is ended.

    Raises:
        OSError: It could not be started.
    """
    process = _Process(bash, command, directory)
    try:
        timed_out, left = False, False
        try:
            timed_out = not await process.ends_within(timeout)
            if not timed_out:
                await process.settle()
        finally:
            left = await uninterrupted(process.end())
        return process.ended(timed_out=timed_out, left_running=left and not timed_out)
    finally:
        process.close()


class _Process:
    """A running command. Its leader is the shell, whose process id is the session's too."""

    def __init__(self, bash: str, command: str, directory: bytes) -> None:
        self._output = BoundedOutput()
        self._exited = asyncio.Event()
        self._end_of_output = asyncio.Event()
        self._pipe, inlet = os.pipe()
        try:
            os.set_blocking(self._pipe, False)
            # A millisecond, since Python uses vfork here. Nothing is awaited before the caller's `try`.
            self._shell = subprocess.Popen(
                ["bash", "--noprofile", "--norc", "-c", "--", command],
                executable=bash,
                cwd=directory,
                env=child_environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=inlet,
                stderr=inlet,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(inlet)
        self._session = self._shell.pid
        self._pidfd = -1
        try:
            self._pidfd = os.pidfd_open(self._shell.pid)
        except OSError:
            os.killpg(self._session, signal.SIGKILL)
            self._shell.wait()
            os.close(self._pipe)
            raise
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._pidfd, self._on_exit)
        self._loop.add_reader(self._pipe, self._on_output)

    async def ends_within(self, seconds: float) -> bool:
        """Wait for the shell's end; whether it has come in time."""
        return await _happens(self._exited, seconds)

    async def settle(self) -> None:
        """Give what the shell left behind a moment to end by itself."""
        if not await self._is_empty_within(_LINGER):
            return
        await _happens(self._end_of_output, _LINGER)

    async def end(self) -> bool:
        """End all that is left; whether there was anything."""
        found = False
        for number, grace in ((signal.SIGTERM, _TERM_GRACE), (signal.SIGKILL, _KILL_GRACE)):
            groups = await self._running()
            if not groups:
                break
            found = True
            send(groups, number)
            if await self._is_empty_within(grace):
                break
        await _happens(self._end_of_output, _LINGER)
        return found

    def ended(self, *, timed_out: bool, left_running: bool) -> Ended:
        """How it ended, after `end`."""
        code = self._shell.poll()
        by_signal = None if code is None or code >= 0 else _signal_name(-code)
        return Ended(
            exit_code=None if timed_out or by_signal else code,
            signal=by_signal,
            timed_out=timed_out,
            output=self._output.shown(),
            left_running=left_running,
            still_printing=not self._end_of_output.is_set(),
        )

    def close(self) -> None:
        """Give the descriptors back, and the shell's entry in the table of processes."""
        if self._shell.returncode is None:
            # Not collected yet, so the number is still its own. Nothing is left to be hit, unless `end` has failed.
            send(frozenset({self._session}), signal.SIGKILL)
        self._loop.remove_reader(self._pidfd)
        self._loop.remove_reader(self._pipe)
        os.close(self._pidfd)
        os.close(self._pipe)
        self._shell.poll()

    async def _is_empty_within(self, seconds: float) -> bool:
        deadline = self._loop.time() + seconds
        while await self._running():
            if self._loop.time() >= deadline:
                return False
            await asyncio.sleep(_LOOK)
        return True

    async def _running(self) -> frozenset[int]:
        return await asyncio.to_thread(running_groups, self._session)

    def _on_exit(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._exited.set()

    def _on_output(self) -> None:
        try:
            data = os.read(self._pipe, _PIECE)
        except BlockingIOError:
            return
        if data:
            self._output.add(data)
        else:
            self._loop.remove_reader(self._pipe)
            self._end_of_output.set()


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
    return event.is_set()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
