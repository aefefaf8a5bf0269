"""A runtime directory with servers and what they leave behind in it, real and made up."""

import hashlib
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.lstat().st_mode)


def ended_pid() -> int:
    """The id of a process that has ended and been collected."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def files(runtime: Path) -> list[str]:
    """The names of the discovery files, and of anything else beside them."""
    return sorted(path.name for path in (runtime / "workspaces").iterdir())


def put(runtime: Path, folder: Path, **members: Any) -> Path:
    """A discovery file for ``folder`` as a server in any language would write it."""
    said = {
        "pid": os.getpid(),
        "endpoint": f"unix:{runtime}/a.sock",
        "protocolVersion": 1,
        "workspaceFolders": [folder.as_uri()],
    } | members
    return put_raw(runtime, folder, said["pid"], json.dumps(said).encode())


def put_raw(runtime: Path, folder: Path, pid: object, content: bytes) -> Path:
    """A discovery file with that content."""
    (runtime / "workspaces").mkdir(0o700, exist_ok=True)
    path = runtime / "workspaces" / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}.{pid}.json"
    path.write_bytes(content)
    path.chmod(0o600)
    return path


_ANOTHER_SERVER: Final = """
import os, socket, sys
from pathlib import Path
from dsh_lsp.discovery import Discovery
runtime, *folders = map(Path, sys.argv[1:])
server = socket.socket(socket.AF_UNIX)
path = runtime / f"{os.getpid()}.sock"
server.bind(str(path))
server.listen()
Discovery(runtime).announce(folders, f"unix:{path}")
print("announced", flush=True)
sys.stdin.read()
os._exit(0)
"""


def starting_server(runtime: Path, *folders: Path) -> subprocess.Popen[bytes]:
    """A real server process that announces itself and never withdraws; it ends when its input does."""
    return subprocess.Popen(
        [sys.executable, "-c", _ANOTHER_SERVER, str(runtime), *map(str, folders)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=python_environment(),
    )


def has_announced(process: subprocess.Popen[bytes]) -> bool:
    """Wait until it has."""
    assert process.stdout is not None
    return process.stdout.readline() == b"announced\n"


def another_server(runtime: Path, *folders: Path) -> subprocess.Popen[bytes]:
    """A real server process that has announced itself."""
    process = starting_server(runtime, *folders)
    assert has_announced(process)
    return process


def python_environment() -> dict[str, str]:
    """An environment in which a child process imports what we do."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def listening_socket(path: Path) -> Iterator[Path]:
    """A socket that somebody listens on."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        yield path


def orphaned_socket(path: Path) -> Path:
    """A socket's file as a process that was killed leaves it."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    return path


@contextmanager
def sleeping_process(program: str = "sleep") -> Iterator[int]:
    """The id of a process of ours that runs."""
    with subprocess.Popen([program, "1000"]) as process:
        try:
            yield process.pid
        finally:
            process.kill()
