"""A process that answers on its standard input and output, and misbehaves in every way it can think of.

Run as a script. ``noise`` writes to what used to be standard output, by itself and through a child, and reads what used
to be standard input; ``echo`` returns its params, so that a test can see the framing intact; ``exit`` ends it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import Any

from dsh_lsp.rpc.stdio import stdio_connection, take_stdio

CHILD = """
import os, sys
print(sys.argv[1], flush=True)
files = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd") if int(fd) > 2]
kinds = [os.readlink(file) for file in files if os.path.exists(file)]
inherited = [kind for kind in kinds if kind.startswith(("pipe", "socket", "/dev/pts"))]
sys.stderr.write(f"child heard {sys.stdin.read()!r} and inherited {inherited}\\n")
"""


def noise(text: str) -> dict[str, Any]:
    """Write where the protocol was, read where it was, have a child do the same, and tell what was heard."""
    print(text, flush=True)  # noqa: T201 - the misbehaviour under test
    os.write(1, f"{text}\n".encode())
    subprocess.run([sys.executable, "-c", CHILD, text], close_fds=False, check=True)
    return {"heard": sys.stdin.read()}


async def main() -> str:
    """Serve until the end, and return why it came."""
    fds = take_stdio()
    print("stray output", flush=True)  # noqa: T201 - the misbehaviour under test
    connection = await stdio_connection(fds)
    while (message := await connection.read()) is not None:
        if not isinstance(message, dict):
            raise TypeError(message)
        if message["method"] == "exit":
            connection.close("exit")
            break
        text = message["params"]["text"]
        result = noise(text) if message["method"] == "noise" else {"text": text}
        connection.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
    connection.close("end of stream")
    await connection.wait_closed()
    return connection.reason


if __name__ == "__main__":
    sys.stderr.write(f"ended: {asyncio.run(main())}\n")
