"""One command in bash: how it ends, and that nothing of it is left."""

import asyncio
import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from dsh_tools.shell import process, sessions
from dsh_tools.shell.process import Ended, run_command

BASH = shutil.which("bash") or ""
FOREVER = 100.0


async def run(folder: Path, command: str, timeout: float = FOREVER) -> Ended:  # noqa: ASYNC109
    """Run a command in a folder."""
    return await run_command(BASH, command, os.fsencode(folder), timeout)


def pid_in(path: Path) -> int:
    """The process id that a command has written to a file."""
    return int(path.read_text(encoding="ascii"))


def is_gone(pid: int) -> bool:
    """Whether a process has ended, or does so in ten seconds. A zombie has."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 10.0)[0])
    finally:
        os.close(fd)


async def written(path: Path) -> None:
    """Wait until a command has written to a file."""
    async with asyncio.timeout(10.0):
        while not (path.exists() and path.read_bytes().endswith(b"\n")):
            await asyncio.to_thread(select.select, [], [], [], 0.01)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graces that keep the tests short."""
    monkeypatch.setattr(process, "_LINGER", 0.3)
    monkeypatch.setattr(process, "_TERM_GRACE", 0.3)


@pytest.mark.parametrize(
    ("command", "exit_code", "by_signal"),
    [
        ("true", 0, None),
        ("exit 3", 3, None),
        ("no-such-program-here", 127, None),
        ("kill -KILL $$", None, "SIGKILL"),
        ("kill -SEGV $$", None, "SIGSEGV"),
        ("kill -40 $$", None, "signal 40"),
        ("sh -c 'kill -TERM $$'; exit $?", 143, None),
    ],
)
async def test_how_it_ended(tmp_path: Path, command: str, exit_code: int | None, by_signal: str | None) -> None:
    """By an exit code, or by a signal and its name; a signal that ended a child is the shell's exit code."""
    ended = await run(tmp_path, command)

    assert (exit_code, by_signal, False, False) == (ended.exit_code, ended.signal, ended.timed_out, ended.left_running)


async def test_both_outputs_come_in_order(tmp_path: Path) -> None:
    """Standard output and errors are one stream."""
    ended = await run(tmp_path, "echo 1; echo 2 >&2; echo 3; echo 4 >&2; printf 5")

    assert "1\n2\n3\n4\n5" == ended.output.head


async def test_there_is_nothing_to_read_and_no_terminal(tmp_path: Path) -> None:
    """A program that reads stdin meets its end at once, and /dev/tty can't be opened."""
    ended = await run(tmp_path, "cat; wc -c; if : < /dev/tty; then echo terminal; fi 2>/dev/null")

    assert ["0"] == ended.output.head.split()


async def test_the_servers_own_input_is_not_read(tmp_path: Path) -> None:
    """What a client sends to the server is not the command's to take."""
    outlet, inlet = os.pipe()
    os.write(inlet, b"a message")
    kept = os.dup(0)
    os.dup2(outlet, 0)
    try:
        ended = await run(tmp_path, "cat")
    finally:
        os.dup2(kept, 0)
        for fd in (outlet, inlet, kept):
            os.close(fd)

    assert "" == ended.output.head


async def test_a_command_that_looks_like_an_option_is_a_command(tmp_path: Path) -> None:
    """What is asked for never becomes an option of bash."""
    ended = await run(tmp_path, "-x")

    assert 127 == ended.exit_code


async def test_no_start_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither those of the home nor the one that BASH_ENV names."""
    for name in (".bashrc", ".bash_profile", ".profile", "env"):
        (tmp_path / name).write_text("echo started\n", encoding="ascii")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "env"))

    ended = await run(tmp_path, "shopt -q login_shell || pwd")

    assert f"{tmp_path}\n" == ended.output.head


async def test_out_of_time_ends_the_whole_group(tmp_path: Path) -> None:
    """Shell, child and grandchild are gone when the call returns; what was printed until then is there."""
    started = time.monotonic()

    ended = await run(tmp_path, "echo early; sh -c 'sleep 1000 & echo $! > pid; wait'; echo late", timeout=0.5)

    assert time.monotonic() - started < 10
    assert (None, "SIGTERM", True) == (ended.exit_code, ended.signal, ended.timed_out)
    assert ("early\n", False) == (ended.output.head, ended.left_running)
    assert is_gone(pid_in(tmp_path / "pid"))


async def test_what_ignores_SIGTERM_is_killed(tmp_path: Path) -> None:
    """After a short grace."""
    ended = await run(tmp_path, "trap '' TERM; echo $$ > pid; while :; do sleep 0.01; done", timeout=0.3)

    assert (None, "SIGKILL", True) == (ended.exit_code, ended.signal, ended.timed_out)
    assert is_gone(pid_in(tmp_path / "pid"))


async def test_what_cleans_up_on_SIGTERM_may(tmp_path: Path) -> None:
    """It has the grace for it; its exit code is not taken for one of its own accord."""
    ended = await run(tmp_path, "trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.01; done", timeout=0.3)

    assert (None, None, True) == (ended.exit_code, ended.signal, ended.timed_out)
    assert "cleaned\n" in ended.output.head


@pytest.mark.filterwarnings("error::ResourceWarning")
async def test_a_cancelled_command_is_gone_when_the_cancellation_is(tmp_path: Path) -> None:
    """The cancellation passes on once nothing is left running."""
    running = asyncio.ensure_future(run(tmp_path, "sleep 1000 & echo $! > child; echo $$ > pid; wait"))
    await written(tmp_path / "pid")
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running

    assert frozenset() == sessions.running_groups(pid_in(tmp_path / "pid"))
    assert is_gone(pid_in(tmp_path / "child"))


async def test_cancelling_twice_leaves_nothing_either(tmp_path: Path) -> None:
    """The grace of the first cancellation is not cut short by the second."""
    running = asyncio.ensure_future(run(tmp_path, "trap '' TERM; echo $$ > pid; while :; do sleep 0.01; done"))
    await written(tmp_path / "pid")
    running.cancel()
    await asyncio.wait((running,), timeout=0.05)
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running

    assert frozenset() == sessions.running_groups(pid_in(tmp_path / "pid"))


@pytest.mark.parametrize(
    "command",
    [
        "sleep 1000 & echo $! > pid",
        "sleep 1000 >/dev/null 2>&1 & echo $! > pid",
        "set -m; sleep 1000 & echo $! > pid",
        "nohup sleep 1000 >/dev/null 2>&1 & echo $! > pid",
        "trap '' TERM; sleep 1000 & echo $! > pid",
        "(sleep 1000 & echo $! > pid) & wait; kill -9 $$",
    ],
)
async def test_what_is_left_in_the_background_is_ended(tmp_path: Path, command: str) -> None:
    """Whether it holds the output or not, in whichever group, and it is said; the call does not wait for it."""
    started = time.monotonic()

    ended = await run(tmp_path, command)

    assert time.monotonic() - started < 10
    assert (True, False, False) == (ended.left_running, ended.timed_out, ended.still_printing)
    assert is_gone(pid_in(tmp_path / "pid"))


async def test_a_process_whose_first_thread_has_ended_is_running(tmp_path: Path) -> None:
    """It shows as a zombie, and is ended like any other."""
    program = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    (tmp_path / "program.py").write_text(program, encoding="ascii")
    state = "grep -q '^State:.Z' /proc/$!/status"

    ended = await run(tmp_path, f"{sys.executable} -S program.py & echo $! > pid; until {state}; do sleep 0.01; done")

    assert ended.left_running
    assert is_gone(pid_in(tmp_path / "pid"))


async def test_a_signal_to_a_group_that_is_gone_by_now_is_no_error(tmp_path: Path) -> None:
    """Between the look and the signal, a process may end by itself."""
    await run(tmp_path, "echo $$ > pid")

    sessions.send(frozenset({pid_in(tmp_path / "pid")}), signal.SIGTERM)


async def test_what_ends_soon_after_the_shell_is_waited_for(tmp_path: Path) -> None:
    """The last words of a process substitution are part of the output, and nothing was left running."""
    ended = await run(tmp_path, "echo hello > >(sleep 0.1; cat)")

    assert ("hello\n", False) == (ended.output.head, ended.left_running)


async def test_what_left_the_session_does_not_hold_the_call(tmp_path: Path) -> None:
    """It is out of reach, and it is said that it may go on."""
    ended = await run(tmp_path, "setsid sleep 1000 & echo $! > pid; echo done")
    os.kill(pid_in(tmp_path / "pid"), 9)

    assert ("done\n", True) == (ended.output.head, ended.still_printing)


async def test_a_great_output_is_bounded(tmp_path: Path) -> None:
    """Two hundred million bytes: beginning and end are kept, and the rest is counted."""
    ended = await run(tmp_path, "head -c 200000000 /dev/zero")

    output = ended.output
    assert (200_000_000, 199_970_000, 0) == (output.total_bytes, output.left_out, output.left_out_lines)
    assert ("\0" * 15_000, "\0" * 15_000) == (output.head, output.tail)


async def test_the_event_loop_goes_on_while_a_process_prints(tmp_path: Path) -> None:
    """Other work gets its turn all the time."""
    turns = 0
    running = asyncio.ensure_future(run(tmp_path, "head -c 50000000 /dev/zero"))
    while not running.done():
        turns += 1
        await asyncio.sleep(0)

    assert turns > 50_000_000 / (1 << 17)


async def test_an_output_that_ends_before_its_command_is_not_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command may close its outputs and go on: waiting for it costs nothing."""
    looks = 0
    look = process._Process._on_output

    def counting(running: process._Process) -> None:
        nonlocal looks
        looks += 1
        look(running)

    monkeypatch.setattr(process._Process, "_on_output", counting)

    await run(tmp_path, "echo a; exec >&- 2>&-; sleep 0.2")

    assert looks <= 3


async def test_descriptors_and_processes_are_given_back(tmp_path: Path) -> None:
    """Twenty commands leave as many open files as one, and no zombie."""
    await run(tmp_path, "true")
    before = os.listdir("/proc/self/fd")  # noqa: PTH208
    for _ in range(20):
        await run(tmp_path, "echo $$ > pid")

        assert not Path(f"/proc/{pid_in(tmp_path / 'pid')}").exists()

    assert len(before) == len(os.listdir("/proc/self/fd"))  # noqa: PTH208


async def test_a_command_that_can_not_be_started_leaves_nothing_open(tmp_path: Path) -> None:
    """The error of the system passes on."""
    await run(tmp_path, "true")
    before = os.listdir("/proc/self/fd")  # noqa: PTH208

    with pytest.raises(FileNotFoundError):
        await run(tmp_path / "missing", "true")

    assert len(before) == len(os.listdir("/proc/self/fd"))  # noqa: PTH208


async def test_where_processes_can_not_be_looked_at_the_group_is_still_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a look at /proc, everything is taken to run, and is killed."""

    def refuse(_path: str) -> list[str]:
        raise OSError

    monkeypatch.setattr(process, "_KILL_GRACE", 0.1)
    monkeypatch.setattr(sessions.os, "listdir", refuse)

    ended = await run(tmp_path, "trap '' TERM; sleep 1000 & echo $! > pid")

    assert 0 == ended.exit_code
    assert is_gone(pid_in(tmp_path / "pid"))
