"""A server program that is none: what the editor says goes to a socket of the test, and back."""

import os
import socket
import sys
import threading
from pathlib import Path

_CHUNK = 65_536


def main(path: str) -> None:
    """Pass everything on, until either side ends."""
    door = socket.socket(socket.AF_UNIX)
    door.connect(path)

    def answer() -> None:
        while data := door.recv(_CHUNK):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    threading.Thread(target=answer, daemon=True).start()
    while data := os.read(sys.stdin.fileno(), _CHUNK):
        door.sendall(data)
    door.close()


def install(folder: Path, path: Path) -> None:
    """Put it where the extension looks for the server of a folder."""
    program = folder / ".venv" / "bin" / "dsh-lsp"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{__file__}" "{path}"\n', encoding="utf-8")
    program.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
