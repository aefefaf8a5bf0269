"""A process that has imported the server once, and forks one for each that is asked for.

Run as a script with the number of an inherited socket as its only argument. A request is one datagram: JSON with
``argv``, ``env`` and ``cwd``, and four descriptors: standard input, output and error, and a pipe on which the process
id is answered at once and the exit code (negative for a signal) at the end, one line each. It ends when the socket's
other end is closed; what it has started goes on.

What a fork shares with a start of its own: the code, the command line, the environment, the working directory, the
three descriptors, `atexit` and the exit code. What differs: the interpreter's own settings (PYTHON…, the locale) are
the first process's, so a test that is about them starts its server anew (`warm.can_be_warm`).
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import socket
import sys
from typing import Any, Final

import dsh_lsp.cli
import dsh_lsp.headless
import dsh_lsp.mcp.server  # what takes the time
import dsh_lsp.server
from dsh_tools.diff import preload

_REQUEST: Final = 256 * 1024


def serve(requests: socket.socket) -> None:
    """Fork for each request; returns in each child, ready to be the server, and at the end."""
    waiting = selectors.DefaultSelector()
    waiting.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.data is not None:
                waiting.unregister(key.fd)
                _reap(key.fd, *key.data)
                continue
            data, descriptors, _, _ = socket.recv_fds(requests, _REQUEST, 4)
            if not data:
                sys.exit(0)
            *stdio, status = descriptors
            pid = os.fork()
            if pid == 0:
                _close(waiting, requests, status)
                _become(json.loads(data), stdio)
                return
            for fd in stdio:
                os.close(fd)
            os.write(status, b"%d\n" % pid)
            waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, status))


def _reap(pidfd: int, pid: int, status: int) -> None:
    _, code = os.waitpid(pid, 0)
    os.close(pidfd)
    try:
        os.write(status, b"%d\n" % os.waitstatus_to_exitcode(code))
    except BrokenPipeError:
        pass  # nobody wants to know
    os.close(status)


def _close(waiting: selectors.BaseSelector, requests: socket.socket, status: int) -> None:
    """Close what is not the child's: by its owners, who would else close another file of the same number later."""
    for key in list(waiting.get_map().values()):
        if key.data is not None:
            os.close(key.fd)
            os.close(key.data[1])
    waiting.close()
    requests.close()
    os.close(status)


def _become(request: dict[str, Any], stdio: list[int]) -> None:
    for number, fd in enumerate(stdio):
        os.dup2(fd, number)
        os.close(fd)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv = request["argv"]


if __name__ == "__main__":
    preload()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    dsh_lsp.cli.main()
