"""How a command ends: its exit code, and one sentence on standard error where it could not do its work."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import Any, Final, TextIO

from dsh_lsp.client import ClientError
from dsh_lsp.runtime_dir import RuntimeDirRefused
from dsh_tools.visible import visible

DONE: Final = 0
REFUSED: Final = 1
"""The server did what was asked, and the answer is no; or something is wrong."""
NOT_ASKED: Final = 2
"""The command line can't be used, or there is no server."""
INTERRUPTED: Final = 130
"""By Ctrl-C: 128 and the number of the signal, as shells have it."""


class Usage(Exception):
    """What was typed can't be used; the message names it and says what to do."""


def run(command: str, work: Coroutine[Any, Any, int]) -> int:
    """Do the work of a command; the exit code."""
    try:
        return asyncio.run(work)
    except (ClientError, RuntimeDirRefused, Usage) as error:
        return complain(command, str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return reader_gone()


def complain(command: str, sentence: str) -> int:
    """Say why a command did not do its work; the exit code."""
    sys.stderr.write(shown(f"dsh-lsp {command}: {sentence}\n", sys.stderr))
    return NOT_ASKED


def reader_gone() -> int:
    """Whoever read our output has enough of it; the exit code."""
    # What is still buffered must not fail when the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE


def shown(text: str, on: TextIO) -> str:
    """A text as it is written there: in a terminal, escape sequences and what else would not be seen are visible."""
    return visible(text) if on.isatty() else text


def put(text: str) -> None:
    """Write a text and a line end to standard output, whatever its encoding is; errors as for `print`."""
    data = shown(f"{text}\n", sys.stdout).encode(sys.stdout.encoding or "utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
