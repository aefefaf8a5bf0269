"""How an agent finds the server that has its workspace: one small file for each workspace folder and server.

Held: announcing and withdrawing those files, and finding them from a folder upwards. Absent: what is in a file, see
:mod:`dsh_lsp.announcements`; and connecting. What a file says is of no use to a user who can't connect anyway, but for
the token of a loopback port: the file is its owner's alone.

All functions block on the file system: call them in an executor or at start-up.
"""

import os
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dsh_lsp.announcements import SUBDIRECTORY, Announcement, TcpDoor, key_of, listed, live_or_swept, read, write
from dsh_lsp.liveness import process_started_at
from dsh_lsp.runtime_dir import known_runtime_dirs, private_dir, runtime_dir
from dsh_lsp.wire import PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class Found:
    """A server that runs and has the folder.

    Attributes:
        folder: The real path of the workspace folder under which it was found.
        pid: Its process.
        endpoint: Where to connect, as it was announced.
        socket: The socket that this means.
        protocol_version: The version of the protocol that it speaks, which need not be ours.
        workspace_folders: All its folders, as ``file:`` URIs.
        tcp: Its loopback port, if it has one.
    """

    folder: Path
    pid: int
    endpoint: str
    socket: Path
    protocol_version: int
    workspace_folders: tuple[str, ...]
    tcp: TcpDoor | None = None


class Discovery:
    """The files by which one server is found. May be used from several threads.

    Args:
        directory: The runtime directory, if not the usual one.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._written: set[Path] = set()

    def announce(self, folders: Iterable[Path], endpoint: str, tcp: TcpDoor | None = None) -> None:
        """Say that this process has ``folders``, instead of those that it said before, and sweep up after dead servers.

        Args:
            folders: The workspace folders.
            endpoint: An :attr:`~dsh_lsp.endpoint.AgentEndpoint.address` that is open already: a file without a
                socket is swept by whoever comes upon it.
            tcp: The loopback port, if there is one.

        Raises:
            RuntimeDirRefused: There is no directory that is ours alone.
            OSError: A file can't be written; those before it are there.
        """
        with self._lock:
            root = runtime_dir() if self._directory is None else private_dir(self._directory)
            directory = private_dir(root / SUBDIRECTORY)
            _sweep(root)
            real = list(dict.fromkeys(_real(folder) for folder in folders))
            said = Announcement(
                pid=os.getpid(),
                endpoint=endpoint,
                protocol_version=PROTOCOL_VERSION,
                workspace_folders=tuple(folder.as_uri() for folder in real),
                started_at=process_started_at(os.getpid()),
                tcp=tcp,
            )
            outdated = set(self._written)
            for folder in real:
                path = write(directory, folder, said)
                self._written.add(path)
                outdated.discard(path)
            self._remove(outdated)

    def withdraw(self) -> None:
        """Remove all that was announced. May be called at any time, and again."""
        with self._lock:
            self._remove(set(self._written))

    def _remove(self, paths: set[Path]) -> None:
        for path in paths:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            self._written.discard(path)


def find(folder: Path, directories: Sequence[Path] | None = None) -> list[Found]:
    """Return the servers that have ``folder`` or a parent of it: the nearest folder first, the latest to say so first.

    Files of servers that are gone are removed. Files that can't be read, belong to somebody else, could have been
    written by somebody else, or make no sense, are passed over and left alone.

    Args:
        folder: Where to start; it need not exist.
        directories: The runtime directories to look in, if not the usual ones.

    Raises:
        RuntimeDirRefused: The environment names a runtime directory by a relative path.
    """
    paths = listed(known_runtime_dirs() if directories is None else directories)
    start = _real(folder)
    found: dict[tuple[int, str], Found] = {}
    for ancestor in (start, *start.parents):
        entries = [entry for path in paths.get(key_of(ancestor), ()) if (entry := read(path)) is not None]
        for entry in sorted(entries, key=lambda entry: entry.written_ns, reverse=True):
            said = entry.said
            if ancestor.as_uri() in said.workspace_folders and live_or_swept(entry):
                found.setdefault(
                    (said.pid, said.endpoint),
                    Found(
                        folder=ancestor,
                        pid=said.pid,
                        endpoint=said.endpoint,
                        socket=said.socket,
                        protocol_version=said.protocol_version,
                        workspace_folders=said.workspace_folders,
                        tcp=said.tcp,
                    ),
                )
    return list(found.values())


def _sweep(root: Path) -> None:
    for paths in listed([root]).values():
        for path in paths:
            if (entry := read(path)) is not None:
                live_or_swept(entry)


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))
