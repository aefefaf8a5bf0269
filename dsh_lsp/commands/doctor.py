"""``dsh-lsp doctor``: what is wrong with a set-up, and what to do about it."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.text import Text

from dsh_lsp.commands.checks_here import checks_here
from dsh_lsp.commands.checks_server import checks_server
from dsh_lsp.commands.console import printer
from dsh_lsp.commands.ending import DONE, REFUSED, put
from dsh_lsp.commands.findings import Finding
from dsh_lsp.replaying.wording import many
from dsh_tools.visible import one_line

_MARKS: Final = {"ok": ("ok     ", "green"), "note": ("note   ", "yellow"), "wrong": ("wrong  ", "bold red")}
_WIDTH: Final = 120


async def run_doctor(workspace: Path, editor: str | None, *, as_json: bool, wait: float) -> int:
    """Look, and print what was found; the exit code: 1 if something is wrong."""
    found = await asyncio.to_thread(checks_here)
    found += await checks_server(workspace, editor, wait)
    wrong = sum(each.state == "wrong" for each in found)
    if as_json:
        put(json.dumps({"ok": not wrong, "findings": [each.to_json() for each in found]}, ensure_ascii=False, indent=2))
    else:
        _print(found, wrong)
    return REFUSED if wrong else DONE


def _print(found: Sequence[Finding], wrong: int) -> None:
    console = printer(_WIDTH)
    wide = max(len(each.about) for each in found)
    for each in found:
        mark, style = _MARKS[each.state]
        about = f"{one_line(each.about):<{wide}}  "
        console.print(Text.assemble((mark, style), (about, "dim"), one_line(each.message)), soft_wrap=True)
        if each.remedy is not None and each.state != "ok":
            indent = " " * (len(mark) + len(about))
            console.print(Text.assemble(indent, ("-> ", "dim"), one_line(each.remedy)), soft_wrap=True)
    console.print(Text(f"\n{many(wrong, 'thing is', 'things are')} wrong." if wrong else "\nNothing is wrong."))
