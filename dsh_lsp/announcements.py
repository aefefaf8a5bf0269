"""One discovery file: its name, its shape, reading and writing it, and whether its server is still there.

The file is ``<runtime directory>/workspaces/<key>.<pid>.json``, mode 0600 in a directory of mode 0700. ``key`` is the
first 16 hexadecimal digits of the SHA-256 of the folder's real path, in the bytes that the file system has for it. The
file holds an :class:`Announcement`.

Held: what one file says and what may be believed of it. Absent: which files there should be, and the search; see
:mod:`dsh_lsp.discovery`. All functions that touch a file block.
"""

import hashlib
import json
import logging
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ConfigDict, Field, ValidationError

from dsh_lsp.liveness import is_listening, is_port_listening, is_running, is_socket_there
from dsh_lsp.runtime_dir import RuntimeDirRefused, private_dir
from dsh_tools.models import Items, WireModel, optional

logger = logging.getLogger(__name__)

SUBDIRECTORY: Final = "workspaces"
"""Where the files are, in a runtime directory."""

_FILE_NAME: Final = re.compile(r"([0-9a-f]{16})\.[1-9][0-9]*\.json")
_LARGEST: Final = 1024 * 1024
_SCHEME: Final = "unix:"


class TcpDoor(WireModel):
    """A loopback port that agents may come through, too.

    Attributes:
        port: The port at 127.0.0.1.
        token: What the first message there must show. It is not in the representation.
    """

    model_config = ConfigDict(extra="ignore")

    port: int = Field(gt=0, lt=2**16)
    token: str = Field(min_length=1, max_length=200, repr=False)


class Announcement(WireModel):
    """What a discovery file says, as a JSON object with camelCase names. Members that are not known are ignored.

    Attributes:
        pid: The server's process.
        endpoint: ``unix:`` and the absolute path of the socket to connect to, nothing escaped.
        protocol_version: The version of the protocol that it speaks.
        workspace_folders: The real paths of all its folders, as ``file:`` URIs.
        started_at: When the process started, in clock ticks since boot (proc(5), ``/proc/<pid>/stat``, field 22);
            left out where the system does not say.
        tcp: Where to connect where the socket can't be reached, if there is such a place.
    """

    model_config = ConfigDict(extra="ignore")

    pid: int = Field(gt=0, lt=2**31)
    endpoint: str = Field(pattern=rf"^{_SCHEME}/[^\x00]+$")
    protocol_version: int
    workspace_folders: Items[str]
    started_at: int | None = optional()
    tcp: TcpDoor | None = optional()

    @property
    def socket(self) -> Path:
        """The socket to connect to."""
        return Path(self.endpoint.removeprefix(_SCHEME))


@dataclass(frozen=True, slots=True)
class Entry:
    """A discovery file as it was read.

    Attributes:
        path: The file.
        inode: Which file that was.
        written_ns: When it was written, in nanoseconds since the epoch.
        said: What it says.
    """

    path: Path
    inode: int
    written_ns: int
    said: Announcement


def key_of(real: Path) -> str:
    """Return the key of a folder whose real path is ``real``."""
    return hashlib.sha256(os.fsencode(real)).hexdigest()[:16]


def write(directory: Path, real: Path, said: Announcement) -> Path:
    """Put the file of the folder ``real`` in place at once, instead of an older one, and return its path.

    Raises:
        OSError: It can't be written; there is no half of it.
    """
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=directory)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(said.to_wire()).encode())
        return temporary.replace(directory / f"{key_of(real)}.{said.pid}.json")
    except BaseException:
        temporary.unlink()
        raise


def listed(directories: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the paths of all files in these runtime directories, by key.

    A directory that is missing or belongs to somebody else holds nothing that could be believed.
    """
    paths: dict[str, list[Path]] = {}
    for directory in directories:
        with suppress(OSError, RuntimeDirRefused):
            for path in private_dir(directory / SUBDIRECTORY, create=False).iterdir():
                if match := _FILE_NAME.fullmatch(path.name):
                    paths.setdefault(match[1], []).append(path)
    return paths


def read(path: Path) -> Entry | None:
    """Return what a file says; None if it can't be read, makes no sense, or may have been written by somebody else."""
    try:
        with open(path, "rb", opener=_opener) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
                logger.debug("a discovery file is not ours alone")
                return None
            said = Announcement.model_validate_json(file.read(_LARGEST))
    except (OSError, ValidationError) as error:
        logger.debug("a discovery file can't be read: %s", type(error).__name__)
        return None
    return Entry(path, status.st_ino, status.st_mtime_ns, said) if path.name.endswith(f".{said.pid}.json") else None


def live_or_swept(entry: Entry) -> bool:
    """Return whether the server can be connected to, and remove what it left behind if it is gone.

    A sandboxed agent may see neither the server's process nor the directory of its socket, and must not remove the
    file that others go by. So a process that can't be seen is gone only if nobody listens on its socket, and a socket
    is gone only if its directory is there without it; otherwise the server is out of reach and its file stays.
    """
    said = entry.said
    running = is_running(said.pid, said.started_at)
    seen = is_socket_there(said.socket) if running else is_listening(said.socket)
    if seen is False and not running and said.tcp is not None:
        seen = is_port_listening(said.tcp.port)
    if seen is False:
        with suppress(OSError):
            if entry.path.lstat().st_ino == entry.inode:  # and not that of a new server with the same process id
                entry.path.unlink()
        if said.socket.parent == entry.path.parent.parent:
            with suppress(OSError):
                said.socket.unlink()
    return seen is True


def _opener(path: str, flags: int) -> int:
    """Open no symbolic link, and don't wait for the other end of a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
